/* Resource paths: finds files and folders, reads atlas states, and reports missing paths. Each
 * missing path is reported once, at its first use.
 *
 * A path is looked up once for each path type, since types have different roots. If the system
 * refuses the lookup, for example because permission is denied, the run fails, because the path may
 * or may not exist.
 *
 * An atlas is read once. Its key is the file and the path of the names in that file, since two
 * types can use different names from one file. A missing path gets an atlas without known names, so
 * that its states are not reported as well. */
#include "resource_path.h"

#include "bake_table.h"
#include "excerpt.h"
#include "gateway_users.h"
#include "hash_table.h"
#include "location_set.h"
#include "similar.h"
#include "utf8.h"

#include <errno.h>
#include <string.h>

typedef enum resource_problem {
    PROBLEM_NONE,
    PROBLEM_NOTHING,    /* no file or folder exists at the path */
    PROBLEM_OTHER_KIND, /* for example, a folder where a file is expected */
    PROBLEM_NO_STATES   /* the folder of an atlas lacks the file with the states */
} resource_problem;

struct bake_resource_path {
    const bake_resource *resource;
    const char *text;
    const char *clean; /* relative to a root, without `.` and `..` */
    size_t length;
    const char *found; /* relative to the current folder; NULL: not found */
    resource_problem problem;
    bake_path_kind there; /* with PROBLEM_OTHER_KIND: what exists instead */
    const char *root;     /* the root with the problem */
    const char *value;    /* if missing: the first value with this path */
    bake_mark mark;
    size_t count;    /* if missing: number of values with this path */
    uint32_t number; /* index among all paths */
    bake_atlas *atlas;
    bake_use_range uses; /* of the paths that were looked up */
};

/* An atlas, identified by its file and the path of the names in it. */
typedef struct known_atlas {
    bake_atlas *atlas;
    const char *names_text;
} known_atlas;

struct bake_resource_paths {
    bake_resource_paths_def def;
    const char *base; /* "": the current folder */
    bake_store store;
    bake_resource_path **all;
    size_t count, capacity;
    hash_table by_text;       /* key: resource and text */
    bake_location_set places; /* uses of missing paths */
    known_atlas *atlases;
    size_t atlas_count, atlas_capacity;
    hash_table atlases_by_file; /* key: file and names_text */
    size_t errors;
    const char *unknown; /* the path that the system refused to look up; NULL: none */
    int error;           /* its errno */
};

/* The roots to search for the path, by index. An absolute path has only one. */
static uint32_t resource_roots(const bake_resource_path *path)
{
    return path->text[0] == '/' ? 1 : path->resource->root_count;
}

static const char *resource_root(const bake_resource_path *path, uint32_t i)
{
    return path->text[0] == '/' ? path->resource->absolute : path->resource->roots[i];
}

bake_resource_paths *bake_resource_paths_create(const bake_resource_paths_def *def)
{
    bake_resource_paths *paths = bake_alloc_array(1, sizeof *paths);
    if (!paths)
        return NULL;
    paths->def = *def;
    const char *base = def->base && strcmp(def->base, ".") != 0 ? def->base : "";
    size_t length = strlen(base);
    while (length > 1 && base[length - 1] == '/')
        length--;
    paths->base = bake_store_text(&paths->store, base, length);
    if (paths->base)
        return paths;
    bake_resource_paths_destroy(paths);
    return NULL;
}

void bake_resource_paths_destroy(bake_resource_paths *paths)
{
    if (!paths)
        return;
    for (size_t i = 0; i < paths->atlas_count; i++)
        bake_free(paths->atlases[i].atlas->names);
    bake_store_fini(&paths->store);
    bake_location_set_fini(&paths->places);
    bake_free(paths->all);
    bake_table_fini(&paths->by_text);
    bake_free(paths->atlases);
    bake_table_fini(&paths->atlases_by_file);
    bake_free(paths);
}

/* Writes the path without `.`, `..` and empty components to `out`, which may be NULL. Leading and
 * trailing slashes are preserved. Returns false if the path leaves its root. Does not resolve
 * symbolic links, so that the result is the same on every machine. */
static bool clean(const char *text, size_t length, char *out)
{
    size_t at = 0, depth = 0, length_out = 0;
    if (out && length > 0 && text[0] == '/')
        out[length_out++] = '/';
    size_t first = length_out;
    while (at < length) {
        const char *slash = memchr(text + at, '/', length - at);
        size_t end = slash ? (size_t)(slash - text) : length, size = end - at;
        if (size == 2 && memcmp(text + at, "..", 2) == 0) {
            if (depth-- == 0)
                return false;
            while (out && length_out > first && out[--length_out] != '/')
                continue;
        } else if (size > 0 && (size != 1 || text[at] != '.')) {
            depth++;
            if (out && length_out > first)
                out[length_out++] = '/';
            if (out)
                memcpy(out + length_out, text + at, size);
            length_out += out ? size : 0;
        }
        at = end + 1;
    }
    if (out && length_out > first && text[length - 1] == '/')
        out[length_out++] = '/';
    if (out)
        out[length_out] = '\0';
    return true;
}

const char *bake_resource_path_error(const char *text, size_t length)
{
    if (length > BAKE_RESOURCE_LENGTH_MAX)
        return "is longer than the maximum of 4,095 bytes for a path";
    if (memchr(text, '\\', length))
        return "contains a backslash: use / to separate folders";
    return clean(text, length, NULL) ? NULL : "leaves the folder in which it starts";
}

typedef struct path_key {
    const bake_resource *resource;
    text_key text;
} path_key;

/* Resources are identified by address: each path type has its own. */
static uint32_t hash_of_path(const hash_table *table, path_key key)
{
    uint64_t seed = table->seed ^ (uint64_t)(uintptr_t)key.resource;
    return (uint32_t)kiln_hash64(key.text.text, key.text.length, seed);
}

static bool is_path(const bake_resource_paths *paths, uint32_t number, path_key key)
{
    const bake_resource_path *other = paths->all[number];
    return other->resource == key.resource && other->length == key.text.length &&
           memcmp(other->text, key.text.text, key.text.length) == 0;
}

HASH_TABLE(paths_by_text, const bake_resource_paths *, path_key, hash_of_path, is_path)

/* Returns `a/b`, or just one of them if the other is empty. Returns NULL if memory runs out, or if
 * `a` is NULL. */
static const char *join_paths(bake_store *store, const char *a, const char *b)
{
    if (!a || !*b)
        return a;
    size_t length = strlen(a), more = strlen(b), slash = length > 0 && a[length - 1] != '/';
    char *joined = bake_store_alloc(store, length + slash + more + 1, 1);
    if (!joined)
        return NULL;
    memcpy(joined, a, length);
    joined[length] = '/';
    memcpy(joined + length + slash, b, more);
    return joined;
}

/* Returns `rest` in a root as a path relative to the current folder, or NULL if memory runs out. */
static const char *path_in_root(bake_resource_paths *paths, const char *root, const char *rest)
{
    bake_store *store = &paths->store;
    const char *path = join_paths(store, paths->base, strcmp(root, ".") == 0 ? "" : root);
    path = join_paths(store, path, rest + (*rest == '/'));
    /* A leading `-` could mean standard input. */
    if (path && *path == '-')
        path = join_paths(store, ".", path);
    return path && !*path ? "." : path;
}

static bool fits(bake_resource_kind is, bake_path_kind there)
{
    return (there == BAKE_PATH_FILE && is != BAKE_RESOURCE_FOLDER) ||
           (there == BAKE_PATH_FOLDER && is != BAKE_RESOURCE_FILE);
}

/* Gets the kind of file at a path, which may be missing. Returns false after storing the system
 * error. */
static bool check_exists(bake_resource_paths *paths, const char *file, bake_path_kind *ret_there)
{
    *ret_there = bake_gateway_path_kind(paths->def.gateway, file);
    if (*ret_there != BAKE_PATH_UNKNOWN)
        return true;
    paths->error = errno;
    paths->unknown = file;
    return false;
}

/* Looks up a path in one root. Returns false if memory runs out, or after storing a system error.
 * If the name does not exist in this root, keeps the problem of an earlier root, so that the report
 * shows what exists there. */
static bool look_in_root(bake_resource_paths *paths, bake_resource_path *path, const char *root)
{
    const char *file = path_in_root(paths, root, path->clean);
    bake_path_kind there;
    if (!file || !check_exists(paths, file, &there))
        return false;
    if (there == BAKE_PATH_MISSING)
        return true;
    path->root = root;
    path->there = there;
    path->problem = PROBLEM_OTHER_KIND;
    if (!fits(path->resource->is, there))
        return true;
    if (path->resource->states_file) {
        const char *states = join_paths(&paths->store, file, path->resource->states_file);
        path->problem = PROBLEM_NO_STATES;
        if (!states || !check_exists(paths, states, &there))
            return false;
        if (there != BAKE_PATH_FILE)
            return true;
        file = states;
    }
    path->problem = PROBLEM_NONE;
    path->found = file;
    return true;
}

/* Returns how to treat a missing path. The option of the run overrides the schema. The values of
 * bake_resources after SCHEMA are in the order of bake_missing_action. */
static bake_missing_action missing_action_of(const bake_resource_paths *paths,
                                             const bake_resource *resource)
{
    if (paths->def.mode == BAKE_RESOURCES_SCHEMA)
        return resource->missing;
    return (bake_missing_action)(paths->def.mode - BAKE_RESOURCES_ERROR);
}

static bake_resource_path *make(bake_resource_paths *paths, const bake_resource *resource,
                                const char *text, size_t length)
{
    bake_store *store = &paths->store;
    bake_resource_path *path = bake_store_alloc(store, 1, sizeof *path);
    char *cleaned = bake_store_alloc(store, length + 1, 1);
    if (!path || !cleaned)
        return NULL;
    clean(text, length, cleaned);
    path->resource = resource;
    path->text = bake_store_text(store, text, length);
    path->length = length;
    path->clean = cleaned;
    path->problem = PROBLEM_NOTHING;
    /* Skip the lookup if missing files are accepted and the file would not be read. */
    bool is_wanted = missing_action_of(paths, resource) != BAKE_MISSING_ACCEPT || resource->names;
    for (uint32_t i = 0; path->text && is_wanted && !path->found && i < resource_roots(path); i++)
        if (!look_in_root(paths, path, resource_root(path, i)))
            return NULL;
    return path->text ? path : NULL;
}

bake_resource_path *bake_resource_find(bake_resource_paths *paths, const bake_resource *resource,
                                       const char *text, size_t length)
{
    bake_resource_path **all = bake_table_grow_rows(&paths->by_text, paths->all, &paths->capacity,
                                                    paths->count, sizeof *all);
    if (!all)
        return NULL;
    paths->all = all;
    hash_slot *slot =
        paths_by_text_slot(&paths->by_text, paths, (path_key){resource, {text, length}});
    if (!hash_slot_is_empty(slot)) {
        bake_resource_path *known = paths->all[hash_slot_number(slot)];
        bake_gateway_use_again(paths->def.gateway, known->uses);
        return known;
    }
    size_t first = bake_gateway_path_use_count(paths->def.gateway);
    bake_resource_path *path = make(paths, resource, text, length);
    if (!path)
        return NULL;
    path->uses = (bake_use_range){first, bake_gateway_path_use_count(paths->def.gateway)};
    path->number = (uint32_t)paths->count;
    paths->all[paths->count] = path;
    hash_table_put(&paths->by_text, slot, (uint32_t)paths->count++);
    return path;
}

bake_result bake_resource_fail(const bake_resource_paths *paths, bake_failure *failure)
{
    errno = paths->error;
    return paths->unknown ? bake_fail_errno(failure, "access", paths->unknown)
                          : bake_fail_memory(failure);
}

bool bake_resource_is_missing(const bake_resource_paths *paths, const bake_resource_path *path,
                              bake_severity *ret_severity)
{
    bake_missing_action is = missing_action_of(paths, path->resource);
    *ret_severity = is == BAKE_MISSING_WARN ? BAKE_WARNING : BAKE_ERROR;
    return path->problem && is != BAKE_MISSING_ACCEPT;
}

bool bake_resource_note(bake_resource_paths *paths, bake_resource_path *path, bake_mark mark,
                        const char *value)
{
    bake_severity severity;
    bool is_new;
    if (!bake_location_set_add(&paths->places, path->number, mark, &is_new))
        return false;
    if (!is_new)
        return true;
    bake_resource_is_missing(paths, path, &severity);
    /* Count each path as one error, however often it is used. */
    paths->errors += path->count == 0 && severity == BAKE_ERROR;
    if (path->count++ > 0 && !bake_mark_is_before(mark, path->mark))
        return true;
    path->mark = mark;
    path->value = bake_store_text(&paths->store, value, strlen(value));
    return path->value != NULL;
}

size_t bake_resource_errors(const bake_resource_paths *paths)
{
    return paths->errors;
}

const char *bake_resource_text(const bake_resource_path *path)
{
    return path->text;
}

uint32_t bake_resource_number(const bake_resource_path *path)
{
    return path->number;
}

/* ---- reports of missing resources ---- */

/* More hints are not useful, and comparing all names of a large folder is slow. */
enum { HINTS_MAX = 100, HINT_NAMES_MAX = 4096 };
enum { ROOTS_SHOWN = 4 };
enum { QUOTE_MAX = 200, QUOTE_SIZE = QUOTE_MAX + 8 };

static const char *quote(char out[QUOTE_SIZE], const char *text)
{
    size_t length = strlen(text), kept = utf8_cut(text, length, QUOTE_MAX);
    snprintf(out, QUOTE_SIZE, "\"%.*s%s\"", (int)kept, text, kept < length ? "..." : "");
    return out;
}

/* Formats the roots as `"a", "b" or "c"`. */
static void list_roots(const bake_resource_path *path, char *out, size_t size)
{
    uint32_t count = resource_roots(path), shown = count < ROOTS_SHOWN ? count : ROOTS_SHOWN;
    size_t at = 0;
    for (uint32_t i = 0; i < shown && at < size; i++) {
        const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        char root[QUOTE_SIZE];
        at += (size_t)snprintf(out + at, size - at, "%s%s", between,
                               quote(root, resource_root(path, i)));
    }
    if (shown < count && at < size)
        snprintf(out + at, size - at, " or %u more", count - shown);
}

static const char *expected_kind(const bake_resource_path *path)
{
    static const char *const words[] = {"file", "folder", "file or folder"};
    return words[path->resource->is];
}

static void report_one(bake_resource_paths *paths, const bake_resource_path *path,
                       bake_severity severity)
{
    char text[QUOTE_SIZE], root[QUOTE_SIZE], more[BAKE_PLACES_SIZE],
        roots[ROOTS_SHOWN * QUOTE_SIZE + 80];
    bake_diagnostics *d = paths->def.diagnostics;
    bake_places_text(more, path->count);
    quote(text, path->text);
    if (path->problem == PROBLEM_NO_STATES) {
        char file[QUOTE_SIZE];
        bake_report(d, severity, path->mark, "resource", path->value,
                    "%s in %s lacks the states file %s%s", text, quote(root, path->root),
                    quote(file, path->resource->states_file), more);
    } else if (path->problem == PROBLEM_OTHER_KIND) {
        const char *is = path->there == BAKE_PATH_FILE     ? "a file"
                         : path->there == BAKE_PATH_FOLDER ? "a folder"
                                                           : "a device or pipe";
        bake_report(d, severity, path->mark, "resource", path->value, "%s in %s is %s, not a %s%s",
                    text, quote(root, path->root), is, expected_kind(path), more);
    } else {
        list_roots(path, roots, sizeof roots);
        bake_report(d, severity, path->mark, "resource", path->value,
                    "cannot find the %s %s in %s%s", expected_kind(path), text, roots, more);
    }
}

/* Returns the length of the longest prefix of the path that is an existing folder, or SIZE_MAX if
 * the root does not exist. */
static size_t depth_in(bake_resource_paths *paths, const char *rest, const char *root)
{
    const char *folder = path_in_root(paths, root, "");
    size_t depth = SIZE_MAX;
    for (size_t length = 0;; length++) {
        if (!folder || bake_gateway_path_kind(paths->def.gateway, folder) != BAKE_PATH_FOLDER)
            return depth;
        depth = length;
        length += strcspn(rest + length, "/");
        if (!rest[length])
            return depth;
        const char *part = bake_store_text(&paths->store, rest, length);
        folder = part ? path_in_root(paths, root, part) : NULL;
    }
}

/* Returns the root with the longest existing prefix of the path, and its length; NULL if no root
 * exists. */
static const char *deepest_root(bake_resource_paths *paths, const bake_resource_path *path,
                                const char *rest, size_t *ret_depth)
{
    const char *root = NULL;
    *ret_depth = 0;
    for (uint32_t i = 0; i < resource_roots(path); i++) {
        size_t depth = depth_in(paths, rest, resource_root(path, i));
        if (depth == SIZE_MAX || (root && depth <= *ret_depth))
            continue;
        root = resource_root(path, i);
        *ret_depth = depth;
    }
    return root;
}

/* Returns a name in the folder that is similar to the missing one, or NULL. */
static const char *similar_name(bake_resource_paths *paths, const char *root, const char *rest,
                                size_t depth)
{
    size_t count;
    const char *before = bake_store_text(&paths->store, rest, depth);
    const char *folder = before ? path_in_root(paths, root, before) : NULL;
    const char *const *names =
        folder ? bake_gateway_names(paths->def.gateway, folder, HINT_NAMES_MAX, &count) : NULL;
    return names ? bake_most_similar(rest + depth, strcspn(rest + depth, "/"), names, count) : NULL;
}

static bool exists(bake_resource_paths *paths, const char *root, const char *rest)
{
    const char *file = path_in_root(paths, root, rest);
    return file && bake_gateway_path_kind(paths->def.gateway, file) != BAKE_PATH_MISSING;
}

/* Adds a hint if only the start of the path is wrong: the path repeats the name of the root, or a
 * leading slash is superfluous or missing. */
static bool hint_start(bake_resource_paths *paths, const bake_resource_path *path, const char *rest)
{
    const bake_resource *of = path->resource;
    char text[QUOTE_SIZE], whole[QUOTE_SIZE];
    const char *meant = NULL, *slash = "";
    for (uint32_t i = 0; i < of->root_count && !meant; i++) {
        size_t length = strlen(of->roots[i]);
        if (strncmp(rest, of->roots[i], length) == 0 && rest[length] == '/' &&
            exists(paths, of->roots[i], rest + length + 1))
            meant = rest + length + 1;
        else if (*path->clean == '/' && exists(paths, of->roots[i], rest))
            meant = rest;
    }
    if (!meant && *path->clean != '/' && exists(paths, of->absolute, rest)) {
        meant = rest;
        slash = "/";
    }
    if (!meant)
        return false;
    snprintf(whole, sizeof whole, "%s%.*s", slash, QUOTE_MAX, meant);
    bake_hint(paths->def.diagnostics, "did you mean %s?", quote(text, whole));
    return true;
}

static void hint(bake_resource_paths *paths, const bake_resource_path *path)
{
    bake_diagnostics *d = paths->def.diagnostics;
    bool is_absolute = *path->clean == '/';
    const char *rest = path->clean + is_absolute;
    char text[QUOTE_SIZE], whole[BAKE_RESOURCE_LENGTH_MAX + 256 + 8];
    size_t depth;
    if (hint_start(paths, path, rest))
        return;
    const char *root = deepest_root(paths, path, rest, &depth);
    if (!root) {
        bake_hint(d, "the folder %s does not exist in %s", quote(text, resource_root(path, 0)),
                  *paths->base ? paths->base : "the current folder");
        return;
    }
    const char *name = similar_name(paths, root, rest, depth);
    if (!name)
        return;
    const char *tail = rest + depth + strcspn(rest + depth, "/");
    int length =
        snprintf(whole, sizeof whole, "%s%.*s%s", is_absolute ? "/" : "", (int)depth, rest, name);
    snprintf(whole + length, sizeof whole - (size_t)length, "%s", tail);
    /* Show the rest of the path as well if the corrected path exists. */
    const char *file = path_in_root(paths, root, whole);
    if (!file || bake_gateway_path_kind(paths->def.gateway, file) == BAKE_PATH_MISSING)
        whole[length] = '\0';
    bake_hint(d, "did you mean %s?", quote(text, whole));
}

void bake_resource_report(bake_resource_paths *paths)
{
    size_t hints = 0;
    for (size_t i = 0; i < paths->count; i++) {
        bake_resource_path *path = paths->all[i];
        bake_severity severity;
        if (path->count == 0 || !bake_resource_is_missing(paths, path, &severity))
            continue;
        report_one(paths, path, severity);
        if (path->problem == PROBLEM_NOTHING && hints++ < HINTS_MAX)
            hint(paths, path);
        bake_location_set_report(&paths->places, path->number, paths->def.diagnostics);
    }
}

/* ---- atlases, each read once ---- */

typedef struct atlas_key {
    const char *file, *names_text;
} atlas_key;

/* Hash only the file: hardly any file is an atlas of two types. */
static uint32_t hash_of_atlas(const hash_table *table, atlas_key key)
{
    return hash_of_text(table, (text_key){key.file, strlen(key.file)});
}

static bool is_atlas(const bake_resource_paths *paths, uint32_t number, atlas_key key)
{
    const known_atlas *other = &paths->atlases[number];
    return strcmp(other->atlas->file, key.file) == 0 &&
           strcmp(other->names_text, key.names_text) == 0;
}

HASH_TABLE(atlases_by_file, const bake_resource_paths *, atlas_key, hash_of_atlas, is_atlas)

/* Returns the atlas of a path, read once for each file and path of names, or NULL if memory runs
 * out. */
static bake_atlas *find_atlas(bake_resource_paths *paths, const bake_resource_path *path)
{
    const bake_resource *resource = path->resource;
    if (!path->found)
        return bake_store_alloc(&paths->store, 1, sizeof(bake_atlas));
    known_atlas *atlases =
        bake_table_grow_rows(&paths->atlases_by_file, paths->atlases, &paths->atlas_capacity,
                             paths->atlas_count, sizeof *atlases);
    if (!atlases)
        return NULL;
    paths->atlases = atlases;
    hash_slot *slot = atlases_by_file_slot(&paths->atlases_by_file, paths,
                                           (atlas_key){path->found, resource->names_text});
    if (!hash_slot_is_empty(slot))
        return paths->atlases[hash_slot_number(slot)].atlas;
    bake_atlas *atlas = bake_store_alloc(&paths->store, 1, sizeof *atlas);
    if (!atlas)
        return NULL;
    atlas->file = path->found;
    if (!bake_atlas_read(atlas, resource, paths->def.gateway, paths->def.diagnostics,
                         &paths->store))
        return NULL;
    paths->atlases[paths->atlas_count] = (known_atlas){atlas, resource->names_text};
    hash_table_put(&paths->atlases_by_file, slot, (uint32_t)paths->atlas_count++);
    return atlas;
}

const bake_atlas *bake_resource_atlas(bake_resource_paths *paths, bake_resource_path *path)
{
    if (!path->atlas)
        path->atlas = find_atlas(paths, path);
    if (path->atlas && path->atlas->file)
        bake_gateway_use_path_again(paths->def.gateway, path->atlas->file);
    return path->atlas;
}
