/* Memory: the allocator that Kiln uses, bytes that are passed to a function (kiln_span), and bytes
 * that a function returns (kiln_buffer).
 *
 * Every object that owns memory takes a `const kiln_allocator *` when it is created and copies the
 * struct; NULL selects the C library's allocator (malloc and free). `free` receives the size of the
 * block, so an allocator can account for every byte. An object calls its allocator only from
 * threads that are inside one of its functions. If several threads use one object at once, as some
 * headers allow, its allocator must be thread-safe. */
#ifndef KILN_ALLOCATOR_H
#define KILN_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_allocator {
    /* Returns `size` bytes (more than 0) at a multiple of `align` (a power of two, at most 4096),
     * uninitialized; NULL if there is not enough memory. */
    void *(*alloc)(void *ctx, size_t size, size_t align);
    /* Releases what `alloc` returned, with the same size. Never called with NULL. */
    void (*free)(void *ctx, void *ptr, size_t size);
    void *ctx; /* passed to both functions */
} kiln_allocator;

/* Returns the C library's allocator. Any thread may call this function and the functions of the
 * allocator. */
kiln_allocator kiln_allocator_default(void);

/* `size` bytes at `data`. The caller keeps ownership; a function reads them only during the call,
 * unless its comment says otherwise. */
typedef struct kiln_span {
    const void *data;
    size_t size;
} kiln_span;

/* Bytes that a function allocated and the caller owns. A zeroed struct is an empty buffer. */
typedef struct kiln_buffer {
    unsigned char *data;
    size_t size;
    kiln_allocator allocator;
} kiln_buffer;

/* Frees the bytes and zeroes the struct. NULL and zeroed structs are fine. */
void kiln_buffer_fini(kiln_buffer *buffer);

/* Returns a view of the buffer's bytes, valid until the buffer is freed. */
static inline kiln_span kiln_buffer_span(const kiln_buffer *buffer)
{
    kiln_span span = {buffer->data, buffer->size};
    return span;
}

#ifdef __cplusplus
}
#endif

#endif
