#include "resource_store.h"

#include "bake_table.h"

#include <errno.h>
#include <string.h>

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
    bake_place_set_fini(&paths->places);
    bake_free(paths->all);
    bake_table_fini(&paths->by_text);
    bake_free(paths->atlases);
    bake_table_fini(&paths->atlases_by_file);
    bake_free(paths);
}

/* Takes `.`, `..` and empty parts out of a path and writes it to `out`, where it is not NULL, with
 * a slash in front and at the end where it has one there. False where it leaves its root. */
static bool clean(const char *text, size_t length, char *out)
{
    size_t at = 0, depth = 0, kept = 0;
    if (out && length > 0 && text[0] == '/')
        out[kept++] = '/';
    size_t first = kept;
    while (at < length) {
        const char *slash = memchr(text + at, '/', length - at);
        size_t end = slash ? (size_t)(slash - text) : length, size = end - at;
        if (size == 2 && memcmp(text + at, "..", 2) == 0) {
            if (depth-- == 0)
                return false;
            while (out && kept > first && out[--kept] != '/')
                continue;
        } else if (size > 0 && (size != 1 || text[at] != '.')) {
            depth++;
            if (out && kept > first)
                out[kept++] = '/';
            if (out)
                memcpy(out + kept, text + at, size);
            kept += out ? size : 0;
        }
        at = end + 1;
    }
    if (out && kept > first && text[length - 1] == '/')
        out[kept++] = '/';
    if (out)
        out[kept] = '\0';
    return true;
}

const char *bake_resource_wrong(const char *text, size_t length)
{
    if (length > BAKE_RESOURCE_LENGTH_MAX)
        return "is longer than the maximum of 4,095 bytes for a path";
    if (memchr(text, '\\', length))
        return "has a backslash: separate the parts of a path with /";
    return clean(text, length, NULL) ? NULL : "leads out of the folder where it starts";
}

typedef struct path_key {
    const bake_resource *resource;
    text_key text;
} path_key;

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

static bool make_room(bake_resource_paths *paths)
{
    bake_resource_path **all =
        bake_grow(paths->all, &paths->capacity, paths->count + 1, sizeof *all);
    if (all)
        paths->all = all;
    return all && bake_table_reserve(&paths->by_text);
}

/* `a`/`b`, where both are there. NULL when memory ran out, or for a NULL. */
static const char *join_path(bake_store *store, const char *a, const char *b)
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

const char *bake_resource_join(bake_resource_paths *paths, const char *root, const char *rest)
{
    bake_store *store = &paths->store;
    const char *path = join_path(store, paths->base, strcmp(root, ".") == 0 ? "" : root);
    path = join_path(store, path, rest + (*rest == '/'));
    /* So that `-` is no standard input. */
    if (path && *path == '-')
        path = join_path(store, ".", path);
    return path && !*path ? "." : path;
}

static bool fits(bake_resource_is is, bake_there there)
{
    return (there == BAKE_THERE_FILE && is != BAKE_RESOURCE_FOLDER) ||
           (there == BAKE_THERE_FOLDER && is != BAKE_RESOURCE_FILE);
}

/* False after noting why that is unknown. */
static bool look_at(bake_resource_paths *paths, const char *file, bake_there *ret_there)
{
    *ret_there = bake_gateway_look(paths->def.gateway, file);
    if (*ret_there != BAKE_THERE_UNKNOWN)
        return true;
    paths->error = errno;
    paths->unknown = file;
    return false;
}

/* Looks in one root; false when memory ran out, or after noting why that is unknown. */
static bool look(bake_resource_paths *paths, bake_resource_path *path, const char *root)
{
    const char *file = bake_resource_join(paths, root, path->clean);
    bake_there there;
    if (!file || !look_at(paths, file, &there))
        return false;
    if (there == BAKE_THERE_NOTHING)
        return true;
    path->root = root;
    path->there = there;
    path->problem = PROBLEM_OTHER_KIND;
    if (!fits(path->resource->is, there))
        return true;
    if (path->resource->states_file) {
        const char *states = join_path(&paths->store, file, path->resource->states_file);
        path->problem = PROBLEM_NO_STATES;
        if (!states || !look_at(paths, states, &there))
            return false;
        if (there != BAKE_THERE_FILE)
            return true;
        file = states;
    }
    path->problem = PROBLEM_NONE;
    path->found = file;
    return true;
}

static bake_absence outcome(const bake_resource_paths *paths, const bake_resource *resource)
{
    if (paths->def.mode == BAKE_RESOURCES_SCHEMA)
        return resource->missing;
    return (bake_absence)(paths->def.mode - BAKE_RESOURCES_ERROR);
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
    /* Whether it is there makes no difference then. */
    bool is_wanted = outcome(paths, resource) != BAKE_ABSENT_ACCEPT || resource->names;
    for (uint32_t i = 0; path->text && is_wanted && !path->found && i < resource_roots(path); i++)
        if (!look(paths, path, resource_root(path, i)))
            return NULL;
    return path->text ? path : NULL;
}

bake_resource_path *bake_resource_find(bake_resource_paths *paths, const bake_resource *resource,
                                       const char *text, size_t length)
{
    if (!make_room(paths))
        return NULL;
    hash_slot *slot =
        paths_by_text_slot(&paths->by_text, paths, (path_key){resource, {text, length}});
    if (!hash_slot_is_empty(slot))
        return paths->all[hash_slot_number(slot)];
    bake_resource_path *path = make(paths, resource, text, length);
    if (!path)
        return NULL;
    path->number = (uint32_t)paths->count;
    paths->all[paths->count] = path;
    hash_table_put(&paths->by_text, slot, (uint32_t)paths->count++);
    return path;
}

bake_result bake_resource_fail(const bake_resource_paths *paths, bake_failure *failure)
{
    errno = paths->error;
    return paths->unknown ? bake_fail_errno(failure, "look at", paths->unknown)
                          : bake_fail_memory(failure);
}

bool bake_resource_is_missing(const bake_resource_paths *paths, const bake_resource_path *path,
                              bake_severity *ret_severity)
{
    bake_absence is = outcome(paths, path->resource);
    *ret_severity = is == BAKE_ABSENT_WARN ? BAKE_WARNING : BAKE_ERROR;
    return path->problem && is != BAKE_ABSENT_ACCEPT;
}

bool bake_resource_note(bake_resource_paths *paths, bake_resource_path *path, bake_mark mark,
                        const char *value)
{
    bake_severity severity;
    bool is_new;
    if (!bake_place_set_add(&paths->places, path->number, mark, &is_new))
        return false;
    if (!is_new)
        return true;
    bake_resource_is_missing(paths, path, &severity);
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
