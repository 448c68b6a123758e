/* Resource paths: strings that name files and folders outside the inputs (SCHEMA.md, "Resource
 * paths").
 *
 * A path is looked up once per run and type, in the roots of the type. Symbolic links are followed,
 * but only the spelling determines whether a path leaves its root. Resources are not inputs; only
 * the states files of atlases are read. Missing paths are stored with their first use and reported
 * at the end. The schema must outlive this object. */
#ifndef BAKE_RESOURCE_PATH_H
#define BAKE_RESOURCE_PATH_H

#include "atlas_states.h"
#include "bake_result.h"
#include "diagnostics.h"

/* How to report missing paths. */
typedef enum bake_resources {
    BAKE_RESOURCES_SCHEMA, /* as the schema specifies for the type */
    BAKE_RESOURCES_ERROR,
    BAKE_RESOURCES_WARN,
    BAKE_RESOURCES_ACCEPT
} bake_resources;

typedef struct bake_resource_paths bake_resource_paths;

/* One path of a type. */
typedef struct bake_resource_path bake_resource_path;

typedef struct bake_resource_paths_def {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    const char *base; /* the base folder of the inputs; NULL: the current folder */
    bake_resources mode;
} bake_resource_paths_def;

/* Returns NULL if memory runs out. */
bake_resource_paths *bake_resource_paths_create(const bake_resource_paths_def *def);
void bake_resource_paths_destroy(bake_resource_paths *paths);

/* PATH_MAX of Linux, without the NUL. */
enum { BAKE_RESOURCE_LENGTH_MAX = 4095 };

/* Returns why a string is not a valid path, as a predicate such as "contains a backslash", or NULL
 * if it is valid. */
const char *bake_resource_path_error(const char *text, size_t length);

/* Looks up a path. Returns NULL if memory runs out, or if the system refuses the lookup. The string
 * must be valid for bake_resource_path_error and not empty. */
bake_resource_path *bake_resource_find(bake_resource_paths *paths, const bake_resource *resource,
                                       const char *text, size_t length);
/* Fills `failure` with the reason why bake_resource_find returned NULL. */
bake_result bake_resource_fail(const bake_resource_paths *paths, bake_failure *failure);
/* Whether the path is missing and must be reported, and with which severity. */
bool bake_resource_is_missing(const bake_resource_paths *paths, const bake_resource_path *path,
                              bake_severity *ret_severity);
/* Records a use of a missing path: its position and the path of the value. The report shows the
 * first use. Returns false if memory runs out. */
bool bake_resource_note(bake_resource_paths *paths, bake_resource_path *path, bake_mark mark,
                        const char *value);
/* Returns the number of missing paths so far that are errors. */
size_t bake_resource_errors(const bake_resource_paths *paths);

/* Returns the atlas of the path, read on first use, or NULL if memory runs out. */
const bake_atlas *bake_resource_atlas(bake_resource_paths *paths, bake_resource_path *path);
const char *bake_resource_text(const bake_resource_path *path);
/* Returns the index of this path, in order of lookup. */
uint32_t bake_resource_number(const bake_resource_path *path);

/* Reports all missing resources. */
void bake_resource_report(bake_resource_paths *paths);

#endif
