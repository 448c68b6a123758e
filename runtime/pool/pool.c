#include <kiln/pool.h>

#include "pool_poison.h"
#include "pool_state.h"

#include <string.h>

enum {
    DEFAULT_SLAB_SIZE = 1 << 16, /* bytes of the first slab */
    CACHE_LINE = 64,
    VERSION_SIZE = sizeof(uint32_t)
};

kiln_pool_def kiln_pool_def_default(void)
{
    kiln_pool_def def = {
        .align = _Alignof(max_align_t), .most = KILN_POOL_OBJECTS_MAX, .zeroed = true};
    return def;
}

static bool def_is_valid(const kiln_pool_def *def)
{
    return def && def->size >= 1 && def->size <= KILN_POOL_SIZE_MAX && def->align >= 1 &&
           def->align <= KILN_POOL_ALIGN_MAX && (def->align & (def->align - 1)) == 0 &&
           def->most >= 1 && def->most <= KILN_POOL_OBJECTS_MAX &&
           def->first <= KILN_POOL_OBJECTS_MAX &&
           (!def->allocator || (def->allocator->alloc && def->allocator->free));
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) & ~(align - 1);
}

/* The version lies before the object, near its first fields, unless a slot is smaller with the
 * version behind. */
static void lay_out(pool_state *pool, size_t size, size_t align)
{
    size_t behind = round_up(size, VERSION_SIZE);
    if (align < VERSION_SIZE)
        align = VERSION_SIZE;
    pool->size = size;
    pool->lead = align;
    pool->stride = round_up(align + size, align);
    pool->shown.version_at = -(ptrdiff_t)VERSION_SIZE;
    if (round_up(behind + VERSION_SIZE, align) < pool->stride) {
        pool->lead = 0;
        pool->stride = round_up(behind + VERSION_SIZE, align);
        pool->shown.version_at = (ptrdiff_t)behind;
    }
    /* Where slots are as long as cache lines, each is one. */
    pool->block_align = align < CACHE_LINE ? CACHE_LINE : align;
}

/* Of the smallest power of two that is not below `count`. */
static unsigned log2_up(uint32_t count)
{
    return count <= 1 ? 0 : pool_log2(count - 1) + 1;
}

static unsigned log2_of_first(uint32_t wanted, size_t stride)
{
    if (wanted)
        return log2_up(wanted);
    return stride >= DEFAULT_SLAB_SIZE ? 0 : pool_log2((uint32_t)(DEFAULT_SLAB_SIZE / stride));
}

kiln_status kiln_pool_create(const kiln_pool_def *def, kiln_pool **ret_pool)
{
    bool valid = def_is_valid(def);
    assert(valid);
    if (!valid)
        return KILN_BAD_ARGUMENT;
    kiln_allocator a = def->allocator ? *def->allocator : kiln_allocator_default();
    pool_state *pool = a.alloc(a.ctx, sizeof *pool, _Alignof(pool_state));
    if (!pool)
        return KILN_NO_MEMORY;
    memset(pool, 0, sizeof *pool);
    pool->allocator = a;
    pool->most = def->most;
    pool->zeroed = def->zeroed;
    lay_out(pool, def->size, def->align);
    pool->first_log2 = log2_of_first(def->first, pool->stride);
    pool->first = UINT32_C(1) << pool->first_log2;
    *ret_pool = &pool->shown;
    return KILN_OK;
}

/* The last slab has fewer where the pool's limit cuts it short. */
static uint32_t slab_slots(const pool_state *pool, unsigned slab)
{
    uint32_t count = pool->first << slab, before = count - pool->first;
    return count <= pool->most - before ? count : pool->most - before;
}

static size_t ring_bytes(const pool_state *pool)
{
    return pool->ring ? ((size_t)pool->ring_mask + 1) * sizeof *pool->ring : 0;
}

void kiln_pool_destroy(kiln_pool *shown)
{
    if (!shown)
        return;
    pool_state *pool = pool_state_of(shown);
    kiln_allocator a = pool->allocator;
    for (unsigned i = 0; i < pool->slab_count; i++) {
        unsigned char *block = pool->objects[i] - pool->lead;
        size_t bytes = slab_slots(pool, i) * pool->stride;
        pool_unpoison(block, bytes);
        a.free(a.ctx, block, bytes);
    }
    if (pool->ring)
        a.free(a.ctx, pool->ring, ring_bytes(pool));
    a.free(a.ctx, pool, sizeof *pool);
}

/* Puts a ring for this many slots in place of the old one, the oldest slot first. */
static bool lengthen_ring(pool_state *pool, uint32_t slots)
{
    kiln_allocator a = pool->allocator;
    size_t length = (size_t)1 << log2_up(slots);
    uint32_t waiting = pool_waiting(pool);
    if (length > SIZE_MAX / sizeof *pool->ring)
        return false;
    uint32_t *ring = a.alloc(a.ctx, length * sizeof *ring, CACHE_LINE);
    if (!ring)
        return false;
    for (uint32_t i = 0; i < waiting; i++)
        ring[i] = pool->ring[(pool->head + i) & pool->ring_mask];
    if (pool->ring)
        a.free(a.ctx, pool->ring, ring_bytes(pool));
    pool->ring = ring;
    pool->ring_mask = (uint32_t)(length - 1);
    pool->head = 0;
    pool->tail = waiting;
    return true;
}

static kiln_status add_slab(pool_state *pool)
{
    uint32_t slots = slab_slots(pool, pool->slab_count);
    if (slots > SIZE_MAX / pool->stride)
        return KILN_NO_MEMORY;
    size_t bytes = slots * pool->stride;
    kiln_allocator a = pool->allocator;
    unsigned char *block = a.alloc(a.ctx, bytes, pool->block_align);
    if (!block)
        return KILN_NO_MEMORY;
    if (!lengthen_ring(pool, pool->slots + slots)) {
        a.free(a.ctx, block, bytes);
        return KILN_NO_MEMORY;
    }
    pool_poison(block, bytes);
    pool->objects[pool->slab_count++] = block + pool->lead;
    pool->slots += slots;
    return KILN_OK;
}

kiln_status kiln_pool_grow(pool_state *pool, uint32_t count)
{
    if (count > pool->most - pool->live - pool->retired)
        return KILN_LIMIT;
    while (pool_waiting(pool) + (pool->slots - pool->used) < count) {
        kiln_status status = add_slab(pool);
        if (status)
            return status;
    }
    return KILN_OK;
}

kiln_status kiln_pool_reserve(kiln_pool *pool, uint32_t count)
{
    return kiln_pool_grow(pool_state_of(pool), count);
}

kiln_pool_counts kiln_pool_count(const kiln_pool *shown)
{
    const pool_state *pool = pool_state_of_const(shown);
    kiln_pool_counts counts = {
        .live = pool->live,
        .free = pool->slots - pool->live - pool->retired,
        .retired = pool->retired,
        .slabs = pool->slab_count,
        .bytes = sizeof *pool + ring_bytes(pool) + pool->slots * pool->stride,
    };
    return counts;
}
