/* The command `prove`: bakes in child processes under many conditions, and compares their files
 * (prove.h). The command line of a child is that of the command, with the hidden option
 * `--prove-into`. */
#ifndef BAKE_PROVE_COMMAND_H
#define BAKE_PROVE_COMMAND_H

#include "command_run.h"
#include "project_plan.h"

/* Proves a bake without a project. Writes the report to `out`. Returns the exit code. */
bake_result bake_prove_single(const bake_options *options, FILE *out, FILE *err);
/* Proves the steps of a plan. Failures are in `run->failure`. */
bake_result bake_prove_plan(bake_run *run, const bake_plan *plan, FILE *out);

/* ---- in a child ---- */

/* Makes `options` those of a child: it bakes to the folder that they name, without asking whether
 * anything has changed. Opens the file for its messages; returns NULL with errno set. */
FILE *bake_prove_child(bake_options *options, bake_store *store);
/* Sets the outputs of step `number` of a project, 0 for a bake without a project, to files in the
 * folder. Returns false if memory runs out. */
bool bake_prove_redirect(bake_options *options, size_t number, bake_store *store);

#endif
