/* Threads that measure at the same time. */
#include "bake_memory.h"
#include "timings.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, SPANS = 500 };

typedef struct worker {
    bake_timings *timings;
    int number;
} worker;

/* Each outer span contains an inner one. */
static void *measure(void *ctx)
{
    const worker *w = ctx;
    for (int i = 0; i < SPANS; i++) {
        char name[32];
        uint64_t outer = bake_timing_begin(w->timings);
        uint64_t inner = bake_timing_begin(w->timings);
        int length = snprintf(name, sizeof name, "%d/%d", w->number, i);
        bake_timing_end(w->timings, BAKE_TIMING_IMPORTER, name, (size_t)length, inner);
        bake_timing_end(w->timings, BAKE_TIMING_FILE, name, (size_t)length, outer);
    }
    return NULL;
}

static void spans_of_all_threads_are_listed_and_nest(void **state)
{
    (void)state;
    bake_timings *timings = bake_timings_create();
    assert_non_null(timings);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){timings, i};
        assert_int_equal(pthread_create(&threads[i], NULL, measure, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    size_t count;
    const bake_timing *spans = bake_timings_list(timings, &count);
    assert_int_equal(count, 2 * THREADS * SPANS);
    assert_true(bake_timings_is_complete(timings));
    const bake_timing *files[THREADS + 2] = {NULL};
    for (size_t i = 0; i < count; i++) {
        const bake_timing *span = &spans[i];
        /* The creating thread, which is number 1, measures nothing here. A thread that starts late
         * may get the number of one that has ended. */
        assert_in_range(span->thread, 2, THREADS + 1);
        assert_true(i == 0 || spans[i - 1].begin <= span->begin);
        assert_true(span->begin <= span->end);
        const bake_timing *file = files[span->thread];
        if (span->kind == BAKE_TIMING_FILE) {
            assert_true(!file || file->end <= span->begin);
            files[span->thread] = span;
        } else {
            assert_string_equal(file->name, span->name);
            assert_true(file->begin <= span->begin && span->end <= file->end);
        }
    }
    bake_timings_destroy(timings);
}

static void without_timings_nothing_is_measured(void **state)
{
    (void)state;
    assert_int_equal(bake_timing_begin(NULL), 0);
    bake_timing_end(NULL, BAKE_TIMING_ASSET, NULL, 0, 0);
    bake_timings_destroy(NULL);
}

static void a_span_is_lost_if_memory_runs_out(void **state)
{
    (void)state;
    bool failed = true;
    for (long n = 0; failed; n++) {
        bake_memory_fail_after(n);
        bake_timings *timings = bake_timings_create();
        size_t count = 0;
        if (timings) {
            bake_timing_end(timings, BAKE_TIMING_ASSET, "one", 3, bake_timing_begin(timings));
            bake_timings_list(timings, &count);
            assert_int_equal(bake_timings_is_complete(timings), count == 1);
        }
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_int_equal(count == 1, !failed);
        bake_timings_destroy(timings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_of_all_threads_are_listed_and_nest),
        cmocka_unit_test(without_timings_nothing_is_measured),
        cmocka_unit_test(a_span_is_lost_if_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
