/* Arenas, which release all their memory at once, and growable arrays, both on top of a
 * kiln_allocator. */
#ifndef KILN_ARENA_H
#define KILN_ARENA_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A list of blocks that never move. A zeroed arena with an allocator set is empty. */
typedef struct arena {
    kiln_allocator allocator;
    struct arena_block *head;    /* the block being filled, followed by all others */
    struct arena_block *retired; /* blocks that a reset keeps for the next use */
    size_t block_size; /* of a new block. A larger allocation gets its own block, and new blocks are
                          larger once the arena is large. */
    size_t total;      /* bytes of the blocks from `head` on */
} arena;

void kiln_arena_init(arena *a, const kiln_allocator *allocator, size_t block_size);
void kiln_arena_fini(arena *a);
/* Releases all allocations but keeps the blocks of the usual size for reuse. */
void kiln_arena_reset(arena *a);
/* After a reset, frees all but `count` of the blocks that the reset kept. */
void kiln_arena_trim(arena *a, size_t count);
/* Returns `size` uninitialized bytes at a multiple of `align` (a power of two up to 4096); NULL if
 * memory runs out. For size 0, returns an address that is not NULL. */
void *kiln_arena_alloc(arena *a, size_t size, size_t align);
/* Allocates `count` times `size` bytes; also returns NULL if the product overflows. */
void *kiln_arena_alloc_array(arena *a, size_t count, size_t size, size_t align);
void *kiln_arena_alloc_zeroed(arena *a, size_t size, size_t align);
/* Releases `memory` if it is the newest allocation; otherwise does nothing. */
void kiln_arena_release(arena *a, const void *memory, size_t size);
/* Makes a NUL-terminated copy. */
char *kiln_arena_copy_text(arena *a, const char *text, size_t length);

/* Returns `allocator`; if it is NULL, the C library's allocator. */
static inline kiln_allocator allocator_or_default(const kiln_allocator *allocator)
{
    return allocator ? *allocator : kiln_allocator_default();
}

/* A growable array: `items` of `item_size` bytes each, aligned to 16. A zeroed vector is empty. */
typedef struct vector {
    void *items;
    size_t count, capacity;
} vector;

/* Adds `more` uninitialized items and returns the address of the first; NULL if memory runs out. */
void *kiln_vector_push(vector *v, const kiln_allocator *allocator, size_t more, size_t item_size);
/* Makes room for `count` items in total; false if memory runs out. */
bool kiln_vector_reserve(vector *v, const kiln_allocator *allocator, size_t count,
                         size_t item_size);
void kiln_vector_fini(vector *v, const kiln_allocator *allocator, size_t item_size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
