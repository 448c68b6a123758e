/* The default allocator, and the only file of blobfmt that calls the C library for memory.
 *
 * Every other file gets its memory through a kiln_allocator, so tests can count every byte and make
 * each allocation fail in turn. The size that callers pass to `free` is ignored here, because the C
 * library's free does not need it. */
#define _DEFAULT_SOURCE /* posix_memalign, madvise */

#include <kiln/allocator.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Requests huge pages (2 MiB on most processors) for blocks of at least one huge page: first use
 * then takes one page fault per 2 MiB instead of one per 4 KiB. The kernel may ignore this hint, so
 * the result of madvise is not checked. */
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
    /* No C object is larger than this. Up to this bound, adding an alignment to the size cannot
     * wrap. */
    if (size > PTRDIFF_MAX)
        return NULL;
#if defined(MADV_HUGEPAGE)
    if (size >= LARGE_PAGE)
        return large_alloc(size);
#endif
    if (align <= _Alignof(max_align_t))
        return malloc(size);
    /* C11 requires the size passed to aligned_alloc to be a multiple of the alignment. */
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
