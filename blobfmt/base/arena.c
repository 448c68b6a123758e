/* Implementation of the arena and the vector.
 *
 * An arena is a list of blocks; an allocation increases `used` of the first block. The invariant:
 * the first block of the list is the one being filled, unless it was made for one large allocation.
 * Releasing an arena takes one free per block, for any number of allocations.
 *
 * A vector doubles its capacity, so pushing n items takes O(n) time. kiln_allocator has no realloc:
 * the items are copied, and both blocks exist briefly. */
#include "arena.h"

#include <string.h>

/* Once an arena has more than MANY_BYTES, a new block is between an eighth and a quarter of the
 * arena's total size, up to about GROWN_BLOCK_MAX. That keeps allocator calls rare, and leaves at
 * most a quarter of the memory unused. */
enum { BLOCK_ALIGN = 16, VECTOR_FIRST = 16, MANY_BYTES = 1 << 20, GROWN_BLOCK_MAX = 1 << 22 };

struct arena_block {
    struct arena_block *next;
    size_t size;       /* of the whole block, including this struct */
    size_t used;       /* including this struct */
    bool is_dedicated; /* holds one allocation that is larger than the arena's block size */
};

void kiln_arena_init(arena *a, const kiln_allocator *allocator, size_t block_size)
{
    memset(a, 0, sizeof *a);
    a->allocator = allocator_or_default(allocator);
    a->block_size = block_size;
}

static void free_blocks(arena *a, struct arena_block *block)
{
    while (block) {
        struct arena_block *next = block->next;
        a->allocator.free(a->allocator.ctx, block, block->size);
        block = next;
    }
}

void kiln_arena_fini(arena *a)
{
    free_blocks(a, a->head);
    free_blocks(a, a->retired);
    a->head = NULL;
    a->retired = NULL;
}

void kiln_arena_reset(arena *a)
{
    while (a->head) {
        struct arena_block *block = a->head;
        a->head = block->next;
        /* A block for a single allocation can have any size, and may be huge, so it is not
         * reused. */
        if (!block->is_dedicated) {
            block->next = a->retired;
            a->retired = block;
        } else {
            a->allocator.free(a->allocator.ctx, block, block->size);
        }
    }
    a->total = 0;
}

void kiln_arena_trim(arena *a, size_t count)
{
    struct arena_block **link = &a->retired;
    while (*link && count-- > 0)
        link = &(*link)->next;
    free_blocks(a, *link);
    *link = NULL;
}

/* The offset in `block` at which an allocation would begin; SIZE_MAX if it does not fit. Aligns the
 * address rather than the offset, because blocks are aligned only to BLOCK_ALIGN. */
static size_t place_in(const struct arena_block *block, size_t size, size_t align)
{
    uintptr_t base = (uintptr_t)block;
    size_t at = (size_t)(((base + block->used + align - 1) & ~(uintptr_t)(align - 1)) - base);
    return at <= block->size && size <= block->size - at ? at : SIZE_MAX;
}

static size_t usual_size(const arena *a)
{
    size_t size = a->block_size;
    while (a->total > MANY_BYTES && size < GROWN_BLOCK_MAX && size < a->total / 8)
        size *= 2;
    return size;
}

static struct arena_block *new_block(arena *a, size_t size)
{
    struct arena_block *block;
    bool is_dedicated = size > a->block_size;
    if (!is_dedicated && a->retired) {
        block = a->retired;
        a->retired = block->next;
    } else {
        size = is_dedicated ? size : usual_size(a);
        block = a->allocator.alloc(a->allocator.ctx, size, BLOCK_ALIGN);
        if (!block)
            return NULL;
        block->size = size;
    }
    block->used = sizeof *block;
    block->is_dedicated = is_dedicated;
    a->total += block->size;
    return block;
}

void *kiln_arena_alloc(arena *a, size_t size, size_t align)
{
    struct arena_block *block = a->head;
    size_t at = block ? place_in(block, size, align) : SIZE_MAX;
    if (at == SIZE_MAX) {
        if (size > SIZE_MAX / 2)
            return NULL;
        block = new_block(a, sizeof *block + align + size);
        if (!block)
            return NULL;
        /* The block of a large object is inserted after the block that is being filled, which may
         * still have room for many small objects. */
        if (a->head && block->is_dedicated) {
            block->next = a->head->next;
            a->head->next = block;
        } else {
            block->next = a->head;
            a->head = block;
        }
        at = place_in(block, size, align);
    }
    block->used = at + size;
    return (unsigned char *)block + at;
}

void *kiln_arena_alloc_array(arena *a, size_t count, size_t size, size_t align)
{
    return count > SIZE_MAX / 2 / size ? NULL : kiln_arena_alloc(a, count * size, align);
}

void *kiln_arena_alloc_zeroed(arena *a, size_t size, size_t align)
{
    void *result = kiln_arena_alloc(a, size, align);
    if (result)
        memset(result, 0, size);
    return result;
}

void kiln_arena_release(arena *a, const void *memory, size_t size)
{
    struct arena_block *block = a->head;
    /* Compared as integers, because comparing pointers into different blocks is undefined. */
    if (block && (uintptr_t)memory + size == (uintptr_t)block + block->used)
        block->used -= size;
}

char *kiln_arena_copy_text(arena *a, const char *text, size_t length)
{
    char *copy = kiln_arena_alloc(a, length + 1, 1);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

bool kiln_vector_reserve(vector *v, const kiln_allocator *allocator, size_t count, size_t item_size)
{
    if (count <= v->capacity)
        return true;
    if (count > SIZE_MAX / 4 / item_size)
        return false;
    void *items = allocator->alloc(allocator->ctx, count * item_size, BLOCK_ALIGN);
    if (!items)
        return false;
    if (v->items) {
        memcpy(items, v->items, v->count * item_size);
        allocator->free(allocator->ctx, v->items, v->capacity * item_size);
    }
    v->items = items;
    v->capacity = count;
    return true;
}

void *kiln_vector_push(vector *v, const kiln_allocator *allocator, size_t more, size_t item_size)
{
    if (more > v->capacity - v->count) {
        size_t capacity = v->capacity ? v->capacity : VECTOR_FIRST;
        while (more > capacity - v->count) {
            if (capacity > SIZE_MAX / 4)
                return NULL;
            capacity *= 2;
        }
        if (!kiln_vector_reserve(v, allocator, capacity, item_size))
            return NULL;
    }
    void *result = (unsigned char *)v->items + v->count * item_size;
    v->count += more;
    return result;
}

void kiln_vector_fini(vector *v, const kiln_allocator *allocator, size_t item_size)
{
    if (v->items)
        allocator->free(allocator->ctx, v->items, v->capacity * item_size);
    memset(v, 0, sizeof *v);
}
