/* Objects are written to temporary files and renamed, so that a reader never sees half of one. A
 * reader has its file open, so it can be removed at any time. */
/* For futimens. */
#define _POSIX_C_SOURCE 200809L

#include "cache_folder.h"

#include "bake_memory.h"
#include "folder_tree.h"
#include "gateway.h"
#include "path_join.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* An object that was used is marked as such at most once in this time, in seconds. */
enum { USED_AGAIN_AFTER = 60 };
/* The key of an object that only its owner may write depends on the user, so nobody else reads it.
 */
enum { OWN_MODE = 0600 };

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
    return bake_path_join(folder_of(tier)->folder, name);
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

/* Reads at most `room` bytes at the current position. */
static cache_answer read_part(cache_tier *tier, int file, void *to, size_t room, size_t *ret_size)
{
    ssize_t got;
    if (tier->is_timed && bake_cache_time_left(tier) == 0)
        return bake_cache_break_late(tier);
    do
        got = read(file, to, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return break_errno(tier, errno);
    *ret_size = (size_t)got;
    return CACHE_DONE;
}

static size_t part_of(uint64_t left, size_t most)
{
    return left < most ? (size_t)left : most;
}

/* Reads an object into memory. */
static cache_answer read_object(cache_tier *tier, int file, uint64_t left, cache_bytes *bytes)
{
    cache_answer answer = bake_cache_bytes_reserve(bytes, left);
    for (size_t size = 1; !answer && left > 0 && size > 0;) {
        unsigned char *to = (unsigned char *)bytes->block.data + bytes->size;
        answer = read_part(tier, file, to, part_of(left, CACHE_PART_SIZE), &size);
        if (!answer) {
            bytes->size += size;
            left -= size;
        }
    }
    return answer;
}

/* Passes an object on. */
static cache_answer pass_object(cache_tier *tier, int file, uint64_t left, cache_bytes *bytes)
{
    unsigned char *buffer = bake_alloc(CACHE_BUFFER_SIZE);
    cache_answer answer = buffer ? bake_cache_bytes_reserve(bytes, left) : CACHE_STOPPED;
    for (size_t size = 1; !answer && left > 0 && size > 0;) {
        answer = read_part(tier, file, buffer, part_of(left, CACHE_BUFFER_SIZE), &size);
        if (!answer)
            answer = bake_cache_bytes_add(bytes, buffer, size);
        left -= size;
    }
    bake_free(buffer);
    return answer;
}

/* Opens the object of a key, if there is one. */
static cache_answer find_object(cache_tier *tier, bake_cache_key key, int *ret_file,
                                struct stat *ret_status)
{
    char *path = object_path(tier, key);
    if (!path)
        return CACHE_STOPPED;
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
    bytes->is_ours = status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
    /* If the size is wrong, the hash will be wrong, too. */
    uint64_t size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    answer = (bytes->outlet ? pass_object : read_object)(tier, file, size, bytes);
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

static cache_answer write_parts(cache_tier *tier, bake_output *output,
                                const bake_cache_source *source, unsigned char *buffer)
{
    for (size_t at = 0; at < source->size;) {
        size_t part = part_of(source->size - at, CACHE_BUFFER_SIZE);
        if (tier->is_timed && bake_cache_time_left(tier) == 0)
            return bake_cache_break_late(tier);
        if (!bake_cache_source_read(source, at, buffer, part))
            return CACHE_STOPPED;
        if (!bake_output_write(output, buffer, part))
            return refuse_errno(tier, errno);
        at += part;
    }
    return CACHE_DONE;
}

/* Everybody who may use a shared folder may use what is in it, whatever the umask of a user is. So
 * folders in it get its mode. */
static bool make_folders(const folder_tier *folder, char *path, mode_t mode)
{
    if (folder->creates)
        return bake_make_folders(path);
    for (char *slash = path + strlen(folder->folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        bool is_new = mkdir(path, 0777) == 0, done = is_new || errno == EEXIST;
        /* A folder with other permissions works for some. */
        if (is_new)
            (void)chmod(path, mode & 07777);
        *slash = '/';
        if (!done)
            return false;
    }
    return true;
}

/* Writes a file with a gateway of its own, which removes the temporary file after a failure or a
 * signal. `mode` is the most that a new file permits; 0: the umask decides. */
static cache_answer write_object(cache_tier *tier, bake_gateway *gateway, const char *path,
                                 mode_t mode, const bake_cache_source *source)
{
    const char *failed;
    bake_output *output = bake_output_begin(gateway, path);
    if (!output || (mode && !bake_output_set_mode(output, mode & 0666)))
        return refuse_errno(tier, errno > 0 ? errno : EINVAL);
    unsigned char *buffer = bake_alloc(CACHE_BUFFER_SIZE);
    cache_answer answer = buffer ? write_parts(tier, output, source, buffer) : CACHE_STOPPED;
    bake_free(buffer);
    if (answer)
        return answer;
    return bake_gateway_commit(gateway, false, false, &failed) ? CACHE_DONE
                                                               : refuse_errno(tier, errno);
}

static cache_answer put(cache_tier *tier, bake_cache_key key, const bake_cache_source *source)
{
    const folder_tier *folder = folder_of(tier);
    struct stat status = {0};
    if (!folder->creates && stat(folder->folder, &status) != 0)
        return break_errno(tier, errno);
    char *path = object_path(tier, key);
    bake_gateway *gateway = path ? bake_gateway_create(NULL) : NULL;
    mode_t mode = folder->creates && source->is_own ? OWN_MODE : status.st_mode;
    cache_answer answer = CACHE_STOPPED;
    if (gateway)
        answer = make_folders(folder, path, status.st_mode)
                     ? write_object(tier, gateway, path, mode, source)
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
