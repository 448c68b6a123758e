/* Objects at stable addresses, in slabs whose sizes double.
 *
 * Creating and destroying an object takes constant time and touches its slot and one entry of the
 * ring. Free slots are reused in the order in which they were freed. So a slot stays free as long
 * as possible, which helps the address sanitizer to find stale uses. pool_state.h describes the
 * invariants.
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
    PAGED_SLAB_MIN = 1 << 20,    /* pages cost a fault each, which slows down small pools */
    HUGE_SLAB_MIN = 1 << 22,     /* without huge pages, random reads take 10 % longer */
    HUGE_PAGE = 1 << 21,
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
           (!def->allocator || (def->allocator->alloc && def->allocator->free)) &&
           (!def->pages || (def->pages->map && def->pages->unmap && def->pages->discard));
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) & ~(align - 1);
}

/* The version is stored before the object, near the object's first fields, unless storing it after
 * the object makes the slot smaller. */
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
    /* Aligned blocks keep each slot of 64 bytes within one cache line. */
    pool->block_align = align < POOL_CACHE_LINE ? POOL_CACHE_LINE : align;
}

static unsigned log2_of_first(uint32_t wanted, size_t stride)
{
    if (wanted)
        return pool_log2_up(wanted);
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
    pool->on_end = def->on_end;
    pool->on_end_ctx = def->on_end_ctx;
    pool->pages = def->pages ? *def->pages : kiln_page_source_default();
    /* If the program supplies an allocator, all memory comes from it, unless the program also
     * supplies a page source. */
    pool->paged_min = def->allocator && !def->pages ? SIZE_MAX : PAGED_SLAB_MIN;
    lay_out(pool, def->size, def->align);
    pool->first_log2 = log2_of_first(def->first, pool->stride);
    pool->first = UINT32_C(1) << pool->first_log2;
    *ret_pool = &pool->shown;
    return KILN_OK;
}

static unsigned char *allocate_slab(const pool_state *pool, size_t bytes)
{
    bool huge = bytes >= HUGE_SLAB_MIN;
    size_t align = huge ? HUGE_PAGE : pool->block_align;
    if (bytes >= pool->paged_min)
        return pool->pages.map(pool->pages.ctx, bytes, align, huge);
    return pool->allocator.alloc(pool->allocator.ctx, bytes, pool->block_align);
}

static void free_slab(const pool_state *pool, unsigned char *block, size_t bytes)
{
    if (bytes >= pool->paged_min)
        pool->pages.unmap(pool->pages.ctx, block, bytes);
    else
        pool->allocator.free(pool->allocator.ctx, block, bytes);
}

void kiln_pool_destroy(kiln_pool *shown)
{
    if (!shown)
        return;
    pool_state *pool = pool_state_of(shown);
    kiln_allocator a = pool->allocator;
    if (pool->on_end)
        kiln_pool_objects_destroy_all(shown);
    for (unsigned i = 0; i < pool->slab_count; i++) {
        unsigned char *block = pool->objects[i] - pool->lead;
        size_t bytes = pool_slab_bytes(pool, i);
        pool_unpoison(block, bytes);
        free_slab(pool, block, bytes);
    }
    if (pool->ring)
        a.free(a.ctx, pool->ring, pool_ring_bytes(pool));
    a.free(a.ctx, pool, sizeof *pool);
}

/* Makes the ring long enough for `slots` slots, with the oldest free slot first. */
static bool lengthen_ring(pool_state *pool, uint32_t slots)
{
    kiln_allocator a = pool->allocator;
    size_t length = (size_t)1 << pool_log2_up(slots);
    uint32_t waiting = pool_waiting(pool);
    if (pool->ring && length <= (size_t)pool->ring_mask + 1)
        return true;
    if (length > SIZE_MAX / sizeof *pool->ring)
        return false;
    uint32_t *ring = a.alloc(a.ctx, length * sizeof *ring, POOL_CACHE_LINE);
    if (!ring)
        return false;
    for (uint32_t i = 0; i < waiting; i++)
        ring[i] = pool->ring[(pool->head + i) & pool->ring_mask];
    if (pool->ring)
        a.free(a.ctx, pool->ring, pool_ring_bytes(pool));
    pool->ring = ring;
    pool->ring_mask = (uint32_t)(length - 1);
    pool->head = 0;
    pool->tail = waiting;
    return true;
}

static kiln_status add_slab(pool_state *pool)
{
    uint32_t slots = pool_slab_slots(pool, pool->slab_count);
    if (slots > SIZE_MAX / pool->stride)
        return KILN_NO_MEMORY;
    size_t bytes = slots * pool->stride;
    unsigned char *block = allocate_slab(pool, bytes);
    if (!block)
        return KILN_NO_MEMORY;
    if (!lengthen_ring(pool, pool->ready + slots)) {
        free_slab(pool, block, bytes);
        return KILN_NO_MEMORY;
    }
    pool_poison(block, bytes);
    pool->objects[pool->slab_count++] = block + pool->lead;
    pool->slots += slots;
    pool->ready += slots;
    return KILN_OK;
}

/* Wakes the smallest slab that is asleep, or adds a slab if none is. */
static kiln_status add_slots(pool_state *pool)
{
    unsigned slab = 0;
    while (slab < pool->slab_count && !pool->asleep[slab])
        slab++;
    if (slab == pool->slab_count)
        return add_slab(pool);
    uint32_t slots = pool_slab_slots(pool, slab);
    if (!lengthen_ring(pool, pool->ready + slots))
        return KILN_NO_MEMORY;
    pool->asleep[slab] = false;
    pool->ready += slots;
    return KILN_OK;
}

/* Makes room for `count` more objects. */
static kiln_status grow(pool_state *pool, uint32_t count)
{
    if (count > pool->max_slots - pool->live - pool->retired)
        return KILN_LIMIT;
    while (pool->ready - pool->live - pool->retired < count) {
        kiln_status status = add_slots(pool);
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

/* Functions that are called rarely: inlined, they would make their callers save registers. */
#if defined(__GNUC__)
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE
#endif

/* How far ahead slots are prefetched, in objects. The slots of a ring are scattered,
 * so each would be a cache miss. */
enum { AHEAD = 8 };

static void prefetch_slot(const void *object, ptrdiff_t version_at)
{
    /* Prefetching is safe for any address, even a wrong one. */
    prefetch(object, (size_t)version_at);
}

/* Finds the first slab with slots that are not used; the caller has made sure that there is one. */
static OUT_OF_LINE void find_fresh(pool_state *pool)
{
    unsigned slab = 0;
    while (pool->asleep[slab] || pool->used[slab] == pool_slab_slots(pool, slab))
        slab++;
    pool->fresh_slab = slab;
    pool->fresh_start = pool_slab_start(pool, slab);
    pool->fresh_slots = pool_slab_slots(pool, slab);
}

/* Takes the oldest free slot, or else one that is not used; the caller has made sure that there is
 * one. A version is odd while an object is alive, so it is incremented here and again when the
 * object is destroyed. */
static kiln_pool_handle take(pool_state *pool)
{
    kiln_pool_handle handle;
    if (pool->head != pool->tail) {
        if (pool_waiting(pool) > AHEAD) {
            uint32_t later = pool->ring[(pool->head + AHEAD) & pool->ring_mask];
            prefetch_slot(pool_object(pool, later), pool->shown.version_at);
        }
        handle.slot = pool->ring[pool->head++ & pool->ring_mask];
        handle.object = pool_object(pool, handle.slot);
        handle.version = *pool_version(pool, handle.object) + 1;
    } else {
        if (!pool_has_fresh(pool))
            find_fresh(pool);
        pool_place where = {pool->fresh_slab, pool->used[pool->fresh_slab]++};
        handle.slot = pool->fresh_start + where.place;
        handle.object = pool_object_at(pool, where);
        handle.version = pool->base[where.slab] + 1;
        pool_unpoison(pool_version(pool, handle.object), VERSION_SIZE);
    }
    *pool_version(pool, handle.object) = handle.version;
    pool_unpoison(handle.object, pool->size);
    if (pool->zeroed)
        memset(handle.object, 0, pool->size);
    pool->live++;
    return handle;
}

kiln_status kiln_pool_object_create(kiln_pool *shown, kiln_pool_handle *ret_handle)
{
    pool_state *pool = pool_state_of(shown);
    if (pool->head == pool->tail && !pool_has_fresh(pool)) {
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

/* A slot that has used its last version is retired: it does not enter the ring. Otherwise its
 * versions would wrap around, and old handles would match new objects. */
static inline void free_slot(pool_state *pool, uint32_t slot, const unsigned char *object,
                             uint32_t version)
{
    pool_poison(object, pool->size);
    pool->live--;
    if (version == POOL_VERSION_RETIRED)
        pool->retired++;
    else
        pool->ring[pool->tail++ & pool->ring_mask] = slot;
}

/* `on_end` may call the pool. The object's handles are already stale, so `on_end` is called only
 * once. The slot is not in the ring yet, so the object's bytes stay, and its slab is not trimmed.
 */
static OUT_OF_LINE void call_on_end(pool_state *pool, uint32_t slot, unsigned char *object,
                                    uint32_t version)
{
    pool->on_end(pool->on_end_ctx, object);
    free_slot(pool, slot, object, version);
}

/* Destroys the object in a slot. */
static inline void release_slot(pool_state *pool, uint32_t slot, unsigned char *object)
{
    uint32_t version = ++*pool_version(pool, object);
    if (pool->on_end)
        call_on_end(pool, slot, object, version);
    else
        free_slot(pool, slot, object, version);
}

/* A handle with the address of a slot that has not been used since its slab was added or trimmed.
 * Versions up to the slab's base may have been used before the slab was trimmed. */
static kiln_pool_verdict check_unused(const pool_state *pool, unsigned slab, uint32_t version)
{
    return version % 2 && version < pool->base[slab] ? KILN_POOL_STALE : KILN_POOL_FOREIGN;
}

/* A handle to no slot of this pool. */
static inline kiln_pool_verdict check_other(const void *object, uint32_t given, uint32_t slot)
{
    return object || given || slot ? KILN_POOL_FOREIGN : KILN_POOL_NULL;
}

/* Takes the fields of a handle. The pointer is compared with the address of the slot that the
 * handle names, never dereferenced. */
static inline kiln_pool_verdict check(const pool_state *pool, unsigned char *object, uint32_t given,
                                      uint32_t slot)
{
    if (slot >= pool->slots)
        return check_other(object, given, slot);
    pool_place where = pool_place_of(pool, slot);
    if (object != pool_object_at(pool, where))
        return check_other(object, given, slot);
    if (where.place >= pool->used[where.slab])
        return check_unused(pool, where.slab, given);
    uint32_t version = *pool_version(pool, object);
    if (given == version && version % 2)
        return KILN_POOL_ALIVE;
    if (given % 2 == 0 || given > version)
        return KILN_POOL_FOREIGN;
    return version == POOL_VERSION_RETIRED ? KILN_POOL_RETIRED : KILN_POOL_STALE;
}

kiln_pool_verdict kiln_pool_check(const kiln_pool *pool, kiln_pool_handle handle)
{
    return check(pool_state_of_const(pool), handle.object, handle.version, handle.slot);
}

kiln_status kiln_pool_object_destroy(kiln_pool *shown, kiln_pool_handle handle)
{
    pool_state *pool = pool_state_of(shown);
    kiln_pool_verdict verdict = check(pool, handle.object, handle.version, handle.slot);
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
    unsigned slabs = pool->slab_count;
    for (unsigned slab = 0; slab < slabs && pool->live; slab++) {
        /* The limit stays the same, however many objects `on_end` creates. */
        uint32_t used = pool->used[slab], start = pool_slab_start(pool, slab);
        pool_place where = {slab, 0};
        for (; where.place < used && pool->live; where.place++) {
            unsigned char *object = pool_object_at(pool, where);
            if (*pool_version(pool, object) % 2)
                release_slot(pool, start + where.place, object);
        }
    }
}

/* The handle of the object in a used slot; false if there is none. */
static inline bool handle_of(const pool_state *pool, uint32_t slot, unsigned char *object,
                             kiln_pool_handle *ret_handle)
{
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
    /* From the last slab down: it has more slots than all others together, so the search usually
     * ends there. */
    for (unsigned slab = pool->slab_count; slab-- > 0;) {
        /* The difference is unsigned: for an address below the slab it is larger than any slab. */
        size_t distance = (uintptr_t)object - (uintptr_t)pool->objects[slab];
        size_t place = distance / pool->stride;
        if (place < pool->used[slab]) {
            if (distance % pool->stride == 0)
                handle_of(pool, pool_slab_start(pool, slab) + (uint32_t)place,
                          pool->objects[slab] + distance, &handle);
            break;
        }
    }
    return handle;
}

bool kiln_pool_next(const kiln_pool *shown, kiln_pool_cursor *cursor, kiln_pool_handle *ret_handle)
{
    const pool_state *pool = pool_state_of_const(shown);
    uint32_t slot = cursor->passed;
    bool found = false;
    while (slot < pool->slots && !found) {
        pool_place where = pool_place_of(pool, slot);
        if (where.place < pool->used[where.slab])
            found = handle_of(pool, slot++, pool_object_at(pool, where), ret_handle);
        else
            slot = pool_slab_start(pool, where.slab + 1);
    }
    cursor->passed = slot;
    return found;
}

kiln_pool_counts kiln_pool_count(const kiln_pool *shown)
{
    const pool_state *pool = pool_state_of_const(shown);
    kiln_pool_counts counts = {
        .live = pool->live,
        .free = pool->ready - pool->live - pool->retired,
        .retired = pool->retired,
        .bytes = sizeof *pool + pool_ring_bytes(pool) + pool->ready * pool->stride,
    };
    for (unsigned slab = 0; slab < pool->slab_count; slab++)
        counts.slabs += !pool->asleep[slab];
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

/* Counts that follow from the versions. `sum` is the sum of the hashes of the free slots. */
typedef struct version_sums {
    uint32_t live, retired, waiting;
    uint64_t sum;
} version_sums;

static bool add_versions(const pool_state *pool, unsigned slab, version_sums *sums)
{
    pool_place where = {slab, 0};
    for (; where.place < pool->used[slab]; where.place++) {
        uint32_t version = *pool_version(pool, pool_object_at(pool, where));
        if (version <= pool->base[slab] || version > POOL_VERSION_RETIRED)
            return false;
        sums->live += version % 2;
        sums->retired += version == POOL_VERSION_RETIRED;
        if (version % 2 == 0 && version != POOL_VERSION_RETIRED) {
            sums->waiting++;
            sums->sum += mix(pool_slab_start(pool, slab) + where.place);
        }
    }
    return true;
}

static bool slabs_are_valid(const pool_state *pool, version_sums *sums)
{
    uint32_t slots = 0, ready = 0;
    for (unsigned slab = 0; slab < pool->slab_count; slab++) {
        uint32_t count = pool_slab_slots(pool, slab);
        if (pool->used[slab] > (pool->asleep[slab] ? 0 : count) || pool->base[slab] % 2 ||
            !add_versions(pool, slab, sums))
            return false;
        slots += count;
        ready += pool->asleep[slab] ? 0 : count;
    }
    if (pool_has_fresh(pool) &&
        (pool->fresh_slab >= pool->slab_count || pool->asleep[pool->fresh_slab] ||
         pool->fresh_slots != pool_slab_slots(pool, pool->fresh_slab)))
        return false;
    return slots == pool->slots && ready == pool->ready;
}

bool kiln_pool_is_valid(const kiln_pool *shown)
{
    const pool_state *pool = pool_state_of_const(shown);
    version_sums sums = {0};
    if (pool->slots > pool->max_slots || !slabs_are_valid(pool, &sums))
        return false;
    if (sums.live != pool->live || sums.retired != pool->retired ||
        sums.waiting != pool_waiting(pool))
        return false;
    for (uint32_t i = 0; i < sums.waiting; i++)
        sums.sum -= mix(pool->ring[(pool->head + i) & pool->ring_mask]);
    return sums.sum == 0;
}
