#define _XOPEN_SOURCE 700

#include "file_append.h"

#include "file_part.h"
#include "gateway_store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool lock(int file)
{
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result;
    do
        result = fcntl(file, F_SETLKW, &whole);
    while (result != 0 && errno == EINTR);
    /* Without locks, the single write of O_APPEND is still whole on local file systems. */
    return result == 0 || errno == ENOLCK || errno == EINVAL || errno == ENOTSUP;
}

/* Whether the file is empty or its last byte ends a line. */
static bool ends_line(int file, off_t size, bool *ret_ends)
{
    char last = '\n';
    if (size > 0 && !bake_file_read_part(file, (uint64_t)size - 1, &last, 1))
        return false;
    *ret_ends = last == '\n';
    return true;
}

static bool append(int file, const char *text, size_t size)
{
    struct stat status;
    bool ends;
    if (fstat(file, &status) != 0)
        return false;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : ENODEV;
        return false;
    }
    if (!lock(file) || fstat(file, &status) != 0 || !ends_line(file, status.st_size, &ends))
        return false;
    if ((ends || bake_write_all(file, "\n", 1)) && bake_write_all(file, text, size))
        return true;
    int error = errno;
    /* If even this fails, the next process begins a new line. */
    if (ftruncate(file, status.st_size) != 0)
        errno = error;
    errno = error;
    return false;
}

bool bake_file_append(const char *path, const char *text, size_t size)
{
    int file;
    /* Does not wait for the other end of a pipe. */
    do
        file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return false;
    bool done = append(file, text, size);
    int error = errno;
    if (close(file) != 0 && done) {
        done = false;
        error = errno;
    }
    errno = error;
    return done;
}
