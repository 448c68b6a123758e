/* The inputs of a run: their files, trees and assets.
 *
 * All inputs are read before any value is baked, so that a reference can refer to any asset. The
 * `files` rules of the schema decide which assets a document contains (SCHEMA.md, "Files"). */
#ifndef BAKE_INPUTS_H
#define BAKE_INPUTS_H

#include "asset_guids.h"
#include "asset_input.h"
#include "bake_scenes.h"

/* What is known about the other inputs of a bundle if a run reads only some of them. */
typedef struct bake_inputs_rest {
    const bool *is_listed; /* by path: whether it was found by listing a folder */
    const bake_rest_guid *guids;
    size_t guid_count;
    uint64_t scene_work; /* of all inputs, from bake_scenes_work_max */
} bake_inputs_rest;

typedef struct bake_inputs_def {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    const bake_schema *schema; /* NULL: read trees only, no assets */
    const char *base; /* the folder that relative paths start from; NULL: the current one */
    const char *const *paths;
    size_t path_count;
    size_t jobs;                  /* threads, as for bake_threads_for */
    bool are_located;             /* `paths` are files, relative to the current folder and not to
                                     `base` */
    bool skips_bases;             /* do not resolve inheritance, patches and scenes */
    uint64_t scene_work;          /* the least work that is allowed, as for bake_scenes_prepare */
    const bake_inputs_rest *rest; /* NULL: all inputs are read. Otherwise paths are files */
    bool keeps_uses;              /* keep which documents use which prefabs and scenes */
    /* By input: its number as the user of paths (gateway_users.h); NULL: its own number. */
    const uint32_t *users;
} bake_inputs_def;

/* Fills `inputs`, which must be zeroed. Call bake_inputs_fini even after a failure. Returns
 * BAKE_BAD_INPUT after reports; `inputs` then contains the assets without mistakes. */
bake_result bake_inputs_read(bake_inputs *inputs, const bake_inputs_def *def,
                             bake_failure *failure);
/* Resolves inheritance, patches and scenes of inputs that were read with `skips_bases`. Returns
 * false if memory runs out. */
bool bake_inputs_resolve(bake_inputs *inputs, const bake_inputs_def *def);
/* Only lists the inputs with their paths and rules, in the same order. If `def->rest` is given, the
 * gateway is not used. */
bake_result bake_inputs_locate(bake_inputs *inputs, const bake_inputs_def *def,
                               bake_failure *failure);
void bake_inputs_fini(bake_inputs *inputs);

#endif
