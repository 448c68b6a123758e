/* Folders that outputs go to, and the temporary files in them. Private to gateway*.c.
 *
 * A temporary file has no name where the file system allows that, so that a killed process leaves
 * none. Other temporary files are called
 *   .kiln-bake.TOKEN.tmp     a guard: its writer holds a lock (flock) on it as long as it is needed
 *   .kiln-bake.TOKEN.N.tmp   guarded by the guard with the same token
 * The token is random and not used again. A guard whose lock can be taken has no writer any more,
 * so it is a leftover, and so is what it guarded. A guard is made before the files that it guards
 * and removed after them, so a file without its guard is a leftover too. Where a lock cannot be
 * had, names begin with `.kiln-bake-unlocked.`, and no process removes what another left. */
#ifndef BAKE_GATEWAY_FOLDER_H
#define BAKE_GATEWAY_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct output_folder {
    char *path;        /* with its slash; empty: the current one */
    char *guard;       /* the name of the guard of all named files; NULL: none yet */
    int guard_file;    /* open and locked while there is a guard */
    unsigned guarded;  /* the number of names given */
    bool only_named;   /* the file system has no unnamed files */
    bool has_no_locks; /* or their number is exhausted: names are such as nobody removes */
    struct output_folder *next;
} output_folder;

/* Frees the folders; there are no temporary files any more. */
void bake_folders_free(output_folder *folders);
/* Removes the guard, where there is one. */
void bake_folder_unguard(output_folder *folder);
/* The folder that the path is in, from the list `*folders` or added to it. NULL with errno ENOMEM.
 * What is added has its leftovers removed. */
output_folder *bake_folder_of(output_folder **folders, const char *path, bool only_named);

/* Opens a new file without a name, locked; -1 with errno set, ENOTSUP where the file system has
 * none. */
int bake_folder_open_unnamed(output_folder *folder, mode_t mode);
/* Opens a new file that the guard guards, and which a signal removes; -1 with errno set. The name
 * is for bake_temporary_forget. */
int bake_folder_open_named(output_folder *folder, mode_t mode, char **ret_name);
/* Gives an unnamed file a name that the guard guards, so that it may be closed; NULL with errno
 * set. */
char *bake_folder_name(output_folder *folder, int file);
/* Makes the unnamed file the one at `target`, which is new or replaced. Between the two steps of a
 * replacement the file has a name of its own, and no signal can come in between. False with errno
 * set. */
bool bake_folder_publish(output_folder *folder, int file, const char *target);

#endif
