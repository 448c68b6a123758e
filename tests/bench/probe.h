/* The figures that are taken inside a process. Each fills `ret_pair` and returns NULL, or returns
 * why it could not: the reason begins with SKIPPED where a peer is missing. */
#ifndef PROBE_H
#define PROBE_H

#include "bench_span.h"

#include <stddef.h>

/* A file's bytes, at a multiple of 4096. */
typedef struct probe_bytes {
    unsigned char *data;
    size_t size;
} probe_bytes;

bool probe_read(const char *path, probe_bytes *ret_bytes);
/* Bytes of a file's index, its header among them; 0 where the file cannot be read. */
size_t probe_index_size(const char *path);

/* `argument` is what the first line of each says. */
const char *probe_hash(const char *member_size, bench_pair *ret_pair);
const char *probe_find(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open_hash(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open_none(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_open_whole(const char *notes_kiln, bench_pair *ret_pair);
const char *probe_sum(const char *level_kiln, bench_pair *ret_pair);
const char *probe_walk(const char *level_kiln, bench_pair *ret_pair);
const char *probe_canonicalize(const char *level_kiln, bench_pair *ret_pair);
/* To a newer layout, without and with the result's hash. */
const char *probe_convert(const char *level_kiln, bench_pair *ret_pair);
const char *probe_convert_hash(const char *level_kiln, bench_pair *ret_pair);
/* Beside level_kiln lies the same level as FlatBuffers, its name ending in .bin. `verify` checks
 * what the runtime's deep tier does, `less` leaves out the hash, `more` adds the canonical form. */
const char *probe_verify(const char *level_kiln, bench_pair *ret_pair);
const char *probe_verify_less(const char *level_kiln, bench_pair *ret_pair);
const char *probe_verify_more(const char *level_kiln, bench_pair *ret_pair);
/* As the deep tier does, against one hash of the same bytes. */
const char *probe_verify_hash(const char *level_kiln, bench_pair *ret_pair);
/* The same work by a peer's library on its own form of the level, whose name ends in .bin, .shared
 * or .capnp; beside it lies the level as .kiln. */
const char *probe_peer_verify(const char *peer_level, bench_pair *ret_pair);
const char *probe_peer_sum(const char *peer_level, bench_pair *ret_pair);
const char *probe_peer_walk(const char *peer_level, bench_pair *ret_pair);
/* A file of many small levels, packed by the probe with and without a dictionary: megabytes stored.
 */
const char *probe_pack_3(const char *packed_kiln, bench_pair *ret_pair);
const char *probe_pack_19(const char *packed_kiln, bench_pair *ret_pair);
/* Level 19 with a dictionary: the call alone; the first use of each asset in two tiers. */
const char *probe_unpack(const char *packed_kiln, bench_pair *ret_pair);
const char *probe_unpack_none(const char *packed_kiln, bench_pair *ret_pair);
const char *probe_unpack_hash(const char *packed_kiln, bench_pair *ret_pair);
/* `count` objects of 36 bytes; the baseline is malloc and a table of generations. Created by a new
 * pool, created again after they were destroyed in random order, the same as one batch, read in
 * random order with the check, destroyed in random order. */
const char *probe_pool_create(const char *count, bench_pair *ret_pair);
const char *probe_pool_again(const char *count, bench_pair *ret_pair);
const char *probe_pool_batch(const char *count, bench_pair *ret_pair);
const char *probe_pool_read(const char *count, bench_pair *ret_pair);
const char *probe_pool_destroy(const char *count, bench_pair *ret_pair);

#endif
