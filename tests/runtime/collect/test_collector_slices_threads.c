/* One random history, repeated with cycles that are divided into slices in many ways.
 *
 * The program's steps are the same each time, and take place between complete cycles. So each cycle
 * must remove the same assets, whether it is one call, as many steps as possible, steps of random
 * length, or helped by other threads, with and without clusters. The first repetition also compares
 * the removed assets with a naive search. */
#include "collector_object.h"
#include "random_histories.h"
#include "reach_history.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static random_histories asked = {.seed = 1, .operations = 500};

enum { STEPS_PER_CYCLE = 6, HELPERS = 2 };

typedef struct slicing {
    const char *name;
    uint32_t nodes;  /* nodes_per_check */
    uint64_t budget; /* a step ends at the latest after this many readings of the clock; 0: a random
                        number of them */
    bool is_whole, has_helpers, has_no_clusters;
} slicing;

static const slicing slicings[] = {
    {"one call", .is_whole = true},
    {"steps of one node", .nodes = 1, .budget = 1},
    {"steps of random length", .nodes = 2},
    {"long steps", .nodes = 3, .budget = 1000},
    {"one call without clusters", .is_whole = true, .has_no_clusters = true},
    {"steps of one node without clusters", .nodes = 1, .budget = 1, .has_no_clusters = true},
    {"steps of one node, with helpers", .nodes = 1, .budget = 1, .has_helpers = true},
    {"steps of random length, with helpers", .nodes = 2, .has_helpers = true},
};
enum { SLICINGS = sizeof slicings / sizeof *slicings };

static const reach_def defs[] = {
    {.name = "clusters of the program", .uses_clusters = true, .is_repeatable = true},
    {.name = "clusters of plans", .uses_clusters = true, .has_plans = true, .is_repeatable = true},
};

/* ---- helpers ---- */

static atomic_uint_least64_t reads;
static atomic_bool is_over;

static uint64_t count_reads(void *ctx)
{
    (void)ctx;
    return atomic_fetch_add(&reads, 1);
}

static void *help(void *ctx)
{
    while (!atomic_load(&is_over))
        if (!kiln_collector_help(ctx, 4))
            sched_yield();
    return NULL;
}

/* ---- cycles ---- */

/* Returns the number of steps of a complete cycle. */
static uint64_t run_in_steps(reach *h, const slicing *how, uint64_t *random)
{
    kiln_collector_state state = KILN_COLLECTOR_MARKING;
    uint64_t steps = 0;
    kiln_collector_start(h->collector);
    for (; state != KILN_COLLECTOR_IDLE; steps++) {
        kiln_error error = {0};
        *random = *random * UINT64_C(6364136223846793005) + 1;
        EXPECT_STATUS(
            KILN_OK,
            kiln_collector_step(h->collector, how->budget ? how->budget : *random >> 60, &state));
        if (!how->has_helpers && !kiln_collector_is_valid(h->collector, &error))
            fail_msg("%s: %s", how->name, error.path);
    }
    return steps;
}

/* Runs a cycle and returns a digest of the removed assets. */
static uint64_t run_cycle(reach *h, const slicing *how, uint64_t *random, uint64_t *ret_steps)
{
    uint64_t digest = 0;
    reach_find(h);
    if (how->is_whole)
        EXPECT_STATUS(KILN_OK, kiln_collector_run(h->collector));
    else
        *ret_steps += run_in_steps(h, how, random);
    reach_compare(h, true, &digest);
    return digest;
}

/* Runs the history. Each of its `digests` is compared with the one in the array, or stored there
 * by the first slicing. */
static void run_sliced(const reach_def *def, const slicing *how, uint64_t *digests)
{
    static reach h;
    pthread_t threads[HELPERS];
    uint64_t random = asked.seed, steps = 0;
    reach_begin(&h, def, asked.seed);
    h.collector->clock = count_reads;
    if (how->nodes)
        h.collector->nodes_per_check = how->nodes;
    atomic_store(&is_over, false);
    for (int i = 0; i < HELPERS && how->has_helpers; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, help, h.collector));
    for (uint64_t i = 0; i < asked.operations; i++) {
        for (int k = 0; k < STEPS_PER_CYCLE; k++)
            reach_step(&h);
        if (how->has_no_clusters)
            kiln_collector_use_clusters(h.collector, false);
        const uint64_t digest = run_cycle(&h, how, &random, &steps);
        if (how == slicings)
            digests[i] = digest;
        else if (digest != digests[i])
            fail_msg("%s: cycle %zu removed other assets than one call", how->name, (size_t)i);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < HELPERS && how->has_helpers; i++)
        pthread_join(threads[i], NULL);
    reach_check(&h);
    reach_end(&h);
    print_message("%s: %zu steps\n", how->name, (size_t)steps);
}

static void run_history(const reach_def *def)
{
    uint64_t *digests = calloc(asked.operations, sizeof *digests), removing = 0;
    assert_non_null(digests);
    random_histories_print(&asked, def->name);
    for (size_t i = 0; i < SLICINGS; i++)
        run_sliced(def, &slicings[i], digests);
    for (uint64_t i = 0; i < asked.operations; i++)
        removing += digests[i] != 0;
    assert_true(removing > asked.operations / 10);
    free(digests);
}

HISTORY_TEST(each_slicing_removes_what_one_call_removes, 0)
HISTORY_TEST(each_slicing_removes_what_one_call_removes_with_plans, 1)

int main(int argc, char **argv)
{
    random_histories_ask(&asked, argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_slicing_removes_what_one_call_removes),
        cmocka_unit_test(each_slicing_removes_what_one_call_removes_with_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
