/* Shapes: what all values at one position of the data have in common.
 *
 * A shape counts the nulls, scalars, lists and mappings at its position, and has the shapes of what
 * is inside them: one for all elements, one for each key. Mappings that name their kind (`type: X`)
 * have one shape for each kind. Values with a YAML tag share one shape for all positions. So shapes
 * are a tree except for tags, until infer_unify.c merges equal ones; then `bake_infer_shape_of`
 * gives the shape that replaces a merged one.
 *
 * Shapes live in a bake_store and point into the trees. Memory is bounded: mappings with more than
 * INFER_KEYS_MAX keys, or INFER_VARIANTS_MAX kinds, become maps. Part: infer_merge.c. */
#ifndef BAKE_INFER_SHAPE_H
#define BAKE_INFER_SHAPE_H

#include "infer_table.h"

#define INFER_KEYS_MAX 1500u
#define INFER_VARIANTS_MAX 1000u

struct infer_shape {
    infer_shape *same_as; /* the shape that this one was merged into; NULL: none */
    uint64_t nulls, lists, mappings, tagged;
    infer_texts texts;
    infer_shape *element; /* NULL until a list had one */
    uint32_t list_min, list_max;
    infer_table fields;   /* of mappings that do not name their kind */
    infer_table variants; /* by kind, of mappings that do: their other keys */
    const char *key;      /* the key that names the kind; NULL: none */
    uint32_t key_length;
    infer_shape *rest; /* of a map: all values; NULL: none */
    infer_texts keys;  /* and all keys of it */
    uint32_t *tags;    /* numbers in the table of tags */
    uint32_t tag_count;
    size_t tag_capacity;
    infer_place first;
    const char *usage; /* the first key with a value of the shape */
    uint32_t usage_length;
    bool is_joined;          /* kinds are no longer distinguished */
    bool is_single;          /* scalars and mappings count as lists of one element */
    bool is_joined_inside;   /* an element of a list has several names with commas */
    bool is_item;            /* an element of a list or map, so that its name is a plural */
    uint64_t short_count;    /* values in short form: the value of one field instead of a mapping */
    bool takes_lists;        /* some of these are lists */
    const char *short_field; /* this one; NULL: none */
    bool is_sorted;          /* bake_infer_sort has been here */
    bool is_choice;          /* its kinds stay alternatives, however similar they are */
    bool is_apart;           /* it is never merged with similar shapes */
    bool is_row;             /* a component of entities, which is never merged */
    bool is_asset;           /* an asset */
    bool is_under_way;       /* a list or map whose form is being decided */
    uint32_t visited;        /* the number of the last traversal that reached it */
    const struct infer_form *form; /* infer_decide.c: what it is in the schema; NULL: not decided */
};

typedef struct infer_shapes {
    bake_store *store;
    infer_table tags;     /* each with the shape of its values */
    uint32_t *tag_unions; /* by tag: another of the same union, or itself */
    uint32_t tag_capacity;
    uint32_t lists;  /* lists with elements so far */
    uint32_t merges; /* merges so far */
    uint32_t visit;  /* number of the current traversal of all shapes */
} infer_shapes;

/* NULL when memory ran out. */
static inline infer_shape *bake_infer_shape_create(infer_shapes *shapes, infer_place first)
{
    infer_shape *shape = bake_store_alloc(shapes->store, 1, sizeof *shape);
    if (shape)
        shape->first = first;
    return shape;
}

/* The shape that a shape was merged into, or itself; NULL for NULL. */
static inline infer_shape *bake_infer_shape_of(infer_shape *shape)
{
    while (shape && shape->same_as)
        shape = shape->same_as;
    return shape;
}

/* Counts a node with everything in it. False when memory ran out. */
bool bake_infer_shape_add(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                          infer_place place);
/* Merges `from` into `into`, with the shapes inside them. */
bool bake_infer_shape_merge(infer_shapes *shapes, infer_shape *into, infer_shape *from);
/* Makes one record of the kinds of a shape; the kind becomes a field. */
bool bake_infer_shape_join_variants(infer_shapes *shapes, infer_shape *shape);
/* Moves a field into the values of the map that the shape becomes. The caller removes it from the
 * table. */
bool bake_infer_shape_move_to_rest(infer_shapes *shapes, infer_shape *shape,
                                   const infer_entry *entry);

/* A number that is the same for all tags of one union. */
static inline uint32_t bake_infer_tag_union(const infer_shapes *shapes, uint32_t tag)
{
    while (shapes->tag_unions[tag] != tag)
        tag = shapes->tag_unions[tag];
    return tag;
}

/* The key of a mapping that names its kind, and that name; false without one. */
bool bake_infer_kind_of(const bake_tree *tree, bake_node_id mapping, const infer_shape *shape,
                        bake_node_id *ret_key, bake_node_id *ret_value);

#endif
