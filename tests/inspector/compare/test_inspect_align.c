/* Alignments of two lists: the longest common list, or none beyond a limit. */
#include "insp_align.h"

#include "insp_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* Letters are tokens. `common` is the length of the longest common list. */
static const struct {
    const char *before, *after;
    uint32_t common;
} rows[] = {
    {"", "", 0},        {"", "abc", 0},     {"abc", "", 0},           {"abc", "abc", 3},
    {"abc", "abxc", 3}, {"abxc", "abc", 3}, {"abcd", "dabc", 3},      {"abcabba", "cbabac", 4},
    {"abc", "xyz", 0},  {"aaaa", "aa", 2},  {"kitten", "sitting", 4},
};

static uint32_t fill(const char *text, uint64_t *tokens)
{
    uint32_t count = 0;
    for (; text[count]; count++)
        tokens[count] = (unsigned char)text[count];
    return count;
}

static void pairs_are_a_longest_common_list(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        uint64_t before[16], after[16];
        uint32_t old_count = fill(rows[row].before, before);
        uint32_t new_count = fill(rows[row].after, after);
        insp_alignment found;
        assert_true(insp_align(before, old_count, after, new_count, &found));
        assert_false(found.gave_up);
        assert_int_equal(rows[row].common, found.count);
        for (uint32_t i = 0; i < found.count; i++) {
            assert_true(found.pairs[i].old_at < old_count && found.pairs[i].new_at < new_count);
            assert_int_equal(before[found.pairs[i].old_at], after[found.pairs[i].new_at]);
            if (i) {
                assert_true(found.pairs[i].old_at > found.pairs[i - 1].old_at);
                assert_true(found.pairs[i].new_at > found.pairs[i - 1].new_at);
            }
        }
        insp_free(found.pairs);
    }
}

/* INSP_ALIGN_DIFFERENCES elements are removed, and one more. */
static void one_difference_above_the_limit_gives_up(void **state)
{
    enum { COUNT = INSP_ALIGN_DIFFERENCES + 2 };
    static uint64_t before[COUNT];
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        before[i] = i;
    for (uint32_t removed = INSP_ALIGN_DIFFERENCES; removed < COUNT; removed++) {
        insp_alignment found;
        assert_true(insp_align(before, COUNT, before + removed, COUNT - removed, &found));
        assert_int_equal(removed > INSP_ALIGN_DIFFERENCES, found.gave_up);
        assert_int_equal(found.gave_up ? 0 : COUNT - removed, found.count);
        insp_free(found.pairs);
    }
}

static void every_allocation_may_fail(void **state)
{
    uint64_t before[16], after[16];
    uint32_t old_count = fill("kitten", before), new_count = fill("sitting", after);
    insp_alignment found;
    long allowed = -1;
    bool done = false;
    (void)state;
    while (!done) {
        insp_memory_fail_at(++allowed);
        done = insp_align(before, old_count, after, new_count, &found);
        insp_memory_fail_at(-1);
        assert_true(done || !found.pairs);
        insp_free(found.pairs);
    }
    assert_true(allowed > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_a_longest_common_list),
        cmocka_unit_test(one_difference_above_the_limit_gives_up),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("inspect_align", tests, NULL, NULL);
}
