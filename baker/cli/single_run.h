/* Runs kiln-bake without a project file. */
#ifndef BAKE_SINGLE_RUN_H
#define BAKE_SINGLE_RUN_H

#include "bake_result.h"
#include "run_options.h"

#include <stdio.h>

/* Runs the command of `options`, which is not one of a project. A bake that writes one file uses
 * the caches that options and environment choose: it takes the file from there, or stores it. Other
 * runs use none, and reject the options of caches. Returns the exit code. */
bake_result bake_single_run(const bake_options *options, FILE *err);

#endif
