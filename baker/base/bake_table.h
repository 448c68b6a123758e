/* Hash tables (hash_table.h of blobfmt) in the baker's memory. */
#ifndef BAKE_TABLE_H
#define BAKE_TABLE_H

#include "bake_memory.h"
#include "hash_table.h"

/* Makes room for one more row; false when memory ran out, which leaves the table as it was. Slots
 * that were looked up before are void. */
static inline bool bake_table_reserve(hash_table *table)
{
    if (table->count < table->most)
        return true;
    kiln_allocator allocator = bake_memory_allocator();
    return kiln_hash_table_grow(table, &allocator);
}

/* Removes all rows; keeps the memory of a small table. */
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
