/* Stores records in files: one file for each step, in the folder `steps` of the state folder of a
 * project.
 *
 * A record file is private to the version of kiln-bake that wrote it. All numbers are
 * little-endian. It begins with a header of 32 bytes: `KILNSTEP`, the version of this file format,
 * zero, the size of the body, and the XXH3-64 of the body. A file of a different version and a
 * damaged file count as missing; the step then runs again. Files can be deleted at any time. */
#ifndef BAKE_RECORD_FILE_H
#define BAKE_RECORD_FILE_H

#include "record.h"

/* Returns the path of the record of the step `name` below the state folder, in new memory, or NULL
 * if memory runs out. Different names have different paths, also on file systems that ignore case.
 * A name is any text. */
char *bake_record_path(const char *folder, const char *name);

/* Like bake_record_path, for another file about the step; `kind` is the name of its folder, of at
 * most 8 letters. */
char *bake_state_path(const char *folder, const char *kind, const char *name);

/* Reads the record at a path. Returns NULL with errno set: ENOMEM, the error of the system, or
 * EINVAL if the file contains no valid record. Safe on hostile bytes. */
bake_record *bake_record_load(const char *path);
/* Reads a record from bytes. Returns NULL with errno ENOMEM or EINVAL. Safe on hostile bytes. */
bake_record *bake_record_read(const void *data, size_t size);

/* Writes a record to a path completely or not at all, and creates missing folders of the path.
 * `gateway` must have no open output. Returns false with errno set. */
bool bake_record_save(const bake_record *record, bake_gateway *gateway, const char *path);
/* The same for a record that was loaded from this path and updated. If its size stays the same, the
 * file is changed in place; a process that is killed then leaves a damaged file. Otherwise a new
 * file takes the place of the old one, which is removed first. */
bool bake_record_save_again(const bake_record *record, bake_gateway *gateway, const char *path);

#endif
