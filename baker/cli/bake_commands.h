/* The commands of kiln-bake besides build and check, which are in bake_run.h, and those of
 * schema_command.h. Each has a file of its own: header_command.c, repack_command.c. */
#ifndef BAKE_COMMANDS_H
#define BAKE_COMMANDS_H

#include "bake_run.h"

bake_result bake_run_header(bake_run *run);
bake_result bake_run_repack(bake_run *run);

#endif
