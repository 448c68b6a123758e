/* Memory: the allocator that Kiln uses, bytes that are passed to a function (kiln_span), and bytes
 * that a function returns (kiln_buffer).
 *
 * Every object that owns memory takes a `const kiln_allocator *` when it is created and copies the
 * struct; NULL selects the C library's memory. Frees state the size, so an allocator can count its
 * bytes down to zero. Only threads that are inside a call of the object call its allocator, at any
 * time during such a call. If several threads use one object at once, as some headers allow, its
 * allocator must be thread-safe. */
#ifndef KILN_ALLOCATOR_H
#define KILN_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_allocator {
    /* Returns `size` bytes (more than 0) at a multiple of `align` (a power of two, at most 4096),
     * uninitialised; NULL if there is not enough memory. */
    void *(*alloc)(void *ctx, size_t size, size_t align);
    /* Releases what `alloc` returned, with the same size. Never called with NULL. */
    void (*free)(void *ctx, void *ptr, size_t size);
    void *ctx; /* passed to both functions */
} kiln_allocator;

/* The C library's memory. Any thread may call this function and those of the allocator. */
kiln_allocator kiln_allocator_default(void);

/* `size` bytes at `data`. They stay the caller's; a function reads them only during the call,
 * unless its comment says otherwise. */
typedef struct kiln_span {
    const void *data;
    size_t size;
} kiln_span;

/* Bytes that a function allocated and the caller owns. A zeroed struct is an empty buffer; it may
 * be passed to kiln_buffer_fini, too. */
typedef struct kiln_buffer {
    unsigned char *data;
    size_t size;
    kiln_allocator allocator;
} kiln_buffer;

/* Frees the bytes and zeroes the struct. NULL and zeroed structs are fine. */
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
