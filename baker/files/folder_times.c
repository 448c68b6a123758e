/* The folders of missing paths, and the modification times of all input folders.
 *
 * A build system compares the modification time of a folder with that of the outputs, or, like
 * ninja, with the time at which the command began. Both are older than the folder if the command
 * itself creates or renames files in it. So after the commit the folder's earlier time is restored,
 * provided that the entries which the command reads are the same. When all times are restored, the
 * entries are compared again, because another process may have added a file in between. */
#define _POSIX_C_SOURCE 200809L

#include "input_folders.h"

#include "gateway_store.h"

#include "bake_memory.h"
#include "path_join.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, LINK_SIZE = 4096 };

/* ---- missing paths ---- */

/* Shortens a path to the folder that contains it, `.` if it has no slash. Returns false if nothing
 * is above it. */
static bool go_up(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || strcmp(path, ".") == 0 || (length == 1 && path[0] == '/'))
        return false;
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0)
        path[length++] = '.';
    path[length] = '\0';
    return true;
}

static bool stat_at(const bake_gateway *gateway, const char *path, struct stat *ret_status)
{
    char *resolved = bake_path_join(gateway->base, path);
    bool there = resolved && stat(resolved, ret_status) == 0;
    int error = errno;
    bake_free(resolved);
    errno = error;
    return there;
}

/* Adds the nearest existing folder above a path. Changes the path. */
static bool add_nearest(bake_gateway *gateway, char *path)
{
    struct stat status;
    while (go_up(path))
        if (stat_at(gateway, path, &status) && S_ISDIR(status.st_mode))
            return bake_gateway_add_folder(gateway, path, &status) != NULL;
    return true;
}

/* If the path is a link, returns the path to which it leads, in new memory. Otherwise, and on
 * failure, returns NULL; errno is ENOMEM if memory ran out. */
static char *follow(const bake_gateway *gateway, const char *path)
{
    char target[LINK_SIZE];
    char *resolved = bake_path_join(gateway->base, path);
    if (!resolved)
        return NULL;
    ssize_t length = readlink(resolved, target, sizeof target - 1);
    int error = errno;
    bake_free(resolved);
    if (length < 0) {
        errno = error;
        return NULL;
    }
    target[length] = '\0';
    char *folder = bake_copy_text(path, strlen(path));
    char *followed = NULL;
    if (folder)
        followed = bake_path_join(go_up(folder) && strcmp(folder, ".") ? folder : NULL, target);
    bake_free(folder);
    if (!followed)
        errno = ENOMEM;
    return followed;
}

/* Adds the folders in which the file at a missing path could appear: that of the path, and if the
 * path is a link whose target is missing, that of the target. */
static bool add_folders_of(bake_gateway *gateway, const char *missing)
{
    char *path = bake_copy_text(missing, strlen(missing));
    bool done = path != NULL;
    for (int i = 0; path && done && i < LINKS_MAX; i++) {
        errno = 0;
        char *next = follow(gateway, path);
        done = next || errno != ENOMEM;
        done = done && add_nearest(gateway, path);
        bake_free(path);
        path = next;
    }
    bake_free(path);
    if (!done)
        errno = ENOMEM;
    return done;
}

bool bake_gateway_add_missing(bake_gateway *gateway)
{
    struct stat status;
    for (size_t i = 0; i < gateway->used_count; i++) {
        used_path *used = &gateway->used[i];
        if (used->use != BAKE_USE_MISSING || used->is_left_out || !*used->path ||
            strcmp(used->path, "-") == 0)
            continue;
        used->is_absent = !stat_at(gateway, used->path, &status);
        if (!add_folders_of(gateway, used->path))
            return false;
    }
    return true;
}

/* ---- times ---- */

static bool are_still_absent(const bake_gateway *gateway)
{
    struct stat status;
    for (size_t i = 0; i < gateway->used_count; i++)
        if (gateway->used[i].is_absent && stat_at(gateway, gateway->used[i].path, &status))
            return false;
    return true;
}

static bool is_unchanged(const bake_gateway *gateway, const input_folder *folder)
{
    uint64_t names;
    return !folder->is_listed ||
           (bake_gateway_sum_names(gateway, folder, &names) && names == folder->names);
}

/* Whether the folder's modification time differs from that in the record. */
static bool has_moved(const bake_gateway *gateway, const input_folder *folder)
{
    struct stat status;
    return stat_at(gateway, folder->path, &status) &&
           (status.st_mtim.tv_sec != folder->seconds ||
            status.st_mtim.tv_nsec != folder->nanoseconds);
}

static void set_time(const bake_gateway *gateway, const input_folder *folder, struct timespec time)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, time};
    char *resolved = bake_path_join(gateway->base, folder->path);
    /* Only the owner may set a time. For others the next build runs once more. */
    if (resolved)
        (void)utimensat(AT_FDCWD, resolved, times, 0);
    bake_free(resolved);
}

/* Returns whether the folder has its earlier time again. */
static bool restore_time(const bake_gateway *gateway, const input_folder *folder)
{
    const struct timespec then = {.tv_sec = (time_t)folder->seconds,
                                  .tv_nsec = (long)folder->nanoseconds};
    if (!has_moved(gateway, folder) || !is_unchanged(gateway, folder))
        return false;
    set_time(gateway, folder, then);
    return true;
}

void bake_gateway_restore_times(bake_gateway *gateway)
{
    const struct timespec now = {.tv_nsec = UTIME_NOW};
    if (!gateway->has_depfile || !are_still_absent(gateway))
        return;
    for (size_t i = 0; i < gateway->input_folder_count; i++)
        gateway->input_folders[i].is_restored = restore_time(gateway, &gateway->input_folders[i]);
    bool are_absent = are_still_absent(gateway);
    for (size_t i = 0; i < gateway->input_folder_count; i++) {
        const input_folder *folder = &gateway->input_folders[i];
        if (folder->is_restored && (!are_absent || !is_unchanged(gateway, folder)))
            set_time(gateway, folder, now);
    }
}
