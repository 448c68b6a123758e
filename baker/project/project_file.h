/* A project file (kiln.yaml): the bundles and headers that a folder of YAML is baked to. PROJECT.md
 * describes the file.
 *
 * bake_project_read reads a file completely and reports all mistakes in it. Then
 * bake_project_choose applies a profile, and bake_plan_make (project_plan.h) turns the project into
 * steps. Paths are stored as written, relative to the folder of the project file. */
#ifndef BAKE_PROJECT_FILE_H
#define BAKE_PROJECT_FILE_H

#include "bake_store.h"
#include "gateway.h"
#include "project_cache.h"
#include "project_importers.h"
#include "project_settings.h"
#include "tree.h"

/* The name of a project file in the current folder, and of the folder next to it for the state of
 * earlier runs. */
#define BAKE_PROJECT_NAME "kiln.yaml"
#define BAKE_PROJECT_STATE ".kiln"

/* The maximum number of bundles, and also that of headers and that of profiles. With this limit,
 * all conflicts between outputs and sources are found within two seconds. */
enum { BAKE_PROJECT_ENTRIES_MAX = 10000 };

typedef struct bake_bundle {
    const char *name;
    bake_mark mark;
    bake_settings settings; /* including those of the chosen profile */
} bake_bundle;

typedef struct bake_project_header {
    bake_project_path path;
    const char *prefix; /* NULL: none is given */
    bool no_types;
} bake_project_header;

/* The settings of a profile for one bundle. */
typedef struct bake_override {
    size_t bundle;
    bake_settings settings;
} bake_override;

typedef struct bake_profile {
    const char *name;
    bake_settings settings; /* for all bundles */
    bake_override *overrides;
    size_t override_count;
    bake_project_importers importers;
} bake_profile;

typedef struct bake_project {
    const char *path;   /* of the project file */
    const char *folder; /* of the project file; NULL: the current folder */
    const char *text;   /* of the file; the gateway owns it */
    size_t text_size;
    uint32_t source; /* of the diagnostics */
    bake_project_paths schemas, include;
    bake_bundle *bundles; /* in the order of the file */
    size_t bundle_count;
    bake_project_header *headers;
    size_t header_count;
    bake_profile *profiles;
    size_t profile_count;
    const char *default_profile;      /* NULL: none */
    const bake_budget_layer *budgets; /* of all bundles; NULL: none */
    bake_project_importers importers; /* including those of the chosen profile */
    bake_project_cache cache;
    bake_store store;
    bake_tree *tree;
} bake_project;

/* Reads the project file `path`. `project` must be zeroed. Returns BAKE_BAD_INPUT after reports, or
 * BAKE_FAILED if the file cannot be read or memory runs out. Call bake_project_fini in each case.
 * The gateway and the diagnostics must outlive the project. */
bake_result bake_project_read(bake_project *project, const char *path, bake_gateway *gateway,
                              bake_diagnostics *diagnostics, bake_failure *failure);
void bake_project_fini(bake_project *project);

/* Applies the profile `name` (NULL: the default profile, if there is one) to the settings of all
 * bundles. Call it at most once. */
bake_result bake_project_choose(bake_project *project, const char *name, bake_failure *failure);

/* Returns the index of the bundle `name`; `bundle_count` if there is none. */
size_t bake_project_find(const bake_project *project, const char *name);

/* Returns the path from the current folder to a file of the project; `path` is relative to the
 * folder of the project. NULL if memory runs out. */
const char *bake_project_locate(bake_project *project, const char *path);

#endif
