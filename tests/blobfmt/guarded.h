/* Bytes that end right before memory that nobody may touch: a read behind them ends the program,
 * with or without a sanitizer. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stddef.h>

typedef struct guarded {
    unsigned char
        *data; /* the size is a multiple of what alignment the bytes need, or they have none */
    size_t size;
    void *pages;
    size_t page_bytes;
} guarded;

/* A copy of `size` bytes; zeros where `data` is NULL. */
guarded guarded_copy(const void *data, size_t size);
void guarded_fini(guarded *g);

#endif
