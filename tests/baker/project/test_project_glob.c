/* Which paths the patterns of a project select, without the file system. */
#include "bake_fixture.h"

#include "project_glob.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void a_pattern_is_compared_with_the_whole_path(void **state)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } rows[] = {
        {"a.yaml", "a.yaml", true},
        {"a.yaml", "b/a.yaml", false},
        {"a.yaml", "a.yaml/b", false},
        {"*.yaml", "a.yaml", true},
        {"*.yaml", "b/a.yaml", false},
        {"**.yaml", "b/a.yaml", true},
        {"**", "b/c/a.yaml", true},
        {"**/*.yaml", "a.yaml", true},
        {"**/*.yaml", "b/c/a.yaml", true},
        {"**/*.yaml", "b/c/a.yml", false},
        {"b/*", "b/a", true},
        {"b/*", "b/c/a", false},
        {"b/*/a", "b/c/a", true},
        {"b/**/a", "b/a", true},
        {"b/**/a", "b/c/d/a", true},
        {"b/**/a", "c/b/a", false},
        {"b/?", "b/a", true},
        {"b/?", "b/ab", false},
        {"b?a", "b/a", false},
        {"../x/*", "../x/a", true},
        {"/x/*", "/x/a", true},
        {"/x/*", "x/a", false},
        {"x\xff*", "x\xff\n", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (bake_glob_matches(rows[i].pattern, false, rows[i].path) != rows[i].matches)
            fail_msg("%s, %s", rows[i].pattern, rows[i].path);
}

static void an_excluding_pattern_also_excludes_what_is_below(void **state)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } rows[] = {
        {"b", "b/a.yaml", true},    {"b", "b", true},        {"b", "bc/a.yaml", false},
        {"b/c", "b/c/d/a", true},   {"b/c", "b/a", false},   {"b*", "b1", true},
        {"b*", "b1/a.yaml", false}, {"b/**", "b/c/a", true}, {"c", "b/c/a", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (bake_glob_matches(rows[i].pattern, true, rows[i].path) != rows[i].matches)
            fail_msg("%s, %s", rows[i].pattern, rows[i].path);
    assert_false(bake_glob_matches("b", false, "b/a.yaml"));
}

static void excluding_patterns_win_in_any_order(void **state)
{
    bake_project_path before[] = {{"!b/c*", {0}}, {"b/*", {0}}, {"a", {0}}};
    bake_project_path after[] = {{"a", {0}}, {"b/*", {0}}, {"!b/c*", {0}}};
    const bake_project_paths lists[] = {{before, 3}, {after, 3}};
    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++) {
        assert_true(bake_glob_selects(&lists[i], "a"));
        assert_true(bake_glob_selects(&lists[i], "b/d"));
        assert_false(bake_glob_selects(&lists[i], "b/c1"));
        assert_false(bake_glob_selects(&lists[i], "b/d/e"));
        assert_false(bake_glob_selects(&lists[i], "!b/c1"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_is_compared_with_the_whole_path),
        cmocka_unit_test(an_excluding_pattern_also_excludes_what_is_below),
        cmocka_unit_test(excluding_patterns_win_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
