/* Memory that is released all at once, and vectors that grow: the room's own use of
 * kiln_allocator. Nothing here calls the C library for memory. */
#ifndef KILN_ARENA_H
#define KILN_ARENA_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Blocks that never move. A zeroed arena with an allocator set is empty. */
typedef struct arena {
    kiln_allocator allocator;
    struct arena_block *head;    /* the block being filled; older ones behind it */
    struct arena_block *retired; /* blocks kept by arena_reset for the next use */
    size_t block_size; /* of a new block; a larger allocation gets its own, and where there are
                          many blocks new ones are larger */
    size_t total;      /* bytes of the blocks from `head` on */
} arena;

void kiln_arena_init(arena *a, const kiln_allocator *allocator, size_t block_size);
void kiln_arena_fini(arena *a);
/* Forgets all allocations and keeps the blocks of the usual size. */
void kiln_arena_reset(arena *a);
/* After a reset: keeps no more than `count` blocks. */
void kiln_arena_trim(arena *a, size_t count);
/* `size` bytes at a multiple of `align` (a power of two up to 4096), uninitialised; NULL when
 * memory runs out. Size 0 gives a place. */
void *kiln_arena_alloc(arena *a, size_t size, size_t align);
/* `count` times `size` bytes; NULL where that is no number of bytes, too. */
void *kiln_arena_alloc_array(arena *a, size_t count, size_t size, size_t align);
void *kiln_arena_alloc_zeroed(arena *a, size_t size, size_t align);
/* Releases the newest allocation; any other stays until the reset. */
void kiln_arena_release(arena *a, const void *memory, size_t size);
/* A NUL-terminated copy. */
char *kiln_arena_copy_text(arena *a, const char *text, size_t length);

/* NULL stands for the C library's allocator. */
static inline kiln_allocator allocator_or_default(const kiln_allocator *allocator)
{
    return allocator ? *allocator : kiln_allocator_default();
}

/* An array that grows: `items` of `item_size` bytes each, aligned to 16. A zeroed one is empty. */
typedef struct vector {
    void *items;
    size_t count, capacity;
} vector;

/* Makes room for `more` items and returns the address of the first new one, counting them in; NULL
 * when memory runs out. */
void *kiln_vector_push(vector *v, const kiln_allocator *allocator, size_t more, size_t item_size);
/* Makes the vector's memory large enough for `count` items in all; false when memory runs out. */
bool kiln_vector_reserve(vector *v, const kiln_allocator *allocator, size_t count,
                         size_t item_size);
void kiln_vector_fini(vector *v, const kiln_allocator *allocator, size_t item_size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
