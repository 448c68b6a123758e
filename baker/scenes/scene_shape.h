/* Shapes: the components and children of an entity. Shapes are shared: only the owner of a shape
 * may change it; others copy it first. */
#ifndef BAKE_SCENE_SHAPE_H
#define BAKE_SCENE_SHAPE_H

#include "scene_report.h"
#include "value_bake.h"

/* A component of a shape. */
typedef struct scene_part {
    uint32_t component;
    uint32_t list; /* the last mapping or list that set it, counted from 1 */
    bake_layer *top;
} scene_part;

typedef struct scene_shape scene_shape;

typedef struct scene_child {
    const char *name; /* points into the document; NULL: unnamed */
    uint32_t name_length;
    uint32_t list;      /* the last list that set it, counted from 1 */
    scene_shape *shape; /* NULL: dropped */
    const bake_tree *tree;
    bake_node_id node; /* the name, or the whole entity */
    uint32_t number;   /* index in that list */
} scene_child;

/* An entry in the index of children, which is sorted by name hash. */
typedef struct scene_named {
    uint64_t hash;
    uint32_t child;
} scene_named;

struct scene_shape {
    scene_part *parts; /* ascending by component */
    scene_child *children;
    scene_named *named; /* index of the named children among the first `indexed` */
    uint32_t part_count, part_capacity;
    uint32_t child_count, child_capacity;
    uint32_t named_count, indexed;
    uint32_t owner;  /* the owner that may change it; 0: none */
    uint32_t height; /* levels, including this one */
    bool is_group;   /* a scene: its children have no parent entity */
    bool has_paths;  /* child names may contain a `/` */
    bool is_partial; /* a part could not be read, so unknown names and components may exist */
    /* Size of the layout with all children: `cost` counts nodes and components, `bytes` the bytes
     * of component rows. */
    uint64_t cost, bytes;
    const bake_tree *tree;
    bake_node_id node; /* its source position */
};

/* Functions that take `s` may set `out_of_memory` or `stopped`. They then return NULL or false. */
scene_shape *bake_scene_shape_create(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* Returns a shape that the current owner may change: the shape itself or a copy. A copy has room
 * for `more` components. */
scene_shape *bake_scene_shape_own(bake_scenes *s, scene_shape *shape, uint32_t more);
scene_part *bake_scene_part_find(const scene_shape *shape, uint32_t component);
bool bake_scene_parts_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
bool bake_scene_children_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
/* Adds a component that the shape does not have yet. */
scene_part *bake_scene_part_add(bake_scenes *s, scene_shape *shape, uint32_t component);
void bake_scene_part_remove(scene_shape *shape, scene_part *part);
/* Applies the components and children of `over` to the shape as overrides. */
bool bake_scene_shape_merge(bake_scenes *s, scene_shape *shape, const scene_shape *over,
                            const scene_path *path);
/* Returns NULL if no child has this name, or if it was dropped. */
scene_child *bake_scene_child_find(bake_scenes *s, scene_shape *shape, const char *name,
                                   size_t length);
scene_child *bake_scene_child_add(bake_scenes *s, scene_shape *shape, const scene_child *child);
/* Indexes all children by name for bake_scene_child_indexed, which returns the index of the child,
 * dropped or not, or UINT32_MAX. */
bool bake_scene_children_index(bake_scenes *s, scene_shape *shape);
uint32_t bake_scene_child_indexed(const scene_shape *shape, const char *name, size_t length);
/* Indexes and measures the parts of the shape that the current owner changed. */
bool bake_scene_shape_seal(bake_scenes *s, scene_shape *shape, const scene_path *path);
/* Like bake_scene_child_find, for a sealed shape. */
const scene_child *bake_scene_child_look_up(const scene_shape *shape, const char *name,
                                            size_t length);

/* Finds the first child on the path `*part`: the name of the child is the whole path, or the part
 * before the next `/`. Sets `*part` to the rest of the path or NULL, and `*ret_length` to the
 * length of the name. Returns NULL if there is no such child. */
const scene_child *bake_scene_child_on_path(const scene_shape *shape, const char **part,
                                            const char *end, size_t *ret_length);
/* Adds a hint with children of the shape that have similar names. */
void bake_scene_hint_children(bake_scenes *s, const scene_shape *shape, const char *name,
                              size_t length);

#endif
