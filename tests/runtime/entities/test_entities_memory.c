/* Histories of a world in which each call of the allocator or the page source fails in turn. A
 * failed operation must change nothing, and no memory may leak. KILN_SEED=N selects the first
 * history, and a number as argument the number of histories. */
#include "entity_history.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STEPS = 150 };

static uint64_t first_seed = 1, seeds = 1;

static const history_def defs[] = {
    {.name = "failing allocations", .max_blocks = 2, .max_mega_chunks = 3, .target = 300},
    {.name = "failing allocations, lent chunks",
     .max_blocks = 1,
     .max_mega_chunks = 2,
     .target = 200,
     .lent = 1},
};

/* Returns the number of allocations. Each history is checked completely at its end, and after the
 * failed operation. */
static size_t run(const history_def *def, uint64_t seed, size_t fail_at, bool fail_rest)
{
    static history h;
    world_memory_init(&h.memory);
    h.memory.fail_at = fail_at;
    h.memory.fail_rest = fail_rest;
    history_init(&h, def, seed);
    /* If all later allocations fail, too, the world is checked completely after the first few
     * failures, and then only now and then. */
    for (size_t failed = h.memory.failed, looks = 0; h.world && h.step < STEPS;) {
        history_step(&h);
        if (h.memory.failed != failed && (looks++ < 4 || h.step % 16 == 0))
            history_check_all(&h);
        failed = h.memory.failed;
    }
    size_t calls = h.memory.calls;
    assert_true(fail_at == 0 || h.memory.failed > 0);
    history_fini(&h);
    return calls;
}

static void run_all(const history_def *def, bool fail_rest)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        size_t calls = run(def, seed, 0, false);
        print_message("%s, seed %" PRIu64 ": %zu calls for memory\n", def->name, seed, calls);
        assert_true(calls > 50);
        /* Up to the failing call, a history does not differ from one without failures, so the call
         * occurs. */
        for (size_t fail_at = 1; fail_at <= calls; fail_at++)
            run(def, seed, fail_at, fail_rest);
    }
}

static void each_allocation_may_fail_alone(void **state)
{
    (void)state;
    run_all(&defs[0], false);
}

static void memory_may_run_out_at_each_allocation(void **state)
{
    (void)state;
    run_all(&defs[0], true);
}

static void memory_may_run_out_with_added_chunks(void **state)
{
    (void)state;
    run_all(&defs[1], false);
}

int main(int argc, char **argv)
{
    const char *seed_text = getenv("KILN_SEED");
    if (seed_text)
        first_seed = strtoull(seed_text, NULL, 10);
    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail_alone),
        cmocka_unit_test(memory_may_run_out_at_each_allocation),
        cmocka_unit_test(memory_may_run_out_with_added_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
