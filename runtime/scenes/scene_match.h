/* Finds what a scene's components and archetypes are in a world. */
#ifndef KILN_SCENE_MATCH_H
#define KILN_SCENE_MATCH_H

#include "scene_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Fills the instance's components and parts, and registers what the world has not. On failure what
 * was filled is the caller's to end. */
kiln_status kiln_scene_match(kiln_scene_instance *instance, const kiln_scene_load_def *def,
                             kiln_error *reterr);
void kiln_scene_match_fini(kiln_scene_instance *instance);

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
