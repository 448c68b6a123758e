/* The files that a project writes: bundles, source maps and headers. */
#ifndef BAKE_PROJECT_OUTPUTS_H
#define BAKE_PROJECT_OUTPUTS_H

#include "project_file.h"

typedef struct bake_project_output {
    const bake_project_path *path; /* relative to the folder of the project */
    const char *located;           /* from the current folder */
    size_t bundle;                 /* that writes it; `bundle_count` for a header */
} bake_project_output;

typedef struct bake_project_outputs {
    bake_project_output *items; /* sorted by path */
    size_t count;
} bake_project_outputs;

/* Lists the outputs of the chosen profile. Reports two outputs with the same path, an output that
 * is also an input (the project file, a schema or a source), and an output in the state folder.
 * Outputs are compared with the patterns of inputs, so the result does not depend on which inputs
 * exist. Returns BAKE_BAD_INPUT after reports. The project owns the list. */
bake_result bake_outputs_list(bake_project *project, bake_diagnostics *diagnostics,
                              bake_project_outputs *ret_outputs, bake_failure *failure);

/* Reports outputs that are files of `files` under another name, because folders are links. `files`
 * are paths relative to the folder of the project, and `key` names them for messages. Returns
 * BAKE_BAD_INPUT after reports. */
bake_result bake_outputs_check_links(bake_project *project, bake_diagnostics *diagnostics,
                                     const bake_project_outputs *outputs, const bake_list *files,
                                     bake_failure *failure);

/* Returns the bundle whose output has this path; `bundle_count` if there is none. */
size_t bake_outputs_find(const bake_project_outputs *outputs, const bake_project *project,
                         const char *path);

#endif
