/* Hash tables from names to shapes, which keep the order of insertion.
 *
 * Keys of mappings mostly occur in the same order, so a lookup first tries the entry after the one
 * found last, which needs neither a search nor a hash. Small tables use a linear search. */
#ifndef BAKE_INFER_TABLE_H
#define BAKE_INFER_TABLE_H

#include "hash_table.h"
#include "infer_text.h"

typedef struct infer_shape infer_shape;

/* A key, kind or tag, and the shape of its values. */
typedef struct infer_entry {
    const char *name;
    uint32_t length;
    uint32_t hash;  /* unseeded hash of the name, which is the same in every run */
    uint64_t count; /* number of occurrences */
    infer_shape *shape;
    infer_place first;
} infer_entry;

typedef struct infer_table {
    infer_entry *entries;
    uint32_t count;
    size_t capacity;
    hash_table by_name; /* has all entries, or none if the table is small */
    uint32_t last;      /* index of the entry found last */
} infer_table;

/* Returns the entry of a name, or NULL. */
infer_entry *bake_infer_table_find(infer_table *table, const char *name, uint32_t length);
/* Returns the entry of a name. Adds a missing entry with count 0 and no shape. The table stores the
 * pointer `name`, not a copy. Returns NULL if memory runs out. */
infer_entry *bake_infer_table_find_or_add(infer_table *table, bake_store *store, const char *name,
                                          uint32_t length, infer_place place);

#endif
