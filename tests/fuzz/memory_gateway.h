/* The baker's gateway, in memory: the harnesses for the baker are linked so that its functions for
 * files, outputs and programs end up here. So an execution makes no system call, and no input
 * reaches a file of the machine. */
#ifndef MEMORY_GATEWAY_H
#define MEMORY_GATEWAY_H

#include "gateway.h"

/* Removes all files and outputs, and the program. */
void memory_gateway_reset(void);
/* Adds a file; the bytes are copied into a block of exactly their size and a NUL. */
void memory_gateway_put(const char *path, const void *data, size_t size);
/* A file that stays through every reset; a NUL follows its text, which the caller keeps. */
void memory_gateway_keep(const char *path, const char *text, size_t size);
/* What was committed to `path`; NULL when nothing was. Valid until the reset. */
const unsigned char *memory_gateway_output(const char *path, size_t *ret_size);
/* How each program ends from now on; NULL: no program can be run. */
void memory_gateway_set_program(const bake_program_end *end);

#endif
