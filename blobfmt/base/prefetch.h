/* Asks for memory before it is needed. Any place will do, also one behind what `base` points to. */
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

#endif
