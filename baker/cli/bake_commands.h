/* The commands `header`, `repack` and `link`, in header_command.c, repack_command.c and
 * link_command.c. The commands `build`, `check` and `names` are in bake_run.h, those of `schema` in
 * schema_command.h. */
#ifndef BAKE_COMMANDS_H
#define BAKE_COMMANDS_H

#include "bake_run.h"

bake_result bake_run_header(bake_run *run);
bake_result bake_run_repack(bake_run *run);
bake_result bake_run_link(bake_run *run);

#endif
