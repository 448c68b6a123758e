/* Hash tables (hash_table.h of blobfmt) that use the baker's allocator. */
#ifndef BAKE_TABLE_H
#define BAKE_TABLE_H

#include "bake_memory.h"
#include "bake_store.h"
#include "hash_table.h"

/* Makes room for one more row. Invalidates slots that were looked up before. Returns false if
 * memory runs out; the table is then unchanged. */
static inline bool bake_table_reserve(hash_table *table)
{
    if (table->count < table->most)
        return true;
    kiln_allocator allocator = bake_memory_allocator();
    return kiln_hash_table_grow(table, &allocator);
}

/* Like bake_table_reserve, but allocates the slots in a store. Such a table needs no
 * bake_table_fini. Old slots stay in the store; together they are smaller than the current ones. */
static inline bool bake_table_reserve_in(hash_table *table, bake_store *store)
{
    kiln_allocator allocator = bake_store_allocator(store);
    return hash_table_reserve(table, &allocator);
}

/* Makes room for one more row in a list and in the hash table of its rows. Returns the list, which
 * may have moved. Returns NULL if memory runs out; the list is then unchanged. */
static inline void *bake_table_grow_rows(hash_table *table, void *rows, size_t *capacity,
                                         size_t count, size_t size)
{
    return bake_table_reserve(table) ? bake_grow(rows, capacity, count + 1, size) : NULL;
}

/* Removes all rows. Keeps the memory of a small table for reuse. */
static inline void bake_table_reset(hash_table *table)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_hash_table_reset(table, &allocator);
}

static inline void bake_table_fini(hash_table *table)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_hash_table_fini(table, &allocator);
}

#endif
