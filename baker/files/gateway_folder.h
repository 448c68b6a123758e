/* The folders of outputs, and the temporary files in them. Private to gateway*.c.
 *
 * A temporary file has no name if the file system permits that (O_TMPFILE), so a killed process
 * leaves none. Other temporary files are named .kiln-bake.TOKEN.tmp     a guard: its writer holds a
 * lock (flock) on it as long as it is needed .kiln-bake.TOKEN.N.tmp   guarded by the guard with the
 * same token The token is random and not used again. If the lock of a guard can be taken, its
 * writer is gone: the guard is a leftover, and so are the files that it guarded. A guard is created
 * before the files that it guards and removed after them, so a file without its guard is a
 * leftover, too. Without locks, names begin with `.kiln-bake-unlocked.`, and no process removes the
 * files of another. */
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
    bool has_no_locks; /* or no lock is left: names then have the prefix that protects them */
    struct output_folder *next;
} output_folder;

/* Frees the folders, whose temporary files must be gone. */
void bake_folders_free(output_folder *folders);
/* Removes the guard, if there is one. */
void bake_folder_unguard(output_folder *folder);
/* The folder of the path, from the list `*folders` or added to it. Leftovers in a new one are
 * removed. NULL with errno ENOMEM. */
output_folder *bake_folder_of(output_folder **folders, const char *path, bool only_named);

/* Opens a new file without a name, locked; -1 with errno set, ENOTSUP if the file system does not
 * support that. */
int bake_folder_open_unnamed(output_folder *folder, mode_t mode);
/* Opens a new file that the guard guards and a signal removes; -1 with errno set. Pass the name to
 * bake_temporary_forget. */
int bake_folder_open_named(output_folder *folder, mode_t mode, char **ret_name);
/* Gives an unnamed file a name that the guard guards, so that it may be closed; NULL with errno
 * set. */
char *bake_folder_name(output_folder *folder, int file);
/* Gives the unnamed file the name `target`, which is new or replaced. A replacement takes two
 * steps, between which the file has a temporary name; signals are blocked meanwhile. False with
 * errno set. */
bool bake_folder_publish(output_folder *folder, int file, const char *target);

#endif
