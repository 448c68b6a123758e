/* Runs kiln-bake once with given options. A project consists of several such runs. */
#ifndef BAKE_COMMAND_RUN_H
#define BAKE_COMMAND_RUN_H

#include "bake_run.h"

/* Runs the command of `options`, which is not one of a project. Writes diagnostics and the summary
 * to `err`. Returns the exit code. */
bake_result bake_command_run(const bake_options *options, FILE *err);

/* What a run does after it has succeeded, while the gateway still has the inputs. */
typedef struct bake_command_keep {
    void (*keep)(void *ctx, bake_run *run);
    void *ctx;
    bool wants_memo; /* the run fills its memo */
} bake_command_keep;

/* Like bake_command_run. The gateway keeps details (gateway_inputs.h), and `keep` is called if the
 * result is BAKE_OK. */
bake_result bake_command_run_kept(const bake_options *options, const bake_command_keep *keep,
                                  FILE *err);

/* Begin and end a run whose work the caller does. Begin copies `options` to `own`, which must live
 * as long as the run, and creates the gateway and the diagnostics. End writes the diagnostics, adds
 * a record to `inputs_used` unless `has_inputs` is set, frees the run and returns the exit code;
 * call it even if begin fails. */
bake_result bake_command_begin(bake_run *run, bake_options *own, const bake_options *options,
                               FILE *err);
bake_result bake_command_end(bake_run *run, bake_result result);
/* Ends a run of which nothing may be seen: frees it without writing anything. */
void bake_command_discard(bake_run *run);
/* Rejects --timings if nothing would be printed or its file would replace an input. `own` is the
 * copy made by bake_command_begin. */
bake_result bake_command_check_timings(const bake_options *own, bake_failure *failure);

#endif
