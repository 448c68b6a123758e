/* Mega chunks, and which of their chunks are free: two levels of bitmasks.
 *
 * `free` has a word for each mega chunk, with a bit for each of its 64 chunks. `some` has a bit for
 * each mega chunk whose `free` is not 0. If a release races with a claim, the bit of a full mega
 * chunk may stay set, which only costs a search. Any number of threads claim and release chunks
 * with atomic operations alone. Chunks are numbered from 1: number n is chunk (n - 1) % 64 of mega
 * chunk (n - 1) / 64.
 *
 * The lowest mega chunks are used first, so that the others are more likely to become wholly free.
 * The world's own mega chunks are mapped in pairs of 2 MiB, aligned to 2 MiB. */
#ifndef KILN_CHUNK_STORE_H
#define KILN_CHUNK_STORE_H

#include <kiln/world.h>

#include <stdatomic.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { CHUNK_SOME_WORDS = KILN_MEGA_MAX / 64, CHUNK_PAIR_SIZE = 2 * KILN_MEGA_SIZE };

/* Maximum number of searches of one claim while another thread drops pages. That thread may be
 * suspended, so after this many searches the claim fails instead of waiting forever. */
#ifndef CHUNK_LOOKS_MOST
#define CHUNK_LOOKS_MOST 100000
#endif

typedef struct kiln_mega {
    _Atomic(uint64_t) free;
    _Atomic(unsigned char *) memory;
    _Atomic(uint32_t) is_touched; /* 1: chunks were claimed since its pages were last dropped */
    _Atomic(uint32_t) is_file;    /* 1: some of its pages are mapped from a file */
    uint32_t is_lent;
} kiln_mega;

typedef struct kiln_chunk_store {
    _Atomic(uint64_t) some[CHUNK_SOME_WORDS];
    kiln_mega *megas; /* KILN_MEGA_MAX of them */
    _Atomic(uint32_t) made;
    _Atomic(uint32_t) idle; /* wholly free mega chunks with pages */
    /* Counts of page drops. If `discards_begun` now equals an earlier value of `discards_ended`, no
     * drop was in progress in between. */
    _Atomic(uint32_t) discards_begun, discards_ended;
    uint32_t max, keep; /* mega chunks */
    kiln_huge_pages huge_pages;
    const kiln_page_source *pages;
} kiln_chunk_store;

/* Consecutive chunks of one mega chunk, or of a pair. */
typedef struct kiln_chunk_run {
    uint32_t first, count; /* number of the first; at most 64, or 128 in a pair */
} kiln_chunk_run;

/* `def->pages` must be set and must outlive the store. */
kiln_status kiln_chunk_store_init(kiln_chunk_store *store, const kiln_world_def *def);
void kiln_chunk_store_fini(kiln_chunk_store *store);

/* Claims up to `want` consecutive chunks: all of them if a mega chunk with that many is soon found,
 * else half as many, and so on. Adds a pair of mega chunks if no chunk is free. The bytes of the
 * chunks are undefined. KILN_LIMIT, KILN_NO_MEMORY. */
kiln_status kiln_chunk_claim(kiln_chunk_store *store, uint32_t want, kiln_chunk_run *ret_run);
/* Claims the first `count` chunks, up to 128, of two unused mega chunks that are consecutive in
 * memory, so that pages of a file can be mapped there. Adds new ones if there are none. */
kiln_status kiln_chunk_claim_pair(kiln_chunk_store *store, uint32_t count, kiln_chunk_run *ret_run);
/* Maps the bytes of a file from `offset` on into claimed chunks of one pair. Returns false if the
 * bytes must be copied instead. The mapping is removed when the mega chunk is wholly free again. */
bool kiln_chunk_map_file(kiln_chunk_store *store, kiln_chunk_run run, int file, uint64_t offset);
void kiln_chunk_release(kiln_chunk_store *store, kiln_chunk_run run);
/* See kiln_world_add_memory and kiln_world_trim. */
kiln_status kiln_chunk_lend(kiln_chunk_store *store, void *memory, uint32_t count);
size_t kiln_chunk_trim(kiln_chunk_store *store);

/* Whether the limits allow `count` chunks. Checked first, so that no mega chunks are made for a
 * call that must fail. */
static inline bool kiln_chunk_could_hold(const kiln_chunk_store *store, uint32_t count)
{
    return count <= store->max * KILN_MEGA_CHUNKS;
}

/* The memory of chunk `number` of a claimed run. */
static inline unsigned char *kiln_chunk_memory(const kiln_chunk_store *store, uint32_t number)
{
    const kiln_mega *mega = &store->megas[(number - 1) / KILN_MEGA_CHUNKS];
    return atomic_load_explicit(&mega->memory, memory_order_relaxed) +
           (size_t)((number - 1) % KILN_MEGA_CHUNKS) * KILN_CHUNK_SIZE;
}

typedef struct kiln_chunk_counts {
    uint32_t mega_chunks, free_mega_chunks, chunks; /* `chunks`: claimed */
} kiln_chunk_counts;

kiln_chunk_counts kiln_chunk_count(const kiln_chunk_store *store);
/* No other thread may claim or release meanwhile. */
bool kiln_chunk_store_is_valid(const kiln_chunk_store *store);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
