/* Scenes among the assets of a run. */
#ifndef BAKE_RUN_SCENES_H
#define BAKE_RUN_SCENES_H

#include "asset_names.h"
#include "bake_inputs.h"
#include "bake_run.h"
#include "value_bake.h"

/* Appends the types of scenes to those of the schema if the run has scenes. Call it before anything
 * that uses the types is made. */
bake_result bake_run_scenes_types(bake_run *run, const bake_inputs *inputs);

/* Takes the names of the assets that are the parts of a scene, so that no other asset gets them.
 * False when memory ran out. */
bool bake_run_scenes_names(bake_run *run, bake_inputs *inputs, bake_names *names,
                           const bake_asset *asset, uint32_t output);

/* Bakes a scene; without `writer` it is only checked. */
bake_result bake_run_scenes_bake(bake_run *run, bake_inputs *inputs, const bake_names *names,
                                 bake_values *values, const bake_asset *asset,
                                 kiln_file_writer *writer);

/* Checks prefabs, once before all scenes. */
bake_result bake_run_scenes_prefabs(bake_run *run, bake_inputs *inputs, bake_names *names,
                                    bake_values *values);

#endif
