/* Paths of resources: strings that name files and folders outside the inputs (SCHEMA.md, "Resource
 * paths"). All of it is in resource_path.c.
 *
 * Each path of a type is looked up once a run, in the type's roots. Symbolic links are followed;
 * whether a path leaves its root depends on its text alone. Resources are not inputs: only the
 * files with the states of atlases are read. Missing paths are stored with the first of their
 * places and reported at the end. Texts and names of types must outlive this object. */
#ifndef BAKE_RESOURCE_PATH_H
#define BAKE_RESOURCE_PATH_H

#include "atlas_states.h"
#include "bake_result.h"
#include "diagnostics.h"

/* How a missing path is reported. */
typedef enum bake_resources {
    BAKE_RESOURCES_SCHEMA, /* as the schema states for its type */
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
    const char *base; /* the folder where inputs start; NULL: the current one */
    bake_resources mode;
} bake_resource_paths_def;

/* NULL when memory ran out. */
bake_resource_paths *bake_resource_paths_create(const bake_resource_paths_def *def);
void bake_resource_paths_destroy(bake_resource_paths *paths);

/* PATH_MAX of Linux, without the NUL. */
enum { BAKE_RESOURCE_LENGTH_MAX = 4095 };

/* Why a text cannot be a path in any root, as a sentence without its subject; NULL: it can. */
const char *bake_resource_wrong(const char *text, size_t length);

/* Looks a path up. NULL when memory ran out, or if the system does not reveal whether it exists.
 * The text must pass bake_resource_wrong and not be empty. */
bake_resource_path *bake_resource_find(bake_resource_paths *paths, const bake_resource *resource,
                                       const char *text, size_t length);
/* Fills `failure` with the reason of the last NULL of bake_resource_find. */
bake_result bake_resource_fail(const bake_resource_paths *paths, bake_failure *failure);
/* Whether the path is missing and is reported, and with which severity. */
bool bake_resource_is_missing(const bake_resource_paths *paths, const bake_resource_path *path,
                              bake_severity *ret_severity);
/* Notes a place of a missing path and the path of the value there. The first place is reported.
 * False when memory ran out. */
bool bake_resource_note(bake_resource_paths *paths, bake_resource_path *path, bake_mark mark,
                        const char *value);
/* The number of missing paths so far that are errors. */
size_t bake_resource_errors(const bake_resource_paths *paths);

/* The atlas that the path leads to, read on first use. NULL when memory ran out. */
const bake_atlas *bake_resource_atlas(bake_resource_paths *paths, bake_resource_path *path);
const char *bake_resource_text(const bake_resource_path *path);
/* The number of this path among all, in the order of look-ups. */
uint32_t bake_resource_number(const bake_resource_path *path);

/* Reports all missing resources. */
void bake_resource_report(bake_resource_paths *paths);

#endif
