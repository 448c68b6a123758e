/* The position of the highest set bit of a number. */
#ifndef KILN_FLOOR_LOG2_H
#define KILN_FLOOR_LOG2_H

#include <limits.h>
#include <stdint.h>

/* `number` must not be 0. */
static inline unsigned floor_log2(uint32_t number)
{
#if defined(__GNUC__) && UINT_MAX == 0xffffffff
    return 31 - (unsigned)__builtin_clz(number);
#else
    unsigned log2 = 0;
    while (number >>= 1)
        log2++;
    return log2;
#endif
}

#endif
