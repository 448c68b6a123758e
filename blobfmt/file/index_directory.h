/* The lookup table of an index, for writing and checking it: FORMAT.md section 10. The functions
 * are in index.c. */
#ifndef KILN_INDEX_DIRECTORY_H
#define KILN_INDEX_DIRECTORY_H

#include <kiln/index.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The smallest number of bits with 2^bits >= assets. */
unsigned kiln_index_directory_bits(uint32_t assets);
/* The number of entries in the table. */
static inline uint64_t kiln_index_directory_count(uint32_t assets)
{
    return assets ? (UINT64_C(1) << kiln_index_directory_bits(assets)) + 1 : 0;
}
static inline uint32_t kiln_index_bucket(kiln_id id, unsigned bits)
{
    return (uint32_t)(id >> 32 >> (32 - bits));
}
/* Fills the 2^bits + 1 entries for `assets` > 0 ascending ids. */
void kiln_index_directory_fill(uint32_t *directory, const kiln_id *ids, uint32_t assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
