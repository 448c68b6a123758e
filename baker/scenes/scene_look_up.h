/* Looks up prefabs and scenes by the names in documents. */
#ifndef BAKE_SCENE_LOOK_UP_H
#define BAKE_SCENE_LOOK_UP_H

#include "scene_reader.h"

/* The prefab, or the scene, that a scalar names; NULL after a report. */
scene_unit *bake_scene_prefab_named(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    const scene_path *path);
scene_unit *bake_scene_named_scene(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_path *path);
/* The same for a text, without reports. The text is an id among scenes of the kind of `like`, or a
 * whole name. */
scene_unit *bake_scene_find_scene(const bake_scenes *s, const scene_unit *like, const char *text,
                                  size_t length);
/* Hints at scenes with a similar id, or a similar name if `text` is a whole name. */
void bake_scene_hint_scenes(bake_scenes *s, const scene_unit *like, const char *text,
                            size_t length);

#endif
