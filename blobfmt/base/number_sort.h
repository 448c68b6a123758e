/* Sorts numbers by what they stand for, O(n log n) for any input. */
#ifndef KILN_NUMBER_SORT_H
#define KILN_NUMBER_SORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Negative, zero or positive as the thing numbered `a` comes before, with or after the one numbered
 * `b`. */
typedef int number_compare(const void *ctx, uint32_t a, uint32_t b);

/* In place, no allocation. Not stable: equal things need a tie-break in `compare` where their order
 * matters. */
void kiln_number_sort(uint32_t *numbers, size_t count, number_compare *compare, const void *ctx);

/* The same, stable, in O(n log r) for r ascending runs, with `spare` as room for twice as many
 * numbers. */
void kiln_number_sort_runs(uint32_t *numbers, size_t count, uint32_t *spare,
                           number_compare *compare, const void *ctx);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
