/* Shapes summarize all values at one position of the data.
 *
 * A shape counts the nulls, scalars, lists and mappings at its position. It refers to the shapes of
 * their contents: one for all list elements, and one for each key. Mappings that name their kind
 * (`type: X`) have one shape for each kind. Values with the same YAML tag share one shape across
 * all positions. So shapes form a tree, except for tags, until infer_unify.c merges equal ones.
 * Then bake_infer_shape_of returns the shape that replaces a merged one.
 *
 * Shapes are allocated in a bake_store and point into the trees. Memory is bounded: mappings with
 * more than INFER_KEYS_MAX keys become maps, and more than INFER_VARIANTS_MAX kinds are joined.
 * Part: infer_merge.c. */
#ifndef BAKE_INFER_SHAPE_H
#define BAKE_INFER_SHAPE_H

#include "infer_table.h"

#define INFER_KEYS_MAX 1500u
#define INFER_VARIANTS_MAX 1000u

struct infer_shape {
    infer_shape *same_as; /* the shape that this one was merged into; NULL: none */
    uint64_t nulls, lists, mappings, tagged;
    infer_texts texts;
    infer_shape *element; /* NULL: no list had an element */
    uint32_t list_min, list_max;
    infer_table fields;   /* keys of mappings that do not name their kind */
    infer_table variants; /* by kind: mappings that name their kind */
    const char *key;      /* the key that names the kind; NULL: none */
    uint32_t key_length;
    infer_shape *rest; /* maps: shape of all values; otherwise NULL */
    infer_texts keys;  /* maps: all keys */
    uint32_t *tags;    /* indexes in the table of tags */
    uint32_t tag_count;
    size_t tag_capacity;
    infer_place first;
    const char *usage; /* the key of the first value of this shape */
    uint32_t usage_length;
    bool is_joined;           /* kinds are no longer distinguished */
    bool is_single;           /* a scalar or mapping counts as a list of one element */
    bool has_joined_elements; /* some list element contains several names (INFER_NAMES) */
    bool is_item;             /* an element of a list or map, so `usage` is a plural */
    uint64_t short_count;     /* number of values in short form: only the value of `short_field` */
    bool short_has_lists;     /* some values in short form are lists */
    const char *short_field;  /* NULL: no short form */
    bool is_sorted;           /* bake_infer_sort has processed it */
    bool is_choice;           /* its kinds stay alternatives, even if they are similar */
    bool is_apart;            /* never merge it with similar shapes */
    bool is_row;              /* a component of entities; never merged */
    bool is_asset;            /* values are assets */
    bool is_deciding;         /* its form is being decided; lists and maps only */
    uint32_t visited;         /* number of the last traversal that reached it */
    const struct infer_form *form; /* infer_decide.c; NULL: not decided */
};

typedef struct infer_shapes {
    bake_store *store;
    infer_table tags;     /* with the shape of their values */
    uint32_t *tag_unions; /* by tag: union-find parent; tags of one union have the same root */
    uint32_t tag_capacity;
    uint32_t lists;  /* number of lists so far, to identify lists */
    uint32_t merges; /* number of merges so far */
    uint32_t visit;  /* number of the current traversal */
} infer_shapes;

/* Returns NULL if memory runs out. */
static inline infer_shape *bake_infer_shape_create(infer_shapes *shapes, infer_place first)
{
    infer_shape *shape = bake_store_alloc(shapes->store, 1, sizeof *shape);
    if (shape)
        shape->first = first;
    return shape;
}

/* Returns the shape that `shape` was merged into, or `shape` itself. NULL for NULL. */
static inline infer_shape *bake_infer_shape_of(infer_shape *shape)
{
    while (shape && shape->same_as)
        shape = shape->same_as;
    return shape;
}

/* Adds a node with its whole subtree. Returns false if memory runs out. */
bool bake_infer_shape_add(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                          infer_place place);
/* Merges `from` into `into`, including the shapes inside them. */
bool bake_infer_shape_merge(infer_shapes *shapes, infer_shape *into, infer_shape *from);
/* Merges all kinds of a shape into one record, in which the kind is a field. */
bool bake_infer_shape_join_variants(infer_shapes *shapes, infer_shape *shape);
/* Adds a field to the keys and values of the map. The caller removes it from the table of
 * fields. */
bool bake_infer_shape_move_to_rest(infer_shapes *shapes, infer_shape *shape,
                                   const infer_entry *entry);

/* Returns the representative of the union that a tag belongs to. */
static inline uint32_t bake_infer_tag_union(const infer_shapes *shapes, uint32_t tag)
{
    while (shapes->tag_unions[tag] != tag)
        tag = shapes->tag_unions[tag];
    return tag;
}

/* Finds the key of a mapping that names its kind, and its value. Returns false if there is none. */
bool bake_infer_kind_of(const bake_tree *tree, bake_node_id mapping, const infer_shape *shape,
                        bake_node_id *ret_key, bake_node_id *ret_value);

#endif
