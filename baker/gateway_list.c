/* The files below a folder. */
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

/* Takes over `name`, which may be NULL after a failure. */
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

/* The names in a folder, sorted, as the file system's order must not show. False with errno set,
 * EFBIG where there are more than `most`. */
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

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length >= size && strcmp(name + length - size, ending) == 0;
}

bool bake_is_yaml_name(const char *name)
{
    return (has_ending(name, ".yaml") && name[5]) || (has_ending(name, ".yml") && name[4]);
}

static bool is_wanted(const char *name, const char *const *endings)
{
    if (bake_is_yaml_name(name))
        return true;
    for (; endings && *endings; endings++)
        if (has_ending(name, *endings))
            return true;
    return false;
}

/* Sorts the folder's names into files and folders still to be looked into. */
static bool take_names(int folder, const char *path, const char *const *endings, const names *found,
                       names *files, names *folders)
{
    const char *prefix = strcmp(path, ".") == 0 ? NULL : path;
    for (size_t i = 0; i < found->count; i++) {
        const char *name = found->items[i];
        struct stat status;
        /* What is gone since, or a link to nowhere, is no file. */
        if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bool taken = true;
        if (S_ISDIR(status.st_mode))
            taken = names_add(folders, bake_gateway_join(prefix, name));
        else if (is_wanted(name, endings) &&
                 (!S_ISLNK(status.st_mode) || fstatat(folder, name, &status, 0) == 0) &&
                 S_ISREG(status.st_mode))
            taken = names_add(files, bake_gateway_join(prefix, name));
        if (!taken)
            return false;
    }
    return true;
}

static bool list_one(bake_gateway *gateway, const char *path, const char *const *endings,
                     names *files, names *folders)
{
    if (!bake_gateway_record(gateway, path, BAKE_USE_MISSING))
        return false;
    int file = bake_gateway_open(gateway, path, O_DIRECTORY);
    if (file < 0)
        return false;
    DIR *folder = fdopendir(file);
    if (!folder) {
        int error = errno;
        close(file);
        errno = error;
        return false;
    }
    names found = {0};
    bool done = read_names(folder, SIZE_MAX, &found) &&
                take_names(file, path, endings, &found, files, folders) &&
                bake_gateway_record(gateway, path, BAKE_USE_LISTED);
    int error = errno;
    names_fini(&found);
    closedir(folder);
    errno = error;
    return done;
}

/* Makes room so that taking over `more` blocks cannot fail. */
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

/* Makes the gateway the owner of the list and its names. */
static bool own_names(bake_gateway *gateway, const names *list)
{
    if (!reserve_owned(gateway, list->count + 1))
        return false;
    bake_gateway_own(gateway, list->items);
    for (size_t i = 0; i < list->count; i++)
        bake_gateway_own(gateway, list->items[i]);
    return true;
}

const char *const *bake_gateway_list(bake_gateway *gateway, const char *folder,
                                     const char *const *endings, size_t *ret_count)
{
    names files = {0};
    names folders = {0};
    /* So that there is a list to give even when it is empty. */
    files.items = bake_grow(NULL, &files.capacity, 1, sizeof *files.items);
    bool done = files.items && names_add(&folders, bake_copy_text(folder, strlen(folder)));
    if (!files.items)
        errno = ENOMEM;
    for (size_t i = 0; done && i < folders.count; i++)
        done = list_one(gateway, folders.items[i], endings, &files, &folders);
    names_sort(&files);
    done = done && own_names(gateway, &files);
    int error = errno;
    names_fini(&folders);
    if (!done) {
        names_fini(&files);
        errno = error;
        return NULL;
    }
    *ret_count = files.count;
    return (const char *const *)files.items;
}

const char *const *bake_gateway_names(bake_gateway *gateway, const char *folder, size_t most,
                                      size_t *ret_count)
{
    names found = {0};
    int file = bake_gateway_open(gateway, folder, O_DIRECTORY);
    DIR *opened = file < 0 ? NULL : fdopendir(file);
    if (!opened && file >= 0)
        close(file);
    if (!opened)
        return NULL;
    /* So that there is a list to give even when it is empty. */
    found.items = bake_grow(NULL, &found.capacity, 1, sizeof *found.items);
    bool done = found.items && read_names(opened, most, &found) && own_names(gateway, &found);
    closedir(opened);
    if (!done) {
        names_fini(&found);
        return NULL;
    }
    *ret_count = found.count;
    return (const char *const *)found.items;
}
