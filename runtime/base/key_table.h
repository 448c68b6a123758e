/* A hash table from 64-bit keys to 64-bit values. One thread may change it while any number of
 * threads look up keys.
 *
 * It uses the cells and the lookup of <kiln/asset_tables.h>, where keys are ids. A cell never
 * moves: if a key loses its value, its cell stays with the value 0. When three eighths of the cells
 * have a key, the table is rebuilt without such cells. Readers may still use the old cells, so the
 * caller frees them only when no reader does.
 *
 *     cell      key, value       a key is written once, a value after its key
 *     note      32 bits for each cell, stored after the cells; only for the changing thread
 *
 * A zeroed table is empty and has no memory. Key 0 means no key, value 0 no value. */
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
    kiln_id_cells view; /* the part that readers see */
    kiln_id_cell cells[];
} kiln_key_cells;

typedef struct kiln_key_table {
    KILN_ATOMIC(kiln_id_cells *) cells; /* of a kiln_key_cells; NULL while it is empty */
    uint32_t used;                      /* cells with a key */
    uint32_t live;                      /* cells with a value */
    const kiln_allocator *allocator;
    uint64_t seed; /* for the salts; must be secret if others can choose the keys */
    /* Receives replaced cells, and frees them when no thread can still read them. NULL if no other
     * thread reads the table. */
    void (*retire)(void *ctx, kiln_key_cells *cells);
    void *retire_ctx;
} kiln_key_table;

#define KILN_KEY_NONE UINT32_MAX

/* Makes an empty table. Set `retire` if other threads read it. */
void kiln_key_table_init(kiln_key_table *table, const kiln_allocator *allocator, uint64_t seed);
void kiln_key_table_fini(kiln_key_table *table);

/* The value of a key; 0 if it has none. May run while another thread changes the table. */
static inline uint64_t kiln_key_table_get(const kiln_key_table *table, uint64_t key)
{
    const kiln_id_cells *cells = KILN_LOAD_ACQUIRE(&table->cells);
    return cells ? kiln_id_value(cells, key) : 0;
}

/* The functions below are for the thread that changes the table. */

/* Makes room for `more` keys, so that adding them cannot fail. */
kiln_status kiln_key_table_reserve(kiln_key_table *table, uint32_t more);
/* The cell of a key; KILN_KEY_NONE if there is none. Its value may be 0. */
uint32_t kiln_key_table_find(const kiln_key_table *table, uint64_t key);
/* The key's cell, which is added if it is missing. Room must have been reserved. */
uint32_t kiln_key_table_put(kiln_key_table *table, uint64_t key);
/* Publishes the value, 0 for none, with everything that was written before it. */
void kiln_key_table_set(kiln_key_table *table, uint32_t cell, uint64_t value);
uint64_t kiln_key_table_value(const kiln_key_table *table, uint32_t cell);
uint64_t kiln_key_table_key(const kiln_key_table *table, uint32_t cell);
/* Prefetches a key's first cell and its note. */
void kiln_key_table_prefetch(const kiln_key_table *table, uint64_t key);
/* A cell's note, 0 in a new cell. A cell stays in use while its note or its value is not 0. */
uint32_t kiln_key_table_note(const kiln_key_table *table, uint32_t cell);
void kiln_key_table_set_note(kiln_key_table *table, uint32_t cell, uint32_t note);
/* The number of cells; those without a key have key 0. */
uint32_t kiln_key_table_limit(const kiln_key_table *table);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
