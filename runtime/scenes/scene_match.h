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

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
