/* The layout of a resolved scene: all its entities, and the look-up of names among them.
 *
 * Nodes are entities and nested scenes. The children of a node are consecutive, so a child's number
 * is the first child's number plus its index in the shape. Nodes are in breadth-first order, which
 * is the order of the document if nothing is nested. */
#ifndef BAKE_SCENE_NODES_H
#define BAKE_SCENE_NODES_H

#include "scene_reader.h"

typedef struct scene_node {
    scene_shape *shape;       /* NULL: dropped */
    const scene_child *child; /* its name; NULL for the scene itself */
    uint32_t up;              /* its parent node; UINT32_MAX for the scene itself */
    uint32_t number;          /* among its siblings */
    uint32_t first;           /* its first child */
    uint32_t entity;          /* its number in the writer; UINT32_MAX for nested scenes */
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

/* Lays out a sealed shape. False if memory ran out. */
bool bake_scene_nodes_init(scene_nodes *nodes, scene_shape *shape);
void bake_scene_nodes_fini(scene_nodes *nodes);

typedef enum scene_found {
    SCENE_FOUND,
    SCENE_FOUND_NONE,
    SCENE_FOUND_GROUP /* a nested scene, not an entity */
} scene_found;

/* Follows the path `text` from node `from`. Its first name is searched among the children of the
 * node, then of its parent, and so on up; the first match decides. */
scene_found bake_scene_nodes_find(const scene_nodes *nodes, uint32_t from, const char *text,
                                  size_t length, uint32_t *ret_node);
/* The same in a shape, only from its outermost level. */
scene_found bake_scene_shape_find(const scene_shape *shape, const char *text, size_t length);

/* The entity for a text such as `#12`: its number, counted from 0, in the entity list of the scene
 * or of the innermost nested scene that contains node `from`. UINT32_MAX if there is none. */
uint32_t bake_scene_nodes_listed(const scene_nodes *nodes, uint32_t from, const char *text,
                                 size_t length);

/* Whether a path that leads nowhere ends in something that was not read completely, so that the
 * path may be correct. */
bool bake_scene_path_is_unsure(const scene_shape *shape, const char *text, size_t length);
bool bake_scene_nodes_unsure(const scene_nodes *nodes, uint32_t from, const char *text,
                             size_t length);

/* Hints at names similar to the first name of a path that leads nowhere. */
void bake_scene_hint_path(bake_scenes *s, const scene_shape *shape, const char *text,
                          size_t length);

/* Writes the path of a node (`room/table/leg`) to the end of `buffer`. NULL if the node or one of
 * its parents has no name, or if the path does not fit. */
const char *bake_scene_node_name(const scene_nodes *nodes, uint32_t node, char *buffer, size_t size,
                                 size_t *ret_length);

#endif
