#include <kiln/pool.h>

#include "pool_poison.h"
#include "pool_state.h"

#include <string.h>

/* How many objects ahead memory is asked for. */
enum { AHEAD = 8 };

static void prefetch_slot(const void *object, ptrdiff_t version_at)
{
#if defined(__GNUC__)
    /* Any address will do, a foreign one too: nothing is read. */
    __builtin_prefetch((const void *)((uintptr_t)object + (uintptr_t)version_at));
#else
    (void)object;
    (void)version_at;
#endif
}

/* Takes the oldest free slot, or else a new one, which there is. */
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
        kiln_status status = kiln_pool_grow(pool, 1);
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
    kiln_status status = kiln_pool_grow(pool, count);
    if (status)
        return status;
    for (uint32_t i = 0; i < count; i++)
        ret_handles[i] = take(pool);
    return KILN_OK;
}

/* Ends the object of a slot. A retired one stays out of the ring. */
static void give_back(pool_state *pool, uint32_t slot, unsigned char *object)
{
    uint32_t version = ++*pool_version(pool, object);
    pool_poison(object, pool->size);
    pool->live--;
    if (version == POOL_VERSION_RETIRED)
        pool->retired++;
    else
        pool->ring[pool->tail++ & pool->ring_mask] = slot;
}

/* The pointer is compared with the address of the slot that the handle names, never followed. */
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
    give_back(pool, handle.slot, handle.object);
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
            give_back(pool, slot, object);
    }
}

/* The handle of a slot that is used; false where it holds no object. */
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
    /* The last slab has as many slots as all the others together. */
    for (unsigned slab = pool->slab_count; slab-- > 0;) {
        /* An address below the slab is far above it. */
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

/* Sums of these tell two lists of different numbers apart, whatever their order. */
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
    if (pool->used > pool->slots || pool->slots > pool->most)
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
