/* Lists the files below a folder, breadth first and without recursion, so that deep folders do not
 * exhaust the stack. Names are sorted, because file systems return them in different orders. */
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A growing list of owned names. */
typedef struct names {
    char **items;
    size_t count;
    size_t capacity;
} names;

static void names_fini(names *list)
{
    for (size_t i = 0; i < list->count; i++)
        bake_free(list->items[i]);
    bake_free(list->items);
}

/* Takes ownership of `name`, which is NULL if its allocation failed. */
static bool names_add(names *list, char *name)
{
    char **items =
        name ? bake_grow(list->items, &list->capacity, list->count + 1, sizeof *items) : NULL;
    if (!items) {
        bake_free(name);
        errno = ENOMEM;
        return false;
    }
    list->items = items;
    items[list->count++] = name;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_sort(names *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_names);
}

/* Reads the names in a folder, except those that begin with a dot, and sorts them. Returns false
 * with errno set, EFBIG if there are more than `most`. */
static bool read_names(DIR *folder, size_t most, names *list)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            break;
        if (list->count == most && entry->d_name[0] != '.') {
            errno = EFBIG;
            return false;
        }
        if (entry->d_name[0] != '.' &&
            !names_add(list, bake_copy_text(entry->d_name, strlen(entry->d_name))))
            return false;
    }
    bool complete = errno == 0;
    names_sort(list);
    return complete;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), size = strlen(suffix);
    return length >= size && strcmp(name + length - size, suffix) == 0;
}

bool bake_is_yaml_name(const char *name)
{
    return (has_suffix(name, ".yaml") && name[5]) || (has_suffix(name, ".yml") && name[4]);
}

static bool is_wanted(const char *name, const char *const *suffixes)
{
    if (bake_is_yaml_name(name))
        return true;
    for (; suffixes && *suffixes; suffixes++)
        if (has_suffix(name, *suffixes))
            return true;
    return false;
}

/* A dangling link counts as absent. */
typedef enum stat_result { STAT_FOUND, STAT_ABSENT, STAT_FAILED } stat_result;

/* Examines a name in the folder, or with `follows` the target of the link. On failure, errno is
 * set. */
static stat_result stat_name(int folder, const char *name, bool follows, struct stat *ret_status)
{
    if (fstatat(folder, name, ret_status, follows ? 0 : AT_SYMLINK_NOFOLLOW) == 0)
        return STAT_FOUND;
    bool is_absent = errno == ENOENT || (follows && (errno == ENOTDIR || errno == ELOOP));
    return is_absent ? STAT_ABSENT : STAT_FAILED;
}

/* The state of listing a folder and its subfolders. */
typedef struct listing {
    const char *const *suffixes;
    names files;
    names folders; /* a queue; those after the current one are not listed yet */
    char *failed;  /* the path that could not be examined; NULL: the current folder */
    uint64_t sum;  /* of the hashes of the names in the current folder that were listed */
} listing;

/* Adds the folder's names to the lists of files and folders. Returns false with errno set. */
static bool take_names(listing *list, int folder, const char *path, const names *found)
{
    const char *prefix = strcmp(path, ".") == 0 ? NULL : path;
    for (size_t i = 0; i < found->count; i++) {
        const char *name = found->items[i];
        struct stat status;
        stat_result seen = stat_name(folder, name, false, &status);
        bool is_folder = seen == STAT_FOUND && S_ISDIR(status.st_mode);
        if (seen == STAT_FOUND && !is_folder && !is_wanted(name, list->suffixes))
            continue;
        if (seen == STAT_FOUND && S_ISLNK(status.st_mode))
            seen = stat_name(folder, name, true, &status);
        if (seen == STAT_FAILED) {
            int error = errno;
            list->failed = bake_gateway_join(prefix, name);
            errno = error;
            return false;
        }
        bool is_file = seen == STAT_FOUND && S_ISREG(status.st_mode);
        names *kind = is_folder ? &list->folders : &list->files;
        if (!is_folder && !is_file)
            continue;
        list->sum += kiln_hash64(name, strlen(name), is_folder);
        if (!names_add(kind, bake_gateway_join(prefix, name)))
            return false;
    }
    return true;
}

/* Lists one folder. The status is older than the list. */
static bool scan(const bake_gateway *gateway, listing *list, const char *path,
                 struct stat *ret_status)
{
    int file = bake_gateway_open(gateway, path, O_DIRECTORY);
    if (file < 0)
        return false;
    DIR *folder = fstat(file, ret_status) == 0 ? fdopendir(file) : NULL;
    if (!folder) {
        int error = errno;
        close(file);
        errno = error;
        return false;
    }
    names found = {0};
    list->sum = 0;
    bool done = read_names(folder, SIZE_MAX, &found) && take_names(list, file, path, &found);
    int error = errno;
    names_fini(&found);
    closedir(folder);
    errno = error;
    return done;
}

static bool list_one(bake_gateway *gateway, listing *list, const char *path)
{
    struct stat status;
    return bake_gateway_record(gateway, path, BAKE_USE_MISSING) &&
           scan(gateway, list, path, &status) &&
           bake_gateway_record(gateway, path, BAKE_USE_LISTED) &&
           bake_gateway_add_listed(gateway, path, list->suffixes, &status, list->sum);
}

bool bake_gateway_sum_names(const bake_gateway *gateway, const input_folder *folder,
                            uint64_t *ret_names)
{
    struct stat status;
    listing list = {.suffixes = (const char *const *)folder->suffixes};
    bool done = scan(gateway, &list, folder->path, &status);
    names_fini(&list.files);
    names_fini(&list.folders);
    bake_free(list.failed);
    *ret_names = list.sum;
    return done;
}

/* Reserves room, so that taking ownership of `more` blocks cannot fail. */
static bool reserve_owned(bake_gateway *gateway, size_t more)
{
    void **owned = bake_grow(gateway->owned, &gateway->owned_capacity, gateway->owned_count + more,
                             sizeof *owned);
    if (owned)
        gateway->owned = owned;
    else
        errno = ENOMEM;
    return owned != NULL;
}

bool bake_gateway_own(bake_gateway *gateway, void *block)
{
    if (!reserve_owned(gateway, 1))
        return false;
    gateway->owned[gateway->owned_count++] = block;
    return true;
}

/* Transfers ownership of the list and its names to the gateway. */
static bool own_names(bake_gateway *gateway, const names *list)
{
    if (!reserve_owned(gateway, list->count + 1))
        return false;
    bake_gateway_own(gateway, list->items);
    for (size_t i = 0; i < list->count; i++)
        bake_gateway_own(gateway, list->items[i]);
    return true;
}

/* The path that could not be examined: the folder or an entry in it. The gateway owns the path.
 * Returns NULL if memory runs out. Preserves errno. */
static const char *failed_path(bake_gateway *gateway, listing *list, size_t at)
{
    int error = errno;
    char **from = list->failed ? &list->failed : &list->folders.items[at];
    const char *path = bake_gateway_own(gateway, *from) ? *from : NULL;
    if (path)
        *from = NULL;
    errno = error;
    return path;
}

const char *const *bake_gateway_list(bake_gateway *gateway, const char *folder,
                                     const char *const *suffixes, size_t *ret_count,
                                     const char **reterr_path)
{
    listing list = {.suffixes = suffixes};
    const char *failed = NULL;
    /* Allocate even for an empty list, because NULL means failure. */
    list.files.items = bake_grow(NULL, &list.files.capacity, 1, sizeof *list.files.items);
    bool done =
        list.files.items && names_add(&list.folders, bake_copy_text(folder, strlen(folder)));
    if (!list.files.items)
        errno = ENOMEM;
    for (size_t i = 0; done && i < list.folders.count; i++) {
        done = list_one(gateway, &list, list.folders.items[i]);
        if (!done)
            failed = failed_path(gateway, &list, i);
    }
    names_sort(&list.files);
    done = done && own_names(gateway, &list.files);
    int error = errno;
    names_fini(&list.folders);
    bake_free(list.failed);
    if (!done) {
        names_fini(&list.files);
        if (reterr_path)
            *reterr_path = failed ? failed : folder;
        errno = error;
        return NULL;
    }
    *ret_count = list.files.count;
    return (const char *const *)list.files.items;
}

const char *const *bake_gateway_names(bake_gateway *gateway, const char *folder, size_t most,
                                      size_t *ret_count)
{
    names found = {0};
    int file = bake_gateway_open(gateway, folder, O_DIRECTORY);
    DIR *opened = file < 0 ? NULL : fdopendir(file);
    int error = errno;
    if (!opened && file >= 0)
        close(file);
    errno = error;
    if (!opened)
        return NULL;
    /* Allocate even for an empty list, because NULL means failure. */
    found.items = bake_grow(NULL, &found.capacity, 1, sizeof *found.items);
    if (!found.items)
        errno = ENOMEM;
    bool done = found.items && read_names(opened, most, &found) && own_names(gateway, &found);
    error = errno;
    closedir(opened);
    if (!done) {
        names_fini(&found);
        errno = error;
        return NULL;
    }
    *ret_count = found.count;
    return (const char *const *)found.items;
}
