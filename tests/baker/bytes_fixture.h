/* A file in memory that the tests of writers of bytes write to. */
#ifndef BYTES_FIXTURE_H
#define BYTES_FIXTURE_H

#include "bake_fixture.h"

#include <errno.h>

typedef struct bytes {
    unsigned char data[4096];
    size_t size;
    bool refuses; /* as if the disk is full */
} bytes;

/* A function that writes to `ctx`, which is a `bytes`. */
static inline bool bytes_append(void *ctx, const void *data, size_t size)
{
    bytes *to = ctx;
    errno = ENOSPC;
    if (to->refuses)
        return false;
    assert_true(size <= sizeof to->data - to->size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
    return true;
}

#endif
