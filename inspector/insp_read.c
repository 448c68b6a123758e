#define _POSIX_C_SOURCE 200809L
#include "insp_read.h"

#include "insp_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_ALIGN = 4096, FIRST_ROOM = 1 << 16 };

/* Moves the bytes to a place with room for `room`. */
static int move(unsigned char **data, size_t size, size_t room)
{
    unsigned char *moved = insp_alloc_unset(room, FILE_ALIGN);
    if (!moved)
        return ENOMEM;
    if (size)
        memcpy(moved, *data, size);
    insp_free(*data);
    *data = moved;
    return 0;
}

/* Reads to the end. The memory ends exactly where the file does, so that tools which watch memory
 * notice any read beyond. */
static int read_all(int file, size_t room, unsigned char **data, size_t *size)
{
    int error = move(data, 0, room);
    while (!error) {
        unsigned char extra;
        bool full = *size == room;
        ssize_t got = read(file, full ? &extra : *data + *size, full ? 1 : room - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            break;
        if (full) {
            if (room > SIZE_MAX / 2)
                return EFBIG;
            room = room ? room * 2 : FIRST_ROOM;
            error = move(data, *size, room);
            if (!error)
                (*data)[*size] = extra;
        }
        *size += (size_t)got;
    }
    if (!error && *size != room)
        error = move(data, *size, *size);
    return error;
}

int insp_read(const char *path, unsigned char **ret_data, size_t *ret_size)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    unsigned char *data = NULL;
    size_t size = 0, room = FIRST_ROOM;
    struct stat facts;
    int error;
    if (file < 0)
        return errno;
    if (fstat(file, &facts) != 0)
        error = errno;
    else if (S_ISDIR(facts.st_mode))
        error = EISDIR;
    else if (S_ISBLK(facts.st_mode) || (S_ISCHR(facts.st_mode) && !isatty(file)))
        error = INSP_IS_DEVICE;
    else if (S_ISREG(facts.st_mode) && (uintmax_t)facts.st_size > SIZE_MAX / 2)
        error = EFBIG;
    else {
        if (S_ISREG(facts.st_mode))
            room = (size_t)facts.st_size;
        error = read_all(file, room, &data, &size);
    }
    if (!is_stdin)
        close(file);
    if (error) {
        insp_free(data);
        return error;
    }
    *ret_data = data;
    *ret_size = size;
    return 0;
}
