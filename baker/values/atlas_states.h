/* The states of an atlas: the names in its file. */
#ifndef BAKE_ATLAS_STATES_H
#define BAKE_ATLAS_STATES_H

#include "bake_store.h"
#include "diagnostics.h"
#include "resource_kind.h"

typedef struct bake_gateway bake_gateway;

typedef struct bake_atlas {
    const char *file;   /* from the current folder; NULL: the path does not exist */
    const char **names; /* ascending */
    size_t count;
    bool is_known; /* `names` has all of them */
} bake_atlas;

/* Reads the names from `atlas->file`, YAML or JSON, at the path that `resource` gives.
 * Mistakes are reported at their places and leave `is_known` false. The texts are in `store`, the
 * array is the caller's to free. False when memory ran out. */
bool bake_atlas_read(bake_atlas *atlas, const bake_resource *resource, bake_gateway *gateway,
                     bake_diagnostics *diagnostics, bake_store *store);

bool bake_atlas_has(const bake_atlas *atlas, const char *name, size_t length);

#endif
