/* The command `cache`, which takes care of a folder of cache objects. */
#ifndef BAKE_CACHE_COMMAND_H
#define BAKE_CACHE_COMMAND_H

#include "run_options.h"

#include <stdio.h>

/* Runs `cache stat`, `cache gc` or `cache verify` with the local cache. Prints results to `out`.
 * Returns the exit code: 1 if an object was damaged. */
int bake_cache_command(const bake_options *options, FILE *out, FILE *err);

#endif
