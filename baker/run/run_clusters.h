/* The cluster plans of a run: adds their type, and one plan to each file that has clusters. */
#ifndef BAKE_RUN_CLUSTERS_H
#define BAKE_RUN_CLUSTERS_H

#include "bake_run.h"

/* Whether the files of a run can have plans: a type of the schema has `cluster`, or the run has
 * documents of scenes or prefabs. */
bool bake_run_has_clusters(const bake_run *run, bool has_scenes);

/* Appends the built-in type of plans to those of the schema, if the run can have plans. Call it
 * before creating any object that uses the types. */
bake_result bake_run_clusters_types(bake_run *run, bool has_scenes);

/* Plans the clusters of the assets in `writer` and adds the plan, unless there are none. All assets
 * and imports must have been added. Returns KILN_NO_MEMORY, or an error of the writer. */
kiln_status bake_run_clusters_add(bake_run *run, kiln_file_writer *writer, kiln_error *reterr);

#endif
