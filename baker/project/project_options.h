/* Turns a bundle or header of a project into the options of one run of kiln-bake. */
#ifndef BAKE_PROJECT_OPTIONS_H
#define BAKE_PROJECT_OPTIONS_H

#include "project_plan.h"

/* What all steps of a plan share. */
typedef struct bake_step_maker {
    const bake_plan_def *def;
    const bake_project_outputs *outputs;
    bake_list schemas; /* paths of the project */
    bake_list located; /* the same files as paths from the current folder */
    bake_list include; /* from the current folder */
    bake_list importers;
    bake_failure *failure;
} bake_step_maker;

/* Lists the schemas. Returns BAKE_BAD_INPUT after reports. */
bake_result bake_step_maker_init(bake_step_maker *maker, const bake_plan_def *def,
                                 const bake_project_outputs *outputs, bake_failure *failure);
/* Fills the options of a bundle: its sources are listed, and its externs are located. */
bake_result bake_step_bundle(bake_step_maker *maker, const bake_bundle *bundle,
                             bake_options *ret_options);
/* Fills the options of a header. */
bake_result bake_step_header(bake_step_maker *maker, const bake_project_header *header,
                             bake_options *ret_options);
/* Returns the bundle that an extern names, by its name or the path of an output; `bundle_count` if
 * it is another file. */
size_t bake_extern_bundle(const bake_step_maker *maker, const bake_project_path *item);

#endif
