/* The figures measured inside one process. Each fills `ret_pair` and returns NULL, or returns the
 * reason for a failure. The reason begins with SKIPPED if a peer is missing. */
#ifndef PROBE_H
#define PROBE_H

#include "bench_span.h"

#include <stddef.h>

/* The bytes of a file, aligned to 4096. */
typedef struct probe_bytes {
    unsigned char *data;
    size_t size;
} probe_bytes;

bool probe_read(const char *path, probe_bytes *ret_bytes);
/* Size of a file's index including its header; 0 if the file cannot be read. */
size_t probe_index_size(const char *path);

/* The argument is a number (`member_size`, `count`) or the path of a baked file, whose content the
 * parameter names. */
const char *probe_hash(const char *member_size, bench_pair *ret_pair);
const char *probe_find(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open_hash(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open_none(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open_whole(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_sum(const char *level_kiln, bench_pair *ret_pair);
const char *probe_walk(const char *level_kiln, bench_pair *ret_pair);
const char *probe_canonicalize(const char *level_kiln, bench_pair *ret_pair);
/* Conversion to a newer layout, without and with the hash of the result. */
const char *probe_convert(const char *level_kiln, bench_pair *ret_pair);
const char *probe_convert_hash(const char *level_kiln, bench_pair *ret_pair);
/* The same level as FlatBuffers is stored next to level_kiln with the extension .bin. `verify`
 * makes the checks of the verification level deep, and `more` also checks the canonical form.
 * `less` only checks bounds, without the hash. */
const char *probe_verify(const char *level_kiln, bench_pair *ret_pair);
const char *probe_verify_less(const char *level_kiln, bench_pair *ret_pair);
const char *probe_verify_more(const char *level_kiln, bench_pair *ret_pair);
/* The checks of the verification level deep, compared with one hash of the same bytes. */
const char *probe_verify_hash(const char *level_kiln, bench_pair *ret_pair);
/* The same work with a peer's library on its own form of the level, whose extension is .bin,
 * .shared or .capnp. The .kiln file is next to it. */
const char *probe_peer_verify(const char *peer_level, bench_pair *ret_pair);
const char *probe_peer_sum(const char *peer_level, bench_pair *ret_pair);
const char *probe_peer_walk(const char *peer_level, bench_pair *ret_pair);
/* Megabytes stored for a file of many small levels, which the probe compresses with a dictionary,
 * and without one. */
const char *probe_pack_3(const char *packed_kiln, bench_pair *ret_pair);
const char *probe_pack_19(const char *packed_kiln, bench_pair *ret_pair);
/* Level 19 with a dictionary: the decompression alone, and the first use of each asset at two
 * verification levels. */
const char *probe_unpack(const char *packed_kiln, bench_pair *ret_pair);
const char *probe_unpack_none(const char *packed_kiln, bench_pair *ret_pair);
const char *probe_unpack_hash(const char *packed_kiln, bench_pair *ret_pair);
/* Pools with `count` objects of 36 bytes; the baseline is malloc and a table of generations.
 * Objects are created in a new pool, created again after destruction in random order, created as
 * one batch, read with the handle check in random order, and destroyed in random order. */
const char *probe_pool_create(const char *count, bench_pair *ret_pair);
const char *probe_pool_again(const char *count, bench_pair *ret_pair);
const char *probe_pool_batch(const char *count, bench_pair *ret_pair);
const char *probe_pool_read(const char *count, bench_pair *ret_pair);
const char *probe_pool_destroy(const char *count, bench_pair *ret_pair);
/* Resident megabytes of a pool after its `count` objects were destroyed: with kiln_pool_trim, and
 * before it. */
const char *probe_pool_trim(const char *count, bench_pair *ret_pair);

#endif
