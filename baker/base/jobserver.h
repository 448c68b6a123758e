/* The jobserver of GNU make, which limits the number of jobs of all processes in a build.
 *
 * make passes a pipe or a FIFO that contains a byte, a token, for each job that may run in addition
 * to those that run. A process may run one thread, and another one for each token that it takes.
 * It writes each token back, also if a signal terminates it; otherwise the build would have fewer
 * jobs from then on.
 *
 * The state belongs to the process. Any thread may take and return tokens. Reading never blocks,
 * because this process opens the pipe again: the mode of the descriptor that make passed applies to
 * all processes. Where that is not possible, the jobserver is unavailable. */
#ifndef BAKE_JOBSERVER_H
#define BAKE_JOBSERVER_H

#include <stdbool.h>

typedef enum bake_jobserver_kind {
    BAKE_JOBSERVER_NONE, /* the number of threads is not limited */
    BAKE_JOBSERVER_OPEN,
    BAKE_JOBSERVER_UNAVAILABLE /* make has one, but did not pass it to this process: the rule needs
                                  a `+`. Only one thread may run */
} bake_jobserver_kind;

/* Connects to the jobserver that `flags` names, the value of MAKEFLAGS or NULL. Call it before
 * descriptors are opened: a descriptor that make has closed must not be confused with another one.
 * Only `main` and tests should call it. */
void bake_jobserver_open(const char *flags);
/* Disconnects. No token may be taken. */
void bake_jobserver_close(void);
bake_jobserver_kind bake_jobserver_state(void);

/* Waits for a token and takes it, unless the descriptor `stop` becomes readable or its writer ends.
 * Returns false without a token. */
bool bake_jobserver_take(int stop);
/* Returns one of the tokens that were taken. */
void bake_jobserver_return(void);

/* Returns all tokens; no more can be taken. For signal handlers that terminate the process, which
 * run in a thread that does not call the functions above. Async-signal-safe. */
void bake_jobserver_return_all(void);

#endif
