/* Objects at stable addresses, in slabs whose sizes double.
 *
 * Creating and destroying an object takes constant time and touches its slot and one entry of the
 * ring. Free slots are reused in the order in which they were freed. So a slot waits as long as
 * possible for its next object, and handle checks and the address sanitizer catch stale uses.
 * pool_state.h describes the invariants.
 *
 * Under the address sanitizer, free slots are poisoned, except for their versions, which handle
 * checks read. */
#include <kiln/pool.h>

#include "def_cookie.h"
#include "pool_poison.h"
#include "pool_state.h"
#include "prefetch.h"

#include <string.h>

/* ---- the pool and its slabs ---- */

enum {
    DEFAULT_SLAB_SIZE = 1 << 16, /* bytes of the first slab */
    CACHE_LINE = 64,
    VERSION_SIZE = sizeof(uint32_t)
};

kiln_pool_def kiln_pool_def_default(void)
{
    kiln_pool_def def = {.align = _Alignof(max_align_t),
                         .max_slots = KILN_POOL_OBJECTS_MAX,
                         .zeroed = true,
                         .cookie = DEF_COOKIE};
    return def;
}

static bool def_is_valid(const kiln_pool_def *def)
{
    return def && def_is_set(def->cookie) && def->size >= 1 && def->size <= KILN_POOL_SIZE_MAX &&
           def->align >= 1 && def->align <= KILN_POOL_ALIGN_MAX &&
           (def->align & (def->align - 1)) == 0 && def->max_slots >= 1 &&
           def->max_slots <= KILN_POOL_OBJECTS_MAX && def->first <= KILN_POOL_OBJECTS_MAX &&
           (!def->allocator || (def->allocator->alloc && def->allocator->free));
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) & ~(align - 1);
}

/* The version is stored before the object, near its first fields, unless a slot is smaller with the
 * version after the object. */
static void lay_out(pool_state *pool, size_t size, size_t align)
{
    size_t after = round_up(size, VERSION_SIZE);
    if (align < VERSION_SIZE)
        align = VERSION_SIZE;
    pool->size = size;
    pool->lead = align;
    pool->stride = round_up(align + size, align);
    pool->shown.version_at = -(ptrdiff_t)VERSION_SIZE;
    if (round_up(after + VERSION_SIZE, align) < pool->stride) {
        pool->lead = 0;
        pool->stride = round_up(after + VERSION_SIZE, align);
        pool->shown.version_at = (ptrdiff_t)after;
    }
    /* A slot of the size of a cache line then is exactly one cache line. */
    pool->block_align = align < CACHE_LINE ? CACHE_LINE : align;
}

/* The binary logarithm of `count`, rounded up. */
static unsigned log2_up(uint32_t count)
{
    return count <= 1 ? 0 : floor_log2(count - 1) + 1;
}

static unsigned log2_of_first(uint32_t wanted, size_t stride)
{
    if (wanted)
        return log2_up(wanted);
    return stride >= DEFAULT_SLAB_SIZE ? 0 : floor_log2((uint32_t)(DEFAULT_SLAB_SIZE / stride));
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
    pool->max_slots = def->max_slots;
    pool->zeroed = def->zeroed;
    lay_out(pool, def->size, def->align);
    pool->first_log2 = log2_of_first(def->first, pool->stride);
    pool->first = UINT32_C(1) << pool->first_log2;
    *ret_pool = &pool->shown;
    return KILN_OK;
}

/* The slabs before slab n have `first` * (2^n - 1) slots in total. The last slab is shorter if the
 * pool's limit requires it. */
static uint32_t slab_slots(const pool_state *pool, unsigned slab)
{
    uint32_t count = pool->first << slab, before = count - pool->first;
    return count <= pool->max_slots - before ? count : pool->max_slots - before;
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

/* Replaces the ring by one for `slots` slots, with the oldest free slot first. */
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

/* Makes room for `count` more objects. */
static kiln_status grow(pool_state *pool, uint32_t count)
{
    if (count > pool->max_slots - pool->live - pool->retired)
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
    return grow(pool_state_of(pool), count);
}

/* ---- objects ---- */

/* How many objects ahead slots are prefetched: the slots of a ring are scattered, so each one would
 * be a cache miss. */
enum { AHEAD = 8 };

static void prefetch_slot(const void *object, ptrdiff_t version_at)
{
    /* Prefetching is safe for any address, even a wrong one. */
    prefetch(object, (size_t)version_at);
}

/* Takes the oldest free slot, or else one that was never used; the caller has made sure that there
 * is one. A version is odd while an object is alive, so it grows by one here and by one when the
 * object ends. */
static kiln_pool_handle take(pool_state *pool)
{
    kiln_pool_handle handle;
    uint32_t *version;
    if (pool->head != pool->tail) {
        if (pool_waiting(pool) > AHEAD) {
            uint32_t later = pool->ring[(pool->head + AHEAD) & pool->ring_mask];
            prefetch_slot(pool_object(pool, later), pool->shown.version_at);
        }
        handle.slot = pool->ring[pool->head++ & pool->ring_mask];
        handle.object = pool_object(pool, handle.slot);
        version = pool_version(pool, handle.object);
    } else {
        handle.slot = pool->used++;
        handle.object = pool_object(pool, handle.slot);
        version = pool_version(pool, handle.object);
        pool_unpoison(version, sizeof *version);
        *version = 0;
    }
    handle.version = ++*version;
    pool_unpoison(handle.object, pool->size);
    if (pool->zeroed)
        memset(handle.object, 0, pool->size);
    pool->live++;
    return handle;
}

kiln_status kiln_pool_object_create(kiln_pool *shown, kiln_pool_handle *ret_handle)
{
    pool_state *pool = pool_state_of(shown);
    if (pool->head == pool->tail && pool->used == pool->slots) {
        kiln_status status = grow(pool, 1);
        if (status)
            return status;
    }
    *ret_handle = take(pool);
    return KILN_OK;
}

kiln_status kiln_pool_objects_create(kiln_pool *shown, uint32_t count,
                                     kiln_pool_handle *ret_handles)
{
    pool_state *pool = pool_state_of(shown);
    kiln_status status = grow(pool, count);
    if (status)
        return status;
    for (uint32_t i = 0; i < count; i++)
        ret_handles[i] = take(pool);
    return KILN_OK;
}

/* Ends the object of a slot. A slot whose versions are used up is retired: it does not enter the
 * ring, because its versions would start again, and old handles would match new objects. */
static void release_slot(pool_state *pool, uint32_t slot, unsigned char *object)
{
    uint32_t version = ++*pool_version(pool, object);
    pool_poison(object, pool->size);
    pool->live--;
    if (version == POOL_VERSION_RETIRED)
        pool->retired++;
    else
        pool->ring[pool->tail++ & pool->ring_mask] = slot;
}

/* The pointer is compared with the address of the slot that the handle names, never dereferenced.
 */
static inline kiln_pool_verdict check(const pool_state *pool, kiln_pool_handle handle)
{
    if (handle.slot >= pool->used || handle.object != pool_object(pool, handle.slot))
        return !handle.object && !handle.version && !handle.slot ? KILN_POOL_NULL
                                                                 : KILN_POOL_FOREIGN;
    uint32_t version = *pool_version(pool, handle.object);
    if (handle.version % 2 == 0 || handle.version > version)
        return KILN_POOL_FOREIGN;
    if (handle.version == version)
        return KILN_POOL_ALIVE;
    return version == POOL_VERSION_RETIRED ? KILN_POOL_RETIRED : KILN_POOL_STALE;
}

kiln_pool_verdict kiln_pool_check(const kiln_pool *pool, kiln_pool_handle handle)
{
    return check(pool_state_of_const(pool), handle);
}

kiln_status kiln_pool_object_destroy(kiln_pool *shown, kiln_pool_handle handle)
{
    pool_state *pool = pool_state_of(shown);
    kiln_pool_verdict verdict = check(pool, handle);
    assert(verdict != KILN_POOL_FOREIGN);
    if (verdict != KILN_POOL_ALIVE)
        return verdict == KILN_POOL_FOREIGN ? KILN_BAD_ARGUMENT : KILN_DEAD;
    release_slot(pool, handle.slot, handle.object);
    return KILN_OK;
}

uint32_t kiln_pool_objects_destroy(kiln_pool *pool, const kiln_pool_handle *handles, uint32_t count)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (count - i > AHEAD)
            prefetch_slot(handles[i + AHEAD].object, pool->version_at);
        ended += kiln_pool_object_destroy(pool, handles[i]) == KILN_OK;
    }
    return ended;
}

void kiln_pool_objects_destroy_all(kiln_pool *shown)
{
    pool_state *pool = pool_state_of(shown);
    for (uint32_t slot = 0; slot < pool->used && pool->live; slot++) {
        unsigned char *object = pool_object(pool, slot);
        if (*pool_version(pool, object) % 2)
            release_slot(pool, slot, object);
    }
}

/* The handle of the object in a used slot; false if there is none. */
static bool handle_of(const pool_state *pool, uint32_t slot, kiln_pool_handle *ret_handle)
{
    unsigned char *object = pool_object(pool, slot);
    uint32_t version = *pool_version(pool, object);
    if (version % 2 == 0)
        return false;
    ret_handle->object = object;
    ret_handle->version = version;
    ret_handle->slot = slot;
    return true;
}

kiln_pool_handle kiln_pool_find(const kiln_pool *shown, const void *object)
{
    const pool_state *pool = pool_state_of_const(shown);
    kiln_pool_handle handle = {NULL, 0, 0};
    /* From the last slab down: it has more slots than all others together, so the search mostly
     * ends there. */
    for (unsigned slab = pool->slab_count; slab-- > 0;) {
        /* Unsigned: the distance of an address below the slab is larger than any slab. */
        size_t distance = (uintptr_t)object - (uintptr_t)pool->objects[slab];
        size_t place = distance / pool->stride, before = (pool->first << slab) - pool->first;
        if (place < pool->first << slab && before + place < pool->used) {
            if (distance % pool->stride == 0)
                handle_of(pool, (uint32_t)(before + place), &handle);
            break;
        }
    }
    return handle;
}

bool kiln_pool_next(const kiln_pool *shown, kiln_pool_cursor *cursor, kiln_pool_handle *ret_handle)
{
    const pool_state *pool = pool_state_of_const(shown);
    while (cursor->passed < pool->used) {
        if (handle_of(pool, cursor->passed++, ret_handle))
            return true;
    }
    return false;
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

/* A hash of a slot number. Two lists with equal sums of hashes contain the same numbers, except
 * with a probability of about 2^-64. So the ring is compared with the versions in O(n) without
 * allocating. */
static uint64_t mix(uint32_t slot)
{
    uint64_t z = (slot + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 31) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ z >> 32;
}

bool kiln_pool_is_valid(const kiln_pool *shown)
{
    const pool_state *pool = pool_state_of_const(shown);
    uint32_t live = 0, retired = 0, waiting = 0;
    uint64_t sum = 0;
    if (pool->used > pool->slots || pool->slots > pool->max_slots)
        return false;
    for (uint32_t slot = 0; slot < pool->used; slot++) {
        uint32_t version = *pool_version(pool, pool_object(pool, slot));
        if (version == 0 || version > POOL_VERSION_RETIRED)
            return false;
        live += version % 2;
        retired += version == POOL_VERSION_RETIRED;
        if (version % 2 == 0 && version != POOL_VERSION_RETIRED) {
            waiting++;
            sum += mix(slot);
        }
    }
    if (live != pool->live || retired != pool->retired || waiting != pool_waiting(pool))
        return false;
    for (uint32_t i = 0; i < waiting; i++)
        sum -= mix(pool->ring[(pool->head + i) & pool->ring_mask]);
    return sum == 0;
}
