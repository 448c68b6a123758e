/* Threads that help the calling thread with a job.
 *
 * A job must not need its helpers: the system may start fewer threads than requested, or none. All
 * signals are blocked in helpers, so that handlers run in the thread that started them. */
#ifndef BAKE_THREADS_H
#define BAKE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The maximum number of threads in a run, including the main thread. */
enum { BAKE_THREADS_MAX = 64 };

typedef struct bake_helper {
    pthread_t thread;
    void (*work)(void *ctx, size_t number);
    void *ctx;
    size_t number;
    struct bake_helpers *of;
} bake_helper;

/* A zeroed struct has no threads. It must not move while threads run. */
typedef struct bake_helpers {
    bake_helper all[BAKE_THREADS_MAX - 1];
    size_t count;
    bool needs_tokens; /* of the jobserver */
    int stop[2];       /* with tokens: a pipe whose writer ends when helpers must not begin */
} bake_helpers;

/* The number of processors that are online, but at least 1 and at most BAKE_THREADS_MAX. 1 if the
 * address space is limited, because threads reserve much of it, and if the jobserver of make
 * (jobserver.h) is unavailable. */
size_t bake_threads_default(void);

/* The number of threads, including the caller's, for a job of `items` parts: `jobs`, or by default
 * (0) one for each processor, but only one for each `items_each` parts. Never more than `items`,
 * and at least 1. */
size_t bake_threads_for(size_t jobs, size_t items, size_t items_each);

/* Starts up to `count` threads. Each calls `work` once, with `ctx` and a number from 1 to
 * `helpers->count`. If `jobs` is 0 and make has a jobserver, each first waits for a token, which it
 * returns after `work`; a thread without a token never calls `work`. */
void bake_helpers_start(bake_helpers *helpers, size_t jobs, size_t count,
                        void (*work)(void *ctx, size_t number), void *ctx);
/* Waits until all threads have ended. Threads that have no token yet end at once. */
void bake_helpers_join(bake_helpers *helpers);

#endif
