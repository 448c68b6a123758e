/* Looks up an asset by its id: the part of <kiln/assets.h> that must be fast and is therefore
 * inline.
 *
 * An asset table begins with its slots and its table of ids. Programs use kiln_assets_get. The
 * structs are visible only because this function is inline, and for debuggers and tools that read
 * the memory of a process. Only the library writes them.
 *
 * The table of ids uses open addressing with linear probing. The index of an id's first cell is the
 * upper bits of id * `salt`. The salt is odd and chosen for each table, so that the author of a
 * file cannot choose ids that collide (multiply-shift hashing: Dietzfelbinger et al., "A reliable
 * randomized algorithm for the closest-pair problem", 1997). At most three eighths of the cells
 * contain an id, so most ids are in their first cell. An id never leaves its cell; a table that
 * becomes too small is replaced. */
#ifndef KILN_ASSET_TABLES_H
#define KILN_ASSET_TABLES_H

#include <kiln/atomic.h>
#include <kiln/ref.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_id_cell {
    KILN_ATOMIC(uint64_t) id; /* 0: free, and the value is 0 */
    KILN_ATOMIC(uint64_t) value;
} kiln_id_cell;

typedef struct kiln_id_cells {
    kiln_id_cell *cells;
    uint64_t salt;
    uint32_t shift; /* 64 minus the number of bits of a cell's index */
    uint32_t last;  /* index of the last cell; probing continues at the first */
} kiln_id_cells;

typedef struct kiln_asset_tables {
    kiln_slots slots;
    /* The value of a current or earlier id of a loaded asset is the address of the asset's root. If
     * one of the value's two lowest bits is set, the asset is not loaded, or the id is an earlier
     * id that leads to no asset. Value 0: the id is unknown. NULL while there are no ids. */
    KILN_ATOMIC(kiln_id_cells *) ids;
} kiln_asset_tables;

/* The value of an id, or 0 if the id is unknown. The id must not be 0. Any. */
static inline uint64_t kiln_id_value(const kiln_id_cells *table, uint64_t id)
{
    uint64_t at = id * table->salt >> table->shift;
    for (;; at = (at + 1) & table->last) {
        const kiln_id_cell *cell = &table->cells[at];
        uint64_t found = KILN_LOAD_RELAXED(&cell->id);
        if (found == id)
            return KILN_LOAD_ACQUIRE(&cell->value);
        if (found == 0)
            return 0;
    }
}

#ifdef __cplusplus
}
#endif

#endif
