/* Compares hashes of contents. */
#ifndef BAKE_HASH_EQUAL_H
#define BAKE_HASH_EQUAL_H

#include <kiln/index.h>
#include <stdbool.h>

static inline bool bake_hash_equal(kiln_hash128 a, kiln_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
