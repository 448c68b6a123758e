/* Counts entities and ids, and checks whether the store is consistent. */
#ifndef KILN_ID_COUNTS_H
#define KILN_ID_COUNTS_H

#include "id_store.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct kiln_id_counts {
    uint64_t live, empty, free, retired;
    uint32_t blocks;
} kiln_id_counts;

kiln_id_counts kiln_id_count(const kiln_id_store *store);
/* The number of ids that are taken but have no entity yet, including the stash. No other thread may
 * take ids meanwhile. */
uint64_t kiln_id_count_held(const kiln_id_store *store);
bool kiln_id_store_is_valid(const kiln_id_store *store);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
