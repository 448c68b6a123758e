/* Starts a program: its files, its signals, its folder. Private to program*.c. */
#ifndef BAKE_PROGRAM_START_H
#define BAKE_PROGRAM_START_H

#include "program.h"

#include <signal.h>
#include <sys/types.h>

typedef struct program_process {
    pid_t number; /* and that of its group */
    int out, err; /* our ends of the pipes, which do not block; -1: closed */
} program_process;

/* Starts the program with the signals in `blocked` held back. 0, or an errno: the pipes are to be
 * closed even then. */
int bake_program_start(const bake_program *program, const sigset_t *blocked, program_process *ret);
/* Closes an end of a pipe that is open. */
void bake_program_close(int *file);

#endif
