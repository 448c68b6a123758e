#define _POSIX_C_SOURCE 200809L

#include "file_read.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Whether a read would return at once. Returns false with errno set, EAGAIN if it would block. */
static bool is_ready(int file)
{
    struct pollfd polled = {file, POLLIN, 0};
    int count;
    do
        count = poll(&polled, 1, 0);
    while (count < 0 && errno == EINTR);
    if (count == 0)
        errno = EAGAIN;
    return count > 0;
}

/* A short read that ends at `expected` ends the file; 0: only an empty read does. */
static bool read_some(int file, bool may_wait, void *data, size_t size, size_t expected,
                      size_t *ret_size)
{
    size_t got = 0;
    while (got < size) {
        if (!may_wait && !is_ready(file))
            return false;
        ssize_t n = read(file, (char *)data + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        got += (size_t)n;
        if (got == expected && got < size)
            break;
    }
    *ret_size = got;
    return true;
}

bool bake_read_some(int file, void *data, size_t size, size_t *ret_size)
{
    return read_some(file, true, data, size, 0, ret_size);
}

bool bake_read_ready(int file, void *data, size_t size, size_t *ret_size)
{
    return read_some(file, false, data, size, 0, ret_size);
}

bool bake_read_sized(int file, void *data, size_t size, size_t expected, size_t *ret_size)
{
    return read_some(file, true, data, size, expected, ret_size);
}
