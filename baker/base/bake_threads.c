/* For unshare. */
#define _GNU_SOURCE

#include "bake_threads.h"

#include "jobserver.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
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
    if (is_limited() || bake_jobserver_state() == BAKE_JOBSERVER_UNAVAILABLE)
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
    bool needs_token = h->of->needs_tokens;
    if (needs_token && !bake_jobserver_take(h->of->stop[0]))
        return NULL;
    h->work(h->ctx, h->number);
    if (needs_token)
        bake_jobserver_return();
    return NULL;
}

/* Returns false if there cannot be helpers. */
static bool prepare_tokens(bake_helpers *helpers, size_t jobs)
{
    helpers->needs_tokens = jobs == 0 && bake_jobserver_state() == BAKE_JOBSERVER_OPEN;
    if (!helpers->needs_tokens)
        return true;
    helpers->needs_tokens = pipe(helpers->stop) == 0;
    for (int i = 0; helpers->needs_tokens && i < 2; i++)
        fcntl(helpers->stop[i], F_SETFD, FD_CLOEXEC);
    return helpers->needs_tokens;
}

void bake_helpers_start(bake_helpers *helpers, size_t jobs, size_t count,
                        void (*work)(void *ctx, size_t number), void *ctx)
{
    sigset_t all, usual;
    size_t most = sizeof helpers->all / sizeof *helpers->all;
    sigfillset(&all);
    /* A new thread inherits the signal mask. */
    if (!prepare_tokens(helpers, jobs) || pthread_sigmask(SIG_SETMASK, &all, &usual) != 0)
        return;
    for (size_t i = 0; i < count && i < most; i++) {
        bake_helper *h = &helpers->all[i];
        *h = (bake_helper){.work = work, .ctx = ctx, .number = i + 1, .of = helpers};
        if (pthread_create(&h->thread, NULL, run_helper, h) != 0)
            break;
        helpers->count++;
    }
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
}

void bake_helpers_join(bake_helpers *helpers)
{
    if (helpers->needs_tokens)
        close(helpers->stop[1]);
    for (size_t i = 0; i < helpers->count; i++)
        pthread_join(helpers->all[i].thread, NULL);
    if (helpers->needs_tokens)
        close(helpers->stop[0]);
    helpers->needs_tokens = false;
    helpers->count = 0;
}

bool bake_crew_init(bake_crew *crew, const bake_crew_def *def)
{
    crew->def = *def;
    if (pthread_mutex_init(&crew->lock, NULL) != 0)
        return false;
    crew->is_ready = pthread_cond_init(&crew->changed, NULL) == 0;
    if (!crew->is_ready)
        pthread_mutex_destroy(&crew->lock);
    return crew->is_ready;
}

/* The thread sanitizer assumes that equal descriptors are equal files in all threads. */
#if defined(__SANITIZE_THREAD__)
#define SHARES_FILES
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHARES_FILES
#endif
#endif

/* Copies the table of descriptors for this thread. If the system forbids that, threads continue to
 * share it. */
static void take_own_files(void)
{
#if defined(CLONE_FILES) && !defined(SHARES_FILES)
    (void)unshare(CLONE_FILES);
#endif
}

static void help(void *ctx, size_t number)
{
    bake_crew *crew = ctx;
    const bake_crew_def *def = &crew->def;
    if (def->opens_files)
        take_own_files();
    pthread_mutex_lock(&crew->lock);
    while (!crew->is_stopped && def->is_left(def->ctx))
        if (!def->work_once(def->ctx, number))
            pthread_cond_wait(&crew->changed, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void bake_crew_start(bake_crew *crew, size_t jobs, size_t count)
{
    crew->is_stopped = false;
    bake_helpers_start(&crew->helpers, jobs, count, help, crew);
}

/* If the owner begins to wait at the same time, either the owner sees the state, or this thread
 * sees that the owner waits. */
void bake_crew_publish(bake_crew *crew, atomic_int *state, int value)
{
    atomic_store(state, value);
    if (!atomic_load(&crew->is_owner_waiting))
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

void bake_crew_help_or_wait(bake_crew *crew, const atomic_int *state)
{
    if (crew->def.work_once(crew->def.ctx, 0))
        return;
    atomic_store(&crew->is_owner_waiting, true);
    if (atomic_load(state) == 0)
        pthread_cond_wait(&crew->changed, &crew->lock);
    atomic_store(&crew->is_owner_waiting, false);
}

void bake_crew_pause(bake_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->is_stopped = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    bake_helpers_join(&crew->helpers);
}

void bake_crew_end(bake_crew *crew)
{
    if (!crew->is_ready)
        return;
    bake_crew_pause(crew);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    crew->is_ready = false;
}
