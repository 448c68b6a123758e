/* Whether a scene's components are what the program takes them for. Their layout hashes cover
 * neither where a scene says that words are nor what data leads to, and a forged one may say
 * anything: a word that is not turned would be followed as it stands in the file. */
#ifndef KILN_SCENE_AGREE_H
#define KILN_SCENE_AGREE_H

#include "scene_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether a component that is used as it is in the file is as large as the program says, has words
 * where the program has them, and data of the types that the program says; TYPE_MISMATCH otherwise.
 */
kiln_status kiln_scene_agree(const kiln_scene_instance *instance, uint32_t number,
                             const scene_component *component);
/* Whether values of two types of two lists are the same bytes with the same meaning. */
bool kiln_scene_same_type(const kiln_types *a, uint32_t x, const kiln_types *b, uint32_t y);
/* What the data field at that place of a component leads to; KILN_TYPE_NONE where there is none.
 * `ret_member` is the field itself, NULL where it is an element of a fixed array. */
uint32_t kiln_scene_element_at(const kiln_types *types, uint32_t type, uint32_t place,
                               const kiln_member **ret_member);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
