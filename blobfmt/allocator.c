#include <kiln/allocator.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *libc_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    if (align <= _Alignof(max_align_t))
        return malloc(size);
    /* aligned_alloc wants a size that is a multiple of the alignment. */
    if (size > SIZE_MAX - (align - 1))
        return NULL;
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
