/* kiln-bake plan: writes the bake of a project as a graph of commands. */
#ifndef BAKE_PLAN_COMMAND_H
#define BAKE_PLAN_COMMAND_H

#include "bake_run.h"
#include "project_plan.h"

typedef struct bake_plan_write_def {
    bake_run *run; /* its gateway has read the project file and listed its folders */
    const bake_plan *plan;
    const bake_options *options; /* of the command line */
} bake_plan_write_def;

/* Writes the graph, and next to it a folder with the names files and the arguments of all commands.
 * Each command lists exactly the files that it reads. Reports mistakes in the inputs. */
bake_result bake_plan_write(const bake_plan_write_def *def);

#endif
