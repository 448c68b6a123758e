/* A temporary folder for one test, which becomes the current folder. Only one at a time. */
#ifndef SCRATCH_FOLDER_H
#define SCRATCH_FOLDER_H

#include <stdbool.h>

typedef enum scratch_place {
    SCRATCH_MEMORY, /* in memory if possible, because a disk is slow for thousands of renames */
    SCRATCH_DISK /* on a disk, where programs put temporary files: for tests of the file system */
} scratch_place;

/* Creates a folder whose name begins with `prefix`, in TMPDIR if that is set, otherwise at `place`.
 * Makes it the current folder. Returns its absolute path, which is valid until
 * scratch_folder_leave, or NULL after a message. */
const char *scratch_folder_enter(const char *prefix, scratch_place place);
/* Returns to the previous folder and removes the scratch folder with its content. Returns false
 * after a message. */
bool scratch_folder_leave(void);

#endif
