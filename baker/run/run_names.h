/* The names of all that a run makes, gathered before anything is baked. */
#ifndef BAKE_RUN_NAMES_H
#define BAKE_RUN_NAMES_H

#include "asset_names.h"
#include "bake_inputs.h"
#include "bake_run.h"

/* Adds the names of the inputs' assets, abstract ones too; those that are there twice are reported.
 */
bake_result bake_run_names(bake_run *run, bake_inputs *inputs, bake_names *names);

#endif
