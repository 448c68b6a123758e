/* With doubling, growing a list to n items copies O(n) bytes in total. There is no realloc, because
 * kiln_allocator has none. The old items are freed only after the copy, so a failure leaves them
 * intact. */
#include "grow.h"

#include <stdint.h>
#include <string.h>

void *kiln_grow(const kiln_allocator *allocator, void *items, size_t *capacity, size_t count,
                size_t item_size)
{
    if (count <= *capacity)
        return items;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < count && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    if (wanted < count || wanted > SIZE_MAX / item_size)
        return NULL;
    void *larger = allocator->alloc(allocator->ctx, wanted * item_size, 16);
    if (!larger)
        return NULL;
    if (items) {
        memcpy(larger, items, *capacity * item_size);
        allocator->free(allocator->ctx, items, *capacity * item_size);
    }
    *capacity = wanted;
    return larger;
}
