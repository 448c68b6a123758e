/* Objects that never move, and handles that know when theirs is gone.
 *
 * A pool holds objects of one size. Each lies in a slot, and its address is the same from creation
 * to destruction, so that pointers to it, into it and from it may be kept where the program sees to
 * their lifetime; a handle, pointer and version, is for everyone who does not. A pool needs no
 * world, no file and no other pool.
 *
 *     handle  = address of the object, version its slot had when it was created, slot's number
 *     slot    = one object, and the version beside it: odd while the object is alive, even while
 *               the slot is free; it only ever grows, by one with each creation and destruction
 *     alive   : the slot's version is the handle's. So a handle that has become stale is never
 *               alive again, whatever its slot holds now
 *     retired : a slot whose last version is used up (after 2^31 - 1 objects); it stays empty, so
 *               versions never begin anew
 *     slab    = one block of slots from the allocator; each has room for twice as many as the one
 *               before. Slabs are given back by kiln_pool_destroy and at no other time: a slot's
 *               version may be read as long as the pool lives, however stale the handle
 *
 * Reuse is first-in-first-out: the slot that has been free for longest is taken first, and a new
 * one only where none is free. So slots wear evenly, and a mistaken raw pointer has a long time to
 * be found in a debugger before its memory is somebody else's. The queue of free slots lies apart
 * from them: who writes to a destroyed object harms the next one in its slot, but never the pool.
 * Under the address sanitizer, destroyed objects and slots not used yet are poisoned, so that the
 * first such access is reported.
 *
 * Access comes in three strengths:
 *
 *     kiln_pool_get    checks the version always: NULL for stale and null handles. Trusts the
 *                      pointer to be null or one that this pool gave. One load beside the object
 *     kiln_pool_at     checks where asserts are on, and is the bare pointer in a release
 *     kiln_pool_check  says of any bits at all what they are; follows no pointer but one that
 *                      equals the address of the slot that the handle names
 *
 * What changes the pool through a handle (kiln_pool_object_destroy) checks as kiln_pool_check does.
 * A pointer that this pool never gave is a mistake of the program's there: an assert in debug
 * builds, KILN_BAD_ARGUMENT otherwise. A stale handle is not: it gives KILN_DEAD.
 *
 * Memory. A slot is the object and four bytes of version, before it or after it, whichever takes
 * less with the alignment asked for: objects of 36 bytes at multiples of 4 take 40, of 60 bytes at
 * multiples of 64 take 64, of 64 bytes at multiples of 64 take 128. The queue adds four bytes a
 * slot. Creating a pool takes memory for the pool alone; the first object brings the first slab.
 *
 * Threads. A pool belongs to one thread at a time. Functions that take it as `const` may be called
 * by any number of threads at once, as long as no other function is called meanwhile; what the
 * objects hold is the program's affair. The allocator is called by the thread that calls the pool.
 */
#ifndef KILN_POOL_H
#define KILN_POOL_H

#include <assert.h>
#include <kiln/allocator.h>
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

/* Made by kiln_pool_create only. Its field is for the functions of this header. */
typedef struct kiln_pool {
    ptrdiff_t version_at; /* bytes from an object to its slot's version */
} kiln_pool;

/* An object of the pool that gave the handle; zero is null. Good as a question for as long as the
 * pool lives: the answer may be that the object is gone. Two handles of a pool name the same object
 * if pointer and version are equal. */
typedef struct kiln_pool_handle {
    void *object;
    uint32_t version;
    uint32_t slot; /* counted from 0 without gaps, for arrays of the program's beside the pool */
} kiln_pool_handle;

typedef struct kiln_pool_def {
    size_t size; /* bytes of an object, 1..KILN_POOL_SIZE_MAX; required */
    /* Of every object: a power of two up to KILN_POOL_ALIGN_MAX. Default that of max_align_t; less
     * than 4 counts as 4. An object whose size is a multiple of an alignment of 8 or more takes
     * that much again for its version: the type's own alignment packs best. */
    size_t align;
    /* Slots at most, retired ones counted; 1..KILN_POOL_OBJECTS_MAX, the default. */
    uint32_t most;
    /* Slots of the first slab, rounded up to a power of two; at most KILN_POOL_OBJECTS_MAX. Default
     * 0: as many as 64 KiB hold, and at least one. */
    uint32_t first;
    /* An object's bytes are zero when it is created: the default. Otherwise they are anything: what
     * the allocator gave, or what the slot's last object left. */
    bool zeroed;
    const kiln_allocator *allocator; /* default NULL: the C library's */
    uint32_t cookie;                 /* private: set by kiln_pool_def_default */
} kiln_pool_def;

/* All fields but `size`. */
kiln_pool_def kiln_pool_def_default(void);

/* KILN_BAD_ARGUMENT (asserted in debug builds): the definition breaks its contract. KILN_NO_MEMORY.
 * On failure `ret_pool` is untouched. */
kiln_status kiln_pool_create(const kiln_pool_def *def, kiln_pool **ret_pool);
/* Objects that are alive end with their memory, and nothing is called for them; no handle of the
 * pool may be used afterwards. NULL is fine. */
void kiln_pool_destroy(kiln_pool *pool);

/* Takes the memory that the next `count` creations need, so that they cannot fail. KILN_LIMIT:
 * there would be more than `most` slots. KILN_NO_MEMORY: a part of it may have been taken, and is
 * of use. */
kiln_status kiln_pool_reserve(kiln_pool *pool, uint32_t count);

/* Creates an object. O(1), but for creations that take a slab. On failure `ret_handle` is untouched
 * and no object was created: KILN_LIMIT (`most` slots are alive or retired) or KILN_NO_MEMORY. */
kiln_status kiln_pool_object_create(kiln_pool *pool, kiln_pool_handle *ret_handle);
/* Creates `count` objects or none, for `count` handles; the same objects in the same order as so
 * many single creations. */
kiln_status kiln_pool_objects_create(kiln_pool *pool, uint32_t count,
                                     kiln_pool_handle *ret_handles);

/* Ends an object; every handle of it is stale from now on, and its slot goes to the end of the
 * queue. KILN_DEAD: the handle is stale or null, and nothing changed. KILN_BAD_ARGUMENT (asserted
 * in debug builds): it is foreign, and nothing changed. Never fails otherwise. */
kiln_status kiln_pool_object_destroy(kiln_pool *pool, kiln_pool_handle handle);
/* Ends those of `count` objects that are alive, in order; the same one named twice ends once. How
 * many ended. Foreign handles (asserted in debug builds) are passed over. */
uint32_t kiln_pool_objects_destroy(kiln_pool *pool, const kiln_pool_handle *handles,
                                   uint32_t count);
/* Ends all objects, in the order of kiln_pool_next. Linear in slots. */
void kiln_pool_objects_destroy_all(kiln_pool *pool);

/* What any bits are as a handle of this pool. */
typedef enum kiln_pool_verdict {
    KILN_POOL_ALIVE,
    KILN_POOL_STALE,   /* was alive; its slot is free or holds another object */
    KILN_POOL_RETIRED, /* was alive; its slot will never hold an object again */
    KILN_POOL_FOREIGN, /* no handle that this pool has given: its slot was never used, lies at
                          another address, or never had the version */
    KILN_POOL_NULL     /* all fields are zero */
} kiln_pool_verdict;

/* Safe on any bits. O(1). */
kiln_pool_verdict kiln_pool_check(const kiln_pool *pool, kiln_pool_handle handle);

/* The object, or NULL where it is not alive. The handle is null or was given by this pool, which
 * lives. */
static inline void *kiln_pool_get(const kiln_pool *pool, kiln_pool_handle handle)
{
    if (!handle.object)
        return NULL;
    uint32_t version =
        *(const uint32_t *)(const void *)((const char *)handle.object + pool->version_at);
    /* A free slot's version is even, and no handle's is. */
    return ((version ^ handle.version) | (~version & 1)) == 0 ? handle.object : NULL;
}

/* The object, which is alive: the program knows. */
static inline void *kiln_pool_at(const kiln_pool *pool, kiln_pool_handle handle)
{
    assert(kiln_pool_check(pool, handle) == KILN_POOL_ALIVE);
    (void)pool;
    return handle.object;
}

/* The handle of the object at this address; null where there is none alive. Safe on any address;
 * one inside an object is not its address. O(slabs), of which there are at most 31: half of all
 * slots lie in the one that is looked at first. */
kiln_pool_handle kiln_pool_find(const kiln_pool *pool, const void *object);

/* A place in the walk over all objects; zero is its beginning. */
typedef struct kiln_pool_cursor {
    uint32_t passed; /* slots */
} kiln_pool_cursor;

/* Steps to the next object that is alive; false after the last one, with `ret_handle` untouched.
 *
 *     kiln_pool_cursor cursor = {0};
 *     kiln_pool_handle handle;
 *     while (kiln_pool_next(pool, &cursor, &handle))
 *         ...
 *
 * In the order of slots, which is mostly that of addresses. Objects may be
 * created and destroyed meanwhile: each that is alive from beginning to end is met once, one that
 * is created on the way once or not at all. A whole walk is linear in slots. */
bool kiln_pool_next(const kiln_pool *pool, kiln_pool_cursor *cursor, kiln_pool_handle *ret_handle);

typedef struct kiln_pool_counts {
    uint32_t live;    /* objects */
    uint32_t free;    /* slots that wait to be used, again or for the first time */
    uint32_t retired; /* slots; live + free + retired are all there are */
    uint32_t slabs;
    size_t bytes; /* taken from the allocator, all told */
} kiln_pool_counts;

/* O(1). */
kiln_pool_counts kiln_pool_count(const kiln_pool *pool);

/* Whether the pool's own bytes make sense: versions, counters and queue agree. False means that
 * something wrote where it should not have. Linear in slots. */
bool kiln_pool_is_valid(const kiln_pool *pool);

#ifdef __cplusplus
#define KILN_POOL_ALIGN_OF(type) alignof(type)
#else
#define KILN_POOL_ALIGN_OF(type) _Alignof(type)
#endif
/* A source that uses some of the functions below gets no warning about the others. */
#if defined(__GNUC__)
#define KILN_POOL_FUNCTION __attribute__((unused)) static inline
#else
#define KILN_POOL_FUNCTION static inline
#endif

/* Defines `name`, a handle of a `type` in a pool made for that type, with its create, destroy, get
 * and at: so that a handle of one kind never goes where another belongs. `name##_pool_def` is the
 * definition to begin with: size and alignment of `type`. */
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
