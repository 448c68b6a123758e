/* Numbers by 64-bit keys: a table that one thread changes while any number look things up in it.
 *
 * The cells and how they are looked up are those of <kiln/asset_tables.h>, where keys are ids.
 * Cells are never moved: a key that goes keeps its cell with the value 0, until the table is made
 * anew, which happens when three eighths of its cells have a key. Those that read meanwhile hold
 * the old one: whoever changes the table frees it when they are done.
 *
 *     cell      key, value       a value is written after its key, a key once
 *     note      32 bits a cell for who changes the table, behind the cells
 *
 * A zeroed table is empty and has no memory. Key 0 is no key, value 0 no value. */
#ifndef KILN_KEY_TABLE_H
#define KILN_KEY_TABLE_H

#include "quiescence.h"

#include <kiln/allocator.h>
#include <kiln/asset_tables.h>
#include <kiln/atomic.h>
#include <kiln/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct kiln_key_cells {
    kiln_retired retired;
    size_t bytes;       /* of this allocation */
    kiln_id_cells view; /* what readers get */
    kiln_id_cell cells[];
} kiln_key_cells;

typedef struct kiln_key_table {
    KILN_ATOMIC(kiln_id_cells *) cells; /* of a kiln_key_cells; NULL while it is empty */
    uint32_t used;                      /* cells with a key */
    uint32_t live;                      /* with a value */
    const kiln_allocator *allocator;
    uint64_t seed; /* of salts: nobody foresees it where others choose the keys */
    /* Takes the cells that were replaced, to free them when nobody reads them; NULL where nobody
     * else does. */
    void (*retire)(void *ctx, kiln_key_cells *cells);
    void *retire_ctx;
} kiln_key_table;

#define KILN_KEY_NONE UINT32_MAX

/* An empty table, which nobody else reads unless `retire` is set. */
void kiln_key_table_init(kiln_key_table *table, const kiln_allocator *allocator, uint64_t seed);
void kiln_key_table_fini(kiln_key_table *table);

/* The value of a key, 0 where it has none. Beside changes. */
static inline uint64_t kiln_key_table_get(const kiln_key_table *table, uint64_t key)
{
    const kiln_id_cells *cells = KILN_LOAD_ACQUIRE(&table->cells);
    return cells ? kiln_id_value(cells, key) : 0;
}

/* What follows is for who changes the table. */

/* Makes sure that `more` keys can be put without memory. */
kiln_status kiln_key_table_reserve(kiln_key_table *table, uint32_t more);
/* The cell of a key, KILN_KEY_NONE where it has none. Its value may be 0. */
uint32_t kiln_key_table_find(const kiln_key_table *table, uint64_t key);
/* The key's cell, made where there is none, for which room was reserved. */
uint32_t kiln_key_table_put(kiln_key_table *table, uint64_t key);
/* Readers see the value, or 0 for none; whatever was written before, too. */
void kiln_key_table_set(kiln_key_table *table, uint32_t cell, uint64_t value);
uint64_t kiln_key_table_value(const kiln_key_table *table, uint32_t cell);
uint64_t kiln_key_table_key(const kiln_key_table *table, uint32_t cell);
/* Asks for the memory of a key's first cell and note, which is looked at soon. */
void kiln_key_table_prefetch(const kiln_key_table *table, uint64_t key);
/* A cell's note: 0 in a new one. A cell is kept while its note or its value is not 0. */
uint32_t kiln_key_table_note(const kiln_key_table *table, uint32_t cell);
void kiln_key_table_set_note(kiln_key_table *table, uint32_t cell, uint32_t note);
/* Cells are numbered below this; those without a key have key 0. */
uint32_t kiln_key_table_limit(const kiln_key_table *table);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
