/* A suggestion for a name that no asset has. */
#ifndef INSP_NEAREST_H
#define INSP_NEAREST_H

#include "insp_file.h"

#include <stdbool.h>

enum { INSP_NEAREST_MAX = 255 }; /* no suggestion for longer names */

/* Whether a name can end before `c`. In a path, fields and indices follow the name. */
bool insp_name_ends(char c, bool is_path);

/* The asset with the name nearest to `wanted`, if a third of the name or less differs; else NULL.
 * If `is_path`, each name is compared with the beginning of `wanted` that fits it best.
 * `ret_length` receives the length of the part of `wanted` that was compared. A file can have many
 * long names, so the search ends after a fixed number of steps. */
const insp_asset *insp_nearest_asset(const insp_file *file, const char *wanted, bool is_path,
                                     size_t *ret_length);

#endif
