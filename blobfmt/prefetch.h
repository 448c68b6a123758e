/* Asks for memory before it is needed. Any address will do. */
#ifndef KILN_PREFETCH_H
#define KILN_PREFETCH_H

static inline void prefetch(const void *at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

#endif
