/* Tests many bytes at once. Results are masks in which bit i is the result for byte i. */
#ifndef KILN_BYTE_MASK_H
#define KILN_BYTE_MASK_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Which of the 32 bytes at `at` are 0. Without SSE2, `zeros` has the top bit of each zero byte set,
 * and the multiplication by `gather` moves these eight bits into the top byte. */
static inline uint32_t byte_mask_zeros_32(const unsigned char *at)
{
#if defined(__SSE2__)
    const __m128i zero = _mm_setzero_si128();
    __m128i low, high;
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + 16, sizeof high);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, zero)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, zero)) << 16;
#else
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f), gather = UINT64_C(0x0102040810204080);
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t word;
        memcpy(&word, at + i * 8, 8);
        uint64_t zeros = ~(((word & low_bits) + low_bits) | word | low_bits);
        mask |= (uint32_t)((zeros >> 7) * gather >> 56) << (i * 8);
    }
    return mask;
#endif
}

/* Whether one of the 64 bytes at `at` is not ASCII. */
static inline int byte_mask_has_high_64(const unsigned char *at)
{
    uint64_t words[8];
    memcpy(words, at, sizeof words);
    uint64_t all =
        words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7];
    return (all & UINT64_C(0x8080808080808080)) != 0;
}

#endif
