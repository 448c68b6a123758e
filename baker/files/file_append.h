/* Appends lines to a file that several processes may write, such as a history. */
#ifndef BAKE_FILE_APPEND_H
#define BAKE_FILE_APPEND_H

#include <stdbool.h>
#include <stddef.h>

/* Appends `size` bytes, which end with a line break, and creates the file if it is missing. Either
 * all bytes are appended or none: processes take turns by locking the file, and what a failed write
 * left is removed. If the file does not end with a line break, because a process was killed while
 * it wrote, the bytes begin on a new line. Returns false with errno set: EISDIR for a folder,
 * ENODEV for anything else that is not a regular file. */
bool bake_file_append(const char *path, const char *text, size_t size);

#endif
