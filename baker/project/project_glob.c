#include "project_glob.h"

#include "bake_text.h"
#include "path_match.h"

#include <errno.h>
#include <string.h>

static bool has_wildcard(const char *pattern)
{
    return strpbrk(pattern, "*?") != NULL;
}

bool bake_glob_matches(const char *pattern, bool exclude, const char *path)
{
    size_t length = strlen(pattern);
    if (exclude && strncmp(pattern, path, length) == 0 && path[length] == '/')
        return true;
    return has_wildcard(pattern) ? bake_path_matches_whole(pattern, path)
                                 : strcmp(pattern, path) == 0;
}

static bool is_excluded(const bake_project_paths *patterns, const char *path)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (patterns->items[i].text[0] == '!' &&
            bake_glob_matches(patterns->items[i].text + 1, true, path))
            return true;
    return false;
}

bool bake_glob_selects(const bake_project_paths *patterns, const char *path)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (patterns->items[i].text[0] != '!' &&
            bake_glob_matches(patterns->items[i].text, false, path))
            return !is_excluded(patterns, path);
    return false;
}

/* ---- listing ---- */

/* The state of listing the files of several patterns. */
typedef struct listing {
    const bake_glob_def *def;
    bake_list files;
    size_t capacity;
    bake_failure *failure;
} listing;

/* A file that a pattern selects is skipped if it is excluded, or if a wildcard matches a file of
 * the project itself. Returns false if memory runs out. */
static bool add_file(listing *l, const char *path, bool by_wildcard)
{
    const bake_list *skip = l->def->skip;
    for (size_t i = 0; by_wildcard && skip && i < skip->count; i++)
        if (strcmp(skip->items[i], path) == 0)
            return true;
    if (is_excluded(l->def->patterns, path))
        return true;
    const char **items = bake_store_grow(&l->def->project->store, l->files.items, &l->capacity,
                                         l->files.count + 1, sizeof *items);
    if (!items)
        return bake_fail_memory(l->failure) == BAKE_OK;
    l->files.items = items;
    items[l->files.count++] = path;
    return true;
}

static void report(const listing *l, const bake_project_path *pattern, const char *message)
{
    bake_report(l->def->diagnostics, BAKE_ERROR, pattern->mark, "project", l->def->key,
                "%s: \"%s\"", message, pattern->text);
}

/* A pattern without wildcards names one file. Returns false on a failure. */
static bool take_file(listing *l, const bake_project_path *pattern)
{
    const char *path = bake_project_locate(l->def->project, pattern->text);
    if (!path)
        return bake_fail_memory(l->failure) == BAKE_OK;
    switch (bake_gateway_path_kind(l->def->gateway, path)) {
    case BAKE_PATH_FILE:
        return add_file(l, pattern->text, false);
    case BAKE_PATH_FOLDER:
        report(l, pattern, "this is a folder, not a file");
        bake_hint(l->def->diagnostics, "write \"%s/**/*.yaml\" for all YAML files below it",
                  pattern->text);
        return true;
    case BAKE_PATH_MISSING:
        report(l, pattern, "there is no such file");
        return true;
    case BAKE_PATH_OTHER:
        report(l, pattern, "this is not a regular file");
        return true;
    default:
        return bake_fail_errno(l->failure, "read", path) == BAKE_OK;
    }
}

/* Returns the folder before the first wildcard, as a path from the current folder. NULL if memory
 * runs out. */
static const char *folder_of(bake_project *project, const char *pattern)
{
    size_t length = strcspn(pattern, "*?");
    while (length > 0 && pattern[length - 1] != '/')
        length--;
    length -= length > 1;
    if (length == 0)
        return project->folder ? project->folder : ".";
    const char *folder = bake_store_text(&project->store, pattern, length);
    return folder ? bake_project_locate(project, folder) : NULL;
}

/* Removes the folder of the project from a listed path. */
static const char *project_path(const bake_project *project, const bake_project_path *pattern,
                                const char *path)
{
    size_t length = project->folder ? strlen(project->folder) : 0;
    if (length == 0 || pattern->text[0] == '/')
        return path;
    path += length;
    while (*path == '/')
        path++;
    return path;
}

/* A pattern whose files are listed. */
typedef struct listed_pattern {
    const bake_project *project;
    const bake_project_path *pattern;
} listed_pattern;

static bool can_match_below(void *ctx, const char *path)
{
    const listed_pattern *listed = ctx;
    return bake_path_may_match_below(listed->pattern->text,
                                     project_path(listed->project, listed->pattern, path));
}

/* Lists the files of a pattern with wildcards. Returns false on a failure. */
static bool take_pattern(listing *l, const bake_project_path *pattern)
{
    bake_project *project = l->def->project;
    const char *const suffixes[] = {bake_path_suffix(pattern->text), NULL};
    const char *folder = folder_of(project, pattern->text), *failed = NULL;
    listed_pattern listed = {project, pattern};
    const bake_listing_def def = {folder, suffixes, can_match_below, &listed};
    size_t count, matched = 0;
    if (!folder)
        return bake_fail_memory(l->failure) == BAKE_OK;
    const char *const *paths = bake_gateway_list_some(l->def->gateway, &def, &count, &failed);
    if (!paths && (errno == ENOENT || errno == ENOTDIR) && strcmp(failed, folder) == 0) {
        report(l, pattern, "this pattern matches no file");
        bake_hint(l->def->diagnostics, "there is no folder %s", folder);
        return true;
    }
    if (!paths)
        return bake_fail_errno(l->failure, "list", failed) == BAKE_OK;
    for (size_t i = 0; i < count; i++) {
        const char *path = project_path(project, pattern, paths[i]);
        if (!bake_path_matches_whole(pattern->text, path))
            continue;
        matched++;
        if (!add_file(l, path, true))
            return false;
    }
    if (matched == 0)
        report(l, pattern, "this pattern matches no file");
    return true;
}

/* Removes all but the first of equal paths. Sources are sorted by the bake, so their order does not
 * matter; the order of schemas does. */
static void remove_duplicates(bake_list *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        size_t k = 0;
        while (k < kept && strcmp(files->items[k], files->items[i]) != 0)
            k++;
        if (k == kept)
            files->items[kept++] = files->items[i];
    }
    files->count = kept;
}

/* Like remove_duplicates, for many files in any order. */
static void sort(bake_list *files)
{
    size_t kept = 0;
    bake_sort_texts(files->items, files->count);
    for (size_t i = 0; i < files->count; i++)
        if (kept == 0 || strcmp(files->items[kept - 1], files->items[i]) != 0)
            files->items[kept++] = files->items[i];
    files->count = kept;
}

bake_result bake_glob_list(const bake_glob_def *def, bake_list *ret_files, bake_failure *failure)
{
    listing l = {.def = def, .failure = failure};
    size_t errors = bake_diagnostics_errors(def->diagnostics);
    const bake_project_path *first = NULL;
    for (size_t i = 0; i < def->patterns->count; i++) {
        const bake_project_path *pattern = &def->patterns->items[i];
        if (pattern->text[0] == '!')
            continue;
        first = first ? first : pattern;
        if (!(has_wildcard(pattern->text) ? take_pattern(&l, pattern) : take_file(&l, pattern)))
            return failure->result;
    }
    if (def->is_ordered)
        remove_duplicates(&l.files);
    else
        sort(&l.files);
    *ret_files = l.files;
    if (errors == bake_diagnostics_errors(def->diagnostics) && l.files.count == 0 && first)
        report(&l, first, "all files that match are excluded, or are files of the project itself");
    return errors == bake_diagnostics_errors(def->diagnostics) ? BAKE_OK : BAKE_BAD_INPUT;
}
