/* xxHash compiled into the file that includes this, for hashes of a few bytes in inner loops; all
 * others go through hash.h. */
#ifndef KILN_HASH_INLINE_H
#define KILN_HASH_INLINE_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

/* kiln_hash64. */
static inline uint64_t hash64_inline(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

#endif
