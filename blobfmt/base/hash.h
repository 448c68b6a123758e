/* The hash functions of the format. In blobfmt, only hash.c, hash_wide.c and hash_inline.h include
 * xxhash.h. */
#ifndef KILN_HASH_H
#define KILN_HASH_H

#include <kiln/index.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* XXH3-64 from the xxHash library. For 128 bits, see kiln_content_hash in <kiln/index.h>. */
uint64_t kiln_hash64(const void *data, size_t size, uint64_t seed);

/* A seed for hash tables in memory whose keys come from hostile bytes. It is derived from
 * addresses. If the system randomizes them, colliding keys cannot be prepared in advance. No result
 * may depend on the seed. */
uint64_t kiln_hash_seed(const void *address);

/* XXH3-64 or XXH3-128 (seed 0) of bytes that are added in parts. */
typedef struct hash_stream {
    KILN_ALIGNAS(64) unsigned char state[640];
} hash_stream;

void kiln_hash_stream_begin(hash_stream *stream);
void kiln_hash_stream_add(hash_stream *stream, const void *data, size_t size);
uint64_t kiln_hash_stream_end(hash_stream *stream);
/* The result equals that of kiln_content_hash. */
kiln_hash128 kiln_hash_stream_end128(hash_stream *stream);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
