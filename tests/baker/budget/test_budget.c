/* Sizes, percentages, patterns, layers and the order of rows. */
#include "bake_fixture.h"

#include "budget_table.h"

static void sizes_have_optional_fractions_and_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t size; /* 0: malformed */
    } rows[] = {
        {"1", 1},
        {"500000", 500000},
        {"7 B", 7},
        {"64 MiB", UINT64_C(64) << 20},
        {"64MiB", UINT64_C(64) << 20},
        {"64M", UINT64_C(64) << 20},
        {"3 K", 3072},
        {"3KiB", 3072},
        {"3 kB", 3000},
        {"2 MB", 2000000},
        {"2 GB", 2000000000},
        {"2 GiB", UINT64_C(2) << 30},
        {"1.5 KiB", 1536},
        {"0.001 kB", 1},
        {"1.0004 kB", 1000},
        {"0.999999999 GiB", 1073741822},
        {"9223372036854775807", INT64_MAX},
        {"8589934591.999999999 GiB", UINT64_C(9223372036854775806)},
        {"9223372036854775808", 0},
        {"8589934592 GiB", 0},
        {"99999999999999999999", 0},
        {"0", 0},
        {"0 MiB", 0},
        {"0.0001 kB", 0},
        {"1.5", 0},
        {"1.5 B", 0},
        {"1. MiB", 0},
        {".5 MiB", 0},
        {"1.0000000001 GiB", 0},
        {"1  MiB", 0},
        {"1 MiB ", 0},
        {" 1", 0},
        {"-1", 0},
        {"+1", 0},
        {"1e3", 0},
        {"1 mib", 0},
        {"1 KB", 0},
        {"1 T", 0},
        {"MiB", 0},
        {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t size = 42;
        bool ok = bake_budget_parse_size(rows[i].text, &size);
        if (ok != (rows[i].size != 0) || size != (ok ? rows[i].size : 42))
            fail_msg("%s: %d, %llu", rows[i].text, ok, (unsigned long long)size);
    }
}

static void percentages_are_from_1_to_100(void **state)
{
    static const struct {
        const char *text;
        unsigned percent; /* 0: malformed */
    } rows[] = {
        {"1%", 1},    {"90%", 90}, {"90 %", 90}, {"100%", 100}, {"0%", 0},
        {"101%", 0},  {"90", 0},   {"%", 0},     {"9.5%", 0},   {"-1%", 0},
        {"90  %", 0}, {"90%x", 0}, {"", 0},      {" 9%", 0},    {"99999999999999999999%", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned percent = 42;
        bool ok = bake_budget_parse_percent(rows[i].text, &percent);
        if (ok != (rows[i].percent != 0) || percent != (ok ? rows[i].percent : 42))
            fail_msg("%s: %d, %u", rows[i].text, ok, percent);
    }
}

static void shares_are_rounded_down(void **state)
{
    static const struct {
        uint64_t used, limit;
        const char *text;
    } rows[] = {
        {0, 1, "0.0"},
        {1, 3, "33.3"},
        {2, 3, "66.6"},
        {9999, 10000, "99.9"},
        {10000, 10000, "100.0"},
        {10001, 10000, "100.0"},
        {3, 2, "150.0"},
        {INT64_MAX - 1, INT64_MAX, "99.9"},
        {INT64_MAX, INT64_MAX, "100.0"},
        {UINT64_MAX, INT64_MAX, "200.0"},
        {UINT64_C(1) << 62, INT64_MAX, "50.0"},
        /* Far above any file, the number is only a lower bound. */
        {UINT64_MAX, 1, "1844674407370955000.0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        assert_string_equal(bake_budget_percent(text, rows[i].used, rows[i].limit), rows[i].text);
    }
}

static void a_star_matches_slashes(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } rows[] = {
        {"*", "", true},
        {"*", "Item/a/b", true},
        {"Item/*", "Item/", true},
        {"Item/*", "Item/a/b", true},
        {"Item/*", "Items/a", false},
        {"Item/?", "Item/a", true},
        {"Item/?", "Item/", false},
        {"Item/?", "Item/ab", false},
        {"*/b", "Item/a/b", true},
        {"*a*b*", "xxaxxbxx", true},
        {"*a*b*", "xxbxxaxx", false},
        {"a**b", "ab", true},
        {"Item/a", "Item/a", true},
        {"item/a", "Item/a", false},
        {"", "", true},
        {"", "a", false},
        {"*aab", "aaaaaaaab", true},
    };
    char pattern[1001], name[10001];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (bake_budget_matches(rows[i].pattern, rows[i].name) != rows[i].matches)
            fail_msg("%s, %s", rows[i].pattern, rows[i].name);
    /* With backtracking to each star, this would not end. */
    for (size_t i = 0; i < sizeof pattern - 1; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    memset(name, 'a', sizeof name);
    pattern[sizeof pattern - 2] = 'b';
    pattern[sizeof pattern - 1] = name[sizeof name - 1] = '\0';
    assert_false(bake_budget_matches(pattern, name));
}

static bake_budget budget_of(bake_budget_kind kind, bake_measure measure, const char *pattern,
                             uint64_t limit)
{
    return (bake_budget){.kind = kind, .measure = measure, .pattern = pattern, .limit = limit};
}

static void later_layers_replace_and_remove_limits(void **state)
{
    bake_budget first[] = {budget_of(BAKE_BUDGET_ASSET, BAKE_MEASURE_DISK, "*", 1),
                           budget_of(BAKE_BUDGET_ASSET, BAKE_MEASURE_LOAD, "*", 2),
                           budget_of(BAKE_BUDGET_TYPE, BAKE_MEASURE_DISK, "*", 3),
                           budget_of(BAKE_BUDGET_TYPE, BAKE_MEASURE_DISK, "*", 4)};
    bake_budget second[] = {budget_of(BAKE_BUDGET_ASSET, BAKE_MEASURE_DISK, "*", 5),
                            budget_of(BAKE_BUDGET_ASSET, BAKE_MEASURE_DISK, "**", 6),
                            budget_of(BAKE_BUDGET_ASSET, BAKE_MEASURE_LOAD, "*", BAKE_BUDGET_NONE),
                            budget_of(BAKE_BUDGET_SCENE, BAKE_MEASURE_LOAD, "x", BAKE_BUDGET_NONE)};
    bake_budget third[] = {budget_of(BAKE_BUDGET_ASSET, BAKE_MEASURE_LOAD, "*", 7)};
    const bake_budget_layer a = {first, 4, 50}, b = {second, 4, 0}, c = {third, 1, 0};
    const bake_budget_layer *const layers[] = {&a, NULL, &b, &c};
    static const uint64_t limits[] = {5, 7, 4, 6};
    bake_store store = {0}, other = {0};
    bake_budgets merged = {0};
    (void)state;
    assert_true(bake_budgets_merge(layers, 4, &store, &merged));
    assert_int_equal(merged.warn, 50);
    assert_int_equal(merged.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(merged.items[i].limit, limits[i]);
    assert_true(bake_budgets_merge(layers, 3, &store, &merged));
    assert_int_equal(merged.count, 3);
    assert_true(bake_budgets_merge(layers + 1, 1, &store, &merged));
    assert_int_equal(merged.count, 0);
    assert_int_equal(merged.warn, BAKE_BUDGET_WARN);
    bake_memory_fail_after(0);
    assert_false(bake_budgets_merge(layers, 4, &other, &merged));
    bake_memory_fail_after(-1);
    bake_store_fini(&other);
    bake_store_fini(&store);
}

static void a_row_is_near_from_the_percentage_on(void **state)
{
    static const struct {
        uint64_t used, limit;
        unsigned warn;
        bake_budget_state is;
    } rows[] = {
        {89, 100, 90, BAKE_BUDGET_FITS},
        {90, 100, 90, BAKE_BUDGET_IS_NEAR},
        {100, 100, 90, BAKE_BUDGET_IS_NEAR},
        {101, 100, 90, BAKE_BUDGET_IS_EXCEEDED},
        {100, 100, 100, BAKE_BUDGET_FITS},
        {101, 100, 100, BAKE_BUDGET_IS_EXCEEDED},
        {9, 11, 90, BAKE_BUDGET_FITS},
        {10, 11, 90, BAKE_BUDGET_IS_NEAR},
        {0, 1, 1, BAKE_BUDGET_FITS},
        {1, 1, 1, BAKE_BUDGET_IS_NEAR},
        {INT64_MAX / 100 * 90, INT64_MAX, 90, BAKE_BUDGET_FITS},
        {INT64_MAX / 100 * 91, INT64_MAX, 90, BAKE_BUDGET_IS_NEAR},
        {UINT64_MAX, INT64_MAX, 90, BAKE_BUDGET_IS_EXCEEDED},
        {UINT64_MAX, BAKE_BUDGET_NONE, 1, BAKE_BUDGET_FITS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_budget_row row = {.used = rows[i].used, .limit = rows[i].limit};
        if (bake_budget_judge(&row, rows[i].warn) != rows[i].is)
            fail_msg("row %zu", i);
    }
}

static void rows_are_sorted_by_exact_shares(void **state)
{
    /* Each row comes before the next one. */
    static const bake_budget_row rows[] = {
        {.name = "", .used = UINT64_MAX, .limit = 1},
        {.name = "", .used = UINT64_MAX, .limit = INT64_MAX},
        {.name = "", .used = INT64_MAX, .limit = INT64_MAX - 1},
        {.name = "", .used = 7, .limit = 7},
        {.name = "", .used = INT64_MAX - 1, .limit = INT64_MAX},
        {.name = "", .used = INT64_MAX - 2, .limit = INT64_MAX - 1},
        {.name = "", .used = 2, .limit = 3},
        {.name = "", .used = 333334, .limit = 1000000},
        {.name = "", .used = 1, .limit = 3},
        {.name = "", .used = 333333, .limit = 1000000},
        {.name = "", .used = 1, .limit = INT64_MAX},
        {.name = "a", .used = 0, .limit = 1},
        {.name = "b", .used = 0, .limit = INT64_MAX},
        {.name = "b", .measure = BAKE_MEASURE_LOAD, .used = 0, .limit = 2},
        {.kind = BAKE_BUDGET_ASSET, .name = "a", .used = 0, .limit = 1},
        {.kind = BAKE_BUDGET_ASSET, .name = "a", .used = 0, .limit = 1, .budget = 1},
        {.name = "", .used = 9, .limit = BAKE_BUDGET_NONE},
        {.name = "", .measure = BAKE_MEASURE_LOAD, .used = 9, .limit = BAKE_BUDGET_NONE},
    };
    size_t count = sizeof rows / sizeof *rows;
    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            int order = bake_budget_compare_rows(&rows[i], &rows[k]);
            if ((order > 0) - (order < 0) != (i > k) - (i < k))
                fail_msg("rows %zu and %zu: %d", i, k, order);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_optional_fractions_and_units),
        cmocka_unit_test(percentages_are_from_1_to_100),
        cmocka_unit_test(shares_are_rounded_down),
        cmocka_unit_test(a_star_matches_slashes),
        cmocka_unit_test(later_layers_replace_and_remove_limits),
        cmocka_unit_test(a_row_is_near_from_the_percentage_on),
        cmocka_unit_test(rows_are_sorted_by_exact_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
