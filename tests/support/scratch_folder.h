/* A folder of its own for one test, as the current folder. One at a time. */
#ifndef SCRATCH_FOLDER_H
#define SCRATCH_FOLDER_H

#include <stdbool.h>

typedef enum scratch_place {
    SCRATCH_MEMORY, /* in memory if possible, because a disk is slow at thousands of renames */
    SCRATCH_DISK    /* where programs have temporary files: for tests of the file system */
} scratch_place;

/* Creates a folder whose name begins with `prefix`: in TMPDIR if that is set, else in the place.
 * Makes it the current folder. Returns its absolute path, which is valid until
 * scratch_folder_leave, or NULL after a message. */
const char *scratch_folder_enter(const char *prefix, scratch_place place);
/* Returns to the folder before and removes this one with all that it contains. Returns false after
 * a message. */
bool scratch_folder_leave(void);

#endif
