/* The cost of inheritance, measured in steps instead of time, and inheritance when memory runs out.
 */
#include "failing_bake.h"

#include "asset_bases.h"
#include "bake_inputs.h"

static const char schema_text[] =
    "kiln: 1\n"
    "types:\n"
    "  Vec: {struct: {x: {type: u8, default: 0}}}\n"
    "  Part: {union: {vec: Vec, none: }, by: {key: type}}\n"
    "  Item:\n"
    "    struct:\n"
    "      a: {type: u8, default: 0}\n"
    "      list: {type: 'u8[]', inherit: merge}\n"
    "      map: {type: 'map<u8, u8>', inherit: merge}\n"
    "      parts: {type: 'Part[]', inherit: merge}\n"
    "      rest: {type: 'map<string, u8>', rest: true, inherit: merge}\n"
    "    asset: true\n"
    "    inherit: true\n"
    "files:\n"
    "  - {shape: map, type: Item}\n";

/* Reads the inputs and resolves inheritance. Returns the number of steps, and the messages, which
 * the caller frees. */
static uint64_t resolve(const char *path, char **ret_said)
{
    fixture_schema f;
    fixture_schema_init(&f, "s.yaml");
    assert_int_equal(f.result, BAKE_OK);
    bake_inputs inputs;
    memset(&inputs, 0, sizeof inputs);
    bake_inputs_def def = {.gateway = f.gateway,
                           .diagnostics = f.diagnostics,
                           .schema = f.schema,
                           .base = NULL,
                           .paths = &path,
                           .path_count = 1,
                           .jobs = 1};
    bake_inputs_read(&inputs, &def, &f.failure);
    assert_int_equal(f.failure.result, BAKE_OK);
    uint64_t work = inputs.bases->work;
    for (size_t i = 0; i < inputs.bases->count; i++) {
        bake_asset_layers layers;
        assert_true(bake_bases_list(inputs.bases, (uint32_t)i, &layers));
        assert_true(layers.count <= BAKE_LEVELS_MAX + 1);
    }
    *ret_said = fixture_said(&f);
    bake_inputs_fini(&inputs);
    fixture_schema_fini(&f);
    return work;
}

/* Returns the steps needed for a file of `count` assets. `parent_of` returns the number of an
 * asset's parent, or the asset's own number if it has none. A parent may come before or after its
 * child. */
static uint64_t work_of(unsigned count, unsigned (*parent_of)(unsigned))
{
    char *said;
    FILE *file = fopen("a.yaml", "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < count; i++) {
        unsigned parent = parent_of(i);
        fprintf(file, parent == i ? "k%u: {a: 1}\n" : "k%u: {parent: k%u}\n", i, parent);
    }
    assert_int_equal(fclose(file), 0);
    fixture_write("s.yaml", schema_text);
    uint64_t work = resolve("a.yaml", &said);
    assert_string_equal(said, "");
    free(said);
    return work;
}

static unsigned in_chains(unsigned i)
{
    return i % 60 ? i - 1 : i;
}

static unsigned in_chains_upwards(unsigned i)
{
    return i % 50 == 49 ? i : i + 1;
}

static unsigned in_a_fan(unsigned i)
{
    (void)i;
    return 0;
}

static unsigned in_a_tree(unsigned i)
{
    return i / 3;
}

static void work_is_proportional_to_the_input(void **state)
{
    (void)state;
    static unsigned (*const shapes[])(unsigned) = {in_chains, in_chains_upwards, in_a_fan,
                                                   in_a_tree};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        /* Both counts are multiples of the lengths of chains, so that the two files have the same
         * structure. */
        uint64_t half = work_of(9000, shapes[s]), whole = work_of(18000, shapes[s]);
        assert_true(whole > half);
        assert_true(whole < half * 5 / 2);
        assert_true(whole < (uint64_t)18000 * 120);
    }
}

static void work_on_a_chain_that_is_too_long_is_limited(void **state)
{
    (void)state;
    char *said;
    FILE *file = fopen("a.yaml", "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < 20000; i++)
        fprintf(file, "k%u: {parent: k%u}\n", i, i + 1);
    fprintf(file, "k20000: {}\n");
    assert_int_equal(fclose(file), 0);
    fixture_write("s.yaml", schema_text);
    uint64_t work = resolve("a.yaml", &said);
    assert_true(work < 20000 * 20);
    assert_non_null(
        strstr(said, "the asset has 65 levels of parents, more than the maximum of 64"));
    assert_non_null(strstr(said, "1 error\n"));
    free(said);
}

static void a_long_cycle_is_reported_once(void **state)
{
    (void)state;
    char *said;
    FILE *file = fopen("a.yaml", "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < 20000; i++)
        fprintf(file, "k%u: {parent: k%u}\n", i, (i + 1) % 20000);
    assert_int_equal(fclose(file), 0);
    fixture_write("s.yaml", schema_text);
    assert_true(resolve("a.yaml", &said) < 20000 * 100);
    assert_non_null(strstr(said, "Item/k6 -> Item/k7 -> ... 19992 more -> Item/k0 [cycle]"));
    free(said);
}

/* 3,000 assets that each inherit the same 3,001 values. */
static void inheritance_of_too_many_values_is_refused_with_their_count(void **state)
{
    (void)state;
    char *said;
    FILE *file = fopen("a.yaml", "wb");
    assert_non_null(file);
    fprintf(file, "base: {list: [0");
    for (unsigned i = 0; i < 3000; i++)
        fprintf(file, ",1");
    fprintf(file, "]}\n");
    for (unsigned i = 0; i < 3000; i++)
        fprintf(file, "k%u: {parent: base}\n", i);
    assert_int_equal(fclose(file), 0);
    fixture_write("s.yaml", schema_text);
    assert_true(resolve("a.yaml", &said) < 3000 * 20);
    assert_non_null(strstr(said, "with inheritance, the assets have 2"));
    assert_non_null(strstr(said, "[size]"));
    free(said);
}

static const char good[] = "base: {abstract: true, list: [1], parts: [{type: vec}], r: 1}\n"
                           "mid: {parent: base, map: {1: 1}, parts: [vec: {x: 2}, none]}\n"
                           "top: {parent: [mid, base], map: {1: 2, 2: 3}, list: [2], s: 2}\n";

static const char bad[] = "base: {abstract: true, list: [1], parts: [{type: vec, y: 1}], r: 300}\n"
                          "top: {parent: [base, bse], map: {1: 2, 2: 300}, list: [2], s: 2}\n"
                          "one: {parent: two}\n"
                          "two: {parent: one}\n";

static void no_failing_allocation_passes_for_good(const char *text, int expected)
{
    fixture_write("s.yaml", schema_text);
    fixture_write("a.yaml", text);
    failing_bake("-q -s s.yaml -o x.kiln a.yaml", expected);
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    no_failing_allocation_passes_for_good(good, 0);
    no_failing_allocation_passes_for_good(bad, 1);
    no_failing_allocation_passes_for_good("one: {parent: two}\ntwo: {parent: one}\n", 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(work_is_proportional_to_the_input),
        IN_FOLDER(work_on_a_chain_that_is_too_long_is_limited),
        IN_FOLDER(a_long_cycle_is_reported_once),
        IN_FOLDER(inheritance_of_too_many_values_is_refused_with_their_count),
        IN_FOLDER(no_failing_allocation_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
