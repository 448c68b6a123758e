/* Operations on 64-bit masks; they use compiler builtins where available. */
#ifndef KILN_BITS_H
#define KILN_BITS_H

#include <stdint.h>

/* The index of the lowest set bit. `mask` must not be 0. */
static inline uint32_t lowest_bit(uint64_t mask)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(mask);
#else
    uint32_t bit = 0;
    for (; !(mask & 1); mask >>= 1)
        bit++;
    return bit;
#endif
}

static inline uint32_t count_bits(uint64_t mask)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_popcountll(mask);
#else
    uint32_t count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
#endif
}

/* A mask with `count` ones from bit `first` on. `count` is 1 to 64, and `first + count` at most 64.
 */
static inline uint64_t ones(uint32_t first, uint32_t count)
{
    return (UINT64_MAX >> (64 - count)) << first;
}

/* The length of the run of ones that begins at bit `first`, which must be set. */
static inline uint32_t run_of_ones(uint64_t mask, uint32_t first)
{
    uint64_t holes = ~(mask >> first);
    return holes ? lowest_bit(holes) : 64;
}

#endif
