/* Tables from names to shapes, in the order in which the names were found.
 *
 * Keys of mappings mostly come in the same order, so a table first tries the entry after the one
 * found last, which needs neither a search nor a hash.
 * Small tables are searched one by one and have no slots. */
#ifndef BAKE_INFER_TABLE_H
#define BAKE_INFER_TABLE_H

#include "hash_table.h"
#include "infer_text.h"

typedef struct infer_shape infer_shape;

/* A key, kind or tag, and the shape of its values. */
typedef struct infer_entry {
    const char *name;
    uint32_t length;
    uint32_t hash;  /* of the name; the same in every run, unlike those of the table */
    uint64_t count; /* how often it occurred */
    infer_shape *shape;
    infer_place first;
} infer_entry;

typedef struct infer_table {
    infer_entry *entries;
    uint32_t count;
    size_t capacity;
    hash_table by_name; /* of all entries, or of none */
    uint32_t last;      /* the entry found last */
} infer_table;

/* The entry of a name; NULL if there is none. */
infer_entry *bake_infer_table_find(infer_table *table, const char *name, uint32_t length);
/* The same; adds a missing entry with a count of 0 and no shape. The table stores the
 * pointer `name`, not a copy. NULL when memory ran out. */
infer_entry *bake_infer_table_need(infer_table *table, bake_store *store, const char *name,
                                   uint32_t length, infer_place place);

#endif
