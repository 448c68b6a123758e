/* The command `watch`: bakes a project or the given inputs, and bakes again when inputs change.
 *
 * All bakes run in this process, one after the other; a signal ends the process and removes
 * temporary files, as in each run. watch_report.h prints the events. */
#ifndef BAKE_WATCH_COMMAND_H
#define BAKE_WATCH_COMMAND_H

#include "bake_result.h"
#include "run_options.h"

#include <stdio.h>

/* Runs until a signal ends the process. Returns the exit code if the command cannot begin, that is
 * if the first bake ends with BAKE_FAILED, and BAKE_FAILED if memory runs out or `err` cannot be
 * written. */
bake_result bake_watch_run(const bake_options *options, FILE *out, FILE *err);

#endif
