/* The scenes of a run. */
#ifndef BAKE_RUN_SCENES_H
#define BAKE_RUN_SCENES_H

#include "asset_names.h"
#include "bake_inputs.h"
#include "bake_run.h"
#include "value_bake.h"

/* Appends the built-in types of scenes to those of the schema, if the run has documents of scenes
 * or prefabs. Call it before creating any object that uses the types. */
bake_result bake_run_scenes_types(bake_run *run, bool has_scenes);

/* Reserves the names of the parts of a scene, so that no other asset can have them. Returns false
 * if memory runs out. */
bool bake_run_scenes_names(bake_run *run, bake_inputs *inputs, bake_names *names,
                           const bake_asset *asset, uint32_t output);

/* Bakes a scene; if `writer` is NULL, only checks it. */
bake_result bake_run_scenes_bake(bake_run *run, bake_inputs *inputs, const bake_names *names,
                                 bake_values *values, const bake_asset *asset,
                                 kiln_file_writer *writer);

/* Makes the blobs of a scene, of its chunks and of its data, which the caller frees with
 * kiln_buffer_fini. The blobs are empty if there are errors, and that of the data if there are
 * none. */
bake_result bake_run_scenes_make(bake_run *run, bake_inputs *inputs, const bake_names *names,
                                 bake_values *values, const bake_asset *asset,
                                 kiln_buffer ret_blobs[3]);

/* Checks all prefabs. Call it once, before any scene is baked. */
bake_result bake_run_scenes_prefabs(bake_run *run, bake_inputs *inputs, bake_names *names,
                                    bake_values *values);

#endif
