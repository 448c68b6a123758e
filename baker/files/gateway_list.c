/* Lists the files below a folder, breadth first and without recursion, so that deep folders do not
 * exhaust the stack. Names are sorted, because file systems return them in different orders. */
/* For d_type. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "path_join.h"

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
    size_t scanned; /* names that were read, also hidden ones */
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

/* An entry of a folder is stored as one character for its type, followed by its name. */
enum { ENTRY_FILE = 'f', ENTRY_FOLDER = 'd', ENTRY_UNKNOWN = '?' };

/* Links and special files count as unknown, so that they are examined. */
static char type_of(const struct dirent *entry)
{
#ifdef DT_REG
    return entry->d_type == DT_REG   ? ENTRY_FILE
           : entry->d_type == DT_DIR ? ENTRY_FOLDER
                                     : ENTRY_UNKNOWN;
#else
    (void)entry;
    return ENTRY_UNKNOWN;
#endif
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

static int compare_reversed(const void *a, const void *b)
{
    return compare_entries(b, a);
}

/* Returns NULL if memory runs out. */
static char *copy_entry(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    char *copy = bake_alloc(length + 2);
    if (copy) {
        copy[0] = type_of(entry);
        memcpy(copy + 1, entry->d_name, length + 1);
    }
    return copy;
}

static void names_sort(names *list)
{
    bake_sort_texts(list->items, list->count);
}

static void sort_entries(names *list, bool reverses)
{
    if (list->count < 2)
        return;
    qsort(list->items, list->count, sizeof *list->items,
          reverses ? compare_reversed : compare_entries);
}

void bake_gateway_reverse_folders(bake_gateway *gateway)
{
    gateway->reverses_folders = true;
}

/* Reads the entries of a folder, except those that begin with a dot, and sorts them by name. With
 * `reverses`, they are first brought into the opposite order, as if the folder had listed them so.
 * Returns false with errno set, EFBIG if there are more than `most`. */
static bool read_names(DIR *folder, size_t most, bool reverses, names *list)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            break;
        list->scanned++;
        if (list->count == most && entry->d_name[0] != '.') {
            errno = EFBIG;
            return false;
        }
        if (entry->d_name[0] != '.' && !names_add(list, copy_entry(entry)))
            return false;
    }
    bool complete = errno == 0;
    if (reverses)
        sort_entries(list, true);
    sort_entries(list, false);
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
    return bake_path_kind_of_error(errno) == BAKE_PATH_MISSING ? STAT_ABSENT : STAT_FAILED;
}

/* A list of names as bake_list_names returns it. */
typedef struct name_text {
    char *data;
    size_t size, capacity;
} name_text;

static bool text_add(name_text *text, char kind, const char *name)
{
    size_t length = strlen(name) + 1;
    char *data = bake_grow(text->data, &text->capacity, text->size + 1 + length, 1);
    if (!data) {
        errno = ENOMEM;
        return false;
    }
    text->data = data;
    data[text->size] = kind;
    memcpy(data + text->size + 1, name, length);
    text->size += 1 + length;
    return true;
}

/* The state of listing a folder and its subfolders. */
typedef struct listing {
    const char *const *suffixes;
    names files;
    names folders; /* a queue; those after the current one are not listed yet */
    char *failed;  /* the path that could not be examined; NULL: the current folder */
    uint64_t sum;  /* of the hashes of the names in the current folder that were listed */
    bool wants_text;
    name_text text; /* the names in the current folder, if wanted */
    bool has_links; /* the list of the current folder depends on the targets of links */
    bool reverses;  /* see read_names */
    const bake_listing_def *def; /* NULL: list all subfolders */
    size_t scanned;              /* names that were read in the current folder */
} listing;

/* What an entry means for a list. */
typedef enum entry_kind { KIND_SKIPPED, KIND_FILE, KIND_FOLDER, KIND_FAILED } entry_kind;

/* The kind of an entry. Examines it only if its type is not known. On failure, errno is set. */
static entry_kind kind_of(listing *list, int folder, const char *entry)
{
    struct stat status;
    const char *name = entry + 1;
    if (entry[0] == ENTRY_FOLDER)
        return KIND_FOLDER;
    if (entry[0] == ENTRY_FILE)
        return is_wanted(name, list->suffixes) ? KIND_FILE : KIND_SKIPPED;
    stat_result seen = stat_name(folder, name, false, &status);
    if (seen == STAT_FOUND && S_ISDIR(status.st_mode))
        return KIND_FOLDER;
    if (seen == STAT_FOUND && !is_wanted(name, list->suffixes))
        return KIND_SKIPPED;
    if (seen == STAT_FOUND && S_ISLNK(status.st_mode)) {
        list->has_links = true;
        seen = stat_name(folder, name, true, &status);
    }
    if (seen == STAT_FAILED)
        return KIND_FAILED;
    return seen == STAT_FOUND && S_ISREG(status.st_mode) ? KIND_FILE : KIND_SKIPPED;
}

/* Adds the path of an entry. Returns false with errno ENOMEM. */
static bool add_path(listing *list, bool is_folder, char *path)
{
    const bake_listing_def *def = list->def;
    if (path && is_folder && def && def->enters && !def->enters(def->ctx, path)) {
        bake_free(path);
        return true;
    }
    return names_add(is_folder ? &list->folders : &list->files, path);
}

/* Adds the folder's entries to the lists of files and folders. Returns false with errno set. */
static bool take_names(listing *list, int folder, const char *path, const names *found)
{
    const char *prefix = strcmp(path, ".") == 0 ? NULL : path;
    for (size_t i = 0; i < found->count; i++) {
        const char *name = found->items[i] + 1;
        entry_kind kind = kind_of(list, folder, found->items[i]);
        if (kind == KIND_FAILED) {
            int error = errno;
            list->failed = bake_path_join(prefix, name);
            errno = error;
            return false;
        }
        if (kind == KIND_SKIPPED)
            continue;
        bool is_folder = kind == KIND_FOLDER;
        list->sum += kiln_hash64(name, strlen(name), is_folder);
        if (!add_path(list, is_folder, bake_path_join(prefix, name)) ||
            (list->wants_text && !text_add(&list->text, is_folder ? 'd' : 'f', name)))
            return false;
    }
    return true;
}

/* Lists one open folder and closes it. The status is older than the list. */
static bool scan(listing *list, int file, const char *path, struct stat *ret_status)
{
    list->scanned = 0;
    DIR *folder = file >= 0 && fstat(file, ret_status) == 0 ? fdopendir(file) : NULL;
    if (!folder) {
        int error = errno;
        if (file >= 0)
            close(file);
        errno = error;
        return false;
    }
    names found = {0};
    list->sum = 0;
    list->has_links = false;
    bool done = read_names(folder, SIZE_MAX, list->reverses, &found) &&
                take_names(list, file, path, &found);
    int error = errno;
    list->scanned = found.scanned;
    names_fini(&found);
    closedir(folder);
    errno = error;
    return done;
}

/* Adds the list of the current folder to the details. Returns false with errno ENOMEM. */
static bool keep_list(bake_gateway *gateway, listing *list, const char *path,
                      const struct stat *status)
{
    if (!list->wants_text)
        return true;
    bake_input_list kept = {.path = path,
                            .suffixes = list->suffixes,
                            .has_links = list->has_links,
                            .is_listed = true,
                            .state = bake_file_state_of(status),
                            .size = list->text.size};
    char *text = list->text.data;
    list->text = (name_text){0};
    return bake_gateway_keep_list(gateway, &kept, text);
}

static bool list_one(bake_gateway *gateway, listing *list, const char *path)
{
    struct stat status;
    used_path *used = bake_gateway_record(gateway, path, BAKE_USE_MISSING);
    if (!used)
        return false;
    bool done = scan(list, bake_gateway_open(gateway, path, O_DIRECTORY), path, &status);
    bake_gateway_note_kind(used, done ? BAKE_PATH_FOLDER : bake_path_kind_of_error(errno));
    return done && bake_gateway_record(gateway, path, BAKE_USE_LISTED) &&
           bake_gateway_add_listed(gateway, path, list->suffixes, &status, list->sum) &&
           keep_list(gateway, list, path, &status);
}

static void listing_fini(listing *list)
{
    names_fini(&list->files);
    names_fini(&list->folders);
    bake_free(list->failed);
    bake_free(list->text.data);
}

bool bake_gateway_sum_names(const bake_gateway *gateway, const input_folder *folder,
                            uint64_t *ret_names)
{
    struct stat status;
    listing list = {.suffixes = (const char *const *)folder->suffixes};
    bool done =
        scan(&list, bake_gateway_open(gateway, folder->path, O_DIRECTORY), folder->path, &status);
    *ret_names = list.sum;
    listing_fini(&list);
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
    const bake_listing_def def = {.folder = folder, .suffixes = suffixes};
    return bake_gateway_list_some(gateway, &def, ret_count, reterr_path);
}

const char *const *bake_gateway_list_some(bake_gateway *gateway, const bake_listing_def *def,
                                          size_t *ret_count, const char **reterr_path)
{
    const char *folder = def->folder;
    listing list = {.suffixes = def->suffixes,
                    .wants_text = gateway->keeps_details,
                    .reverses = gateway->reverses_folders,
                    .def = def};
    const char *failed = NULL;
    /* Allocate even for an empty list, because NULL means failure. */
    list.files.items = bake_grow(NULL, &list.files.capacity, 1, sizeof *list.files.items);
    bool done =
        list.files.items && names_add(&list.folders, bake_copy_text(folder, strlen(folder)));
    if (!list.files.items)
        errno = ENOMEM;
    for (size_t i = 0; done && i < list.folders.count; i++) {
        /* A subfolder that another process has removed in the meantime has no files. */
        done = list_one(gateway, &list, list.folders.items[i]) || (i > 0 && errno == ENOENT);
        if (!done)
            failed = failed_path(gateway, &list, i);
    }
    names_sort(&list.files);
    done = done && own_names(gateway, &list.files);
    int error = errno;
    names files = list.files;
    list.files = (names){0};
    listing_fini(&list);
    if (!done) {
        names_fini(&files);
        if (reterr_path)
            *reterr_path = failed ? failed : folder;
        errno = error;
        return NULL;
    }
    *ret_count = files.count;
    return (const char *const *)files.items;
}

/* Reads the names in an open folder, except those that begin with a dot, and closes it. Returns
 * false with errno set. */
static bool scan_names(int file, size_t most, bool reverses, names *found,
                       bake_file_state *ret_state)
{
    struct stat status;
    DIR *opened = file >= 0 && fstat(file, &status) == 0 ? fdopendir(file) : NULL;
    int error = errno;
    if (!opened && file >= 0)
        close(file);
    errno = error;
    if (!opened)
        return false;
    *ret_state = bake_file_state_of(&status);
    bool done = read_names(opened, most, reverses, found);
    error = errno;
    closedir(opened);
    for (size_t i = 0; i < found->count; i++)
        memmove(found->items[i], found->items[i] + 1, strlen(found->items[i]));
    errno = error;
    return done;
}

/* Makes the text of a list from the names that were found. Returns false with errno ENOMEM. */
static bool make_text(const names *found, name_text *text)
{
    for (size_t i = 0; i < found->count; i++)
        if (!text_add(text, 'n', found->items[i])) {
            bake_free(text->data);
            return false;
        }
    return true;
}

/* Adds names that were read for hints to the details; NULL: they could not be read. Returns false
 * with errno ENOMEM. */
static bool keep_names(bake_gateway *gateway, const char *folder, size_t most, const names *found,
                       const bake_file_state *state)
{
    name_text text = {0};
    bake_input_list kept = {.path = folder, .most = most, .is_listed = found != NULL};
    if (!gateway->keeps_details)
        return true;
    if (found && !make_text(found, &text))
        return false;
    if (found)
        kept.state = *state;
    kept.size = text.size;
    return bake_gateway_keep_list(gateway, &kept, text.data);
}

const char *const *bake_gateway_names(bake_gateway *gateway, const char *folder, size_t most,
                                      size_t *ret_count)
{
    names found = {0};
    bake_file_state state;
    /* Allocate even for an empty list, because NULL means failure. */
    found.items = bake_grow(NULL, &found.capacity, 1, sizeof *found.items);
    if (!found.items) {
        errno = ENOMEM;
        return NULL;
    }
    bool done = scan_names(bake_gateway_open(gateway, folder, O_DIRECTORY), most,
                           gateway->reverses_folders, &found, &state);
    int error = errno;
    if (done || error != ENOMEM) {
        bool kept = keep_names(gateway, folder, most, done ? &found : NULL, &state);
        error = kept ? error : ENOMEM;
        done = done && kept;
    }
    if (done && !own_names(gateway, &found)) {
        error = ENOMEM;
        done = false;
    }
    if (!done) {
        names_fini(&found);
        errno = error;
        return NULL;
    }
    *ret_count = found.count;
    return (const char *const *)found.items;
}

static int open_folder(const char *path)
{
    int file;
    do
        file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY);
    while (file < 0 && errno == EINTR);
    return file;
}

static bool list_hints(bake_input_list *list, name_text *text)
{
    names found = {0};
    list->is_listed = scan_names(open_folder(list->path), list->most, false, &found, &list->state);
    bool done = list->is_listed ? make_text(&found, text) : errno != ENOMEM;
    list->scanned = found.scanned;
    names_fini(&found);
    return done;
}

static bool list_inputs(bake_input_list *list, name_text *text)
{
    struct stat status;
    listing listed = {.suffixes = list->suffixes, .wants_text = true};
    list->is_listed = scan(&listed, open_folder(list->path), list->path, &status);
    bool done = list->is_listed || errno != ENOMEM;
    list->scanned = listed.scanned;
    if (list->is_listed) {
        list->state = bake_file_state_of(&status);
        list->has_links = listed.has_links;
        *text = listed.text;
        listed.text = (name_text){0};
    }
    listing_fini(&listed);
    return done;
}

bool bake_list_names(bake_input_list *list, char **ret_names)
{
    name_text text = {0};
    list->state = (bake_file_state){0};
    if (!(list->most ? list_hints : list_inputs)(list, &text))
        return false;
    list->names = text.data;
    list->size = text.size;
    *ret_names = text.data;
    return true;
}
