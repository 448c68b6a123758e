/* posix_memalign and madvise. */
#define _DEFAULT_SOURCE

#include <kiln/allocator.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Blocks of at least one large page, as most processors have them, ask for such pages: the first
 * touch of their memory costs a fraction then. Nothing depends on whether they are given. */
#if defined(MADV_HUGEPAGE)
#define LARGE_PAGE ((size_t)1 << 21)

static void *large_alloc(size_t size)
{
    void *block = NULL;
    if (posix_memalign(&block, LARGE_PAGE, size))
        return NULL;
    madvise(block, size, MADV_HUGEPAGE);
    return block;
}
#endif

static void *libc_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    /* No object is larger, and sums with an alignment do not wrap below it. */
    if (size > PTRDIFF_MAX)
        return NULL;
#if defined(MADV_HUGEPAGE)
    if (size >= LARGE_PAGE)
        return large_alloc(size);
#endif
    if (align <= _Alignof(max_align_t))
        return malloc(size);
    /* aligned_alloc wants a size that is a multiple of the alignment. */
    return aligned_alloc(align, (size + align - 1) & ~(align - 1));
}

static void libc_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    (void)size;
    free(ptr);
}

kiln_allocator kiln_allocator_default(void)
{
    kiln_allocator allocator = {libc_alloc, libc_free, NULL};
    return allocator;
}

void kiln_buffer_fini(kiln_buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->data)
        buffer->allocator.free(buffer->allocator.ctx, buffer->data, buffer->size);
    memset(buffer, 0, sizeof *buffer);
}
