/* The index's look-up table, for who writes one. FORMAT.md section 10. */
#ifndef KILN_INDEX_DIRECTORY_H
#define KILN_INDEX_DIRECTORY_H

#include <kiln/index.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The smallest number with 2^bits >= assets. */
unsigned kiln_index_directory_bits(uint32_t assets);
/* Fills 2^bits + 1 numbers for `assets` > 0 ascending ids. */
void kiln_index_directory_fill(uint32_t *directory, const kiln_id *ids, uint32_t assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
