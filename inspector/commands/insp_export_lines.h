/* `export`: the values of a struct as CSV or NDJSON. */
#ifndef INSP_EXPORT_LINES_H
#define INSP_EXPORT_LINES_H

#include "insp_mounts.h"

/* Writes the assets that no later file overrides. `run->command_data` is the name of the struct.
 * Reports errors and returns an exit code. */
int insp_export_lines(insp_run *run, const insp_mounts *mounts);

#endif
