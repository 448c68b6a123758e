/* For CLOCK_REALTIME_COARSE. */
#define _GNU_SOURCE

#include "file_state.h"

#include "file_read.h"
#include "hash.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Two times that differ by less may be equal on another file system: FAT stores times in units of
 * two seconds. */
#define RESOLUTION INT64_C(2000000000)

/* Times outside of the range of 64 bits wrap around, which keeps different times different. */
static int64_t nanoseconds(const struct timespec *time)
{
    uint64_t sum = (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
    int64_t result;
    memcpy(&result, &sum, sizeof result);
    return result;
}

bake_execution bake_file_execution(const char *path)
{
    return access(path, X_OK) == 0 ? BAKE_EXECUTION_ALLOWED : BAKE_EXECUTION_DENIED;
}

bake_file_state bake_file_state_of(const struct stat *status)
{
    bake_file_state state = {.device = (uint64_t)status->st_dev,
                             .inode = (uint64_t)status->st_ino,
                             .size = (uint64_t)status->st_size,
                             .modified = nanoseconds(&status->st_mtim),
                             .changed = nanoseconds(&status->st_ctim)};
    return state;
}

bool bake_file_state_is_equal(const bake_file_state *a, const bake_file_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified == b->modified && a->changed == b->changed;
}

bool bake_file_state_is_recent(const bake_file_state *state, int64_t time)
{
    int64_t latest = state->modified > state->changed ? state->modified : state->changed;
    return time < INT64_MIN + RESOLUTION || latest > time - RESOLUTION;
}

int64_t bake_file_time_now(void)
{
    struct timespec now;
#ifdef CLOCK_REALTIME_COARSE
    /* The kernel takes the times of files from the same coarse clock. A finer clock would be ahead
     * of it. */
    if (clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0)
        return nanoseconds(&now);
#endif
    return clock_gettime(CLOCK_REALTIME, &now) == 0 ? nanoseconds(&now) : 0;
}

bake_path_kind bake_path_kind_of_error(int error)
{
    if (error == EISDIR)
        return BAKE_PATH_FOLDER;
    bool is_absent = error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG;
    return is_absent ? BAKE_PATH_MISSING : BAKE_PATH_UNKNOWN;
}

bake_path_kind bake_path_kind_of(const struct stat *status)
{
    if (S_ISDIR(status->st_mode))
        return BAKE_PATH_FOLDER;
    return S_ISREG(status->st_mode) ? BAKE_PATH_FILE : BAKE_PATH_OTHER;
}

/* ---- folders ---- */

#ifndef O_PATH
/* On systems without O_PATH, opening a folder requires permission to read it. */
#define O_PATH O_RDONLY
#endif

bake_finder bake_finder_begin(void)
{
    bake_finder finder = {.folder = -1};
    return finder;
}

void bake_finder_end(bake_finder *finder)
{
    if (finder->folder >= 0)
        close(finder->folder);
    *finder = bake_finder_begin();
}

/* Opens the folder of the finder. If that fails, whole paths are used. */
static void open_folder(bake_finder *finder)
{
    char folder[256];
    if (finder->length == 0 || finder->length >= sizeof folder)
        return;
    memcpy(folder, finder->path, finder->length);
    folder[finder->length] = '\0';
    finder->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Returns the open folder of `*path`, and makes `*path` relative to it; or returns AT_FDCWD and
 * leaves `*path` unchanged. */
static int folder_of(bake_finder *finder, const char **path)
{
    if (!finder)
        return AT_FDCWD;
    const char *slash = strrchr(*path, '/');
    size_t length = slash ? (size_t)(slash - *path) + 1 : 0;
    bool is_same =
        finder->path && length == finder->length && memcmp(finder->path, *path, length) == 0;
    if (!is_same) {
        bake_finder_end(finder);
        finder->length = length;
    }
    finder->path = *path;
    if (is_same && finder->folder < 0)
        open_folder(finder);
    if (finder->folder < 0 || !slash[1])
        return AT_FDCWD;
    *path = slash + 1;
    return finder->folder;
}

bake_path_kind bake_file_look(bake_finder *finder, const char *path, bake_file_state *ret_state)
{
    struct stat status;
    int folder = folder_of(finder, &path);
    if (fstatat(folder, path, &status, 0) != 0)
        return bake_path_kind_of_error(errno);
    *ret_state = bake_file_state_of(&status);
    return bake_path_kind_of(&status);
}

/* ---- hashing ---- */

/* Reads the next part. Returns false with errno set, also at the limit. */
static bool read_part(const bake_hash_def *def, int file, size_t room, size_t *ret_size)
{
    size_t size;
    if (!bake_read_some(file, def->buffer, room, &size))
        return false;
    if (def->left && size > *def->left) {
        errno = EFBIG;
        return false;
    }
    if (def->left)
        *def->left -= size;
    *ret_size = size;
    return true;
}

/* Hashes a file that does not fit into the buffer. */
static bool hash_parts(const bake_hash_def *def, int file, kiln_hash128 *ret_hash)
{
    hash_stream stream;
    size_t size = BAKE_FILE_BUFFER_SIZE;
    kiln_hash_stream_begin(&stream);
    while (size == BAKE_FILE_BUFFER_SIZE) {
        if (!read_part(def, file, BAKE_FILE_BUFFER_SIZE, &size))
            return false;
        kiln_hash_stream_add(&stream, def->buffer, size);
    }
    *ret_hash = kiln_hash_stream_end128(&stream);
    return true;
}

static bool hash_open(const bake_hash_def *def, int file, bake_file_state *ret_state,
                      kiln_hash128 *ret_hash)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return false;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    *ret_state = bake_file_state_of(&status);
    if (def->is_known && def->is_known(def->ctx, ret_state, ret_hash))
        return true;
    /* Generated files, such as those in /proc, report no size. A file that grows after fstat was
     * changed after its state was read. */
    size_t size = (size_t)status.st_size;
    if (status.st_size <= 0 || status.st_size > BAKE_FILE_BUFFER_SIZE)
        return hash_parts(def, file, ret_hash);
    if (!read_part(def, file, size, &size))
        return false;
    *ret_hash = kiln_content_hash(def->buffer, size);
    return true;
}

bool bake_file_hash_some(const bake_hash_def *def, bake_file_state *ret_state,
                         kiln_hash128 *ret_hash)
{
    const char *path = def->path;
    int folder = folder_of(def->finder, &path);
    /* A pipe must not make the call wait. */
    int file;
    do
        file = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return false;
    bool done = hash_open(def, file, ret_state, ret_hash);
    int error = errno;
    close(file);
    errno = error;
    return done;
}

bool bake_file_hash(bake_finder *finder, const char *path, unsigned char *buffer,
                    bake_file_state *ret_state, kiln_hash128 *ret_hash)
{
    const bake_hash_def def = {.finder = finder, .path = path, .buffer = buffer};
    return bake_file_hash_some(&def, ret_state, ret_hash);
}
