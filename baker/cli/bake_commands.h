/* The `header` and `repack` commands, in header_command.c and repack_command.c. The `build` and
 * `check` commands are in bake_run.h, those of `schema` in schema_command.h. */
#ifndef BAKE_COMMANDS_H
#define BAKE_COMMANDS_H

#include "bake_run.h"

bake_result bake_run_header(bake_run *run);
bake_result bake_run_repack(bake_run *run);

#endif
