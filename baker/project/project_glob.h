/* Finds the files that the patterns of a project file select (PROJECT.md, "Patterns").
 *
 * A pattern is compared with the whole path, unlike the `match` of a schema rule. Listing starts at
 * the folder before the first wildcard, skips names that begin with a dot, and enters only
 * subfolders in which the pattern can match. */
#ifndef BAKE_PROJECT_GLOB_H
#define BAKE_PROJECT_GLOB_H

#include "project_file.h"

/* Whether the pattern selects the path. Both are relative to the folder of the project. With
 * `exclude`, for a pattern without its `!`, everything below a folder that it names is selected,
 * too. */
bool bake_glob_matches(const char *pattern, bool exclude, const char *path);
/* Whether the patterns select the path: a pattern matches, and none that begins with `!` does. */
bool bake_glob_selects(const bake_project_paths *patterns, const char *path);

typedef struct bake_glob_def {
    bake_project *project;
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    const bake_project_paths *patterns;
    const char *key; /* of the patterns, for messages: `bundles.game.sources` */
    const bake_list
        *skip;       /* files that wildcards do not select, as paths of the project; or NULL */
    bool is_ordered; /* the order of the patterns matters */
} bake_glob_def;

/* Lists the selected files as paths relative to the folder of the project, each file once. The list
 * is sorted bytewise; with `is_ordered`, it has the order of the patterns, and only the files of
 * each pattern are sorted. Reports a pattern that matches no file. The project owns the list.
 * Returns BAKE_BAD_INPUT after reports, or BAKE_FAILED if a folder cannot be listed or memory runs
 * out. */
bake_result bake_glob_list(const bake_glob_def *def, bake_list *ret_files, bake_failure *failure);

#endif
