/* An allocator for tests: counts what is out, checks each free's size, fails when told to, and
 * gives blocks that the address sanitizer watches to the byte. */
#ifndef COUNTING_ALLOCATOR_H
#define COUNTING_ALLOCATOR_H

#include <kiln/allocator.h>
#include <stdbool.h>

typedef struct counting_allocator {
    size_t live_bytes, live_blocks;
    size_t calls;     /* of alloc so far */
    size_t fail_from; /* this call and all later ones fail; 0: none does */
    size_t fail_at;   /* this call alone fails; 0: none */
    bool wrong_free;  /* a free named another size than its alloc, or no block */
} counting_allocator;

/* `counter` must outlive it. */
kiln_allocator counting_allocator_of(counting_allocator *counter);

#endif
