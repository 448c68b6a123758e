/* Objects are written to temporary files and renamed, so that a reader never sees half of one. A
 * reader has its file open, so it can be removed at any time. */
/* For futimens. */
#define _POSIX_C_SOURCE 200809L

#include "cache_folder.h"

#include "bake_memory.h"
#include "folder_tree.h"
#include "gateway.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* An object that was used is marked as such at most once in this time, in seconds. */
enum { USED_AGAIN_AFTER = 60 };

typedef struct folder_tier {
    cache_tier tier;
    bool creates;
    char folder[]; /* ends with a NUL */
} folder_tier;

static const folder_tier *folder_of(const cache_tier *tier)
{
    return (const folder_tier *)(const void *)tier;
}

/* Returns the path of an object in new memory; NULL if memory runs out. */
static char *object_path(const cache_tier *tier, bake_cache_key key)
{
    char name[BAKE_CACHE_NAME_SIZE];
    bake_cache_name(name, key, true);
    size_t length = strlen(folder_of(tier)->folder);
    char *path = bake_alloc(length + 1 + sizeof name);
    if (path) {
        memcpy(path, folder_of(tier)->folder, length);
        path[length] = '/';
        memcpy(path + length + 1, name, strlen(name) + 1);
    }
    return path;
}

static cache_answer break_errno(cache_tier *tier, int error)
{
    return bake_cache_break_errno(tier, CACHE_BROKEN, error);
}

/* The folder may be full or not writable for this user; reading still works. */
static cache_answer refuse_errno(cache_tier *tier, int error)
{
    return bake_cache_break_errno(tier, CACHE_REFUSED, error);
}

/* An object that is absent is normal, but not a shared folder that is absent. */
static cache_answer answer_absent(cache_tier *tier, int error)
{
    const folder_tier *folder = folder_of(tier);
    struct stat status;
    if (error != ENOENT)
        return break_errno(tier, error);
    if (folder->creates || stat(folder->folder, &status) == 0)
        return CACHE_ABSENT;
    return break_errno(tier, errno);
}

/* Opens a regular file. Returns -1 with errno set. */
static int open_object(const char *path, struct stat *ret_status)
{
    int file;
    do
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return -1;
    if (fstat(file, ret_status) == 0) {
        if (S_ISREG(ret_status->st_mode))
            return file;
        errno = EINVAL;
    }
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

/* Marks a file as used now: objects that were used last are removed last. Failures do not matter.
 */
static void mark_used(const cache_tier *tier, int file, const struct stat *status)
{
    if (!tier->is_read_only && status->st_mtime < time(NULL) - USED_AGAIN_AFTER)
        (void)futimens(file, NULL);
}

static cache_answer read_object(cache_tier *tier, int file, const struct stat *status,
                                cache_bytes *bytes)
{
    /* If the size is wrong, the hash will be wrong, too. */
    uint64_t left = status->st_size > 0 ? (uint64_t)status->st_size : 0;
    cache_answer answer = bake_cache_bytes_reserve(bytes, left);
    while (!answer && left > 0) {
        if (tier->is_timed && bake_cache_time_left(tier) == 0)
            return bake_cache_break_late(tier);
        unsigned char *to = (unsigned char *)bytes->block.data + bytes->size;
        ssize_t got = read(file, to, left < CACHE_PART_SIZE ? (size_t)left : CACHE_PART_SIZE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return break_errno(tier, errno);
        if (got == 0)
            break;
        bytes->size += (size_t)got;
        left -= (uint64_t)got;
    }
    return answer;
}

/* Opens the object of a key, if there is one. */
static cache_answer find_object(cache_tier *tier, bake_cache_key key, int *ret_file,
                                struct stat *ret_status)
{
    char *path = object_path(tier, key);
    if (!path)
        return CACHE_NO_MEMORY;
    *ret_file = open_object(path, ret_status);
    int error = errno;
    bake_free(path);
    return *ret_file < 0 ? answer_absent(tier, error) : CACHE_DONE;
}

static cache_answer get(cache_tier *tier, bake_cache_key key, cache_bytes *bytes)
{
    struct stat status;
    int file;
    cache_answer answer = find_object(tier, key, &file, &status);
    if (answer)
        return answer;
    answer = read_object(tier, file, &status, bytes);
    if (!answer)
        mark_used(tier, file, &status);
    close(file);
    return answer;
}

static cache_answer has(cache_tier *tier, bake_cache_key key)
{
    struct stat status;
    int file;
    cache_answer answer = find_object(tier, key, &file, &status);
    if (answer)
        return answer;
    mark_used(tier, file, &status);
    close(file);
    return CACHE_DONE;
}

/* Writes a file with a gateway of its own, which removes the temporary file after a failure or a
 * signal. */
static cache_answer write_object(cache_tier *tier, bake_gateway *gateway, const char *path,
                                 const unsigned char *data, size_t size)
{
    const char *failed;
    bake_output *output = bake_output_begin(gateway, path);
    if (!output)
        return refuse_errno(tier, errno > 0 ? errno : EINVAL);
    for (size_t at = 0; at < size;) {
        size_t part = size - at < CACHE_PART_SIZE ? size - at : CACHE_PART_SIZE;
        if (tier->is_timed && bake_cache_time_left(tier) == 0)
            return bake_cache_break_late(tier);
        if (!bake_output_write(output, data + at, part))
            return refuse_errno(tier, errno);
        at += part;
    }
    return bake_gateway_commit(gateway, false, false, &failed) ? CACHE_DONE
                                                               : refuse_errno(tier, errno);
}

static cache_answer put(cache_tier *tier, bake_cache_key key, const void *data, size_t size)
{
    const folder_tier *folder = folder_of(tier);
    struct stat status;
    if (!folder->creates && stat(folder->folder, &status) != 0)
        return break_errno(tier, errno);
    char *path = object_path(tier, key);
    bake_gateway *gateway = path ? bake_gateway_create(NULL) : NULL;
    cache_answer answer = CACHE_NO_MEMORY;
    if (gateway)
        answer = bake_make_folders(path) ? write_object(tier, gateway, path, data, size)
                                         : refuse_errno(tier, errno);
    bake_gateway_destroy(gateway);
    bake_free(path);
    return answer;
}

static void destroy(cache_tier *tier)
{
    bake_free(tier);
}

cache_tier *bake_cache_folder_create(const char *path, bool creates)
{
    static const cache_tier_kind kind = {get, has, put, destroy};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    folder_tier *folder = bake_alloc_array(1, sizeof *folder + length + 1);
    if (!folder)
        return NULL;
    memcpy(folder->folder, path, length);
    folder->tier.kind = &kind;
    folder->tier.label = folder->folder;
    folder->creates = creates;
    return &folder->tier;
}
