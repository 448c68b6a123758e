/* The command `why`: what has changed since the outputs of a project were baked, and why an asset
 * would be baked again. */
#ifndef BAKE_WHY_COMMAND_H
#define BAKE_WHY_COMMAND_H

#include "project_plan.h"
#include "recorded_run.h"

typedef struct bake_why_def {
    const bake_plan *plan;             /* all steps */
    const bake_recorded_def *recorded; /* of each step */
    const bake_list *words; /* bundles, paths of outputs, names of assets; none: all outputs */
    const char *project;    /* the path of the project file, for messages */
    FILE *out;
} bake_why_def;

/* Prints one line for each change that makes the next build bake an output again, or that the
 * output is up to date. An output also changes if it is baked from another output that is not up to
 * date. For an asset, prints which of its fields change, and where. Returns BAKE_FAILED after
 * filling `failure` if a word names neither an output, nor a bundle, nor an asset. */
bake_result bake_why_run(const bake_why_def *def, bake_failure *failure);

#endif
