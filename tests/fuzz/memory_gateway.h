/* The baker's gateway in memory. In harnesses for the baker, the linker replaces the functions for
 * files, outputs and programs with these. An execution therefore makes no system call, and no input
 * can access a file of the machine. */
#ifndef MEMORY_GATEWAY_H
#define MEMORY_GATEWAY_H

#include "gateway.h"

/* Removes all files and outputs, and the program. */
void memory_gateway_reset(void);
/* Adds a file. Its bytes are copied into a block of exactly their size plus a NUL. */
void memory_gateway_put(const char *path, const void *data, size_t size);
/* Adds a file that survives resets. The caller keeps its text, which must end with a NUL. */
void memory_gateway_keep(const char *path, const char *text, size_t size);
/* Returns the bytes committed to `path`; NULL if there are none. Valid until the reset. */
const unsigned char *memory_gateway_output(const char *path, size_t *ret_size);
/* Sets how each program exits from now on. NULL: no program can be run. */
void memory_gateway_set_program(const bake_program_end *end);

#endif
