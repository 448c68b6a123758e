/* The steps of a project: runs of kiln-bake, in an order in which each bundle comes after the
 * bundles that it needs. */
#ifndef BAKE_PROJECT_PLAN_H
#define BAKE_PROJECT_PLAN_H

#include "project_outputs.h"

/* One run. */
typedef struct bake_step {
    const char *name;     /* for messages: the name of a bundle, or the path of a header */
    bake_options options; /* complete; includes the output even if the command is `check`; paths are
                             relative to the current folder */
    size_t bundle;        /* `bundle_count` for a header */
    const size_t *needs;  /* earlier steps whose outputs this one reads */
    size_t need_count;
} bake_step;

typedef struct bake_plan {
    bake_step *steps;
    size_t count;
    bake_project_outputs outputs; /* of the whole project */
} bake_plan;

typedef struct bake_plan_def {
    bake_project *project;
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    /* The command (build or check) and the options of the run, which take precedence. The inputs
     * are the names of bundles; none means all bundles and headers. */
    const bake_options *options;
} bake_plan_def;

/* Makes the steps of the chosen bundles and of all bundles that they need. Reports mistakes such as
 * a pattern without files or bundles that form a cycle. The project owns the plan;
 * `ret_plan` must be zeroed. Returns BAKE_BAD_INPUT after reports, or BAKE_FAILED. */
bake_result bake_plan_make(const bake_plan_def *def, bake_plan *ret_plan, bake_failure *failure);

#endif
