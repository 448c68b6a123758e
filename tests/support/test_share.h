/* Long tests that can run a share of their cases. KILN_TEST_SHARE=K/N selects each Nth case,
 * beginning with case K; without it, all cases run. Builds that repeat the tests of another build
 * use this. */
#ifndef TEST_SHARE_H
#define TEST_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Sets K and N, or 0 and 1 without a valid variable. */
static inline void test_share_parse(uint64_t *first, uint64_t *every)
{
    const char *text = getenv("KILN_TEST_SHARE");
    char *end = NULL;
    *first = 0;
    *every = 1;
    if (!text)
        return;
    uint64_t k = strtoull(text, &end, 10), n = *end == '/' ? strtoull(end + 1, NULL, 10) : 0;
    if (n == 0)
        return;
    *first = k % n;
    *every = n;
}

/* Whether the case with this number runs. */
static inline bool test_share_has(uint64_t number)
{
    uint64_t first, every;
    test_share_parse(&first, &every);
    return number % every == first;
}

/* The number of cases that run of `count` random ones; at least one. */
static inline uint64_t test_share_of(uint64_t count)
{
    uint64_t first, every;
    test_share_parse(&first, &every);
    return count < every ? 1 : count / every;
}

#endif
