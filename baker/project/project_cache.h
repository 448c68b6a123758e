/* The mapping `cache` of a project file: which caches store the results of its steps. */
#ifndef BAKE_PROJECT_CACHE_H
#define BAKE_PROJECT_CACHE_H

#include "project_values.h"

/* Zeroed: nothing is given. */
typedef struct bake_project_cache {
    bake_project_path local, shared; /* relative to the folder of the project */
    const char *url;
    bool read_only;
    size_t size, wait; /* 0: not given */
} bake_project_cache;

/* Reads the mapping. Mistakes are reported, and such keys are skipped. */
void bake_project_cache_read(bake_project_reader *reader, bake_node_id node,
                             bake_project_cache *ret_cache);

#endif
