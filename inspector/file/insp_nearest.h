/* Suggests an asset for a misspelled name. */
#ifndef INSP_NEAREST_H
#define INSP_NEAREST_H

#include "insp_file.h"
#include "insp_similar.h"

#include <stdbool.h>

enum { INSP_NEAREST_MAX = INSP_SIMILAR_MAX }; /* no suggestion for longer names */

/* Whether a name can end before `c`. In a path, a field or an index may follow the name. */
bool insp_name_ends(char c, bool is_path);

/* The asset with the name nearest to `wanted`, if at most a third of the name differs; otherwise
 * NULL. If `is_path`, each name is compared with the prefix of `wanted` that matches it best.
 * `ret_length` receives the length of that prefix. The search stops after a fixed number of steps,
 * because a file can have many long names. */
const insp_asset *insp_nearest_asset(const insp_file *file, const char *wanted, bool is_path,
                                     size_t *ret_length);

#endif
