/* Finds the components and archetypes of a scene in a world. */
#ifndef KILN_SCENE_MATCH_H
#define KILN_SCENE_MATCH_H

#include "scene_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Fills the instance's components and parts, and registers components that are new to the world.
 * After a failure the caller must still call kiln_scene_match_fini. */
kiln_status kiln_scene_match(kiln_scene_instance *instance, const kiln_scene_load_args *args,
                             kiln_error *reterr);
void kiln_scene_match_fini(kiln_scene_instance *instance);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
