/* Output folders and the temporary files in them. Private to gateway*.c.
 *
 * A temporary file has no name if the file system permits that (O_TMPFILE), so a killed process
 * leaves none. Other temporary files have these names:
 *
 *     .kiln-bake.TOKEN.tmp      a guard, which its writer locks (flock) while it needs the guard
 *     .kiln-bake.TOKEN.N.tmp    a file that belongs to the guard with the same token
 *
 * Tokens are random and never reused. If a guard can be locked, its writer no longer runs: the
 * guard and all its files are leftovers. A guard is created before its files and removed after
 * them, so a file without a guard is a leftover, too. If the file system has no locks, names begin
 * with `.kiln-bake-unlocked.`, and no process removes files of another process. */
#ifndef BAKE_GATEWAY_FOLDER_H
#define BAKE_GATEWAY_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct output_folder {
    char *path;        /* with a trailing slash; empty: the current folder */
    char *guard;       /* the path of the guard of all named files; NULL: none yet */
    int guard_file;    /* open and locked while there is a guard */
    unsigned guarded;  /* number of names made for files of the guard */
    bool only_named;   /* the file system does not support O_TMPFILE */
    bool has_no_locks; /* flock fails here; names then have the `unlocked` prefix */
    struct output_folder *next;
} output_folder;

/* Frees the folders. All their temporary files must have been removed or renamed. */
void bake_folders_free(output_folder *folders);
/* Removes the guard, if there is one. */
void bake_folder_unguard(output_folder *folder);
/* Finds the folder of `path` in the list `*folders`. A folder that is not in the list is added, and
 * leftovers in it are removed. Returns NULL with errno ENOMEM if memory runs out. */
output_folder *bake_folder_of(output_folder **folders, const char *path, bool only_named);

/* Creates and locks a file without a name. Returns -1 with errno set, ENOTSUP if the file system
 * does not support that. */
int bake_folder_open_unnamed(output_folder *folder, mode_t mode);
/* Creates a named file that belongs to the guard and is removed on a signal. Returns -1 with errno
 * set. Pass the name to bake_temporary_unregister. */
int bake_folder_open_named(output_folder *folder, mode_t mode, char **ret_name);
/* Links an unnamed file to a name that belongs to the guard, so that the file may be closed.
 * Returns NULL with errno set. */
char *bake_folder_name(output_folder *folder, int file);
/* Links the unnamed file to `target`, replacing an existing file. A replacement takes two steps,
 * and between them the file has a temporary name; signals are blocked meanwhile. Returns false with
 * errno set. */
bool bake_folder_publish(output_folder *folder, int file, const char *target);

#endif
