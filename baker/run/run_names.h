/* The names of all assets of a run, collected before anything is baked. */
#ifndef BAKE_RUN_NAMES_H
#define BAKE_RUN_NAMES_H

#include "asset_names.h"
#include "bake_inputs.h"
#include "bake_run.h"

/* Adds the names of all assets of the inputs, including abstract ones, and reports duplicates. */
bake_result bake_run_names(bake_run *run, bake_inputs *inputs, bake_names *names);

#endif
