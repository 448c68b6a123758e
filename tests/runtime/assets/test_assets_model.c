/* Compares random histories of asset tables with a naive model.
 *
 * The seed of each run is printed. KILN_SEED=N sets the seed. KILN_OPERATIONS=N, or a number as
 * argument, sets the number of operations for each kind of table:
 *
 *     build/tests/runtime/test_assets_model 1000000 */
#include "asset_history.h"
#include "random_histories.h"

static random_histories asked = {.seed = 1, .operations = 8000};

static const history_def defs[] = {
    {.name = "a common table", .max_assets = 1000, .target = 40},
    {.name = "few words", .max_assets = 1000, .target = 6},
    {.name = "many words", .max_assets = 1000, .target = WORDS},
    {.name = "a table that is often full", .max_assets = 12, .target = 20},
    {.name = "failing allocations", .max_assets = 1000, .target = 30, .fails = true},
    {.name = "a thread that is seldom quiescent",
     .max_assets = 60,
     .target = 30,
     .is_threaded = true},
};

static void run_history(const history_def *def)
{
    static history h;
    random_histories_print(&asked, def->name);
    history_init(&h, def, asked.seed);
    for (uint64_t i = 0; i < asked.operations; i++) {
        history_step(&h);
        /* Retired slots are never reused, so the history continues with a new table before they run
         * out. */
        if (h.kept > def->max_assets / 2) {
            history_fini(&h);
            history_init(&h, def, asked.seed + i);
        }
    }
    history_fini(&h);
}

HISTORY_TEST(a_common_table_holds_what_its_model_holds, 0)
HISTORY_TEST(a_table_of_few_words_holds_what_its_model_holds, 1)
HISTORY_TEST(a_table_of_many_words_holds_what_its_model_holds, 2)
HISTORY_TEST(a_table_that_is_often_full_meets_its_limit_unharmed, 3)
HISTORY_TEST(a_table_that_is_refused_memory_is_unharmed, 4)
HISTORY_TEST(a_table_with_a_thread_holds_what_its_model_holds, 5)

int main(int argc, char **argv)
{
    random_histories_ask(&asked, argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_common_table_holds_what_its_model_holds),
        cmocka_unit_test(a_table_of_few_words_holds_what_its_model_holds),
        cmocka_unit_test(a_table_of_many_words_holds_what_its_model_holds),
        cmocka_unit_test(a_table_that_is_often_full_meets_its_limit_unharmed),
        cmocka_unit_test(a_table_that_is_refused_memory_is_unharmed),
        cmocka_unit_test(a_table_with_a_thread_holds_what_its_model_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
