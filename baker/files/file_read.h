/* Reads open files in parts. */
#ifndef BAKE_FILE_READ_H
#define BAKE_FILE_READ_H

#include <stdbool.h>
#include <stddef.h>

/* Reads `size` bytes, or fewer at the end of the file. Returns false with errno set. */
bool bake_read_some(int file, void *data, size_t size, size_t *ret_size);
/* Like bake_read_some, but fails with EAGAIN instead of waiting for bytes. */
bool bake_read_ready(int file, void *data, size_t size, size_t *ret_size);
/* Like bake_read_some, for a regular file at its beginning that has `expected` bytes. If `size` is
 * larger, a read that ends at `expected` ends the file, which saves a call. */
bool bake_read_sized(int file, void *data, size_t size, size_t expected, size_t *ret_size);

#endif
