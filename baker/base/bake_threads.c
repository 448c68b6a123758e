#define _DEFAULT_SOURCE

#include "bake_threads.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

/* Whether the address space has a limit. The stacks and heaps of threads would count against it. */
static bool is_limited(void)
{
    struct rlimit all;
    return getrlimit(RLIMIT_AS, &all) != 0 || all.rlim_cur != RLIM_INFINITY;
}

size_t bake_threads_default(void)
{
    if (is_limited())
        return 1;
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1)
        return 1;
    return count > BAKE_THREADS_MAX ? (size_t)BAKE_THREADS_MAX : (size_t)count;
}

size_t bake_threads_for(size_t jobs, size_t items, size_t items_each)
{
    size_t threads = jobs ? jobs : bake_threads_default();
    size_t most = jobs ? items : items / items_each;
    if (threads > BAKE_THREADS_MAX)
        threads = BAKE_THREADS_MAX;
    if (threads > most)
        threads = most;
    return threads > 0 ? threads : 1;
}

static void *run_helper(void *helper)
{
    bake_helper *h = helper;
    h->work(h->ctx, h->number);
    return NULL;
}

void bake_helpers_start(bake_helpers *helpers, size_t count, void (*work)(void *ctx, size_t number),
                        void *ctx)
{
    sigset_t all, usual;
    size_t most = sizeof helpers->all / sizeof *helpers->all;
    sigfillset(&all);
    /* A new thread inherits the signal mask. */
    if (pthread_sigmask(SIG_SETMASK, &all, &usual) != 0)
        return;
    for (size_t i = 0; i < count && i < most; i++) {
        bake_helper *h = &helpers->all[i];
        *h = (bake_helper){.work = work, .ctx = ctx, .number = i + 1};
        if (pthread_create(&h->thread, NULL, run_helper, h) != 0)
            break;
        helpers->count++;
    }
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
}

void bake_helpers_join(bake_helpers *helpers)
{
    for (size_t i = 0; i < helpers->count; i++)
        pthread_join(helpers->all[i].thread, NULL);
    helpers->count = 0;
}
