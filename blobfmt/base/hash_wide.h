/* XXH3 with 256-bit registers, for machines that have them: the same hashes at twice the speed. */
#ifndef KILN_HASH_WIDE_H
#define KILN_HASH_WIDE_H

#include "hash.h"

#include <kiln/index.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HASH_WIDE_IS_BUILT 1
#else
#define HASH_WIDE_IS_BUILT 0
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether this machine has the registers. If not, the functions below must not be called. */
static inline bool hash_wide_is_supported(void)
{
#if HASH_WIDE_IS_BUILT
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

/* The same results as kiln_hash64 and kiln_content_hash. */
uint64_t kiln_hash_wide64(const void *data, size_t size, uint64_t seed);
kiln_hash128 kiln_hash_wide128(const void *data, size_t size);
/* The same result as kiln_hash_stream_add. */
void kiln_hash_wide_add(hash_stream *stream, const void *data, size_t size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
