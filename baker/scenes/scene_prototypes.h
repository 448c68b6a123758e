/* Assets that are also prefabs: a rule with `prefabs` allows scenes to instantiate them. */
#ifndef BAKE_SCENE_PROTOTYPES_H
#define BAKE_SCENE_PROTOTYPES_H

#include "scene_reader.h"

/* Finds the asset prefab with this current or former id. For an accepted id, whose asset may be
 * missing, returns a prefab without components. Returns NULL if there is none. `node` is the
 * reference to it. */
scene_unit *bake_scene_prototype_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                      const char *id, size_t length);
/* Finds the link for an id that no prefab has. Returns NULL if there is none. */
const struct bake_link *bake_scene_prototype_link(bake_scenes *s, const char *id, size_t length);
/* Reads the shape of an asset prefab. Returns NULL if memory runs out. */
scene_shape *bake_scene_prototype_read(bake_scenes *s, const scene_unit *unit);

#endif
