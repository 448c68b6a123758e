/* Checks that a scene's components are what the program expects. Their layout hashes do not cover
 * the offsets of words and the types of data, and a hash can be forged. If a word stayed
 * unresolved, the program would use bytes of the file as a reference or an address. */
#ifndef KILN_SCENE_AGREE_H
#define KILN_SCENE_AGREE_H

#include "scene_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Returns KILN_OK if a component that needs no conversion has the size, the word offsets and the
 * data types that the program expects; else KILN_TYPE_MISMATCH. */
kiln_status kiln_scene_check_component(const kiln_scene_instance *instance, uint32_t number,
                                       const scene_component *component);
/* Whether values of two types, from two type lists, have the same bytes with the same meaning. */
bool kiln_scene_same_type(const kiln_types *a, uint32_t x, const kiln_types *b, uint32_t y);
/* The type of the values to which the data field at offset `place` of a component refers;
 * KILN_TYPE_NONE if there is no such field. `ret_member` is the field, or NULL for an element of a
 * fixed array. */
uint32_t kiln_scene_element_at(const kiln_types *types, uint32_t type, uint32_t place,
                               const kiln_member **ret_member);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
