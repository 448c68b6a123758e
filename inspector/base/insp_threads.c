#define _POSIX_C_SOURCE 200809L
#include "insp_threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct helper {
    pthread_t thread;
    void (*work)(void *ctx, size_t number);
    void *ctx;
    size_t number;
} helper;

static size_t default_count(void)
{
    struct rlimit all;
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (getrlimit(RLIMIT_AS, &all) != 0 || all.rlim_cur != RLIM_INFINITY || count < 1)
        return 1;
    return count > INSP_THREADS_MAX ? (size_t)INSP_THREADS_MAX : (size_t)count;
}

size_t insp_threads_for(uint64_t jobs, uint64_t bytes, uint64_t bytes_each)
{
    uint64_t most = bytes / bytes_each;
    size_t count;
    if (jobs)
        return jobs < INSP_THREADS_MAX ? (size_t)jobs : (size_t)INSP_THREADS_MAX;
    if (most < 2)
        return 1;
    count = default_count();
    return count < most ? count : (size_t)most;
}

static void *run_helper(void *ctx)
{
    const helper *h = ctx;
    h->work(h->ctx, h->number);
    return NULL;
}

/* SIGBUS is left out, because a mapped file that was truncated causes it in any thread. */
static bool block_signals(sigset_t *ret_before)
{
    static const int synchronous[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP};
    sigset_t all;
    size_t i;
    sigfillset(&all);
    for (i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        sigdelset(&all, synchronous[i]);
    return pthread_sigmask(SIG_BLOCK, &all, ret_before) == 0;
}

void insp_threads_run(size_t count, void (*work)(void *ctx, size_t number), void *ctx)
{
    helper helpers[INSP_THREADS_MAX - 1];
    sigset_t before;
    size_t started = 0, i;
    /* A new thread inherits the signal mask. */
    if (count > 1 && block_signals(&before)) {
        for (; started + 1 < count && started + 1 < INSP_THREADS_MAX; started++) {
            helper *h = &helpers[started];
            *h = (helper){.work = work, .ctx = ctx, .number = started + 1};
            if (pthread_create(&h->thread, NULL, run_helper, h) != 0)
                break;
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    work(ctx, 0);
    for (i = 0; i < started; i++)
        pthread_join(helpers[i].thread, NULL);
}
