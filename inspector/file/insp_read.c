/* Reads a file or standard input completely into memory.
 *
 * Three kinds of source differ. A regular file with a size must not change its size while it is
 * read. A pipe or a terminal is read to its end, up to a limit. A regular file without a size is
 * one that the system makes up, as in /proc; it is read only while it has data, so that the program
 * never hangs. Devices and folders are refused. */
#define _POSIX_C_SOURCE 200809L
#include "insp_read.h"

#include "insp_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <kiln/limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_ALIGN = KILN_ALIGN_MAX, FIRST_ROOM = 1 << 16 };

/* Moves the bytes to a block of `room` bytes. */
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

static bool has_size(const struct stat *facts)
{
    return S_ISREG(facts->st_mode) && facts->st_size > 0;
}

/* Returns 0 if a read returns at once, with data or at the end of the file. */
static int check_ready(int file)
{
    struct pollfd asked = {file, POLLIN, 0};
    int count;
    do
        count = poll(&asked, 1, 0);
    while (count < 0 && errno == EINTR);
    return count > 0 ? 0 : count < 0 ? errno : INSP_WAITS;
}

/* Reads to the end, at most `most` bytes and one more, which shows that there are more. The memory
 * ends exactly where the file does, so that memory checkers see any read beyond. */
static int read_all(int file, const struct stat *facts, size_t most, unsigned char **data,
                    size_t *size)
{
    size_t room = has_size(facts) ? (size_t)facts->st_size : FIRST_ROOM;
    /* A file of unknown size can be one that the system makes up and that never ends, such as
     * /proc/kmsg. */
    bool may_wait = has_size(facts) || !S_ISREG(facts->st_mode);
    int error = move(data, 0, room);
    while (!error) {
        unsigned char extra;
        bool full = *size == room;
        ssize_t got;
        if (!may_wait && (error = check_ready(file)) != 0)
            return error;
        got = read(file, full ? &extra : *data + *size, full ? 1 : room - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            break;
        if ((size_t)got > most - *size)
            return INSP_TOO_LARGE;
        if (full) {
            if (room > SIZE_MAX / 2)
                return EFBIG;
            room = room ? room * 2 : FIRST_ROOM; /* so copying costs O(size) in total */
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

static bool is_null_device(const struct stat *facts)
{
    struct stat null;
    return stat("/dev/null", &null) == 0 && S_ISCHR(null.st_mode) && null.st_rdev == facts->st_rdev;
}

/* isatty accepts the master of a pseudo terminal, too, but opening /dev/ptmx makes a master that
 * no program writes to, so that reading it would never end. */
static bool is_terminal(int file)
{
    unsigned number;
    return isatty(file) == 1 && ioctl(file, TIOCGPTN, &number) != 0;
}

/* Rejects inputs without an end, and those that are not read like files. `file` -1: not open yet.
 */
static int check_kind(const struct stat *facts, int file)
{
    if (S_ISDIR(facts->st_mode))
        return EISDIR;
    if (S_ISBLK(facts->st_mode))
        return INSP_IS_DEVICE;
    if (S_ISCHR(facts->st_mode) && file >= 0 && !is_null_device(facts) && !is_terminal(file))
        return INSP_IS_DEVICE;
    if (S_ISSOCK(facts->st_mode) && file < 0)
        return INSP_IS_SOCKET;
    if (S_ISREG(facts->st_mode) && (uintmax_t)facts->st_size > SIZE_MAX / 2)
        return EFBIG;
    return 0;
}

/* Opening a device can have an effect, such as rewinding a tape, or can block. So its kind is
 * checked before, and again after, because another file can have replaced it. */
static int open_file(const char *path, struct stat *ret_facts, int *ret_file)
{
    int error, file;
    bool is_device;
    if (stat(path, ret_facts) != 0)
        return errno;
    error = check_kind(ret_facts, -1);
    if (error)
        return error;
    is_device = S_ISCHR(ret_facts->st_mode);
    do
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_device ? O_NONBLOCK : 0));
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return errno;
    if (fstat(file, ret_facts) != 0 || (is_device && fcntl(file, F_SETFL, 0) != 0))
        error = errno;
    else
        error = check_kind(ret_facts, file);
    if (error)
        close(file);
    else
        *ret_file = file;
    return error;
}

/* The size of a regular file must not have changed. Files that the system generates, such as those
 * in /proc, can report no size or a larger one, and standard input can be positioned after its
 * start. */
static int check_size(int file, const struct stat *before, size_t size)
{
    struct stat after;
    if (size == (size_t)before->st_size)
        return 0;
    if (fstat(file, &after) != 0)
        return errno;
    return after.st_size == before->st_size ? 0 : INSP_CUT_SHORT;
}

static int read_file(int file, const struct stat *facts, size_t most, unsigned char **data,
                     size_t *size)
{
    int error;
    if (!has_size(facts))
        return read_all(file, facts, most, data, size);
    error = read_all(file, facts, (size_t)facts->st_size, data, size);
    if (error == INSP_TOO_LARGE)
        return INSP_GREW;
    return error ? error : check_size(file, facts, *size);
}

int insp_read(const char *path, uint64_t max, unsigned char **ret_data, size_t *ret_size)
{
    bool is_stdin = strcmp(path, "-") == 0;
    size_t most = max == 0 || max > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)max, size = 0;
    unsigned char *data = NULL;
    struct stat facts;
    int file = STDIN_FILENO, error;
    if (is_stdin)
        error = fstat(file, &facts) != 0 ? errno : check_kind(&facts, file);
    else
        error = open_file(path, &facts, &file);
    if (error)
        return error;
    error = read_file(file, &facts, most, &data, &size);
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

void insp_read_text(int error, uint64_t max, char out[INSP_READ_TEXT_SIZE])
{
    static const char *const texts[] = {
        [-INSP_IS_DEVICE] = "it is a device, not a file",
        [-INSP_IS_SOCKET] = "it is a socket, not a file",
        [-INSP_GREW] = "it grew while it was being read",
        [-INSP_CUT_SHORT] = "it was truncated while it was being read",
        [-INSP_WAITS] = "reading it would block",
    };
    if (error == INSP_TOO_LARGE)
        snprintf(out, INSP_READ_TEXT_SIZE,
                 "it is larger than the limit of %" PRIu64 " bytes (--max-input)", max);
    else
        snprintf(out, INSP_READ_TEXT_SIZE, "%s", error < 0 ? texts[-error] : strerror(error));
}
