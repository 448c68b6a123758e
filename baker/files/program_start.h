/* Starts a program: sets up its files, signals and working folder. Private to program*.c. */
#ifndef BAKE_PROGRAM_START_H
#define BAKE_PROGRAM_START_H

#include "program.h"

#include <signal.h>
#include <sys/types.h>

typedef struct program_process {
    pid_t number; /* process id, and id of its process group */
    int out, err; /* read ends of the pipes, non-blocking; -1: closed */
} program_process;

/* Starts the program with the signal mask `blocked`. Returns 0 or an errno. Close the pipes in
 * either case. */
int bake_program_start(const bake_program *program, const sigset_t *blocked, program_process *ret);
/* Closes an end of a pipe, if it is open. */
void bake_program_close(int *file);

#endif
