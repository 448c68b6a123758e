/* Assets that are prefabs as well: what a scene can be made of, by the `prefabs` of a rule. */
#ifndef BAKE_SCENE_PROTOTYPES_H
#define BAKE_SCENE_PROTOTYPES_H

#include "scene_reader.h"

/* The asset that is a prefab, by its id or an earlier one; one without
 * components for an id that may lead nowhere; NULL. `node` is where it is named. */
scene_unit *bake_scene_prototype_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                      const char *id, size_t length);
/* What is known of an id that no prefab has; NULL. */
const struct bake_link *bake_scene_prototype_link(bake_scenes *s, const char *id, size_t length);
/* The shape of an asset that is a prefab. */
scene_shape *bake_scene_prototype_read(bake_scenes *s, const scene_unit *unit);

#endif
