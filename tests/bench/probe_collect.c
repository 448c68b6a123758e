/* Marks assets in one call, with and without clusters, in slices and on two threads. Also reads
 * assets during collections.
 *
 * The baseline does the least work that finds the reachable nodes: a queue of numbers, a byte for
 * each node, edges as numbers, no lookup and no lock. */
#define _POSIX_C_SOURCE 200809L

#include "probe_collect.h"

#include "baselines.h"
#include "bench_graph.h"
#include "bench_items.h"
#include "bench_random.h"

#include <kiln/clusters.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct marking {
    bench_graph graph;
    kiln_assets *assets;
    kiln_collector *collector;
    unsigned char *visited;
    uint32_t *queue;
} marking;

static void begin(marking *m)
{
    kiln_collector_def def = kiln_collector_def_default();
    m->assets = def.assets = bench_graph_load(&m->graph);
    bench_items_expect(kiln_collector_create(&def, &m->collector, NULL));
    m->visited = baseline_array(m->graph.count, 1);
    m->queue = baseline_array(m->graph.count, sizeof *m->queue);
    /* The first cycle removes the nodes that the roots do not reach. */
    bench_items_expect(kiln_collector_run(m->collector));
}

static void end(marking *m)
{
    kiln_collector_destroy(m->collector);
    kiln_assets_destroy(m->assets);
    bench_graph_fini(&m->graph);
    free(m->visited);
    free(m->queue);
}

static uint64_t traverse(void *ctx)
{
    marking *m = ctx;
    const uint32_t *starts = m->graph.starts, *edges = m->graph.edges;
    unsigned char *visited = m->visited;
    uint32_t *queue = m->queue, first = 0, last = 0;
    memset(visited, 0, m->graph.count);
    for (uint32_t i = 0; i < m->graph.root_count; i++) {
        uint32_t root = m->graph.roots[i];
        if (!visited[root]) {
            visited[root] = 1;
            queue[last++] = root;
        }
    }
    while (first < last) {
        uint32_t node = queue[first++];
        for (uint32_t e = starts[node]; e < starts[node + 1]; e++) {
            uint32_t to = edges[e];
            if (visited[to])
                continue;
            visited[to] = 1;
            queue[last++] = to;
        }
    }
    return last;
}

static uint64_t mark(void *ctx)
{
    marking *m = ctx;
    bench_items_expect(kiln_collector_run(m->collector));
    kiln_collector_stats stats;
    kiln_collector_get_stats(m->collector, &stats);
    return stats.marked;
}

static const char *measure(marking *m, bench_pair *ret_pair)
{
    begin(m);
    const char *failure =
        mark(m) == traverse(m) ? NULL : "FAILED: the two sides mark different numbers of nodes";
    if (!failure)
        *ret_pair = bench_span_measure_each((bench_side){NULL, mark}, (bench_side){NULL, traverse},
                                            m, m->graph.count);
    end(m);
    return failure;
}

static void make_trees(marking *m, const char *count)
{
    uint32_t nodes = (uint32_t)strtoul(count, NULL, 10);
    bench_graph_trees(&m->graph, nodes / 50, nodes / 500 + 1);
}

const char *probe_mark_trees(const char *count, bench_pair *ret_pair)
{
    marking m = {0};
    make_trees(&m, count);
    return measure(&m, ret_pair);
}

const char *probe_mark_random(const char *count, bench_pair *ret_pair)
{
    marking m = {0};
    bench_graph_random(&m.graph, (uint32_t)strtoul(count, NULL, 10), 3);
    return measure(&m, ret_pair);
}

/* ---- clusters ---- */

/* Forms a cluster for each root, of the assets that it reaches and that are in no other cluster. */
static const char *form_clusters(const marking *m)
{
    kiln_collector_stats stats;
    for (kiln_ref at = kiln_assets_next(m->assets, (kiln_ref){0}); at.bits;
         at = kiln_assets_next(m->assets, at)) {
        kiln_asset_info info;
        kiln_cluster cluster;
        bench_items_expect(kiln_assets_get_info(m->assets, at, &info));
        if (info.strong > 0)
            bench_items_expect(kiln_cluster_create(m->collector, at, &cluster, NULL));
    }
    kiln_collector_get_stats(m->collector, &stats);
    return stats.clusters == m->graph.root_count ? NULL : "FAILED: not every root has a cluster";
}

/* Both sides alternate with the traversal, so that neither benefits from the caches that its own
 * last run filled. */
const char *probe_mark_clusters(const char *count, bench_pair *ret_pair)
{
    marking m = {0};
    const bench_side marks = {NULL, mark}, traverses = {NULL, traverse};
    make_trees(&m, count);
    begin(&m);
    uint64_t marked = mark(&m);
    ret_pair->ours = bench_span_measure_each(marks, traverses, &m, m.graph.count).ours;
    const char *failure = form_clusters(&m);
    if (!failure && mark(&m) != marked)
        failure = "FAILED: the two sides mark different numbers of nodes";
    ret_pair->baseline = bench_span_measure_each(marks, traverses, &m, m.graph.count).ours;
    end(&m);
    return failure;
}

/* ---- slices ---- */

static double thread_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void start(pthread_t *thread, void *(*run)(void *), void *ctx)
{
    if (pthread_create(thread, NULL, run, ctx) != 0) {
        fputs("cannot start a thread\n", stderr);
        exit(2);
    }
}

static void *spin(void *ctx)
{
    atomic_bool *ends = ctx;
    while (!atomic_load_explicit(ends, memory_order_relaxed)) {
    }
    return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

const char *probe_mark_slice(const char *count, bench_pair *ret_pair)
{
    enum { CYCLES = 60, STEPS_MOST = 100000, BUDGET = 500000 };
    marking m = {0};
    atomic_bool ends = false;
    pthread_t spinner;
    make_trees(&m, count);
    begin(&m);
    double *steps = baseline_array(STEPS_MOST, sizeof *steps);
    uint32_t step_count = 0;
    start(&spinner, spin, &ends);
    for (uint32_t i = 0; i < CYCLES; i++) {
        kiln_collector_state state = KILN_COLLECTOR_MARKING;
        kiln_collector_start(m.collector);
        while (state != KILN_COLLECTOR_IDLE && step_count < STEPS_MOST) {
            double before = thread_now();
            bench_items_expect(kiln_collector_step(m.collector, BUDGET, &state));
            steps[step_count++] = thread_now() - before;
        }
    }
    atomic_store(&ends, true);
    pthread_join(spinner, NULL);
    qsort(steps, step_count, sizeof *steps, compare_doubles);
    ret_pair->ours = steps[(uint64_t)step_count * 999 / 1000];
    ret_pair->baseline = BUDGET;
    free(steps);
    end(&m);
    return NULL;
}

/* ---- threads ---- */

typedef struct helper {
    kiln_collector *collector;
    atomic_bool ends;
} helper;

static void *help(void *ctx)
{
    helper *h = ctx;
    while (!atomic_load_explicit(&h->ends, memory_order_relaxed))
        kiln_collector_help(h->collector, 1000000);
    return NULL;
}

/* Nanoseconds of a cycle, after an untimed one. */
static double time_mark(marking *m)
{
    mark(m);
    double before = bench_now();
    mark(m);
    return bench_now() - before;
}

static double time_helped_mark(marking *m)
{
    pthread_t thread;
    helper h = {.collector = m->collector};
    start(&thread, help, &h);
    double time = time_mark(m);
    atomic_store(&h.ends, true);
    pthread_join(thread, NULL);
    return time;
}

typedef struct traversal {
    marking *m;
    atomic_uint *waiting; /* traversals that wait for the others */
    uint32_t count;       /* of traversals at the same time */
    uint64_t sum;
    double start, end;
} traversal;

/* Traverses once untimed, and once as soon as all threads have done so. */
static void *time_traversal(void *ctx)
{
    traversal *t = ctx;
    t->sum = traverse(t->m);
    atomic_fetch_add(t->waiting, 1);
    while (atomic_load_explicit(t->waiting, memory_order_relaxed) < t->count) {
    }
    t->start = bench_now();
    t->sum += traverse(t->m);
    t->end = bench_now();
    return NULL;
}

/* The second traversal always has a thread of its own. */
static double traversals_speed_up(marking *a, marking *b)
{
    pthread_t thread;
    atomic_uint one = 0, other = 0, both = 0;
    traversal alone_a = {.m = a, .waiting = &one, .count = 1};
    traversal alone_b = {.m = b, .waiting = &other, .count = 1};
    traversal side_a = {.m = a, .waiting = &both, .count = 2}, side_b = side_a;
    side_b.m = b;
    time_traversal(&alone_a);
    start(&thread, time_traversal, &alone_b);
    pthread_join(thread, NULL);
    start(&thread, time_traversal, &side_b);
    time_traversal(&side_a);
    pthread_join(thread, NULL);
    bench_sink = bench_sink + alone_a.sum + alone_b.sum + side_a.sum + side_b.sum;
    double first = side_a.start < side_b.start ? side_a.start : side_b.start;
    double last = side_a.end > side_b.end ? side_a.end : side_b.end;
    return (alone_a.end - alone_a.start + alone_b.end - alone_b.start) / (last - first);
}

static uint32_t *copy_array(const uint32_t *from, size_t count)
{
    uint32_t *copy = baseline_array(count, sizeof *copy);
    memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* Each thread does its work once untimed before it is timed, so that the caches are in the same
 * state for all times. Both sides of a speed-up are timed one right after the other, so that other
 * work on the machine affects both. */
const char *probe_mark_threads(const char *count, bench_pair *ret_pair)
{
    enum { ROUNDS = 15 };
    double ours[ROUNDS], baseline[ROUNDS];
    marking m = {0};
    make_trees(&m, count);
    begin(&m);
    /* The second traversal has its own copy of everything: otherwise each would bring the other's
     * edges into the shared cache, and two would be more than twice as fast. */
    marking second = m;
    const uint32_t nodes = m.graph.count;
    second.visited = baseline_array(nodes, 1);
    second.queue = baseline_array(nodes, sizeof *second.queue);
    second.graph.starts = copy_array(m.graph.starts, nodes + 1);
    second.graph.edges = copy_array(m.graph.edges, m.graph.starts[nodes]);
    second.graph.roots = copy_array(m.graph.roots, m.graph.root_count);
    for (int i = 0; i < ROUNDS; i++) {
        double alone = time_mark(&m);
        ours[i] = alone / time_helped_mark(&m);
        baseline[i] = traversals_speed_up(&m, &second);
    }
    ret_pair->ours = bench_median(ours, ROUNDS);
    ret_pair->baseline = bench_median(baseline, ROUNDS);
    free(second.visited);
    free(second.queue);
    free(second.graph.starts);
    free(second.graph.edges);
    free(second.graph.roots);
    end(&m);
    return NULL;
}

/* ---- reading meanwhile ---- */

static double median_of(double (*sample)(void *ctx), void *ctx)
{
    enum { ROUNDS = 9 };
    double values[ROUNDS];
    sample(ctx);
    for (int i = 0; i < ROUNDS; i++)
        values[i] = sample(ctx);
    return bench_median(values, ROUNDS);
}

typedef struct reading {
    marking *m;
    kiln_ref *words;
    uint32_t count;
    atomic_bool ends;
} reading;

static void *collect_all(void *ctx)
{
    reading *r = ctx;
    while (!atomic_load(&r->ends)) {
        kiln_collector_start(r->m->collector);
        bench_items_expect(kiln_collector_step(r->m->collector, 500000, NULL));
    }
    return NULL;
}

/* Nanoseconds of the reader's CPU time per read. */
static double time_reads(void *ctx)
{
    enum { PASSES = 5 };
    const reading *r = ctx;
    const kiln_slots slots = *kiln_assets_get_slots(r->m->assets);
    uint64_t sum = 0;
    double before = thread_now();
    for (uint32_t pass = 0; pass < PASSES; pass++)
        for (uint32_t i = 0; i < r->count; i++) {
            const uint32_t *node = kiln_ref_get(&slots, r->words[i]);
            if (node)
                sum += node[2];
        }
    bench_sink = bench_sink + sum;
    return (thread_now() - before) / PASSES / r->count;
}

const char *probe_mark_read(const char *count, bench_pair *ret_pair)
{
    marking m = {0};
    pthread_t thread;
    uint64_t random = 3;
    make_trees(&m, count);
    begin(&m);
    reading r = {.m = &m, .count = m.graph.count};
    r.words = baseline_array(r.count, sizeof *r.words);
    kiln_ref at = {0};
    for (uint32_t i = 0; i < r.count; i++)
        r.words[i] = at = kiln_assets_next(m.assets, at);
    for (uint32_t i = r.count - 1; i > 0; i--) {
        uint32_t other = (uint32_t)(bench_random(&random) % (i + 1));
        kiln_ref swapped = r.words[i];
        r.words[i] = r.words[other];
        r.words[other] = swapped;
    }
    ret_pair->baseline = median_of(time_reads, &r);
    start(&thread, collect_all, &r);
    ret_pair->ours = median_of(time_reads, &r);
    atomic_store(&r.ends, true);
    pthread_join(thread, NULL);
    free(r.words);
    end(&m);
    return NULL;
}
