/* Shapes: the components and children of an entity. Users share a shape that none of them changes;
 * only its owner may change it. */
#ifndef BAKE_SCENE_SHAPE_H
#define BAKE_SCENE_SHAPE_H

#include "scene_report.h"
#include "value_bake.h"

/* A component of a shape. */
typedef struct scene_part {
    uint32_t component;
    uint32_t list; /* the last mapping that named it, counted from 1 */
    bake_layer *top;
} scene_part;

typedef struct scene_shape scene_shape;

typedef struct scene_child {
    const char *name; /* in the document's text; NULL: none */
    uint32_t name_length;
    uint32_t list;      /* the last list that named it, counted from 1 */
    scene_shape *shape; /* NULL: dropped */
    const bake_tree *tree;
    bake_node_id node; /* the name, or the whole entity */
    uint32_t number;   /* in that list */
} scene_child;

/* An element of the index of children, which is sorted by the hashes of names. */
typedef struct scene_named {
    uint64_t hash;
    uint32_t child;
} scene_named;

struct scene_shape {
    scene_part *parts; /* ascending by component */
    scene_child *children;
    scene_named *named; /* those of the first `indexed` children that have names */
    uint32_t part_count, part_capacity;
    uint32_t child_count, child_capacity;
    uint32_t named_count, indexed;
    uint32_t owner;  /* who may change it; 0: nobody */
    uint32_t height; /* levels, including this one */
    bool is_group;   /* a nested scene: children without an entity around them */
    bool has_paths;  /* names of children may contain a `/` */
    bool is_partial; /* a part could not be read, so missing names and components may exist */
    /* The size of its layout, with all children: `cost` counts nodes and their components, `bytes`
     * the bytes of rows. */
    uint64_t cost, bytes;
    const bake_tree *tree;
    bake_node_id node; /* where it is written */
};

/* Each of these may set `out_of_memory` or `stopped`, and then returns NULL or false. */
scene_shape *bake_scene_shape_create(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* The shape itself if the current owner may change it, otherwise a copy that it may change. Either
 * has room for `more` components. */
scene_shape *bake_scene_shape_own(bake_scenes *s, scene_shape *shape, uint32_t more);
scene_part *bake_scene_part_find(const scene_shape *shape, uint32_t component);
bool bake_scene_parts_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
bool bake_scene_children_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
/* Adds a part for a component that the shape does not have yet. */
scene_part *bake_scene_part_add(bake_scenes *s, scene_shape *shape, uint32_t component);
void bake_scene_part_remove(scene_shape *shape, scene_part *part);
/* Applies the components and children of `over` to the shape as overrides. */
bool bake_scene_shape_merge(bake_scenes *s, scene_shape *shape, const scene_shape *over,
                            const scene_path *path);
/* NULL if no child has the name, or if it was dropped. */
scene_child *bake_scene_child_find(bake_scenes *s, scene_shape *shape, const char *name,
                                   size_t length);
scene_child *bake_scene_child_add(bake_scenes *s, scene_shape *shape, const scene_child *child);
/* Indexes all children, so that bake_scene_child_indexed finds them: the number of the child with
 * the name, dropped or not, or UINT32_MAX. */
bool bake_scene_children_index(bake_scenes *s, scene_shape *shape);
uint32_t bake_scene_child_indexed(const scene_shape *shape, const char *name, size_t length);
/* Indexes and counts what the current owner changed in the shape. */
bool bake_scene_shape_seal(bake_scenes *s, scene_shape *shape, const scene_path *path);
/* The same search in a sealed shape. */
const scene_child *bake_scene_child_look_up(const scene_shape *shape, const char *name,
                                            size_t length);

/* The first child on the path at `*part`: the one with the whole path as its name, or with the part
 * before the next `/`. `*part` is set to the rest of the path, or NULL. Returns NULL if there is no
 * such child. `*ret_length` is the length of the name that was searched. */
const scene_child *bake_scene_child_on_path(const scene_shape *shape, const char **part,
                                            const char *end, size_t *ret_length);
/* Hints at children of that shape with similar names. */
void bake_scene_hint_children(bake_scenes *s, const scene_shape *shape, const char *name,
                              size_t length);

#endif
