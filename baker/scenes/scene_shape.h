/* Shapes: what an entity is made of, and its children. A shape that nothing changes is shared by
 * all who have it; its owner alone may change it. */
#ifndef BAKE_SCENE_SHAPE_H
#define BAKE_SCENE_SHAPE_H

#include "scene_report.h"
#include "value_bake.h"

/* A component of a shape. */
typedef struct scene_part {
    uint32_t component;
    uint32_t list; /* the mapping that named it last, counted from 1 */
    bake_layer *top;
} scene_part;

typedef struct scene_shape scene_shape;

typedef struct scene_child {
    const char *name; /* in the document's text; NULL: none */
    uint32_t name_length;
    uint32_t list;      /* the list that named it last, counted from 1 */
    scene_shape *shape; /* NULL: dropped */
    const bake_tree *tree;
    bake_node_id node; /* the name, or the whole entity */
    uint32_t number;   /* in that list */
} scene_child;

/* A child in the order of hashes of names. */
typedef struct scene_named {
    uint64_t hash;
    uint32_t child;
} scene_named;

struct scene_shape {
    scene_part *parts; /* ascending by component */
    scene_child *children;
    scene_named *named; /* of the first `indexed` children those with names */
    uint32_t part_count, part_capacity;
    uint32_t child_count, child_capacity;
    uint32_t named_count, indexed;
    uint32_t owner;  /* who may change it; 0: nobody */
    uint32_t height; /* levels, this one included */
    bool is_group;   /* a scene: children, but no entity around them */
    bool has_ways;   /* names of children may have a `/` */
    bool is_partial; /* something that it is made of could not be read, so what is missing may be
                        there */
    /* Of it and all children, where it is laid out: nodes and their components together, and bytes
     * of rows. */
    uint64_t cost, bytes;
    const bake_tree *tree;
    bake_node_id node; /* where it is written */
};

/* All of these may end in `out_of_memory` or `stopped`, returning NULL or false. */
scene_shape *bake_scene_shape_create(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* The shape itself where the present owner may change it, or else a copy of which that is true,
 * with room for so many more components. */
scene_shape *bake_scene_shape_own(bake_scenes *s, scene_shape *shape, uint32_t more);
scene_part *bake_scene_part_find(const scene_shape *shape, uint32_t component);
bool bake_scene_parts_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
bool bake_scene_children_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
/* A new part, which the shape has not yet. */
scene_part *bake_scene_part_add(bake_scenes *s, scene_shape *shape, uint32_t component);
void bake_scene_part_remove(scene_shape *shape, scene_part *part);
/* Puts what is in `over` over the shape. */
bool bake_scene_shape_merge(bake_scenes *s, scene_shape *shape, const scene_shape *over,
                            const scene_path *path);
/* NULL where there is none of the name, or it was dropped. */
scene_child *bake_scene_child_find(bake_scenes *s, scene_shape *shape, const char *name,
                                   size_t length);
scene_child *bake_scene_child_add(bake_scenes *s, scene_shape *shape, const scene_child *child);
/* Makes all children known to this search, which knows dropped ones too; UINT32_MAX. */
bool bake_scene_children_index(bake_scenes *s, scene_shape *shape);
uint32_t bake_scene_child_indexed(const scene_shape *shape, const char *name, size_t length);
/* Indexes and counts whatever the present owner changed in the shape. */
bool bake_scene_shape_seal(bake_scenes *s, scene_shape *shape, const scene_path *path);
/* The same search in a sealed shape. */
const scene_child *bake_scene_child_look_up(const scene_shape *shape, const char *name,
                                            size_t length);

/* The child that the path at `*part` leads to first, all of it or the name before the next `/`;
 * `*part` is set to what is behind it, or NULL. NULL where there is none. `*ret_length` bytes were
 * looked for. */
const scene_child *bake_scene_child_on_path(const scene_shape *shape, const char **part,
                                            const char *end, size_t *ret_length);
/* Hints at children of that shape whose names are like this one. */
void bake_scene_hint_children(bake_scenes *s, const scene_shape *shape, const char *name,
                              size_t length);

#endif
