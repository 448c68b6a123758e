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

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FILE_SIZE_MAX ((size_t)1 << 30)

bake_gateway *bake_gateway_create(const char *base)
{
    bake_gateway *gateway = bake_alloc_array(1, sizeof *gateway);
    if (gateway && base && !(gateway->base = bake_copy_text(base, strlen(base)))) {
        bake_free(gateway);
        return NULL;
    }
    return gateway;
}

void bake_gateway_destroy(bake_gateway *gateway)
{
    if (!gateway)
        return;
    bake_gateway_discard_outputs(gateway);
    for (size_t i = 0; i < gateway->used_count; i++) {
        bake_free(gateway->used[i].path);
        bake_free(gateway->used[i].text);
    }
    for (size_t i = 0; i < gateway->owned_count; i++)
        bake_free(gateway->owned[i]);
    bake_free(gateway->used);
    bake_free(gateway->slots);
    bake_free(gateway->owned);
    bake_free(gateway->outputs);
    bake_free(gateway->base);
    bake_free(gateway);
}

/* The slot of a path, or the free one where it belongs. */
static uint32_t *slot_of(const bake_gateway *gateway, const char *path)
{
    size_t mask = gateway->slot_count - 1;
    size_t at = (size_t)XXH3_64bits(path, strlen(path)) & mask;
    while (gateway->slots[at] && strcmp(gateway->used[gateway->slots[at] - 1].path, path) != 0)
        at = (at + 1) & mask;
    return &gateway->slots[at];
}

static bool grow_slots(bake_gateway *gateway)
{
    if (gateway->slots && (gateway->used_count + 1) * 2 <= gateway->slot_count)
        return true;
    size_t slot_count = gateway->slot_count ? gateway->slot_count * 2 : 32;
    uint32_t *slots = bake_alloc_array(slot_count, sizeof *slots);
    if (!slots)
        return false;
    bake_free(gateway->slots);
    gateway->slots = slots;
    gateway->slot_count = slot_count;
    for (size_t i = 0; i < gateway->used_count; i++)
        *slot_of(gateway, gateway->used[i].path) = (uint32_t)i + 1;
    return true;
}

/* The path's place in the record, made if need be; NULL with errno ENOMEM. */
static used_path *record(bake_gateway *gateway, const char *path, bake_use use)
{
    used_path *used =
        bake_grow(gateway->used, &gateway->used_capacity, gateway->used_count + 1, sizeof *used);
    if (used)
        gateway->used = used;
    if (!used || !grow_slots(gateway)) {
        errno = ENOMEM;
        return NULL;
    }
    uint32_t *slot = slot_of(gateway, path);
    if (*slot == 0) {
        used_path added = {.path = bake_copy_text(path, strlen(path)), .use = use};
        if (!added.path) {
            errno = ENOMEM;
            return NULL;
        }
        used[gateway->used_count++] = added;
        *slot = (uint32_t)gateway->used_count;
    }
    used_path *found = &used[*slot - 1];
    if (!found->text)
        found->use = use;
    return found;
}

size_t bake_gateway_use_count(const bake_gateway *gateway)
{
    return gateway->used_count;
}

const char *bake_gateway_use(const bake_gateway *gateway, size_t i, bake_use *ret_use)
{
    if (ret_use)
        *ret_use = gateway->used[i].use;
    return gateway->used[i].path;
}

/* `a`/`b`, the caller's to free; `b` alone when `a` is NULL or empty or `b` absolute. NULL with
 * errno ENOMEM. */
static char *join(const char *a, const char *b)
{
    size_t a_length = a && *b != '/' ? strlen(a) : 0;
    size_t b_length = strlen(b);
    bool slash = a_length && a[a_length - 1] != '/';
    char *joined = bake_alloc(a_length + slash + b_length + 1);
    if (!joined) {
        errno = ENOMEM;
        return NULL;
    }
    if (a_length)
        memcpy(joined, a, a_length);
    if (slash)
        joined[a_length] = '/';
    memcpy(joined + a_length + slash, b, b_length + 1);
    return joined;
}

/* Opens an input, a folder too; -1 with errno set. */
static int open_input(const bake_gateway *gateway, const char *path, int flags)
{
    char *resolved = join(*path ? gateway->base : NULL, path);
    if (!resolved)
        return -1;
    int file;
    do
        file = open(resolved, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (file < 0 && errno == EINTR);
    int error = errno;
    bake_free(resolved);
    errno = error;
    return file;
}

bool bake_read_some(int file, void *data, size_t size, size_t *ret_size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(file, (char *)data + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    *ret_size = got;
    return true;
}

/* Reads to the end, which need not be where `expected` says. */
static char *read_rest(int file, size_t expected, size_t *ret_size)
{
    char *text = NULL;
    size_t capacity = 0;
    size_t size = 0;
    for (;;) {
        /* One byte for the NUL, and one so that the end shows without growing. */
        size_t wanted = size == 0 ? expected + 2 : size + 2;
        char *grown = bake_grow(text, &capacity, wanted < 4096 ? 4096 : wanted, 1);
        size_t got;
        if (!grown)
            errno = ENOMEM;
        text = grown ? grown : text;
        if (!grown || !bake_read_some(file, text + size, capacity - 1 - size, &got))
            break;
        size += got;
        if (size > FILE_SIZE_MAX) {
            errno = EFBIG;
            break;
        }
        if (size < capacity - 1) {
            text[size] = '\0';
            *ret_size = size;
            return text;
        }
    }
    int error = errno;
    bake_free(text);
    errno = error;
    return NULL;
}

static char *read_file(int file, size_t *ret_size)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return NULL;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    size_t expected = 0;
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
        if ((uintmax_t)status.st_size > FILE_SIZE_MAX) {
            errno = EFBIG;
            return NULL;
        }
        expected = (size_t)status.st_size;
    }
    return read_rest(file, expected, ret_size);
}

const char *bake_gateway_read(bake_gateway *gateway, const char *path, size_t *ret_size)
{
    used_path *used = record(gateway, path, BAKE_USE_MISSING);
    if (!used)
        return NULL;
    if (!used->text) {
        bool is_stdin = strcmp(path, "-") == 0;
        int file = is_stdin ? STDIN_FILENO : open_input(gateway, path, 0);
        if (file < 0)
            return NULL;
        used->text = read_file(file, &used->size);
        int error = errno;
        if (!is_stdin)
            close(file);
        errno = error;
        if (!used->text)
            return NULL;
        used->use = BAKE_USE_READ;
    }
    if (ret_size)
        *ret_size = used->size;
    return used->text;
}

bool bake_gateway_is_folder(bake_gateway *gateway, const char *path)
{
    struct stat status;
    char *resolved = strcmp(path, "-") != 0 ? join(*path ? gateway->base : NULL, path) : NULL;
    if (!resolved)
        return false;
    bool there = stat(resolved, &status) == 0;
    bake_free(resolved);
    if (!there)
        record(gateway, path, BAKE_USE_MISSING);
    return there && S_ISDIR(status.st_mode);
}

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

/* The names in a folder, sorted, as the file system's order must not show. */
static bool read_names(DIR *folder, names *list)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            break;
        if (entry->d_name[0] != '.' &&
            !names_add(list, bake_copy_text(entry->d_name, strlen(entry->d_name))))
            return false;
    }
    bool complete = errno == 0;
    names_sort(list);
    return complete;
}

static bool is_yaml_name(const char *name)
{
    size_t length = strlen(name);
    return (length > 5 && strcmp(name + length - 5, ".yaml") == 0) ||
           (length > 4 && strcmp(name + length - 4, ".yml") == 0);
}

/* Sorts the folder's names into files and folders still to be looked into. */
static bool take_names(int folder, const char *path, const names *found, names *files,
                       names *folders)
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
            taken = names_add(folders, join(prefix, name));
        else if (is_yaml_name(name) && fstatat(folder, name, &status, 0) == 0 &&
                 S_ISREG(status.st_mode))
            taken = names_add(files, join(prefix, name));
        if (!taken)
            return false;
    }
    return true;
}

static bool list_one(bake_gateway *gateway, const char *path, names *files, names *folders)
{
    if (!record(gateway, path, BAKE_USE_MISSING))
        return false;
    int file = open_input(gateway, path, O_DIRECTORY);
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
    bool done = read_names(folder, &found) && take_names(file, path, &found, files, folders) &&
                record(gateway, path, BAKE_USE_LISTED);
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

const char *const *bake_gateway_list(bake_gateway *gateway, const char *folder, size_t *ret_count)
{
    names files = {0};
    names folders = {0};
    /* So that there is a list to give even when it is empty. */
    files.items = bake_grow(NULL, &files.capacity, 1, sizeof *files.items);
    bool done = files.items && names_add(&folders, bake_copy_text(folder, strlen(folder)));
    if (!files.items)
        errno = ENOMEM;
    for (size_t i = 0; done && i < folders.count; i++)
        done = list_one(gateway, folders.items[i], &files, &folders);
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
