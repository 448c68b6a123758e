/* Starts loading memory before it is needed. Any address is allowed, even beyond the end of the
 * object at `base`: a prefetch never faults. The address is computed as an integer, because
 * computing a pointer outside its object is undefined behaviour. */
#ifndef KILN_PREFETCH_H
#define KILN_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

static inline void prefetch(const void *base, size_t ahead)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)base + ahead));
#else
    (void)base;
    (void)ahead;
#endif
}

/* Like prefetch, but for memory that is about to be written. */
static inline void prefetch_write(const void *base, size_t ahead)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)base + ahead), 1);
#else
    (void)base;
    (void)ahead;
#endif
}

/* Like prefetch, but only into the second-level cache, so that data in use is not evicted from the
 * first level. */
static inline void prefetch_second_level(const void *base, size_t ahead)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)base + ahead), 0, 2);
#else
    (void)base;
    (void)ahead;
#endif
}

#endif
