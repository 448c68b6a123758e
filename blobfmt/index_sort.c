#include "index_sort.h"

/* Heapsort: Williams, "Algorithm 232", CACM 7 (1964). */
static void sift_down(uint32_t *numbers, size_t root, size_t count, index_compare *compare,
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

void kiln_index_sort(uint32_t *numbers, size_t count, index_compare *compare, const void *ctx)
{
    /* Most lists come sorted; that costs one pass. */
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
