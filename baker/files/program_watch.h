/* While a program runs in a process group of its own: how long that may take, and signals that
 * would end us, which wait until it is ended too. Private to program*.c. */
#ifndef BAKE_PROGRAM_WATCH_H
#define BAKE_PROGRAM_WATCH_H

#include "program.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

typedef struct program_watch {
    sigset_t before; /* the signals that were blocked */
    sigset_t held;   /* those that are now, and would end us */
    unsigned limit;  /* in milliseconds; 0: none */
    struct timespec start;
} program_watch;

/* From here on the time counts. */
void bake_watch_begin(program_watch *watch, unsigned limit);
/* Lets signals come; one that waits ends us here. */
void bake_watch_end(const program_watch *watch);
/* The milliseconds from the beginning. */
unsigned long long bake_watch_time(const program_watch *watch);
bool bake_watch_is_late(const program_watch *watch);
/* A signal that waits to end us; 0. */
int bake_watch_signal(const program_watch *watch);
/* Whether the child has ended; it is not waited for. */
bool bake_watch_has_ended(pid_t process);

#endif
