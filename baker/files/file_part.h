/* Reads parts of a file without recording it as an input: of an output, for its measures. */
#ifndef BAKE_FILE_PART_H
#define BAKE_FILE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads exactly `size` bytes at the offset `at` of an open file. On failure, returns false with
 * errno set: ESTALE if the file ends before. */
bool bake_file_read_part(int file, uint64_t at, void *to, size_t size);

/* Opens a regular file. Returns its descriptor, or -1 with errno set: EISDIR for a folder, ENODEV
 * for anything else that is not a regular file. Close it with bake_file_close. */
int bake_file_open(const char *path, uint64_t *ret_size);
/* Accepts -1. */
void bake_file_close(int file);

#endif
