/* Files in memory for the inspector. In its harnesses, the linker replaces insp_read, which then
 * reads these files, and the option --copy prevents that they are mapped. An execution therefore
 * makes no system call, and a source map cannot name a file of the machine. */
#ifndef MEMORY_READ_H
#define MEMORY_READ_H

#include <stddef.h>

void memory_read_reset(void);
/* Adds a file. Path and bytes must stay valid until the reset. */
void memory_read_put(const char *path, const void *data, size_t size);

#endif
