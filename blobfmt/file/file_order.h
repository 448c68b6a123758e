/* The lists of an index in their order, and the references between assets by position.
 *
 * The lists of an index are sorted, and their rows refer to one another by *ranks* (positions in
 * the sorted lists). A writer numbers everything in the order in which it was added. */
#ifndef KILN_FILE_ORDER_H
#define KILN_FILE_ORDER_H

#include "file_writer_state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct writer_order {
    uint32_t *assets;  /* asset numbers in the order of ids */
    uint32_t *ranks;   /* the inverse: positions in that order, by asset number */
    uint32_t *imports; /* numbers of the used imports in the order of ids */
    uint32_t *import_ranks;
    uint32_t *types; /* numbers of the types of assets in the order of names */
    uint32_t *type_ranks;
    uint32_t import_count, type_count;
} writer_order;

/* Marks the used imports of the writer, and sorts assets, imports and types. The lists are in
 * `memory`. DANGLING, NO_MEMORY. */
kiln_status kiln_writer_order(kiln_file_writer *writer, arena *memory, writer_order *ret_order,
                              kiln_error *reterr);

/* Writes the edges of the index. `starts` has one number more than the writer has assets, `edges`
 * one for each reference of an asset. */
void kiln_writer_list_edges(const kiln_file_writer *writer, const writer_order *order,
                            uint32_t *starts, uint32_t *edges);

/* Writes the inverse of `order` to `ranks`. */
void kiln_writer_rank(uint32_t *ranks, const uint32_t *order, size_t count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
