/* Converts paths from the command line to the spelling of source maps. */
#ifndef INSP_SPELL_H
#define INSP_SPELL_H

#include <kiln/path.h>
#include <stdbool.h>

/* The end of the path step that begins at `at`. */
const char *insp_path_step_end(const char *at);

/* Converts `rest`, the path after an asset's name, to the spelling of source maps: keys are
 * canonical, and steps into newtypes are omitted. Returns false if no value has this path; `path`
 * then ends before the first unknown step. */
bool insp_path_normalise(const kiln_value *root, const char *rest, kiln_path *path);

#endif
