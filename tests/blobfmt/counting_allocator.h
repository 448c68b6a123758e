/* A test allocator: counts live bytes, checks the size passed to each free, and fails on request.
 * Each block has exactly the requested size, so that AddressSanitizer catches overruns. */
#ifndef COUNTING_ALLOCATOR_H
#define COUNTING_ALLOCATOR_H

#include <kiln/allocator.h>
#include <stdbool.h>

typedef struct counting_allocator {
    size_t live_bytes, live_blocks;
    size_t calls;     /* calls of alloc so far */
    size_t fail_from; /* this call and all later ones fail; 0 means none */
    size_t fail_at;   /* only this call fails; 0 means none */
    bool wrong_free;  /* a free had the wrong size, or its pointer was not allocated */
} counting_allocator;

/* `counter` must outlive the allocator. */
kiln_allocator counting_allocator_of(counting_allocator *counter);

#endif
