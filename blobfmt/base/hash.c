#include "hash.h"

#include "hash_wide.h"

#include <string.h>

/* Inlined, xxHash is compiled with the project's own flags and its streaming state can live on the
 * stack. */
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(hash_stream), "hash_stream holds an XXH3 state");

/* XXH3 uses wide registers for what is longer. */
enum { SHORT_MAX = 240 };

uint64_t kiln_hash64(const void *data, size_t size, uint64_t seed)
{
    if (size > SHORT_MAX && hash_wide_is_there())
        return kiln_hash_wide64(data, size, seed);
    return XXH3_64bits_withSeed(data, size, seed);
}

uint64_t kiln_hash_seed(const void *address)
{
    const void *const addresses[2] = {address, &addresses};
    return kiln_hash64(addresses, sizeof addresses, 0);
}

kiln_hash128 kiln_content_hash(const void *data, size_t size)
{
    if (size > SHORT_MAX && hash_wide_is_there())
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
    XXH3_64bits_update((XXH3_state_t *)(void *)stream, data, size);
}

uint64_t kiln_hash_stream_end(hash_stream *stream)
{
    return XXH3_64bits_digest((XXH3_state_t *)(void *)stream);
}
