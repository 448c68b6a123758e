/* Translates paths as people write them to the spelling of source maps. */
#ifndef INSP_SPELL_H
#define INSP_SPELL_H

#include <kiln/path.h>
#include <stdbool.h>

/* The end of the path's step that begins at `at`. */
const char *insp_path_step_end(const char *at);

/* Spells `rest`, the path after an asset's name, as source maps do: keys are canonical, and the
 * step into a newtype is left out. False if no value has the path; `path` ends before the first
 * unknown step. */
bool insp_path_spell(const kiln_value *root, const char *rest, kiln_path *path);

#endif
