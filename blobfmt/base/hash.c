/* XXH3 for all of blobfmt. Every hash that is written to a file is computed here, in hash_wide.c or
 * in hash_inline.h; all three produce the same results. */
#include "hash.h"

#include "hash_wide.h"

#include <string.h>

/* XXH_INLINE_ALL compiles xxHash with the project's own flags. It also defines XXH3_state_t, so a
 * stream's state needs no allocation. */
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(hash_stream), "hash_stream holds an XXH3 state");

/* For inputs up to 240 bytes (XXH3_MIDSIZE_MAX), XXH3 uses scalar code. Wider registers gain
 * nothing there, so the processor check is skipped. */
enum { SHORT_MAX = 240 };

uint64_t kiln_hash64(const void *data, size_t size, uint64_t seed)
{
    if (size > SHORT_MAX && hash_wide_is_supported())
        return kiln_hash_wide64(data, size, seed);
    return XXH3_64bits_withSeed(data, size, seed);
}

/* Hashes the address of an allocation and a stack address. Both are random if the system randomizes
 * addresses, which is enough against inputs prepared in advance. */
uint64_t kiln_hash_seed(const void *address)
{
    const void *const addresses[2] = {address, &addresses};
    return kiln_hash64(addresses, sizeof addresses, 0);
}

kiln_hash128 kiln_content_hash(const void *data, size_t size)
{
    if (size > SHORT_MAX && hash_wide_is_supported())
        return kiln_hash_wide128(data, size);
    XXH128_hash_t hash = XXH3_128bits(data, size);
    kiln_hash128 result = {hash.low64, hash.high64};
    return result;
}

void kiln_hash_stream_begin(hash_stream *stream)
{
    XXH3_64bits_reset((XXH3_state_t *)(void *)stream);
}

void kiln_hash_stream_add(hash_stream *stream, const void *data, size_t size)
{
    if (size > SHORT_MAX && hash_wide_is_supported())
        kiln_hash_wide_add(stream, data, size);
    else
        XXH3_64bits_update((XXH3_state_t *)(void *)stream, data, size);
}

uint64_t kiln_hash_stream_end(hash_stream *stream)
{
    return XXH3_64bits_digest((XXH3_state_t *)(void *)stream);
}

/* XXH3-128 has the same state as XXH3-64; only the last step differs. */
kiln_hash128 kiln_hash_stream_end128(hash_stream *stream)
{
    XXH128_hash_t hash = XXH3_128bits_digest((XXH3_state_t *)(void *)stream);
    kiln_hash128 result = {hash.low64, hash.high64};
    return result;
}
