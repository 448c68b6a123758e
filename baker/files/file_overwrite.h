/* Changes a file in place: writes only the blocks that differ.
 *
 * For files that are private to kiln-bake and contain a hash of all their bytes. If the process is
 * killed, or another one writes to the same file, the file may be a mixture, which its readers
 * must notice. In return, an almost unchanged file costs neither a new inode nor new pages. Any
 * thread. */
#ifndef BAKE_FILE_OVERWRITE_H
#define BAKE_FILE_OVERWRITE_H

#include "file_state.h"

/* A part of the file, before and after the change. */
typedef struct bake_overwrite_part {
    const void *before; /* NULL: unknown, so the whole part is written */
    const void *after;
    size_t size;
} bake_overwrite_part;

/* Changes the file at `path`, which consists of `parts`, one after another. `state` is that of the
 * file when it contained the bytes `before`.
 *
 * Returns false with errno set if the file cannot be written, and with EINVAL, without writing
 * anything, if it has another state or size, other names, or another process is changing it. */
bool bake_file_overwrite(const char *path, const bake_file_state *state,
                         const bake_overwrite_part *parts, size_t count);

#endif
