/* Looks up the prefabs and scenes that documents name. */
#ifndef BAKE_SCENE_LOOK_UP_H
#define BAKE_SCENE_LOOK_UP_H

#include "scene_reader.h"

/* Finds the prefab or the scene that a scalar names. Returns NULL after a report. */
scene_unit *bake_scene_prefab_named(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    const scene_path *path);
scene_unit *bake_scene_named_scene(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_path *path);
/* Finds a scene without reporting errors. `text` is a whole name, or an id of the same kind as
 * `like`. */
scene_unit *bake_scene_find_scene(const bake_scenes *s, const scene_unit *like, const char *text,
                                  size_t length);
/* Adds a hint with similar scene ids, or with similar names if `text` is a whole name. */
void bake_scene_hint_scenes(bake_scenes *s, const scene_unit *like, const char *text,
                            size_t length);

#endif
