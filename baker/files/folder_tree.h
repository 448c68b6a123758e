/* Folders and files that are neither inputs nor outputs of one run: folders for outputs, files that
 * a project removes, and scratch files. */
#ifndef BAKE_FOLDER_TREE_H
#define BAKE_FOLDER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Creates the missing folders in the path of a file, but not the file. Returns false with errno
 * set. */
bool bake_make_folders(const char *path);

/* Creates a file with this content. Never replaces a file: fails with EEXIST if the name exists,
 * even as a dangling link. Returns false with errno set; the file does not exist then. */
bool bake_write_new_file(const char *path, const char *text, size_t size);
/* Whether the name exists, even as a dangling link, or cannot be examined. */
bool bake_name_exists(const char *path);

typedef enum bake_removal { BAKE_REMOVED, BAKE_REMOVAL_ABSENT, BAKE_REMOVAL_FAILED } bake_removal;

/* Removes a regular file or a link; a link's target remains. Fails with errno set, EISDIR for a
 * folder, ENODEV for other kinds of files. */
bake_removal bake_remove_file(const char *path);

/* Removes a folder with its content. Follows no links. Fails with errno set, ENOTDIR if `path` is
 * not a folder. `*reterr_path` is then the path that could not be removed; the caller frees it with
 * bake_free. It is NULL for `path` itself and if memory ran out. */
bake_removal bake_remove_tree(const char *path, char **reterr_path);

/* The bytes that this user can still write to the file system of a folder; 0 if that is unknown. */
uint64_t bake_free_bytes(const char *folder);

/* Returns a pattern for mkstemp or mkdtemp in the folder TMPDIR, by default /tmp, in new memory;
 * NULL with errno ENOMEM if memory runs out. */
char *bake_scratch_pattern(void);
/* Opens an empty file without a name and writes its path, such as /dev/fd/5, to `ret_path`. The
 * file exists until its descriptor is closed. Returns the descriptor, or -1 with errno set. */
int bake_scratch_file(char ret_path[32]);
/* Reads the whole file, NUL-terminated. The caller frees it with bake_free. Returns NULL with errno
 * set. */
char *bake_scratch_read(int file, size_t *ret_size);
void bake_scratch_close(int file);

#endif
