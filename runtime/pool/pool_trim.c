/* Returns the memory of slabs without objects.
 *
 * A slab is trimmed as a whole: all its used slots are in the ring, so none is alive or retired.
 * Its pages are discarded, but its addresses stay reserved, because kiln_pool_get reads versions
 * through stale handles. The slots continue above the highest version in the slab. This skips
 * versions of slots that were used less often. Since all slots are reused about equally often, few
 * versions are skipped.
 *
 * The slots of trimmed slabs leave the ring. Otherwise objects of a pool that is small now would
 * still be spread over all the slots that it ever had, and bring their pages back. */
#include <kiln/pool.h>

#include "pool_poison.h"
#include "pool_state.h"

/* Whether a slab can be trimmed, if `waiting` of its slots are in the ring. */
static bool is_idle(const pool_state *pool, unsigned slab, uint32_t waiting)
{
    return !pool->asleep[slab] && pool->used[slab] == waiting &&
           pool_slab_bytes(pool, slab) >= pool->paged_min;
}

static void trim_slab(pool_state *pool, unsigned slab)
{
    uint32_t base = pool->base[slab];
    pool_place where = {slab, 0};
    for (; where.place < pool->used[slab]; where.place++) {
        uint32_t version = *pool_version(pool, pool_object_at(pool, where));
        base = version > base ? version : base;
    }
    pool->base[slab] = base;
    pool->used[slab] = 0;
    pool->asleep[slab] = true;
    pool->ready -= pool_slab_slots(pool, slab);
    if (pool->fresh_slab == slab)
        pool->fresh_slots = 0;
    unsigned char *block = pool->objects[slab] - pool->lead;
    size_t bytes = pool_slab_bytes(pool, slab);
    /* The page source may write to the slab. Afterwards, only the versions may be read. */
    pool_unpoison(block, bytes);
    pool->pages.discard(pool->pages.ctx, block, bytes);
    for (where.place = 0; where.place < pool_slab_slots(pool, slab); where.place++)
        pool_poison(pool_object_at(pool, where), pool->size);
}

/* Removes the slots of slabs that are asleep from the ring. */
static void filter_ring(pool_state *pool)
{
    uint32_t tail = pool->head;
    for (uint32_t i = pool->head; i != pool->tail; i++) {
        uint32_t slot = pool->ring[i & pool->ring_mask];
        if (!pool->asleep[pool_place_of(pool, slot).slab])
            pool->ring[tail++ & pool->ring_mask] = slot;
    }
    pool->tail = tail;
}

/* Replaces the ring with one for the slots that are ready. If there is no memory for it, the ring
 * stays. */
static void shorten_ring(pool_state *pool)
{
    kiln_allocator a = pool->allocator;
    uint32_t length = UINT32_C(1) << pool_log2_up(pool->ready), waiting = pool_waiting(pool);
    uint32_t *ring = NULL;
    if (!pool->ring || (pool->ready && length > pool->ring_mask))
        return;
    if (pool->ready) {
        ring = a.alloc(a.ctx, length * sizeof *ring, POOL_CACHE_LINE);
        if (!ring)
            return;
    }
    for (uint32_t i = 0; i < waiting; i++)
        ring[i] = pool->ring[(pool->head + i) & pool->ring_mask];
    a.free(a.ctx, pool->ring, pool_ring_bytes(pool));
    pool->ring = ring;
    pool->ring_mask = ring ? length - 1 : 0;
    pool->head = 0;
    pool->tail = waiting;
}

size_t kiln_pool_trim(kiln_pool *shown)
{
    pool_state *pool = pool_state_of(shown);
    uint32_t waiting[POOL_SLABS_MAX] = {0};
    size_t bytes = 0, ring_before = pool_ring_bytes(pool);
    for (uint32_t i = pool->head; i != pool->tail; i++)
        waiting[pool_place_of(pool, pool->ring[i & pool->ring_mask]).slab]++;
    for (unsigned slab = 0; slab < pool->slab_count; slab++) {
        if (is_idle(pool, slab, waiting[slab])) {
            trim_slab(pool, slab);
            bytes += pool_slab_bytes(pool, slab);
        }
    }
    if (bytes == 0)
        return 0;
    filter_ring(pool);
    shorten_ring(pool);
    return bytes + (ring_before - pool_ring_bytes(pool));
}
