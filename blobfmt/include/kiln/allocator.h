/* Where Kiln's memory comes from; bytes that are passed to a function (kiln_span), and bytes that
 * it returns (kiln_buffer).
 *
 * Every object that owns memory takes a `const kiln_allocator *` when it is created and copies it;
 * NULL stands for the C library's allocator. Frees state the size, so an allocator can count the
 * bytes in use. Both functions are called only by the thread that calls into the object, at any
 * time during such a call. */
#ifndef KILN_ALLOCATOR_H
#define KILN_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_allocator {
    /* `size` > 0 bytes at a multiple of `align` (a power of two, at most 4096), uninitialised; NULL
     * if memory runs out. */
    void *(*alloc)(void *ctx, size_t size, size_t align);
    /* Releases what `alloc` returned, with the same size. Never called with NULL. */
    void (*free)(void *ctx, void *ptr, size_t size);
    void *ctx;
} kiln_allocator;

/* The C library's memory. Any thread. */
kiln_allocator kiln_allocator_default(void);

/* `size` bytes at `data`, which stay the caller's. A function reads them only during the call,
 * unless its comment says otherwise. */
typedef struct kiln_span {
    const void *data;
    size_t size;
} kiln_span;

/* Bytes that a function made and the caller owns. A zeroed one is empty; kiln_buffer_fini accepts
 * it. */
typedef struct kiln_buffer {
    unsigned char *data;
    size_t size;
    kiln_allocator allocator;
} kiln_buffer;

/* Frees the bytes and zeroes the struct. NULL and zeroed ones are fine. */
void kiln_buffer_fini(kiln_buffer *buffer);

/* The buffer's bytes. */
static inline kiln_span kiln_buffer_span(const kiln_buffer *buffer)
{
    kiln_span span = {buffer->data, buffer->size};
    return span;
}

#ifdef __cplusplus
}
#endif

#endif
