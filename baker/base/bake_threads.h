/* Threads that help the calling thread with a job.
 *
 * A job must not need its helpers: the system may start fewer threads than requested, or none. All
 * signals are blocked in helpers, so that handlers run in the thread that started them. */
#ifndef BAKE_THREADS_H
#define BAKE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
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

/* Helpers that share a list of work with the calling thread, the owner.
 *
 * A lock guards the work. Whoever has it calls `work_once`, which claims a part of the work and may
 * release the lock while it works. Helpers repeat that until the crew is stopped or nothing is left
 * to claim. `changed` is signalled when somebody who waits should look again.
 *
 * Each result has a state, which is 0 until the result exists. The owner may read states without
 * the lock: what was written before bake_crew_publish is then visible. */
typedef struct bake_crew_def {
    /* Claims a part and works on it, as thread `number` (0: the owner). Returns false if there is
     * none now. The caller has the lock, and has it again afterwards. */
    bool (*work_once)(void *ctx, size_t number);
    /* Whether a part may be claimed later. The caller has the lock. */
    bool (*is_left)(const void *ctx);
    void *ctx;
    /* Each part closes the files that it opens, and uses no descriptor that another thread opens
     * after bake_crew_start. Then each helper gets a copy of the table of descriptors where the
     * system has that (Linux): with a common table, each call of the system counts and locks it. */
    bool opens_files;
} bake_crew_def;

/* A zeroed crew can be ended. It must not move between init and end. */
typedef struct bake_crew {
    bake_crew_def def;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_ready;   /* the lock exists */
    bool is_stopped; /* nobody may begin a part */
    atomic_bool is_owner_waiting;
    bake_helpers helpers;
} bake_crew;

/* Makes the lock. Returns false if that fails. */
bool bake_crew_init(bake_crew *crew, const bake_crew_def *def);
/* Starts helpers, see bake_helpers_start. */
void bake_crew_start(bake_crew *crew, size_t jobs, size_t count);
/* Sets `*state` to `value`, which is not 0. The caller does not have the lock. */
void bake_crew_publish(bake_crew *crew, atomic_int *state, int value);
/* For the owner, who has the lock and needs the result of `state`: works on other parts, or waits
 * for a change unless `*state` is set. */
void bake_crew_help_or_wait(bake_crew *crew, const atomic_int *state);
/* Stops the crew and waits for its helpers. Started again, the crew goes on. */
void bake_crew_pause(bake_crew *crew);
/* The same, for good. */
void bake_crew_end(bake_crew *crew);

#endif
