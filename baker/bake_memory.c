#include "bake_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Only tests write these, so programs may read them from any thread. */
static long allocations_left = -1;
static bool allocation_failed;

static bool may_allocate(void)
{
    if (allocations_left < 0)
        return true;
    if (allocations_left == 0) {
        allocation_failed = true;
        return false;
    }
    allocations_left--;
    return true;
}

void *bake_alloc(size_t size)
{
    return may_allocate() ? malloc(size ? size : 1) : NULL;
}

void *bake_alloc_array(size_t count, size_t size)
{
    return may_allocate() ? calloc(count ? count : 1, size ? size : 1) : NULL;
}

void *bake_realloc(void *block, size_t size)
{
    return may_allocate() ? realloc(block, size ? size : 1) : NULL;
}

void bake_free(void *block)
{
    free(block);
}

void *bake_grow(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (block && needed <= *capacity)
        return block;
    size_t wanted = *capacity + *capacity / 2 + 8;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / size)
        return NULL;
    void *grown = bake_realloc(block, wanted * size);
    if (grown)
        *capacity = wanted;
    return grown;
}

char *bake_copy_text(const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? bake_alloc(length + 1) : NULL;
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static void *allocator_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    if (align <= _Alignof(max_align_t))
        return bake_alloc(size);
    /* aligned_alloc wants a size that is a multiple of the alignment. */
    if (!may_allocate() || size > SIZE_MAX - (align - 1))
        return NULL;
    return aligned_alloc(align, (size + align - 1) & ~(align - 1));
}

static void allocator_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    (void)size;
    bake_free(ptr);
}

kiln_allocator bake_memory_allocator(void)
{
    kiln_allocator allocator = {allocator_alloc, allocator_free, NULL};
    return allocator;
}

void bake_memory_fail_after(long n)
{
    allocations_left = n;
    allocation_failed = false;
}

bool bake_memory_has_failed(void)
{
    return allocation_failed;
}
