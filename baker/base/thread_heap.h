/* A heap with a part for each thread, so that threads do not wait for each other.
 *
 * Small blocks of one size share a span, a run of pages (page_runs.h) that belongs to one thread.
 * Only this thread takes blocks from the span. If another thread frees such a block, it adds it to
 * a list of the owner, who collects the list when it needs memory. Larger blocks are runs of their
 * own. When a thread ends, its part serves a later thread.
 *
 * Blocks are aligned for any object. Before bake_heap_start, and on systems where it returns false,
 * every allocation returns NULL, and bake_heap_owns returns false for every address. */
#ifndef BAKE_THREAD_HEAP_H
#define BAKE_THREAD_HEAP_H

#include "page_runs.h"

/* The size of the largest block. */
#define BAKE_HEAP_MAX (BAKE_RUN_MAX * BAKE_RUN_PAGE)

/* Makes the heap. Returns false if this system does not support it. Call it at most once, before
 * other threads exist. */
bool bake_heap_start(void);

/* Returns an uninitialized block; NULL if it is too large or no memory is left. */
void *bake_heap_alloc(size_t size);
/* The same, with an address that is a multiple of `align`, a power of two. */
void *bake_heap_alloc_aligned(size_t size, size_t align);
/* The number of bytes that the block has, at least its size. */
size_t bake_heap_size(const void *block);
/* Changes the size of a block without moving it. Returns false if that is impossible. */
bool bake_heap_resize(void *block, size_t size);
void bake_heap_free(void *block);

/* Whether the block is in this heap. */
static inline bool bake_heap_owns(const void *block)
{
    return bake_runs_own(block);
}

#endif
