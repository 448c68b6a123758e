/* Internals of a pool: slabs of slots, and a ring of free slots.
 *
 * The first slab has `first` slots, a power of two, and each further slab twice as many as the one
 * before. So slot + first says where a slot is stored: its highest bit gives the slab, and the bits
 * below give the position in the slab.
 *
 *     slot < used            used before: version odd (alive), even (free), or RETIRED
 *     used <= slot < slots   in a slab, never used: none of its bytes has been written
 *     ring[head..tail]       the free slots among those used, oldest first
 *     live + retired + (tail - head) == used
 *
 * The ring has room for every slot, so destroying never needs memory. It is stored separately, so
 * that no write to a destroyed object can damage it. It also shows which slots come next, so that
 * they can be prefetched. */
#ifndef KILN_POOL_STATE_H
#define KILN_POOL_STATE_H

#include "floor_log2.h"

#include <kiln/pool.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { POOL_SLABS_MAX = 31 };

/* The version of a slot after its last object. */
#define POOL_VERSION_RETIRED UINT32_C(0xfffffffe)

typedef struct pool_state {
    kiln_pool shown; /* first, so that a kiln_pool * can be cast to a pool_state * */
    kiln_allocator allocator;
    size_t size, stride;      /* of an object; from one slot to the next */
    size_t block_align, lead; /* of a slab's block; from its start to the first object */
    uint32_t first;           /* slots of the first slab */
    unsigned first_log2;
    uint32_t max_slots, live, retired, used, slots;
    uint32_t head, tail; /* never wrapped; ring_mask gives the index */
    uint32_t ring_mask;
    uint32_t *ring; /* NULL without slabs */
    unsigned slab_count;
    bool zeroed;
    unsigned char *objects[POOL_SLABS_MAX]; /* the first of each slab */
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

static inline unsigned char *pool_object(const pool_state *pool, uint32_t slot)
{
    uint32_t number = slot + pool->first;
    unsigned top = floor_log2(number);
    size_t place = number ^ (UINT32_C(1) << top);
    return pool->objects[top - pool->first_log2] + place * pool->stride;
}

static inline uint32_t *pool_version(const pool_state *pool, unsigned char *object)
{
    return (uint32_t *)(void *)(object + pool->shown.version_at);
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
