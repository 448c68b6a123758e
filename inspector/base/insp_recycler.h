/* An allocator for one thread that keeps small blocks for the next allocation of about their size.
 * For loops that allocate the same blocks for each item. */
#ifndef INSP_RECYCLER_H
#define INSP_RECYCLER_H

#include <kiln/allocator.h>

/* Blocks have 64 bytes times a power of two. Larger ones are freed at once. */
enum { INSP_RECYCLER_LEAST = 64, INSP_RECYCLER_SIZES = 11 };

typedef struct insp_recycler {
    kiln_allocator allocator; /* for blobfmt; its context is the recycler, which must not move */
    void *unused[INSP_RECYCLER_SIZES]; /* each block begins with the address of the next one */
} insp_recycler;

void insp_recycler_init(insp_recycler *recycler);
/* Frees the unused blocks. All others must have been freed. Accepts a zeroed recycler. */
void insp_recycler_fini(insp_recycler *recycler);

#endif
