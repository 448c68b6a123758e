/* Internals of a pool: slabs of slots, and a ring of free slots.
 *
 * The first slab has `first` slots, a power of two, and each following slab twice as many as the
 * one before. So slot + first determines where a slot is stored: its highest bit gives the slab,
 * and the bits below give the position in the slab.
 *
 *     place < used[slab]     version odd (alive), even (free), or RETIRED; above base[slab]
 *     place >= used[slab]    its memory is not read; its version is base[slab], an even number
 *     asleep[slab]           kiln_pool_trim returned its memory: used[slab] == 0, and its slots
 *                            cannot be taken before the slab is awake again
 *     ring[head..tail]       the free slots among those used, oldest first
 *     live + retired + (tail - head) == sum of used
 *     ready                  slots of the slabs that are awake
 *
 * No handle of a slot with place >= used[slab] has a version above base[slab]: trimming raises
 * base[slab] to the highest version in the slab. So the next object of each slot has a version that
 * its slot never had. Discarded memory contains zeros or even versions, so handles to trimmed slabs
 * read as dead.
 *
 * The ring has room for every slot that is ready, so destroying never needs memory. It is stored
 * separately, so that no write to a destroyed object can damage it. It also shows which slots come
 * next, so that they can be prefetched. */
#ifndef KILN_POOL_STATE_H
#define KILN_POOL_STATE_H

#include "floor_log2.h"

#include <kiln/pool.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { POOL_SLABS_MAX = 31, POOL_CACHE_LINE = 64 };

/* The version of a slot after its last object. */
#define POOL_VERSION_RETIRED UINT32_C(0xfffffffe)

typedef struct pool_state {
    kiln_pool shown; /* first, so that a kiln_pool * can be cast to a pool_state * */
    kiln_allocator allocator;
    size_t size, stride;      /* of an object; from one slot to the next */
    size_t block_align, lead; /* of a slab's block; from its start to the first object */
    uint32_t first;           /* slots of the first slab */
    unsigned first_log2;
    uint32_t max_slots, live, retired, slots, ready;
    uint32_t head, tail; /* never wrapped; ring_mask gives the index */
    uint32_t ring_mask;
    uint32_t *ring; /* NULL without slabs */
    unsigned slab_count;
    /* New slots are taken from `fresh_slab`, until all of its `fresh_slots` slots are used. */
    unsigned fresh_slab;
    uint32_t fresh_slots, fresh_start; /* `fresh_start` is the slab's first slot */
    bool zeroed;
    void (*on_end)(void *ctx, void *object);
    void *on_end_ctx;
    kiln_page_source pages;
    size_t paged_min; /* slabs of at least this many bytes come from `pages` */
    unsigned char *objects[POOL_SLABS_MAX]; /* the first of each slab */
    uint32_t used[POOL_SLABS_MAX], base[POOL_SLABS_MAX];
    bool asleep[POOL_SLABS_MAX];
} pool_state;

static inline pool_state *pool_state_of(kiln_pool *pool)
{
    return (pool_state *)(void *)pool;
}

static inline const pool_state *pool_state_of_const(const kiln_pool *pool)
{
    return (const pool_state *)(const void *)pool;
}

static inline uint32_t pool_waiting(const pool_state *pool)
{
    return pool->tail - pool->head;
}

/* Whether `fresh_slab` has slots that are not used. */
static inline bool pool_has_fresh(const pool_state *pool)
{
    return pool->used[pool->fresh_slab] != pool->fresh_slots;
}

typedef struct pool_place {
    unsigned slab;
    uint32_t place; /* in the slab */
} pool_place;

static inline pool_place pool_place_of(const pool_state *pool, uint32_t slot)
{
    uint32_t number = slot + pool->first;
    unsigned top = floor_log2(number);
    pool_place where = {top - pool->first_log2, number ^ (UINT32_C(1) << top)};
    return where;
}

static inline unsigned char *pool_object_at(const pool_state *pool, pool_place where)
{
    return pool->objects[where.slab] + where.place * pool->stride;
}

static inline unsigned char *pool_object(const pool_state *pool, uint32_t slot)
{
    return pool_object_at(pool, pool_place_of(pool, slot));
}

static inline uint32_t *pool_version(const pool_state *pool, unsigned char *object)
{
    return (uint32_t *)(void *)(object + pool->shown.version_at);
}

/* The first slot of a slab: the slabs before it have `first` * (2^slab - 1) slots in total. */
static inline uint32_t pool_slab_start(const pool_state *pool, unsigned slab)
{
    return (pool->first << slab) - pool->first;
}

/* The last slab is shorter if the pool's limit requires it. */
static inline uint32_t pool_slab_slots(const pool_state *pool, unsigned slab)
{
    uint32_t count = pool->first << slab, most = pool->max_slots - pool_slab_start(pool, slab);
    return count <= most ? count : most;
}

static inline size_t pool_slab_bytes(const pool_state *pool, unsigned slab)
{
    return pool_slab_slots(pool, slab) * pool->stride;
}

static inline size_t pool_ring_bytes(const pool_state *pool)
{
    return pool->ring ? ((size_t)pool->ring_mask + 1) * sizeof *pool->ring : 0;
}

/* The binary logarithm of `count`, rounded up. */
static inline unsigned pool_log2_up(uint32_t count)
{
    return count <= 1 ? 0 : floor_log2(count - 1) + 1;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
