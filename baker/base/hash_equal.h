/* Compares hashes of contents, also for lists that are sorted by them. */
#ifndef BAKE_HASH_EQUAL_H
#define BAKE_HASH_EQUAL_H

#include <kiln/index.h>
#include <stdbool.h>

static inline bool bake_hash_equal(kiln_hash128 a, kiln_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

/* Below, equal to or above 0, in the order of the hashes as numbers of 128 bits. */
static inline int bake_hash_compare(kiln_hash128 a, kiln_hash128 b)
{
    return a.high != b.high ? (a.high > b.high) - (a.high < b.high)
                            : (a.low > b.low) - (a.low < b.low);
}

#endif
