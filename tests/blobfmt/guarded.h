/* Bytes that end directly before an inaccessible page: a read past the end crashes the program,
 * with or without a sanitizer. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stddef.h>

typedef struct guarded {
    unsigned char *data; /* misaligned unless the size is a multiple of the alignment */
    size_t size;
    void *pages;
    size_t page_bytes;
} guarded;

/* Copies `size` bytes, or allocates zeros if `data` is NULL. */
guarded guarded_copy(const void *data, size_t size);
void guarded_fini(guarded *g);

#endif
