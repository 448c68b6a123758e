/* Objects that never move, and handles that detect when their object is gone.
 *
 * A pool holds objects of one size. Each object is in a slot and has the same address from creation
 * to destruction, so a program that controls lifetimes may store pointers to it. All other code
 * uses handles, which detect that an object was destroyed. A pool needs no world, no file and no
 * other pool.
 *
 *     handle  = the object's address, its slot's version, and its slot's number
 *     slot    = one object and a version: odd while the object is alive, even while the slot is
 *               free; each creation and destruction increments it
 *     alive   : the slot's version equals the handle's. A stale handle is never alive again, even
 *               if its slot has another object
 *     retired : a slot that used its last version (after 2^31 - 1 objects); it stays empty, so
 *               versions never repeat
 *     slab    = one block of slots; each slab has twice as many as the one before. Only
 *               kiln_pool_destroy frees its addresses, so the version of a slot may be read as long
 *               as the pool exists, through any stale handle
 *
 * Slots are reused in the order in which they became free, and a new slot is used only if none is
 * free. So slots wear evenly, and the memory behind a stale raw pointer stays unused for a long
 * time, which helps to find such bugs. The queue of free slots is not stored in the slots, so a
 * write to a destroyed object can damage the next object in its slot, but not the queue. Under the
 * address sanitizer, destroyed objects and unused slots are poisoned, so the first such access is
 * reported.
 *
 * Three functions look at a handle, and check it to different degrees:
 *
 *     kiln_pool_get    always checks the version: NULL for stale and null handles. The pointer must
 *                      be null or from this pool. Costs one load next to the object
 *     kiln_pool_at     checks if asserts are on; returns the pointer unchecked in release builds
 *     kiln_pool_check  classifies any bits; follows no pointer unless it equals the address of the
 *                      slot that the handle names
 *
 * kiln_pool_object_destroy checks like kiln_pool_check. A pointer that is not from this pool is a
 * bug in the program: the function fails an assert in debug builds and returns KILN_BAD_ARGUMENT
 * otherwise. A stale handle is not a bug: the function returns KILN_DEAD.
 *
 * Memory. A slot is the object and four bytes of version. The version comes before or after the
 * object, whichever makes the slot smaller with the required alignment: objects of 36 bytes aligned
 * to 4 take 40 bytes, objects of 60 bytes aligned to 64 take 64, and objects of 64 bytes aligned to
 * 64 take 128. The queue adds four bytes per slot. Creating a pool allocates only the pool itself;
 * creating the first object allocates the first slab. Slabs of 1 MiB or more come from `pages`,
 * everything else from `allocator`. Huge pages are preferred for slabs of 4 MiB or more.
 *
 * kiln_pool_trim releases the pages of slabs without objects. It keeps their addresses, so that
 * kiln_pool_get may still read a slot's version there through a stale handle: the version is zero
 * or that of a free slot. For each such slab the pool stores the highest version of its slots. If
 * the slab is used again, all its slots continue from that version, so a stale handle is never
 * alive again. A pool uses 46.1 MB after a million objects of 36 bytes were destroyed, and 1.4 MB
 * after kiln_pool_trim. If the versions were in a separate array, slabs of any allocator could be
 * freed, but then kiln_pool_get would need a second load, from that array.
 *
 * Threads. A pool belongs to one thread at a time. Functions that take it as `const` may be called
 * by any number of threads at once, as long as no other function is called meanwhile; the program
 * synchronizes access to the objects. The allocator, the page source and `on_end` are called by the
 * thread that calls the pool. */
#ifndef KILN_POOL_H
#define KILN_POOL_H

#include <assert.h>
#include <kiln/allocator.h>
#include <kiln/page_source.h>
#include <kiln/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KILN_POOL_SIZE_MAX = 1 << 30,    /* bytes of an object */
    KILN_POOL_ALIGN_MAX = 4096,      /* of an object */
    KILN_POOL_OBJECTS_MAX = 1 << 30, /* slots of a pool */
};

/* Created only by kiln_pool_create. The field is private: inline functions read it. */
typedef struct kiln_pool {
    ptrdiff_t version_at; /* bytes from an object to its slot's version */
} kiln_pool;

/* A handle to an object of a pool; zero is null. It may be checked as long as the pool exists, even
 * after the object is destroyed. Two handles of a pool refer to the same object if pointer and
 * version are equal. */
typedef struct kiln_pool_handle {
    void *object;
    uint32_t version;
    uint32_t slot; /* numbered from 0 without gaps, for parallel arrays of the program */
} kiln_pool_handle;

typedef struct kiln_pool_def {
    size_t size; /* bytes of an object, 1..KILN_POOL_SIZE_MAX; required */
    /* Of every object: a power of two up to KILN_POOL_ALIGN_MAX. Default: the alignment of
     * max_align_t. Less than 4 is treated as 4. If the alignment is 8 or more and the size is a
     * multiple of it, the version is padded to the alignment. So the natural alignment of the type
     * wastes the least memory. */
    size_t align;
    /* Maximum number of slots, including retired ones; 1..KILN_POOL_OBJECTS_MAX, the default. */
    uint32_t max_slots;
    /* Slots of the first slab, rounded up to a power of two; at most KILN_POOL_OBJECTS_MAX. Default
     * 0: as many as fit into 64 KiB, at least one. */
    uint32_t first;
    /* New objects are zeroed; default true. Otherwise their bytes are undefined: from the
     * allocator, or left by the slot's last object. */
    bool zeroed;
    const kiln_allocator *allocator; /* default NULL: the C library's */
    /* Memory of slabs of 1 MiB or more; `map_file` and `unmap_file` are not used. `discard` must
     * leave each byte unchanged or zero. Default NULL: kiln_page_source_default() if `allocator` is
     * NULL, too; otherwise all slabs come from `allocator`, and kiln_pool_trim releases nothing. */
    const kiln_page_source *pages;
    /* Called once for each object that is destroyed, by the function that destroys it:
     * kiln_pool_object_destroy, kiln_pool_objects_destroy (in the order of the handles),
     * kiln_pool_objects_destroy_all and kiln_pool_destroy (in the order of kiln_pool_next). The
     * object's bytes are intact, and may be read and written until `on_end` returns. Its handles
     * are stale already, its slot is not free yet, and kiln_pool_count counts it as live. `on_end`
     * may call every function of this pool, including those that create and destroy objects, except
     * kiln_pool_destroy and kiln_pool_is_valid. Objects that it creates during kiln_pool_destroy
     * are freed without a call. Default NULL: none. */
    void (*on_end)(void *ctx, void *object);
    void *on_end_ctx; /* passed to `on_end` */
    uint32_t cookie;  /* private: set by kiln_pool_def_default */
} kiln_pool_def;

/* Sets all fields except `size`. */
kiln_pool_def kiln_pool_def_default(void);

/* Creates an empty pool. KILN_BAD_ARGUMENT (asserted in debug builds): the definition is invalid.
 * KILN_NO_MEMORY. On failure `ret_pool` is untouched. */
kiln_status kiln_pool_create(const kiln_pool_def *def, kiln_pool **ret_pool);
/* Destroys the objects that are alive, and frees the pool. Linear in slots if `on_end` is set; else
 * it visits no object. No handle of the pool may be used afterwards. NULL is fine. */
void kiln_pool_destroy(kiln_pool *pool);

/* Allocates the memory that the next `count` creations need, so that they cannot fail. KILN_LIMIT:
 * more than `max_slots` slots would be needed. KILN_NO_MEMORY: part of the memory may have been
 * allocated; the pool uses it later. */
kiln_status kiln_pool_reserve(kiln_pool *pool, uint32_t count);

/* Releases the memory of slabs that have neither a living object nor a retired slot, including
 * slabs that were only reserved, and shortens the queue. Returns the number of bytes released. Only
 * the memory of slabs from `pages` is released; one living object keeps its whole slab. Checking
 * handles stays safe, however old they are. When no other slot is free, these slots are used again,
 * smallest slab first. Creating an object may then fail, because the queue needs memory. Linear in
 * free slots. Never fails. */
size_t kiln_pool_trim(kiln_pool *pool);

/* Creates an object. O(1), unless it allocates a slab. On failure `ret_handle` is untouched and no
 * object is created: KILN_LIMIT (`max_slots` slots are alive or retired) or KILN_NO_MEMORY. */
kiln_status kiln_pool_object_create(kiln_pool *pool, kiln_pool_handle *ret_handle);
/* Creates `count` objects or none; `ret_handles` must have room for `count`. The result is the same
 * as after `count` single creations. */
kiln_status kiln_pool_objects_create(kiln_pool *pool, uint32_t count,
                                     kiln_pool_handle *ret_handles);

/* Destroys an object. All its handles become stale, and its slot goes to the end of the queue of
 * free slots. KILN_DEAD: the handle is stale or null. KILN_BAD_ARGUMENT (asserted in debug builds):
 * it is foreign. There are no other errors, and after an error nothing has changed. */
kiln_status kiln_pool_object_destroy(kiln_pool *pool, kiln_pool_handle handle);
/* Destroys the living objects among `count` handles, in order, and returns how many were destroyed.
 * An object that occurs twice counts once. Foreign handles (asserted in debug builds) are skipped.
 */
uint32_t kiln_pool_objects_destroy(kiln_pool *pool, const kiln_pool_handle *handles,
                                   uint32_t count);
/* Destroys all objects, in the order of kiln_pool_next. Linear in slots. Some of the objects that
 * `on_end` creates meanwhile may stay. */
void kiln_pool_objects_destroy_all(kiln_pool *pool);

/* Classifies a handle. */
typedef enum kiln_pool_verdict {
    KILN_POOL_ALIVE,
    KILN_POOL_STALE,   /* was alive; its slot is free or holds another object */
    KILN_POOL_RETIRED, /* was alive; its slot will never hold an object again */
    KILN_POOL_FOREIGN, /* not a handle from this pool: its slot was never used, is at another
                          address, or never had the version. In a slab that was trimmed, slots count
                          as having had all versions up to the highest of the slab */
    KILN_POOL_NULL     /* all fields are zero */
} kiln_pool_verdict;

/* Safe on any bits. O(1). */
kiln_pool_verdict kiln_pool_check(const kiln_pool *pool, kiln_pool_handle handle);

/* The object; NULL if it is not alive. The handle must be null or from this pool. */
static inline void *kiln_pool_get(const kiln_pool *pool, kiln_pool_handle handle)
{
    if (!handle.object)
        return NULL;
    uint32_t version =
        *(const uint32_t *)(const void *)((const char *)handle.object + pool->version_at);
    /* A free slot has an even version; a valid handle never has one. */
    return ((version ^ handle.version) | (~version & 1)) == 0 ? handle.object : NULL;
}

/* The object, which must be alive. */
static inline void *kiln_pool_at(const kiln_pool *pool, kiln_pool_handle handle)
{
    assert(kiln_pool_check(pool, handle) == KILN_POOL_ALIVE);
    (void)pool;
    return handle.object;
}

/* The handle of the object at this address; null if no living object begins there. Safe on any
 * address. Linear in slabs. There are at most 31 slabs, and the slab that is searched first
 * contains at least half of all slots. */
kiln_pool_handle kiln_pool_find(const kiln_pool *pool, const void *object);

/* The position of an iteration over all objects; zero is the beginning. */
typedef struct kiln_pool_cursor {
    uint32_t passed; /* slots */
} kiln_pool_cursor;

/* Advances to the next object that is alive. Returns false after the last one, with `ret_handle`
 * untouched.
 *
 *     kiln_pool_cursor cursor = {0};
 *     kiln_pool_handle handle;
 *     while (kiln_pool_next(pool, &cursor, &handle))
 *         ...
 *
 * Objects come in the order of their slots, which is usually the order of addresses. Objects may be
 * created and destroyed during the iteration: each object that is alive throughout the iteration is
 * returned once, one that is created or destroyed meanwhile once or not at all. A whole iteration
 * is linear in slots. */
bool kiln_pool_next(const kiln_pool *pool, kiln_pool_cursor *cursor, kiln_pool_handle *ret_handle);

/* Slabs whose memory kiln_pool_trim released are not counted. */
typedef struct kiln_pool_counts {
    uint32_t live;    /* objects */
    uint32_t free;    /* slots that can be used, again or for the first time */
    uint32_t retired; /* slots; live + free + retired is the number of slots */
    uint32_t slabs;
    size_t bytes; /* allocated or mapped, in total */
} kiln_pool_counts;

/* O(1). */
kiln_pool_counts kiln_pool_count(const kiln_pool *pool);

/* Whether versions, counters and queue agree. False means that the pool's memory was overwritten.
 * Linear in slots. */
bool kiln_pool_is_valid(const kiln_pool *pool);

/* The macro below is used in C and in C++, where _Alignof is spelled alignof. */
#ifdef __cplusplus
#define KILN_POOL_ALIGN_OF(type) alignof(type)
#else
#define KILN_POOL_ALIGN_OF(type) _Alignof(type)
#endif
/* Prevents warnings in sources that do not use all of the functions below. */
#if defined(__GNUC__)
#define KILN_POOL_FUNCTION __attribute__((unused)) static inline
#else
#define KILN_POOL_FUNCTION static inline
#endif

/* Defines `name`, a typed handle to a `type`, with the functions create, destroy, get and at, so
 * that the compiler rejects a handle of a different type. `name##_pool_def` returns a definition
 * with the size and alignment of `type`. */
#define KILN_DEFINE_POOL_HANDLE(name, type)                                                        \
    typedef struct name {                                                                          \
        kiln_pool_handle any;                                                                      \
    } name;                                                                                        \
    KILN_POOL_FUNCTION kiln_pool_def name##_pool_def(void)                                         \
    {                                                                                              \
        kiln_pool_def def = kiln_pool_def_default();                                               \
        def.size = sizeof(type);                                                                   \
        def.align = KILN_POOL_ALIGN_OF(type);                                                      \
        return def;                                                                                \
    }                                                                                              \
    KILN_POOL_FUNCTION kiln_status name##_create(kiln_pool *pool, name *ret_handle)                \
    {                                                                                              \
        return kiln_pool_object_create(pool, &ret_handle->any);                                    \
    }                                                                                              \
    KILN_POOL_FUNCTION kiln_status name##_destroy(kiln_pool *pool, name handle)                    \
    {                                                                                              \
        return kiln_pool_object_destroy(pool, handle.any);                                         \
    }                                                                                              \
    KILN_POOL_FUNCTION type *name##_get(const kiln_pool *pool, name handle)                        \
    {                                                                                              \
        return (type *)kiln_pool_get(pool, handle.any);                                            \
    }                                                                                              \
    KILN_POOL_FUNCTION type *name##_at(const kiln_pool *pool, name handle)                         \
    {                                                                                              \
        return (type *)kiln_pool_at(pool, handle.any);                                             \
    }

#ifdef __cplusplus
}
#endif

#endif
