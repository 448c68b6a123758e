/* Two sorts of numbers, by a comparison of the items that the numbers identify.
 *
 * Inputs may be hostile, so both have a worst case of O(n log n); quicksort would need protection
 * against chosen inputs. Both take one pass if the list is already sorted, the common case.
 * kiln_number_sort needs no memory; kiln_number_sort_runs is stable and needs two spare lists. */
#include "number_sort.h"

#include <stdbool.h>
#include <string.h>

/* Moves the number at `root` down until neither child is greater. Heapsort: Williams, "Algorithm
 * 232", CACM 7 (1964). */
static void sift_down(uint32_t *numbers, size_t root, size_t count, number_compare *compare,
                      const void *ctx)
{
    uint32_t moving = numbers[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare(ctx, numbers[child], numbers[child + 1]) < 0)
            child++;
        if (compare(ctx, moving, numbers[child]) >= 0)
            break;
        numbers[root] = numbers[child];
    }
    numbers[root] = moving;
}

void kiln_number_sort(uint32_t *numbers, size_t count, number_compare *compare, const void *ctx)
{
    /* Most lists are already sorted. */
    size_t sorted = 1;
    while (sorted < count && compare(ctx, numbers[sorted - 1], numbers[sorted]) <= 0)
        sorted++;
    if (sorted >= count)
        return;
    for (size_t i = count / 2; i-- > 0;)
        sift_down(numbers, i, count, compare, ctx);
    for (size_t end = count - 1; end > 0; end--) {
        uint32_t last = numbers[end];
        numbers[end] = numbers[0];
        numbers[0] = last;
        sift_down(numbers, 0, end, compare, ctx);
    }
}

/* Fills `ends` with the end of each ascending run, and returns how many there are. Equal neighbours
 * do not end a run; otherwise the sort would not be stable. */
static size_t find_runs(const uint32_t *numbers, size_t count, uint32_t *ends,
                        number_compare *compare, const void *ctx)
{
    size_t runs = 0;
    for (size_t i = 1; i < count; i++)
        if (compare(ctx, numbers[i - 1], numbers[i]) > 0)
            ends[runs++] = (uint32_t)i;
    ends[runs++] = (uint32_t)count;
    return runs;
}

static void merge(const uint32_t *from, size_t begin, size_t middle, size_t end, uint32_t *to,
                  number_compare *compare, const void *ctx)
{
    size_t left = begin, right = middle;
    for (size_t i = begin; i < end; i++) {
        bool takes_left =
            right == end || (left < middle && compare(ctx, from[left], from[right]) <= 0);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

/* Natural merge sort: Knuth, "The Art of Computer Programming" 3 (1998), 5.2.4, algorithm N. Each
 * round merges neighbouring runs from one list into the other, which halves the number of runs. */
void kiln_number_sort_runs(uint32_t *numbers, size_t count, uint32_t *spare,
                           number_compare *compare, const void *ctx)
{
    uint32_t *from = numbers, *to = spare, *ends = spare + count;
    for (size_t runs = find_runs(numbers, count, ends, compare, ctx); runs > 1;) {
        size_t begin = 0, made = 0;
        for (size_t i = 0; i < runs; i += 2) {
            size_t middle = ends[i], end = i + 1 < runs ? ends[i + 1] : middle;
            merge(from, begin, middle, end, to, compare, ctx);
            /* Safe in place: entry `made` has already been read, because made <= i. */
            ends[made++] = (uint32_t)end;
            begin = end;
        }
        uint32_t *last = from;
        from = to;
        to = last;
        runs = made;
    }
    if (from != numbers)
        memcpy(numbers, from, count * sizeof *numbers);
}
