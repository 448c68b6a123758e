/* Compares random histories of worlds with a naive model.
 *
 * The seed of each run is printed. KILN_SEED=N sets the seed. KILN_OPERATIONS=N, or a number as
 * argument, sets the number of operations for each kind of world:
 *
 *  build/tests/runtime/test_entities_model 1000000 */
#include "entity_history.h"
#include "random_histories.h"

static random_histories asked = {.seed = 1, .operations = 12000};

static const history_def defs[] = {
    {.name = "a common world",
     .max_blocks = KILN_BLOCK_MAX,
     .max_mega_chunks = KILN_MEGA_MAX,
     .target = 6000,
     .max_free_bytes = SIZE_MAX},
    {.name = "one by one",
     .max_blocks = 64,
     .max_mega_chunks = 64,
     .target = 1500,
     .max_free_bytes = SIZE_MAX,
     .huge_pages = KILN_HUGE_PAGES_NEVER,
     .is_one_by_one = true},
    {.name = "one data block",
     .max_blocks = 1,
     .max_mega_chunks = 64,
     .target = 9000,
     .huge_pages = KILN_HUGE_PAGES_ALWAYS},
    {.name = "one mega chunk", .max_blocks = 3, .max_mega_chunks = 1, .target = 20000},
    {.name = "only lent memory",
     .max_blocks = 2,
     .max_mega_chunks = 2,
     .target = 3000,
     .max_free_bytes = KILN_MEGA_SIZE,
     .lent = 2},
    {.name = "small and often empty",
     .max_blocks = 2,
     .max_mega_chunks = 5,
     .target = 60,
     .max_free_bytes = 0},
};

static void run_history(const history_def *def)
{
    static history h;
    random_histories_print(&asked, def->name);
    world_memory_init(&h.memory);
    history_init(&h, def, asked.seed);
    for (uint64_t i = 0; i < asked.operations; i++)
        history_step(&h);
    history_fini(&h);
}

HISTORY_TEST(a_common_world_holds_what_its_model_holds, 0)
HISTORY_TEST(changes_one_by_one_keep_all_chunks_but_one_full, 1)
HISTORY_TEST(a_world_of_one_data_block_meets_its_limit_unharmed, 2)
HISTORY_TEST(a_world_of_one_mega_chunk_meets_its_limit_unharmed, 3)
HISTORY_TEST(a_world_of_lent_memory_holds_what_its_model_holds, 4)
HISTORY_TEST(a_world_that_is_often_empty_holds_what_its_model_holds, 5)

int main(int argc, char **argv)
{
    random_histories_ask(&asked, argc, argv);
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
