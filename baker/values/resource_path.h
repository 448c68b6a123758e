/* Paths of resources: texts of a schema's types that name files and folders outside the inputs.
 * All of it is in resource_path.c.
 *
 * Each path that a type is given is looked for once a run, under the type's roots, with links
 * followed; whether it leaves its root depends on its text alone. What is found is no input:
 * nothing of it is read but the files that have the states of atlases. Those that lead nowhere are
 * kept with the first of their places, and reported at the end. Texts and names of types must
 * outlive this. */
#ifndef BAKE_RESOURCE_PATH_H
#define BAKE_RESOURCE_PATH_H

#include "atlas_states.h"
#include "bake_result.h"
#include "diagnostics.h"

/* What paths are that lead nowhere. */
typedef enum bake_resources {
    BAKE_RESOURCES_SCHEMA, /* as the schema has it for each type */
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

/* What systems take. */
enum { BAKE_RESOURCE_LENGTH_MAX = 4095 };

/* Why a text is no path wherever it leads, as a sentence without its subject; NULL: it is one. */
const char *bake_resource_wrong(const char *text, size_t length);

/* The path, looked for; NULL when memory ran out or the system cannot tell whether it exists. The
 * text is one, and not empty. */
bake_resource_path *bake_resource_find(bake_resource_paths *paths, const bake_resource *resource,
                                       const char *text, size_t length);
/* Says why bake_resource_find failed. */
bake_result bake_resource_fail(const bake_resource_paths *paths, bake_failure *failure);
/* Whether it leads nowhere, and that is a mistake: an error, or a warning. */
bool bake_resource_is_missing(const bake_resource_paths *paths, const bake_resource_path *path,
                              bake_severity *ret_severity);
/* Notes a place of a missing path; the first in the order of places is reported, `value` its path.
 * False when memory ran out. */
bool bake_resource_note(bake_resource_paths *paths, bake_resource_path *path, bake_mark mark,
                        const char *value);
/* How many are missing so far that make errors. */
size_t bake_resource_errors(const bake_resource_paths *paths);

/* What states an atlas has, read when it is first needed. NULL when memory ran out. */
const bake_atlas *bake_resource_atlas(bake_resource_paths *paths, bake_resource_path *path);
const char *bake_resource_text(const bake_resource_path *path);
/* Of this path, among all. */
uint32_t bake_resource_number(const bake_resource_path *path);

/* Reports all missing resources. */
void bake_resource_report(bake_resource_paths *paths);

#endif
