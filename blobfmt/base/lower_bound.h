/* Binary search in ascending lists. The lower bound is the index of the first element that is not
 * below the key, or the end of the list if all elements are below it. Everything is inline, so that
 * the compiler can inline the comparison into the loop. */
#ifndef KILN_LOWER_BOUND_H
#define KILN_LOWER_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether element `at` of the list is below the key. If the result is false for an element, it must
 * be false for all later ones. */
typedef bool (*is_below_function)(const void *list, size_t at, const void *key);

/* The lower bound among the elements of [low, high). */
static inline size_t lower_bound(const void *list, size_t low, size_t high,
                                 is_below_function is_below, const void *key)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_below(list, middle, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline bool lower_bound_u32_is_below(const void *list, size_t at, const void *key)
{
    return ((const uint32_t *)list)[at] < *(const uint32_t *)key;
}

static inline bool lower_bound_u64_is_below(const void *list, size_t at, const void *key)
{
    return ((const uint64_t *)list)[at] < *(const uint64_t *)key;
}

static inline size_t lower_bound_u64(const uint64_t *list, size_t low, size_t high, uint64_t key)
{
    return lower_bound(list, low, high, lower_bound_u64_is_below, &key);
}

/* Whether the key is one of the `count` numbers. `ret_at` receives the lower bound either way. */
static inline bool find_u32(const uint32_t *list, size_t count, uint32_t key, size_t *ret_at)
{
    *ret_at = lower_bound(list, 0, count, lower_bound_u32_is_below, &key);
    return *ret_at < count && list[*ret_at] == key;
}

static inline bool find_u64(const uint64_t *list, size_t count, uint64_t key, size_t *ret_at)
{
    *ret_at = lower_bound_u64(list, 0, count, key);
    return *ret_at < count && list[*ret_at] == key;
}

#endif
