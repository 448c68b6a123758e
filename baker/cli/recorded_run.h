/* Runs a step of a project, unless its record shows that nothing has changed. */
#ifndef BAKE_RECORDED_RUN_H
#define BAKE_RECORDED_RUN_H

#include "command_run.h"

typedef struct bake_recorded_def {
    const bake_options *options; /* of the run */
    const char *state;           /* the folder of the project's state */
    const char *name;            /* of the step; no other step of the project has it */
    bool force;                  /* run it even if nothing has changed */
    bool compare_contents;       /* read all files instead of trusting their states */
} bake_recorded_def;

/* Runs the step like bake_command_run and saves its record. If its record is unchanged, only prints
 * that the output is up to date, and the messages of the recorded run. With -v, prints why the step
 * runs. A record that cannot be saved is a warning: the outputs are complete. Returns the exit
 * code. */
bake_result bake_recorded_run(const bake_recorded_def *def, FILE *err);

#endif
