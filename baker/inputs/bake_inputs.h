/* The inputs of a run: which files, what trees, and which assets are in them.
 *
 * All inputs are read before any value is baked, so that a reference may lead anywhere. Which
 * assets a document holds, the schema's `files` rules say (SCHEMA.md "Files"). */
#ifndef BAKE_INPUTS_H
#define BAKE_INPUTS_H

#include "asset_input.h"
#include "bake_scenes.h"

typedef struct bake_inputs_def {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    const bake_schema *schema; /* NULL: the trees alone are wanted */
    const char *base;          /* where relative paths start; NULL: the current folder */
    const char *const *paths;
    size_t path_count;
} bake_inputs_def;

/* Fills a zeroed `inputs`; end it whatever comes back. BAD_INPUT: see the diagnostics; what was
 * sound is there nevertheless. */
bake_result bake_inputs_read(bake_inputs *inputs, const bake_inputs_def *def,
                             bake_failure *failure);
void bake_inputs_fini(bake_inputs *inputs);

#endif
