/* xxHash compiled into the file that includes this header. For inner loops that hash a few bytes,
 * where a call would cost as much as the hash. Everything else uses hash.h. */
#ifndef KILN_HASH_INLINE_H
#define KILN_HASH_INLINE_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

/* The same hash as kiln_hash64. */
static inline uint64_t hash64_inline(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

#endif
