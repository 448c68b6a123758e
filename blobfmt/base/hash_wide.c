/* XXH3 compiled a second time, with AVX2. The result of XXH3 does not depend on the registers used,
 * so both copies give equal hashes; hash.c selects one at run time.
 *
 * A pragma enables AVX2 only for the functions below. A compiler flag could also affect code that
 * runs on processors without AVX2. */
#include "hash_wide.h"

#if HASH_WIDE_IS_BUILT

/* xxhash.h includes these headers too. They are included before the pragma, so that their inline
 * functions are not compiled for AVX2. */
#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define XXH_VECTOR 2 /* XXH_AVX2, a name that xxhash.h defines only later */
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t kiln_hash_wide64(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

kiln_hash128 kiln_hash_wide128(const void *data, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(data, size);
    kiln_hash128 result = {hash.low64, hash.high64};
    return result;
}

/* hash.c began the stream. Its state does not depend on the registers, either. */
void kiln_hash_wide_add(hash_stream *stream, const void *data, size_t size)
{
    XXH3_64bits_update((XXH3_state_t *)(void *)stream, data, size);
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#else

/* On other targets hash_wide_is_supported returns false, so the functions below are never called.
 * They exist so that hash.c links. */
uint64_t kiln_hash_wide64(const void *data, size_t size, uint64_t seed)
{
    return kiln_hash64(data, size, seed);
}

kiln_hash128 kiln_hash_wide128(const void *data, size_t size)
{
    return kiln_content_hash(data, size);
}

void kiln_hash_wide_add(hash_stream *stream, const void *data, size_t size)
{
    kiln_hash_stream_add(stream, data, size);
}

#endif
