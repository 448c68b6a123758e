/* The commands that use a project file (kiln.yaml): build and check without a schema, list-outputs,
 * clean and why. */
#ifndef BAKE_PROJECT_COMMAND_H
#define BAKE_PROJECT_COMMAND_H

#include "bake_store.h"
#include "run_options.h"

#include <stdio.h>

/* Whether a project file is given or exists in the current folder or in that of -C. */
bool bake_project_is_here(const bake_options *options);

/* Returns the path of the project file that the options mean; NULL if memory runs out. */
const char *bake_project_path_of(const bake_options *options, bake_store *store);
/* Whether the command uses a project file. */
bool bake_project_is_used(const bake_options *options);

/* Runs the command if it uses the project file, and sets `*ret_is_project` to whether it does.
 * Prints paths to `out`, and diagnostics and summaries to `err`. Returns the exit code. */
int bake_project_command(const bake_options *options, FILE *out, FILE *err, bool *ret_is_project);

#endif
