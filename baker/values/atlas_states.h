/* The states of an atlas, whose names are listed in a file. */
#ifndef BAKE_ATLAS_STATES_H
#define BAKE_ATLAS_STATES_H

#include "bake_store.h"
#include "diagnostics.h"
#include "resource_kind.h"

typedef struct bake_gateway bake_gateway;

typedef struct bake_atlas {
    const char *file;   /* relative to the current folder; NULL: the path does not exist */
    const char **names; /* ascending */
    size_t count;
    bool is_known; /* `names` is complete */
} bake_atlas;

/* Reads the names from `atlas->file`, YAML or JSON, at the path in `resource`. Reports errors, and
 * leaves `is_known` false after one. The strings are in `store`; the caller frees the array.
 * Returns false if memory runs out. */
bool bake_atlas_read(bake_atlas *atlas, const bake_resource *resource, bake_gateway *gateway,
                     bake_diagnostics *diagnostics, bake_store *store);

bool bake_atlas_has(const bake_atlas *atlas, const char *name, size_t length);

#endif
