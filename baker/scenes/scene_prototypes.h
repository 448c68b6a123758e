/* Assets that are also prefabs: a rule with `prefabs` allows scenes to instantiate them. */
#ifndef BAKE_SCENE_PROTOTYPES_H
#define BAKE_SCENE_PROTOTYPES_H

#include "scene_reader.h"

/* The asset prefab with this id, or with this former id. For an id that is allowed to be missing, a
 * prefab without components. NULL if there is none. `node` is the place that names it. */
scene_unit *bake_scene_prototype_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                      const char *id, size_t length);
/* The link for an id that no prefab has; NULL if there is none. */
const struct bake_link *bake_scene_prototype_link(bake_scenes *s, const char *id, size_t length);
/* The shape of an asset prefab. */
scene_shape *bake_scene_prototype_read(bake_scenes *s, const scene_unit *unit);

#endif
