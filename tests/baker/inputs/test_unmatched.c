/* Files that no rule matches, and which -C would help. */
#include "failing_bake.h"

#include <unistd.h>

static void write_project(void)
{
    static const char *const files[] = {"game/monsters/a.yaml", "game/monsters/b.yaml",
                                        "game/monsters/deep/c.yaml", "game/d.yaml"};
    assert_int_equal(system("mkdir -p game/monsters/deep"), 0);
    fixture_write("game/s.yaml", "kiln: 1\n"
                                 "types: {Monster: {struct: {size: u8}, asset: true}}\n"
                                 "files: [{match: monsters/*.yaml, shape: map, type: Monster}]\n");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fixture_write(files[i], "wolf: {size: 1}\n");
}

static void the_base_that_would_match_is_named(void **state)
{
    static const struct {
        const char *arguments, *expected;
    } rows[] = {
        {"game/monsters/a.yaml", "with -C game, its path is \"monsters/a.yaml\""},
        {"./game/../game/monsters/a.yaml", "with -C game, its path is \"monsters/a.yaml\""},
        {"-C . game/monsters/a.yaml", "with -C game, its path"},
        {"-C game/monsters a.yaml", "with -C game, its path"},
        {"-C game/monsters/ a.yaml", "with -C game, its path"},
        {"-C ./game/monsters a.yaml", "with -C ./game, its path"},
        {"-C game/monsters/deep/.. a.yaml", "with -C game/monsters/deep/../.., its path"},
        {"game/monsters/a.yaml game/monsters/b.yaml", "or 1 more file in its folder [files]"},
        {"game/monsters", "the nearest rule is for \"monsters/*.yaml\""},
        {"game/monsters game/d.yaml", "3 errors"},
        {"game/d.yaml", "the nearest rule is for \"monsters/*.yaml\""},
    };
    (void)state;
    write_project();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[200], *err;
        snprintf(arguments, sizeof arguments, "check -s game/s.yaml %s", rows[i].arguments);
        if (bake_code(arguments, &err) != 1 || !strstr(err, rows[i].expected))
            fail_msg("kiln-bake %s: %s", arguments, err);
        free(err);
    }
}

static void a_base_above_the_current_folder_is_named(void **state)
{
    static const struct {
        const char *folder, *arguments, *expected;
    } rows[] = {
        {"game/monsters", "-s ../s.yaml a.yaml", "with -C .., its path is \"monsters/a.yaml\""},
        {"game/monsters/deep", "-s ../../s.yaml -C .. a.yaml", "with -C ../.., its path"},
    };
    char before[1000];
    (void)state;
    write_project();
    assert_non_null(getcwd(before, sizeof before));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[200], *err;
        snprintf(arguments, sizeof arguments, "check %s", rows[i].arguments);
        assert_int_equal(chdir(rows[i].folder), 0);
        int code = bake_code(arguments, &err);
        assert_int_equal(chdir(before), 0);
        if (code != 1 || !strstr(err, rows[i].expected))
            fail_msg("kiln-bake %s: %s", arguments, err);
        free(err);
    }
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    write_project();
    fixture_write("types.yaml", "kiln: 1\ntypes: {A: {struct: {a: X, b: X, c: \"Y[]\"}}}\n");
    fixture_write("heirs.yaml", "kiln: 1\n"
                                "types: {T: {struct: {n: u8}, asset: true, inherit: true}}\n");
    fixture_write("t.yaml", "T: {a: {abstract: true, m: 1}, b: {parent: a}, c: {parent: b}}\n");
    failing_bake("check -s game/s.yaml game", 1);
    failing_bake("check -s types.yaml t.yaml", 1);
    failing_bake("check -s heirs.yaml t.yaml", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_base_that_would_match_is_named, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(a_base_above_the_current_folder_is_named, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(no_failing_allocation_is_fatal, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
