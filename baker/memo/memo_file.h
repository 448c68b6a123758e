/* Stores the memo of a step in a file next to its record.
 *
 * Such a file is private to the version of kiln-bake that wrote it, and can be deleted at any time:
 * the next change then bakes the whole step. It begins with a header of 152 bytes: `KILNMEMO`, the
 * version of this file format, the count of forms, the XXH3-64 of everything after it, the key, the
 * hash of the rest of the schema, what is known about scenes, and the counts. The lists of
 * bake_memo follow. */
#ifndef BAKE_MEMO_FILE_H
#define BAKE_MEMO_FILE_H

#include "gateway.h"
#include "memo.h"

/* Reads the memo at a path. `key` identifies the record to which it must belong. Returns NULL with
 * errno set: ENOMEM, the error of the system, or EINVAL if the file contains no valid memo with
 * this key. Safe on hostile bytes: all numbers are then below the counts. */
bake_memo *bake_memo_load(const char *path, kiln_hash128 key);
/* Reads a memo from bytes. */
bake_memo *bake_memo_read(const void *data, size_t size, kiln_hash128 key);

/* Writes a memo to a path completely or not at all; its folder must exist. `gateway` must have no
 * open output. Returns false with errno set. */
bool bake_memo_save(const bake_memo *memo, kiln_hash128 key, bake_gateway *gateway,
                    const char *path);
/* The same for a path from which the memo `before` was loaded. If all lists keep their sizes, the
 * file is changed in place; a process that is killed then leaves a damaged file. Otherwise a new
 * file takes the place of the old one, which is removed first. */
bool bake_memo_save_again(const bake_memo *memo, const bake_memo *before, kiln_hash128 key,
                          bake_gateway *gateway, const char *path);

#endif
