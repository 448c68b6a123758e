/* `export`: all values as an SQLite database. */
#ifndef INSP_EXPORT_SQLITE_H
#define INSP_EXPORT_SQLITE_H

#include "insp_mounts.h"

/* Writes the assets that no later file overrides. `run->command_data` is the path of the database.
 * Reports errors and returns an exit code. */
int insp_export_sqlite(insp_run *run, const insp_mounts *mounts);

#endif
