/* Sorts numbers by the items that they identify, in O(n log n) for any input. */
#ifndef KILN_NUMBER_SORT_H
#define KILN_NUMBER_SORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Returns a negative number, zero or a positive number if item `a` comes before, is equal to or
 * comes after item `b`. */
typedef int number_compare(const void *ctx, uint32_t a, uint32_t b);

/* Sorts in place, without allocation. Not stable: if the order of equal items matters, `compare`
 * must break ties. */
void kiln_number_sort(uint32_t *numbers, size_t count, number_compare *compare, const void *ctx);

/* Like kiln_number_sort, but stable, and in O(n log r) for r ascending runs. `spare` must have room
 * for 2 * count numbers. */
void kiln_number_sort_runs(uint32_t *numbers, size_t count, uint32_t *spare,
                           number_compare *compare, const void *ctx);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
