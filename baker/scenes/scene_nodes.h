/* The layout of a resolved scene: all its entities, and lookup of entities by name.
 *
 * Nodes are entities and nested scenes, in breadth-first order. Without nesting, this is the order
 * of the document. The children of a node are consecutive, so the index of a child is that of the
 * first child plus its index in the shape. */
#ifndef BAKE_SCENE_NODES_H
#define BAKE_SCENE_NODES_H

#include "scene_reader.h"

typedef struct scene_node {
    scene_shape *shape;       /* NULL if dropped */
    const scene_child *child; /* NULL for the scene itself */
    uint32_t up;              /* its parent node; UINT32_MAX for the scene itself */
    uint32_t number;          /* index among its siblings */
    uint32_t first;           /* its first child */
    uint32_t entity;          /* its number in the writer; UINT32_MAX if it has none */
} scene_node;

typedef struct scene_nodes {
    scene_node *all; /* the first is the scene itself */
    uint32_t count;
    size_t capacity;
} scene_nodes;

static inline bool scene_node_is_entity(const scene_node *node)
{
    return node->shape && !node->shape->is_group;
}

/* Lays out a sealed shape. Returns false if memory runs out. */
bool bake_scene_nodes_init(scene_nodes *nodes, scene_shape *shape);
void bake_scene_nodes_fini(scene_nodes *nodes);

typedef enum scene_found {
    SCENE_FOUND,
    SCENE_FOUND_NONE,
    SCENE_FOUND_GROUP /* a nested scene, not an entity */
} scene_found;

/* Resolves the path `text` from node `from`. Looks up the first name of the path among the children
 * of the node, then of its parent, and so on, up to the first match. */
scene_found bake_scene_nodes_find(const scene_nodes *nodes, uint32_t from, const char *text,
                                  size_t length, uint32_t *ret_node);
/* Resolves a path from the outermost level of a shape. */
scene_found bake_scene_shape_find(const scene_shape *shape, const char *text, size_t length);

/* Resolves `#12`: the entity at that index in the list of the innermost scene, nested or not, that
 * contains node `from`. Returns UINT32_MAX if there is none. */
uint32_t bake_scene_nodes_listed(const scene_nodes *nodes, uint32_t from, const char *text,
                                 size_t length);

/* Whether an unresolved path may be valid, because it ends in a shape that was not read
 * completely. */
bool bake_scene_path_may_exist(const scene_shape *shape, const char *text, size_t length);
bool bake_scene_nodes_may_exist(const scene_nodes *nodes, uint32_t from, const char *text,
                                size_t length);

/* Adds a hint with names similar to the first unknown name of a path. */
void bake_scene_hint_path(bake_scenes *s, const scene_shape *shape, const char *text,
                          size_t length);

/* Formats the path of a node (`room/table/leg`) at the end of `buffer`. Returns NULL if the node or
 * one of its parents has no name, or if the path does not fit. */
const char *bake_scene_node_name(const scene_nodes *nodes, uint32_t node, char *buffer, size_t size,
                                 size_t *ret_length);

#endif
