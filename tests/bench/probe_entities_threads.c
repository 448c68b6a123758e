/* The gain from a second thread: creating entities in disjoint parts of a batch, compared with
 * copying disjoint halves of arrays. On both sides, the time includes starting the thread and
 * waiting for it. */
#include "bench_world.h"
#include "probe_entities.h"

#include <kiln/batch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 15 };

typedef struct thread_case {
    bench_world w;
    kiln_batch *batch;
    bool is_fresh;
} thread_case;

/* One of two halves of the work. */
typedef struct half {
    thread_case *c;
    void (*run)(thread_case *c, uint32_t number);
    uint32_t number;
} half;

static void *run_half(void *ctx)
{
    const half *h = ctx;
    h->run(h->c, h->number);
    return NULL;
}

static void run_both(thread_case *c, void (*run)(thread_case *, uint32_t))
{
    half first = {c, run, 0}, second = {c, run, 1};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_half, &second) != 0) {
        fputs("cannot start a second thread\n", stderr);
        exit(2);
    }
    run_half(&first);
    pthread_join(thread, NULL);
}

/* ---- ours ---- */

static void empty_world(thread_case *c)
{
    if (c->is_fresh)
        bench_world_renew(&c->w);
    else
        kiln_world_clear(c->w.world);
}

static void create_alone(thread_case *c)
{
    bench_world_fill(&c->w, c->w.body, NULL);
}

static void fill_half(thread_case *c, uint32_t number)
{
    const kiln_column_values columns[] = {{c->w.position, c->w.source.positions},
                                          {c->w.rotation, c->w.source.rotations},
                                          {c->w.velocity, c->w.source.velocities}};
    const kiln_fill_args args = {columns, sizeof columns / sizeof *columns, false};
    uint32_t parts = kiln_batch_part_count(c->batch);
    uint32_t begin = number ? parts / 2 : 0, end = number ? parts : parts / 2;
    for (uint32_t i = begin; i < end; i++)
        bench_world_expect(kiln_batch_fill(c->batch, i, &args, NULL));
}

static void create_together(thread_case *c)
{
    bench_world_expect(kiln_batch_reserve(c->w.world, c->w.body, c->w.count, &c->batch));
    run_both(c, fill_half);
    bench_world_expect(kiln_batch_publish(c->batch));
}

/* ---- the baseline ---- */

static void empty_columns(thread_case *c)
{
    if (c->is_fresh) {
        baseline_columns_unmap(&c->w.flat);
        baseline_columns_map(&c->w.flat, c->w.count, c->w.advice);
    }
}

static void copy_alone(thread_case *c)
{
    baseline_columns_copy(&c->w.flat, &c->w.source, 0, c->w.count);
}

static void copy_half(thread_case *c, uint32_t number)
{
    uint32_t middle = c->w.count / 2;
    baseline_columns_copy(&c->w.flat, &c->w.source, number ? middle : 0,
                          number ? c->w.count - middle : middle);
}

static void copy_together(thread_case *c)
{
    run_both(c, copy_half);
}

/* ---- both ---- */

/* Wall-clock time, because CPU time would add up both threads. */
static double time_one(thread_case *c, void (*prepare)(thread_case *), void (*run)(thread_case *))
{
    prepare(c);
    double start = bench_now();
    run(c);
    return bench_now() - start;
}

/* Takes the shortest round, because other processes can only lengthen a round. */
static const char *measure(const char *count, bool is_fresh, bench_pair *ret_pair)
{
    void (*const prepares[])(thread_case *) = {empty_columns, empty_world};
    void (*const alone[])(thread_case *) = {copy_alone, create_alone};
    void (*const together[])(thread_case *) = {copy_together, create_together};
    double one[2], two[2];
    thread_case c = {.is_fresh = is_fresh};
    bench_world_init(&c.w, count, BASELINE_PLAIN);
    baseline_columns_map(&c.w.flat, c.w.count, BASELINE_PLAIN);
    for (int round = 0; round <= ROUNDS; round++) {
        for (int side = 0; side < 2; side++) {
            double single = time_one(&c, prepares[side], alone[side]);
            double pair = time_one(&c, prepares[side], together[side]);
            /* Round 0 only touches the memory; its times are discarded. */
            one[side] = round < 2 || single < one[side] ? single : one[side];
            two[side] = round < 2 || pair < two[side] ? pair : two[side];
        }
    }
    kiln_world_stats stats;
    kiln_world_get_stats(c.w.world, &stats);
    ret_pair->ours = one[1] / two[1];
    ret_pair->baseline = one[0] / two[0];
    return stats.live == c.w.count ? NULL : "FAILED: not all bodies were created";
}

const char *probe_create_threads(const char *count, bench_pair *ret_pair)
{
    return measure(count, false, ret_pair);
}

const char *probe_create_threads_fresh(const char *count, bench_pair *ret_pair)
{
    return measure(count, true, ret_pair);
}
