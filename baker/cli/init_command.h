/* The command `init`, which writes a first project file. */
#ifndef BAKE_INIT_COMMAND_H
#define BAKE_INIT_COMMAND_H

#include "bake_result.h"
#include "run_options.h"

#include <stdio.h>

/* Writes a project file into the folder that is the only input, or into the current one. Replaces
 * no file. Returns the exit code. */
bake_result bake_init_run(const bake_options *options, FILE *err);

#endif
