/* Threads that help the calling thread with a job.
 *
 * A job must not need its helpers: the system may start fewer threads than requested, or none. In
 * helpers, only the signals that a failed instruction causes are not blocked, so all other handlers
 * run in the thread that started them. */
#ifndef INSP_THREADS_H
#define INSP_THREADS_H

#include <stddef.h>
#include <stdint.h>

/* The maximum number of threads of a job, including the caller's. */
enum { INSP_THREADS_MAX = 64 };

/* The number of threads for a job of `bytes` bytes: `jobs`, or by default (0) one for each
 * processor, but only one for each `bytes_each` bytes. By default it is 1 if the address space is
 * limited, because threads reserve much of it. At least 1, at most INSP_THREADS_MAX. */
size_t insp_threads_for(uint64_t jobs, uint64_t bytes, uint64_t bytes_each);

/* Calls `work` with `ctx` and each number below `count`, or only some of them, but always 0: with 0
 * in this thread, with each other number in a thread of its own. Returns when all calls have
 * returned. `count` is from 1 to INSP_THREADS_MAX. */
void insp_threads_run(size_t count, void (*work)(void *ctx, size_t number), void *ctx);

#endif
