/* The number of threads of a job, and starting them. */
#include "bake_threads.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void a_job_gets_no_more_threads_than_it_has_parts(void **state)
{
    static const struct {
        size_t jobs, items, items_each, expected;
    } rows[] = {
        {1, 1000, 10, 1}, {2, 1000, 10, 2},   {8, 3, 10, 3},   {8, 1, 10, 1},
        {8, 0, 10, 1},    {64, 1000, 10, 64}, {0, 0, 10, 1},   {0, 19, 10, 1},
        {0, 9, 10, 1},    {65, 1000, 10, 64}, {3, 3, 1000, 3}, {SIZE_MAX, 1000, 1, 64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (bake_threads_for(rows[i].jobs, rows[i].items, rows[i].items_each) != rows[i].expected)
            fail_msg("row %zu", i);
    size_t usual = bake_threads_default();
    assert_in_range(usual, 1, BAKE_THREADS_MAX);
    assert_int_equal(bake_threads_for(0, 10000, 10), usual);
    assert_int_equal(bake_threads_for(0, 20, 10), usual < 2 ? usual : 2);
}

static void a_limited_address_space_has_one_thread_by_default(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {(rlim_t)1 << 40, (rlim_t)1 << 40};
        _exit(setrlimit(RLIMIT_AS, &limit) == 0 && bake_threads_default() == 1 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

typedef struct job {
    atomic_uint calls[BAKE_THREADS_MAX];
    atomic_bool is_open; /* a helper accepts SIGINT */
} job;

static void work(void *ctx, size_t number)
{
    job *j = ctx;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (sigismember(&blocked, SIGINT) != 1)
        atomic_store(&j->is_open, true);
    atomic_fetch_add(&j->calls[number], 1);
}

static void each_helper_works_once_with_signals_blocked(void **state)
{
    static const size_t counts[] = {0, 1, 2, BAKE_THREADS_MAX - 1, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        static bake_helpers helpers;
        job j = {0};
        sigset_t before, after;
        pthread_sigmask(SIG_SETMASK, NULL, &before);
        bake_helpers_start(&helpers, 0, counts[i], work, &j);
        pthread_sigmask(SIG_SETMASK, NULL, &after);
        size_t started = helpers.count;
        bake_helpers_join(&helpers);
        assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
        assert_int_equal(started, counts[i] < BAKE_THREADS_MAX ? counts[i] : BAKE_THREADS_MAX - 1);
        assert_int_equal(helpers.count, 0);
        assert_false(atomic_load(&j.is_open));
        for (size_t number = 0; number < BAKE_THREADS_MAX; number++)
            assert_int_equal(atomic_load(&j.calls[number]), number >= 1 && number <= started);
    }
}

enum { PARTS = 500 };

typedef struct list_of_parts {
    bake_crew crew;
    size_t next, done;
    unsigned claims[PARTS];
    bool opened[PARTS]; /* with `opens_files`: a file could be opened and closed */
    bool is_numbered;   /* every number of a thread was below BAKE_THREADS_MAX */
} list_of_parts;

static bool claim_part(void *ctx, size_t number)
{
    list_of_parts *l = ctx;
    if (l->crew.is_stopped || l->next == PARTS)
        return false;
    size_t part = l->next++;
    pthread_mutex_unlock(&l->crew.lock);
    l->claims[part]++;
    int file = l->crew.def.opens_files ? open("/dev/null", O_RDONLY) : -1;
    l->opened[part] = file >= 0 && close(file) == 0;
    pthread_mutex_lock(&l->crew.lock);
    l->is_numbered = l->is_numbered && number < BAKE_THREADS_MAX;
    l->done++;
    pthread_cond_broadcast(&l->crew.changed);
    return true;
}

static bool is_part_left(const void *ctx)
{
    const list_of_parts *l = ctx;
    return l->next < PARTS;
}

static void a_crew_works_on_each_part_once(void **state)
{
    static const size_t counts[] = {0, 1, 3, BAKE_THREADS_MAX - 1};
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof counts / sizeof *counts); i++) {
        size_t count = counts[i / 2];
        bool opens_files = i % 2;
        static list_of_parts l;
        static atomic_int never;
        l = (list_of_parts){.is_numbered = true};
        assert_true(
            bake_crew_init(&l.crew, &(bake_crew_def){claim_part, is_part_left, &l, opens_files}));
        bake_crew_start(&l.crew, count + 1, count);
        pthread_mutex_lock(&l.crew.lock);
        while (l.done < PARTS)
            bake_crew_help_or_wait(&l.crew, &never);
        pthread_mutex_unlock(&l.crew.lock);
        bake_crew_end(&l.crew);
        assert_true(l.is_numbered);
        for (size_t k = 0; k < PARTS; k++) {
            assert_int_equal(l.claims[k], 1);
            assert_int_equal(l.opened[k], opens_files);
        }
    }
}

static void files_of_the_owner_stay_open_while_a_crew_has_its_own(void **state)
{
    static list_of_parts l;
    static atomic_int never;
    int ends[2];
    char byte;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    l = (list_of_parts){.next = 0};
    assert_true(bake_crew_init(&l.crew, &(bake_crew_def){claim_part, is_part_left, &l, true}));
    bake_crew_start(&l.crew, 4, 3);
    pthread_mutex_lock(&l.crew.lock);
    while (l.done < PARTS)
        bake_crew_help_or_wait(&l.crew, &never);
    pthread_mutex_unlock(&l.crew.lock);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(close(ends[1]), 0);
    bake_crew_end(&l.crew);
    /* After the end, no copy of the writer is left. */
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    assert_int_equal(close(ends[0]), 0);
}

static void a_crew_that_was_paused_goes_on(void **state)
{
    static list_of_parts l;
    static atomic_int never;
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        l = (list_of_parts){.next = 0};
        assert_true(bake_crew_init(&l.crew, &(bake_crew_def){claim_part, is_part_left, &l, i % 2}));
        for (size_t pause = 0; pause < 3; pause++) {
            bake_crew_start(&l.crew, 4, 3);
            bake_crew_pause(&l.crew);
            assert_int_equal(l.done, l.next);
        }
        bake_crew_start(&l.crew, 4, 3);
        pthread_mutex_lock(&l.crew.lock);
        while (l.done < PARTS)
            bake_crew_help_or_wait(&l.crew, &never);
        pthread_mutex_unlock(&l.crew.lock);
        bake_crew_end(&l.crew);
        for (size_t k = 0; k < PARTS; k++)
            assert_int_equal(l.claims[k], 1);
    }
}

/* The owner takes results in order without the lock, if they are there already. */
typedef struct list_of_results {
    bake_crew crew;
    size_t next;
    unsigned results[PARTS];
    atomic_int states[PARTS];
} list_of_results;

static bool make_result(void *ctx, size_t number)
{
    list_of_results *l = ctx;
    (void)number;
    if (l->crew.is_stopped || l->next == PARTS)
        return false;
    size_t part = l->next++;
    pthread_mutex_unlock(&l->crew.lock);
    l->results[part] = (unsigned)part + 1;
    bake_crew_publish(&l->crew, &l->states[part], 1);
    pthread_mutex_lock(&l->crew.lock);
    return true;
}

static bool is_result_left(const void *ctx)
{
    const list_of_results *l = ctx;
    return l->next < PARTS;
}

static void the_owner_gets_each_result_that_others_publish(void **state)
{
    (void)state;
    for (size_t helpers = 0; helpers < 4; helpers++) {
        static list_of_results l;
        memset(&l, 0, sizeof l);
        assert_true(
            bake_crew_init(&l.crew, &(bake_crew_def){make_result, is_result_left, &l, false}));
        bake_crew_start(&l.crew, helpers + 1, helpers);
        for (size_t part = 0; part < PARTS; part++) {
            if (atomic_load(&l.states[part]) == 0) {
                pthread_mutex_lock(&l.crew.lock);
                while (atomic_load(&l.states[part]) == 0)
                    bake_crew_help_or_wait(&l.crew, &l.states[part]);
                pthread_mutex_unlock(&l.crew.lock);
            }
            assert_int_equal(l.results[part], part + 1);
        }
        bake_crew_end(&l.crew);
    }
}

static void a_crew_can_end_before_its_work_is_done(void **state)
{
    static list_of_parts l;
    (void)state;
    bake_crew_end(&l.crew);
    for (int i = 0; i < 50; i++) {
        l = (list_of_parts){.next = 0};
        assert_true(bake_crew_init(&l.crew, &(bake_crew_def){claim_part, is_part_left, &l, false}));
        bake_crew_start(&l.crew, 4, 3);
        bake_crew_end(&l.crew);
        assert_int_equal(l.done, l.next);
        assert_true(l.crew.is_stopped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_gets_no_more_threads_than_it_has_parts),
        cmocka_unit_test(a_limited_address_space_has_one_thread_by_default),
        cmocka_unit_test(each_helper_works_once_with_signals_blocked),
        cmocka_unit_test(a_crew_works_on_each_part_once),
        cmocka_unit_test(files_of_the_owner_stay_open_while_a_crew_has_its_own),
        cmocka_unit_test(a_crew_that_was_paused_goes_on),
        cmocka_unit_test(the_owner_gets_each_result_that_others_publish),
        cmocka_unit_test(a_crew_can_end_before_its_work_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
