#define _POSIX_C_SOURCE 200809L

#include "file_part.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool bake_file_read_part(int file, uint64_t at, void *to, size_t size)
{
    unsigned char *bytes = to;
    while (size > 0) {
        ssize_t n = pread(file, bytes, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n < 0 ? errno : ESTALE;
            return false;
        }
        bytes += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

int bake_file_open(const char *path, uint64_t *ret_size)
{
    struct stat status;
    int file;
    /* Does not wait for the other end of a pipe. */
    do
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return -1;
    int error = fstat(file, &status) != 0 ? errno
                : S_ISREG(status.st_mode) ? 0
                : S_ISDIR(status.st_mode) ? EISDIR
                                          : ENODEV;
    if (!error) {
        *ret_size = (uint64_t)status.st_size;
        return file;
    }
    close(file);
    errno = error;
    return -1;
}

void bake_file_close(int file)
{
    if (file >= 0)
        close(file);
}
