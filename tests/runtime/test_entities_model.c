/* Random histories of worlds, held to a naive model of what they should hold.
 *
 * The seed of each run is printed; KILN_SEED=N runs with another one, KILN_OPERATIONS=N, or a
 * number as argument, with so many operations for each kind of world:
 *
 *     build/tests/runtime/test_entities_model 1000000 */
#include "entity_history.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t operations = 12000, seed = 1;

static const history_def defs[] = {
    {.name = "a common world",
     .max_blocks = KILN_BLOCK_MAX,
     .max_mega_chunks = KILN_MEGA_MAX,
     .target = 6000,
     .keep_free = SIZE_MAX},
    {.name = "one by one",
     .max_blocks = 64,
     .max_mega_chunks = 64,
     .target = 1500,
     .keep_free = SIZE_MAX,
     .huge_pages = KILN_HUGE_PAGES_NEVER,
     .is_one_by_one = true},
    {.name = "one data block",
     .max_blocks = 1,
     .max_mega_chunks = 64,
     .target = 9000,
     .huge_pages = KILN_HUGE_PAGES_ALWAYS},
    {.name = "one mega chunk", .max_blocks = 3, .max_mega_chunks = 1, .target = 20000},
    {.name = "lent memory alone",
     .max_blocks = 2,
     .max_mega_chunks = 2,
     .target = 3000,
     .keep_free = KILN_MEGA_SIZE,
     .lent = 2},
    {.name = "small and often empty",
     .max_blocks = 2,
     .max_mega_chunks = 5,
     .target = 60,
     .keep_free = 0},
};

static void run_history(const history_def *def)
{
    static history h;
    print_message("seed %" PRIu64 ", %" PRIu64 " operations: %s\n", seed, operations, def->name);
    world_memory_init(&h.memory);
    history_init(&h, def, seed);
    for (uint64_t i = 0; i < operations; i++)
        history_step(&h);
    history_fini(&h);
}

#define HISTORY_TEST(name, number)                                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        run_history(&defs[number]);                                                                \
    }
HISTORY_TEST(a_common_world_holds_what_its_model_holds, 0)
HISTORY_TEST(changes_one_by_one_keep_all_chunks_but_one_full, 1)
HISTORY_TEST(a_world_of_one_data_block_meets_its_limit_unharmed, 2)
HISTORY_TEST(a_world_of_one_mega_chunk_meets_its_limit_unharmed, 3)
HISTORY_TEST(a_world_of_lent_memory_holds_what_its_model_holds, 4)
HISTORY_TEST(a_world_that_is_often_empty_holds_what_its_model_holds, 5)

int main(int argc, char **argv)
{
    const char *seed_text = getenv("KILN_SEED"), *count_text = getenv("KILN_OPERATIONS");
    if (argc > 1)
        count_text = argv[1];
    if (seed_text)
        seed = strtoull(seed_text, NULL, 10);
    if (count_text)
        operations = strtoull(count_text, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_common_world_holds_what_its_model_holds),
        cmocka_unit_test(changes_one_by_one_keep_all_chunks_but_one_full),
        cmocka_unit_test(a_world_of_one_data_block_meets_its_limit_unharmed),
        cmocka_unit_test(a_world_of_one_mega_chunk_meets_its_limit_unharmed),
        cmocka_unit_test(a_world_of_lent_memory_holds_what_its_model_holds),
        cmocka_unit_test(a_world_that_is_often_empty_holds_what_its_model_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
