/* Runs a program and says what it cost. */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>

typedef struct process_cost {
    double wall; /* nanoseconds, from before the start to after the end */
    double cpu;  /* nanoseconds, user and system together */
    double peak; /* bytes of memory at once */
} process_cost;

/* `args` ends with NULL; args[0] is the program. It reads the file `input`, or nothing where that
 * is NULL; what it prints goes to the file `output`, or nowhere. False where it cannot be run or
 * does not end with 0. */
bool bench_process_run(const char *const *args, const char *input, const char *output,
                       process_cost *ret_cost);

#endif
