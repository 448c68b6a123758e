/* Arrays that grow by doubling. */
#ifndef KILN_GROW_H
#define KILN_GROW_H

#include <kiln/allocator.h>

#include <stddef.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Returns an array with room for `count` items: `items` itself, or a larger copy that replaces it.
 * Returns NULL if memory runs out; `items` is then unchanged. */
void *kiln_grow(const kiln_allocator *allocator, void *items, size_t *capacity, size_t count,
                size_t item_size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
