/* Random histories of a table, a world and a collector, compared with a naive search for reachable
 * assets.
 *
 * In each step the program loads, releases or disposes of assets, takes words, mounts and replaces
 * files, changes entities and writes words into their components, saves, loads, applies and unloads
 * scenes, or changes clusters. Then the collector does as little as it can, or a whole cycle. An
 * asset that it removes must be unreachable at that moment. After a whole cycle no unreachable
 * asset may be left. The collector's clock counts how often it is read, so that a seed gives the
 * same history on every machine.
 *
 *     build/tests/runtime/test_collector_worlds_model 1000000 */
#include "collector_object.h"
#include "random_histories.h"
#include "reach_history.h"

enum { OPERATIONS = 4000 };
static random_histories asked = {.seed = 1, .operations = OPERATIONS};

static const reach_def defs[] = {
    {.name = "no clusters"},
    {.name = "clusters of the program", .uses_clusters = true},
    {.name = "clusters of the program and of plans", .uses_clusters = true, .has_plans = true},
    {.name = "memory is refused", .uses_clusters = true, .has_plans = true, .fails = true},
};

static uint64_t count_reads(void *ctx)
{
    return ++*(uint64_t *)ctx;
}

/* Returns the number of removed assets. */
static uint32_t collect(reach *h)
{
    const bool is_whole = reach_random(h, 32) == 0;
    uint64_t digest;
    reach_find(h);
    h->collector->nodes_per_check = 1 + reach_random(h, 8);
    if (reach_random(h, 4) == 0)
        kiln_collector_start(h->collector);
    /* Most steps end as soon as they read the clock. */
    const uint64_t nanoseconds = reach_random(h, reach_random(h, 4) ? 2 : 16);
    reach_threaten(h);
    kiln_status status = is_whole ? kiln_collector_run(h->collector)
                                  : kiln_collector_step(h->collector, nanoseconds, NULL);
    const bool ok = REACH_SUCCEED(h, "collect", status);
    const uint32_t removed = reach_compare(h, is_whole && ok, &digest);
    reach_forget_pointers(h);
    kiln_error error = {0};
    if (!kiln_collector_is_valid(h->collector, &error))
        fail_msg("step %zu: %s", (size_t)h->steps, error.path);
    return removed;
}

/* With the default seed, the first steps are of every kind. */
static void expect_steps(const reach *h)
{
    const uint64_t counts[] = {h->loads,    h->takes,    h->writes,   h->moves,
                               h->saves,    h->opens,    h->unloads,  h->applies,
                               h->detaches, h->replaces, h->disposals};
    for (size_t i = 0; i < sizeof counts / sizeof *counts && asked.seed == 1; i++)
        if (counts[i] < 2)
            fail_msg("kind %zu of steps succeeded only %zu times", i, (size_t)counts[i]);
    if (h->def->uses_clusters && asked.seed == 1)
        assert_true(h->formed > 10 && h->dissolved > 0);
}

static void run_history(const reach_def *def)
{
    enum { PER_TABLE = 50000, MOST_STALE = 2000 };
    static reach h;
    uint64_t reads = 0, removed = 0;
    kiln_collector_stats stats = {0};
    random_histories_print(&asked, def->name);
    for (uint64_t done = 0; done < asked.operations;) {
        reach_begin(&h, def, asked.seed + done);
        h.collector->clock = count_reads;
        h.collector->clock_ctx = &reads;
        /* Words of a world that was not added pin their slots, so a table does not last forever. */
        for (uint64_t i = 0; i < PER_TABLE && done < asked.operations &&
                             scene_stats(&h.scene).stale_slots < MOST_STALE;
             i++, done++) {
            reach_step(&h);
            if (i % 16 == 0)
                reach_check(&h);
            removed += collect(&h);
        }
        kiln_collector_get_stats(h.collector, &stats);
        if (done == OPERATIONS)
            expect_steps(&h);
        reach_end(&h);
    }
    print_message("%zu assets removed\n", (size_t)removed);
    assert_true(removed > 10);
}

HISTORY_TEST(a_collector_removes_what_no_word_of_a_world_reaches, 0)
HISTORY_TEST(a_collector_with_clusters_removes_what_no_word_of_a_world_reaches, 1)
HISTORY_TEST(a_collector_with_plans_removes_what_no_word_of_a_world_reaches, 2)
HISTORY_TEST(a_collector_that_is_refused_memory_removes_nothing_that_a_world_reaches, 3)

int main(int argc, char **argv)
{
    random_histories_ask(&asked, argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collector_removes_what_no_word_of_a_world_reaches),
        cmocka_unit_test(a_collector_with_clusters_removes_what_no_word_of_a_world_reaches),
        cmocka_unit_test(a_collector_with_plans_removes_what_no_word_of_a_world_reaches),
        cmocka_unit_test(a_collector_that_is_refused_memory_removes_nothing_that_a_world_reaches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
