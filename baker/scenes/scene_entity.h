/* Reads entities, prefabs and scenes from documents. The functions are recursive: an entity has
 * child entities, and bases, which are prefabs.
 *
 * Implemented in scene_entity.c (one entity or prefab), scene_children.c (lists of entities),
 * scene_unit.c (whole prefabs and scenes) and scene_parts.c (components of an entity). */
#ifndef BAKE_SCENE_ENTITY_H
#define BAKE_SCENE_ENTITY_H

#include "scene_reader.h"

/* scene_entity.c: reads the shape of the prefab at `node`. Returns NULL after a report. */
scene_shape *bake_scene_prefab_read(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* Reads the shape of an entity. `under` is the shape that the entity overrides, or NULL. Returns
 * NULL after a report. */
scene_shape *bake_scene_entity_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    scene_shape *under, const scene_path *path);
/* Whether the prefab at `node` is `abstract: true`. */
bool bake_scene_read_abstract(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* Applies the overrides in the mapping at `node` to a child. The current owner must own the child's
 * shape. */
void bake_scene_override_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_child *child, const scene_path *path);

/* scene_children.c: reads a list of entities into the children of a shape. */
void bake_scene_children_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_shape *shape, const scene_path *path);
/* Reads the `entities` of a scene, which may be in groups. */
void bake_scene_entities_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_shape *shape);

/* Removes the children named in a list. */
void bake_scene_drop_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          scene_shape *shape, const scene_path *path);
/* Finds a child by the path in the scalar `node`. Makes the current owner the owner of the child's
 * shape and of all shapes on the path. Returns NULL after a report. */
scene_child *bake_scene_child_at(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 scene_shape *shape, const scene_path *path);
/* Reads the name of a new entity; NULL if it has none. Returns false after a report. */
bool bake_scene_name_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          const scene_path *path, const char **ret_name, uint32_t *ret_length);
/* Reports duplicate names among the children from index `first` on. */
void bake_scene_children_check(bake_scenes *s, scene_shape *shape, uint32_t first,
                               const scene_path *path);

/* scene_parts.c: reads the components of an entity, or of a prefab, into its shape. */
typedef struct scene_given {
    const bake_tree *tree;
    bake_node_id node;
    const scene_path *path;
} scene_given;
void bake_scene_parts_read(bake_scenes *s, const scene_given *given, const bake_scene_words *words,
                           scene_shape *shape);

/* scene_unit.c */
/* Returns the shape of a unit, which is read on first use, or NULL after a report. `node` is the
 * reference to the unit. */
scene_shape *bake_scene_unit_shape(bake_scenes *s, scene_unit *unit, const bake_tree *tree,
                                   bake_node_id node, const scene_path *path);
/* Records that a unit depends on another one, if the run keeps uses. Returns false if memory runs
 * out. */
bool bake_scene_keep_use(bake_scenes *s, const scene_unit *user, scene_unit *used);

#endif
