/* A resolved scene laid out: every entity that comes into being, and whom its names mean.
 *
 * Nodes are entities and the nested scenes that they come in. The children of a node follow one
 * another, so that their numbers follow from the first one's and their place in the shape; level
 * after level, which is the order of the document where nothing is nested. */
#ifndef BAKE_SCENE_NODES_H
#define BAKE_SCENE_NODES_H

#include "scene_reader.h"

typedef struct scene_node {
    scene_shape *shape;       /* NULL: dropped */
    const scene_child *child; /* its name; NULL for the scene itself */
    uint32_t up;              /* the node that it lies in; UINT32_MAX for the scene itself */
    uint32_t number;          /* among its siblings */
    uint32_t first;           /* of its children */
    uint32_t entity;          /* number that the writer gave it; UINT32_MAX for nested scenes */
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

/* Lays out a sealed shape. False when memory ran out. */
bool bake_scene_nodes_init(scene_nodes *nodes, scene_shape *shape);
void bake_scene_nodes_fini(scene_nodes *nodes);

typedef enum scene_found {
    SCENE_FOUND,
    SCENE_FOUND_NONE,
    SCENE_FOUND_GROUP /* a nested scene, which is no entity */
} scene_found;

/* Where the path `text` leads from node `from`: its first name is looked for among the node's
 * children, then among those of each node around it; the nearest decides. */
scene_found bake_scene_nodes_find(const scene_nodes *nodes, uint32_t from, const char *text,
                                  size_t length, uint32_t *ret_node);
/* The same in a shape, from the outermost level alone. */
scene_found bake_scene_shape_find(const scene_shape *shape, const char *text, size_t length);

/* The entity of number `#12` (the text, whole) among those that the scene lists, counted from 0, or
 * the innermost nested scene that node `from` lies in; UINT32_MAX. */
uint32_t bake_scene_nodes_listed(const scene_nodes *nodes, uint32_t from, const char *text,
                                 size_t length);

/* Whether a path that leads nowhere does so in something that could not be read whole. */
bool bake_scene_path_is_unsure(const scene_shape *shape, const char *text, size_t length);
bool bake_scene_nodes_unsure(const scene_nodes *nodes, uint32_t from, const char *text,
                             size_t length);

/* Hints at what the first name of a path that leads nowhere could have been. */
void bake_scene_hint_path(bake_scenes *s, const scene_shape *shape, const char *text,
                          size_t length);

/* The name of a node with those that it lies in (`room/table/leg`) at the end of `buffer`; NULL
 * where it, or one of those, has none, or it does not fit. */
const char *bake_scene_node_name(const scene_nodes *nodes, uint32_t node, char *buffer, size_t size,
                                 size_t *ret_length);

#endif
