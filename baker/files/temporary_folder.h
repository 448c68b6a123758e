/* A folder for files that exist only while this process runs.
 *
 * The signals that would terminate the process stay blocked while the folder exists, so they cannot
 * terminate it before the folder is removed. So the owner asks bake_temporary_folder_must_end
 * between short steps, and lets programs run with the signal mask `before`. */
#ifndef BAKE_TEMPORARY_FOLDER_H
#define BAKE_TEMPORARY_FOLDER_H

#include <signal.h>
#include <stdbool.h>

typedef struct bake_temporary_folder {
    char *path;      /* NULL: there is none */
    sigset_t before; /* the previous signal mask */
} bake_temporary_folder;

/* Creates an empty folder in the folder that TMPDIR names, by default /tmp. Returns false with
 * errno set; then no signal is blocked, and bake_temporary_folder_end does nothing. */
bool bake_temporary_folder_begin(bake_temporary_folder *folder);
/* Whether a blocked signal waits to terminate the process. */
bool bake_temporary_folder_must_end(const bake_temporary_folder *folder);
/* Removes the folder with its content, and then restores the signal mask, which may terminate the
 * process. Returns false with errno set if the folder cannot be removed. */
bool bake_temporary_folder_end(bake_temporary_folder *folder);

#endif
