/* A folder of its own for one test, as the current folder. */
#ifndef SCRATCH_FOLDER_H
#define SCRATCH_FOLDER_H

#include <stdbool.h>

/* Creates a folder whose name begins with `prefix` in TMPDIR, or else in memory where possible,
 * because a disk is slow at thousands of renames. Makes it the current folder. Returns its absolute
 * path, which is valid until scratch_folder_leave, or NULL after a message. */
const char *scratch_folder_enter(const char *prefix);
/* Leaves the folder and removes it with all that it contains. Returns false after a message. */
bool scratch_folder_leave(void);

#endif
