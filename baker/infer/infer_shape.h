/* Shapes: what all values at one position of the data look like together.
 *
 * A shape counts the nulls, scalars, lists and mappings that stood at its position, and leads to
 * the shapes of what was in them: one for all elements, one for each key. Mappings that name what
 * they are (`type: X`) are kept apart by that name; values with a YAML tag lie with all others of
 * the same tag, wherever these stand. So shapes are a tree but for tags, until equal ones are put
 * together (infer_unify.c), after which `bake_infer_shape_of` gives the one that stands for a
 * shape.
 *
 * Shapes live in a bake_store and point into the trees. Memory is bounded: mappings with more than
 * INFER_KEYS_MAX keys, or kinds, become maps. */
#ifndef BAKE_INFER_SHAPE_H
#define BAKE_INFER_SHAPE_H

#include "infer_text.h"

#define INFER_KEYS_MAX 1500u
#define INFER_VARIANTS_MAX 1000u

typedef struct infer_shape infer_shape;

/* A key, a kind or a tag, and the shape of what stands there. */
typedef struct infer_entry {
    const char *name;
    uint32_t length;
    uint32_t hash;
    uint64_t count; /* how often it was written */
    infer_shape *shape;
    infer_place first;
} infer_entry;

/* Entries in the order in which they were met. */
typedef struct infer_table {
    infer_entry *entries;
    uint32_t count;
    size_t capacity;
    uint32_t *slots; /* number of an entry plus one */
    uint32_t slot_count;
    uint32_t last; /* the entry found last: keys mostly come in the same order */
} infer_table;

struct infer_shape {
    infer_shape *same_as; /* this one was merged into that one; NULL: it stands for itself */
    uint64_t nulls, lists, mappings, tagged;
    infer_texts texts;
    infer_shape *element; /* NULL until a list had one */
    uint32_t list_min, list_max;
    infer_table fields;   /* of mappings that do not say what they are */
    infer_table variants; /* of those that do: a shape for each kind, with the other keys */
    const char *key;      /* the key that says it; NULL: none */
    uint32_t key_length;
    infer_shape *rest; /* of a map: all values; NULL: none */
    infer_texts keys;  /* and all keys of it */
    uint32_t *tags;    /* numbers in the table of tags */
    uint32_t tag_count;
    size_t tag_capacity;
    infer_place first;
    const char *usage; /* the key that it stood under first */
    uint32_t usage_length;
    bool is_joined;          /* kinds are not told apart any more */
    bool is_single;          /* scalars and mappings were taken for lists of one */
    bool is_joined_inside;   /* an element of a list is several names with commas */
    bool is_item;            /* it stands in a list or a map, so that its name is a plural */
    uint64_t bare;           /* values that are no mapping but stand for one of a single field */
    bool takes_lists;        /* some of these are lists */
    const char *short_field; /* this one; NULL: none */
    bool is_sorted;          /* bake_infer_sort has been here */
    bool is_choice;          /* whatever its kinds have in common, they stay apart */
    bool is_apart;           /* it is a type of its own */
    bool is_row;             /* a component of entities, unlike any other */
    bool is_asset;           /* a document, or what has an id */
    bool is_under_way;       /* a list or map of which the form is being decided */
    uint32_t visited;        /* the last visit that came by */
    const struct infer_form *form; /* infer_decide.c: what it is in the schema; NULL: not decided */
};

typedef struct infer_shapes {
    bake_store *store;
    infer_table tags;     /* each with the shape of its values */
    uint32_t *tag_unions; /* by tag: another of the same union, or itself */
    uint32_t tag_capacity;
    uint32_t lists;  /* how many that hold something were read */
    uint32_t merges; /* how often shapes were put together */
    uint32_t visit;  /* number of the walk over all shapes that is under way */
} infer_shapes;

infer_shape *bake_infer_shape_create(infer_shapes *shapes, infer_place first);
static inline infer_shape *bake_infer_shape_of(infer_shape *shape)
{
    while (shape && shape->same_as)
        shape = shape->same_as;
    return shape;
}

/* Counts a node in, with all that is in it. False when there is no memory. */
bool bake_infer_shape_add(infer_shapes *shapes, infer_shape *shape, const bake_tree *tree,
                          infer_place place);
/* Counts all of `from` into `into`, and makes the one stand for both. Shapes in them merge too. */
bool bake_infer_shape_merge(infer_shapes *shapes, infer_shape *into, infer_shape *from);
/* Puts kinds and keys of `shape` together as keys of one record, its kind being a key too. */
bool bake_infer_shape_join_variants(infer_shapes *shapes, infer_shape *shape);
/* Moves the entry out of the fields into the values of the map that the shape becomes. The caller
 * takes it from the table. */
bool bake_infer_shape_move_to_rest(infer_shapes *shapes, infer_shape *shape,
                                   const infer_entry *entry);

/* The entry of a name; NULL. */
infer_entry *bake_infer_table_find(infer_table *table, const char *name, uint32_t length);
/* The same, added with a count of 0 and no shape where it is missing; NULL when memory ran out. */
infer_entry *bake_infer_table_need(infer_table *table, bake_store *store, const char *name,
                                   uint32_t length, infer_place place);

/* A number that is the same for all tags of one union. */
uint32_t bake_infer_tag_union(const infer_shapes *shapes, uint32_t tag);

/* The key of a mapping that says what kind of thing it is, and the name of that kind; false without
 * one. */
bool bake_infer_kind_of(const bake_tree *tree, bake_node_id mapping, const infer_shape *shape,
                        bake_node_id *ret_key, bake_node_id *ret_value);

#endif
