/* Which paths the patterns of a project select, without the file system. */
#include "bake_fixture.h"

#include "path_match.h"
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

static void a_folder_is_entered_if_the_pattern_can_match_below(void **state)
{
    static const struct {
        const char *pattern, *folder;
        bool enters;
    } rows[] = {
        {"*.yaml", "b", false},       {"b/*.yaml", "b", true},     {"b/*.yaml", "b/c", false},
        {"*/a.yaml", "b", true},      {"*/a.yaml", "b/c", false},  {"*/c/*", "b", true},
        {"*/c/*", "b/c", true},       {"*/c/*", "b/d", false},     {"*/c/*", "b/c/d", false},
        {"**/*.yaml", "b/c/d", true}, {"b/**/a", "b", true},       {"b/**/a", "b/c/d", true},
        {"b/**/a", "c", false},       {"b/**/a", "bc", false},     {"b?/x*y/*", "bb/xzzy", true},
        {"b?/x*y/*", "bb/xy", true},  {"b?/x*y/*", "bb/x", false}, {"b?/x*y/*", "b/xy", false},
        {"../x/*", "../x", true},     {"../x/*", "../y", false},   {"/x/*/y", "/x/z", true},
        {"/x/*/y", "/x/z/w", false},  {"a**b", "a", true},         {"a/x**b/c", "b", false},
        {"a*b*c/d", "aXbYbZc", true}, {"a*b*c/d", "aXcYb", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (bake_path_may_match_below(rows[i].pattern, rows[i].folder) != rows[i].enters)
            fail_msg("%s, %s", rows[i].pattern, rows[i].folder);
}

/* All patterns and paths of few letters: a folder above a match is always entered. */
static void no_folder_above_a_match_is_skipped(void **state)
{
    static const char of_pattern[] = "a/*?", of_path[] = "ab/";
    (void)state;
    for (unsigned p = 0; p < 4096; p++)
        for (unsigned t = 0; t < 729; t++) {
            char pattern[7] = "", path[7] = "";
            for (unsigned i = 0, left = p; i < 6; i++, left /= 4)
                pattern[i] = of_pattern[left % 4];
            for (unsigned i = 0, left = t; i < 6; i++, left /= 3)
                path[i] = of_path[left % 3];
            if (path[0] == '/' || path[5] == '/' || strstr(path, "//") ||
                !bake_path_matches_whole(pattern, path))
                continue;
            for (char *slash; (slash = strrchr(path, '/'));) {
                *slash = '\0';
                if (!bake_path_may_match_below(pattern, path))
                    fail_msg("%s, %s", pattern, path);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_is_compared_with_the_whole_path),
        cmocka_unit_test(an_excluding_pattern_also_excludes_what_is_below),
        cmocka_unit_test(excluding_patterns_win_in_any_order),
        cmocka_unit_test(a_folder_is_entered_if_the_pattern_can_match_below),
        cmocka_unit_test(no_folder_above_a_match_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
