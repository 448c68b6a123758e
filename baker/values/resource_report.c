/* Paths of resources that lead nowhere: each is reported once, at the first of its places. */
#include "gateway.h"
#include "resource_store.h"
#include "utf8.h"

#include "excerpt.h"
#include "similar.h"

#include <string.h>

/* Beyond so many hints help no reader, and in larger folders a look at each name takes long. */
enum { HINTS_MAX = 100, HINT_NAMES_MAX = 4096 };
enum { ROOTS_SHOWN = 4 };
enum { QUOTE_MAX = 200, QUOTE_SIZE = QUOTE_MAX + 8 };

static const char *quote(char out[QUOTE_SIZE], const char *text)
{
    size_t length = strlen(text), kept = utf8_cut(text, length, QUOTE_MAX);
    snprintf(out, QUOTE_SIZE, "\"%.*s%s\"", (int)kept, text, kept < length ? "..." : "");
    return out;
}

/* `"a", "b" or "c"` */
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

static const char *wanted(const bake_resource_path *path)
{
    static const char *const words[] = {"file", "folder", "file or folder"};
    return words[path->resource->is];
}

static void report_one(bake_resource_paths *paths, const bake_resource_path *path,
                       bake_severity severity)
{
    char text[QUOTE_SIZE], root[QUOTE_SIZE], more[64] = "", roots[ROOTS_SHOWN * QUOTE_SIZE + 80];
    bake_diagnostics *d = paths->def.diagnostics;
    if (path->count > 1)
        snprintf(more, sizeof more, ", here and in %zu more place%s", path->count - 1,
                 path->count == 2 ? "" : "s");
    quote(text, path->text);
    if (path->problem == PROBLEM_NO_STATES) {
        char file[QUOTE_SIZE];
        bake_report(d, severity, path->mark, "resource", path->value,
                    "%s in %s has no file %s with its states%s", text, quote(root, path->root),
                    quote(file, path->resource->states_file), more);
    } else if (path->problem == PROBLEM_OTHER_KIND) {
        const char *is = path->there == BAKE_THERE_FILE     ? "a file"
                         : path->there == BAKE_THERE_FOLDER ? "a folder"
                                                            : "a device or pipe";
        bake_report(d, severity, path->mark, "resource", path->value, "%s in %s is %s, not a %s%s",
                    text, quote(root, path->root), is, wanted(path), more);
    } else {
        list_roots(path, roots, sizeof roots);
        bake_report(d, severity, path->mark, "resource", path->value,
                    "cannot find the %s %s in %s%s", wanted(path), text, roots, more);
    }
}

/* The bytes of a path that lead to a folder; SIZE_MAX where the root is none. */
static size_t depth_in(bake_resource_paths *paths, const char *rest, const char *root)
{
    const char *folder = bake_resource_join(paths, root, "");
    size_t depth = SIZE_MAX;
    for (size_t length = 0;; length++) {
        if (!folder || bake_gateway_look(paths->def.gateway, folder) != BAKE_THERE_FOLDER)
            return depth;
        depth = length;
        length += strcspn(rest + length, "/");
        if (!rest[length])
            return depth;
        const char *part = bake_store_text(&paths->store, rest, length);
        folder = part ? bake_resource_join(paths, root, part) : NULL;
    }
}

/* Where in the path the last folder ends that is there, and in which root; NULL: no root is. */
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

/* A name in that folder which is like the one that is not there. */
static const char *similar_name(bake_resource_paths *paths, const char *root, const char *rest,
                                size_t depth)
{
    size_t count;
    const char *before = bake_store_text(&paths->store, rest, depth);
    const char *folder = before ? bake_resource_join(paths, root, before) : NULL;
    const char *const *names =
        folder ? bake_gateway_names(paths->def.gateway, folder, HINT_NAMES_MAX, &count) : NULL;
    return names ? bake_most_similar(rest + depth, strcspn(rest + depth, "/"), names, count) : NULL;
}

static bool is_there(bake_resource_paths *paths, const char *root, const char *rest)
{
    const char *file = bake_resource_join(paths, root, rest);
    return file && bake_gateway_look(paths->def.gateway, file) != BAKE_THERE_NOTHING;
}

/* Where the path is right but for where it starts: with the name of its root, with a slash or
 * without one. */
static bool hint_start(bake_resource_paths *paths, const bake_resource_path *path, const char *rest)
{
    const bake_resource *of = path->resource;
    char text[QUOTE_SIZE], whole[QUOTE_SIZE];
    const char *meant = NULL, *slash = "";
    for (uint32_t i = 0; i < of->root_count && !meant; i++) {
        size_t length = strlen(of->roots[i]);
        if (strncmp(rest, of->roots[i], length) == 0 && rest[length] == '/' &&
            is_there(paths, of->roots[i], rest + length + 1))
            meant = rest + length + 1;
        else if (*path->clean == '/' && is_there(paths, of->roots[i], rest))
            meant = rest;
    }
    if (!meant && *path->clean != '/' && is_there(paths, of->absolute, rest)) {
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
    /* With what follows, where that is right. */
    const char *file = bake_resource_join(paths, root, whole);
    if (!file || bake_gateway_look(paths->def.gateway, file) == BAKE_THERE_NOTHING)
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
    }
}
