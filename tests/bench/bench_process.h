/* Runs a program and measures its cost. */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>

typedef struct process_cost {
    double wall; /* nanoseconds, from before the start until after the exit */
    double cpu;  /* nanoseconds, user and system together */
    double peak; /* peak memory in bytes */
} process_cost;

/* `args` ends with NULL; args[0] is the program. `input` and `output` are files for the standard
 * streams; NULL means none. Returns false if the program cannot be run or does not exit with 0. */
bool bench_process_run(const char *const *args, const char *input, const char *output,
                       process_cost *ret_cost);

#endif
