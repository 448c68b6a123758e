/* Files in memory for the inspector: its harnesses are linked so that insp_read ends up here. So an
 * execution makes no system call, and what a source map names is no file of the machine. */
#ifndef MEMORY_READ_H
#define MEMORY_READ_H

#include <stddef.h>

void memory_read_reset(void);
/* Adds a file. Path and bytes must stay until the reset. */
void memory_read_put(const char *path, const void *data, size_t size);

#endif
