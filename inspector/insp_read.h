/* A file's bytes, whole, in private memory.
 *
 * Copied and not mapped: who looks at a broken file may be looking at one that is still being
 * written, and a mapping of a file that shrinks ends the program. */
#ifndef INSP_READ_H
#define INSP_READ_H

#include <stddef.h>

/* What insp_read returns for a device, which may have no end; never an errno value. A terminal is
 * read like a pipe. */
enum { INSP_IS_DEVICE = -1 };

/* Reads the file at `path`, or standard input for "-". `ret_data` lies at a multiple of 4096 and is
 * ended with insp_free. Returns 0, an errno value or INSP_IS_DEVICE. */
int insp_read(const char *path, unsigned char **ret_data, size_t *ret_size);

#endif
