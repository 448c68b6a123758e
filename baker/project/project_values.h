/* Reads the values of a project file: strings, flags and paths. Mistakes are reported with their
 * location. */
#ifndef BAKE_PROJECT_VALUES_H
#define BAKE_PROJECT_VALUES_H

#include "bake_store.h"
#include "tree.h"

/* A path or pattern of the project file. */
typedef struct bake_project_path {
    const char *text; /* NULL: not given */
    bake_mark mark;
} bake_project_path;

typedef struct bake_project_paths {
    bake_project_path *items;
    size_t count;
} bake_project_paths;

/* The file that is being read. */
typedef struct bake_project_reader {
    bake_diagnostics *diagnostics;
    const bake_tree *tree;
    bake_store *store;
    bool no_memory;
} bake_project_reader;

/* Which form a path must have. */
typedef enum bake_path_form {
    BAKE_PATH_PLAIN,
    BAKE_PATH_OUTPUT,  /* no control characters, because `list-outputs` prints one path per line */
    BAKE_PATH_PATTERN, /* can contain wildcards */
    BAKE_PATH_SOURCE   /* a pattern that can begin with `!` */
} bake_path_form;

/* Reports a mistake at `node`. Always returns false. */
bool bake_project_report(bake_project_reader *reader, bake_node_id node, const char *path,
                         const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* Whether the node is a mapping without a tag; reports it otherwise. */
bool bake_project_is_mapping(bake_project_reader *reader, bake_node_id node, const char *path);
/* Returns `path.key`; only `path` if memory runs out. */
const char *bake_project_join(bake_project_reader *reader, const char *path, bake_node_id key);
/* Reads a string; `what` describes it for messages. Returns NULL after a report or if memory runs
 * out. */
const char *bake_project_text(bake_project_reader *reader, bake_node_id node, const char *path,
                              const char *what);
/* Reads `true` or `false`. Returns false after a report. */
bool bake_project_bool(bake_project_reader *reader, bake_node_id node, const char *path,
                       bool *ret_value);
/* Reads a path. Returns false after a report. */
bool bake_project_path_read(bake_project_reader *reader, bake_node_id node, const char *path,
                            bake_path_form form, bake_project_path *ret_path);
/* Reads a list of paths, or a single one. */
bool bake_project_paths_read(bake_project_reader *reader, bake_node_id node, const char *path,
                             bake_path_form form, bake_project_paths *ret_paths);
/* Reports an unknown key and suggests one of `names`. */
void bake_project_unknown_key(bake_project_reader *reader, bake_node_id key, const char *path,
                              const char *const *names, size_t count);

#endif
