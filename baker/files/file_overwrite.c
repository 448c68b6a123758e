#define _XOPEN_SOURCE 700

#include "file_overwrite.h"

#include "gateway_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The size of a page on most machines: a smaller write makes the whole page dirty, too. */
enum { BLOCK = 4096 };

static bool differs(const bake_overwrite_part *part, size_t at)
{
    size_t left = part->size - at;
    return !part->before || memcmp((const char *)part->before + at, (const char *)part->after + at,
                                   left < BLOCK ? left : BLOCK) != 0;
}

/* Writes each sequence of blocks that differ. */
static bool write_part(int file, const bake_overwrite_part *part, uint64_t place)
{
    for (size_t at = 0; at < part->size;) {
        size_t end = at;
        while (end < part->size && differs(part, end))
            end += part->size - end < BLOCK ? part->size - end : BLOCK;
        if (end > at &&
            !bake_write_all_at(file, (const char *)part->after + at, end - at, place + at))
            return false;
        /* The block at `end` is equal. */
        at = part->size - end < BLOCK ? part->size : end + BLOCK;
    }
    return true;
}

/* Whether the file still contains the bytes of before, and nobody else has or writes it. */
static bool is_ours(int file, const bake_file_state *state, uint64_t size)
{
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat status;
    if (fcntl(file, F_SETLK, &whole) != 0 || fstat(file, &status) != 0)
        return false;
    bake_file_state is = bake_file_state_of(&status);
    return S_ISREG(status.st_mode) && status.st_nlink == 1 && is.size == size &&
           bake_file_state_is_equal(&is, state);
}

static bool write_parts(int file, const bake_overwrite_part *parts, size_t count)
{
    uint64_t place = 0;
    for (size_t i = 0; i < count; i++) {
        if (!write_part(file, &parts[i], place))
            return false;
        place += parts[i].size;
    }
    return true;
}

bool bake_file_overwrite(const char *path, const bake_file_state *state,
                         const bake_overwrite_part *parts, size_t count)
{
    uint64_t size = 0;
    int file;
    for (size_t i = 0; i < count; i++)
        size += parts[i].size;
    do
        file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return false;
    bool is_same = is_ours(file, state, size);
    bool done = is_same && write_parts(file, parts, count);
    int error = is_same ? errno : EINVAL;
    if (close(file) != 0 && errno != EINTR && done) {
        done = false;
        error = errno;
    }
    errno = error;
    return done;
}
