/* Searching a text in memory, and the nearest of several names. */
#include "insp_needle.h"
#include "insp_similar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static bool is_in(const char *needle, size_t needle_length, const char *text, size_t length)
{
    insp_needle made = insp_needle_make(needle, needle_length);
    /* An exactly sized block, so that a sanitizer sees reads outside it. */
    char *block = malloc(length ? length : 1);
    assert_non_null(block);
    memcpy(block, text, length);
    bool found = insp_needle_is_in(&made, block, length);
    free(block);
    return found;
}

static void needle_is_found_at_every_place(void **state)
{
    static const struct {
        const char *needle, *text;
        bool found;
    } rows[] = {{"", "", true},
                {"", "a", true},
                {"a", "", false},
                {"a", "a", true},
                {"ab", "a", false},
                {"ab", "ab", true},
                {"ab", "xab", true},
                {"ab", "abx", true},
                {"ab", "ba", false},
                {"aab", "aaab", true},
                {"zoo", "a zo, a zoo", true},
                {"ooz", "oz ooz", true},
                {"ooz", "ooz", true},
                {"ooz", "ooy", false},
                {"ooz", "oz", false},
                {"Q\"x", "..Q\"x", true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rows[i].found, is_in(rows[i].needle, strlen(rows[i].needle), rows[i].text,
                                              strlen(rows[i].text)));
    assert_true(is_in("a\0b", 3, "xa\0b", 4));
    assert_false(is_in("a\0b", 3, "xa\0c", 4));
}

/* All strings of up to five letters from two, in all strings of seven. */
static void needle_agrees_with_a_naive_search(void **state)
{
    (void)state;
    for (unsigned text = 0; text < 128; text++)
        for (unsigned length = 1; length <= 5; length++)
            for (unsigned needle = 0; needle < 1u << length; needle++) {
                char in[7], wanted[5];
                bool expected = false;
                for (unsigned i = 0; i < 7; i++)
                    in[i] = text >> i & 1 ? 'z' : 'e';
                for (unsigned i = 0; i < length; i++)
                    wanted[i] = needle >> i & 1 ? 'z' : 'e';
                for (unsigned i = 0; i + length <= 7; i++)
                    expected = expected || memcmp(in + i, wanted, length) == 0;
                assert_int_equal(expected, is_in(wanted, length, in, 7));
            }
}

static void nearest_name_is_suggested(void **state)
{
    static const char *const names[] = {"dump", "get", "verify", "orphans", "type", "Type"};
    static const struct {
        const char *wanted, *best;
    } rows[] = {{"dmp", "dump"},  {"dupm", "dump"},      {"gte", "get"},
                {"gets", "get"},  {"verfiy", "verify"},  {"orphan", "orphans"},
                {"TYPE", "type"}, {"VERIFY", "verify"},  {"x", NULL},
                {"", NULL},       {"du", NULL},          {"explain", NULL},
                {"gxx", NULL},    {"orphnas", "orphans"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        insp_similar similar;
        insp_similar_init(&similar, rows[i].wanted, strlen(rows[i].wanted));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            insp_similar_offer(&similar, names[k], strlen(names[k]));
        if (rows[i].best)
            assert_string_equal(rows[i].best, similar.best);
        else
            assert_null(similar.best);
    }
}

static void long_names_are_not_compared(void **state)
{
    char longer[INSP_SIMILAR_MAX + 2];
    insp_similar similar;
    (void)state;
    memset(longer, 'a', sizeof longer);
    insp_similar_init(&similar, longer, INSP_SIMILAR_MAX);
    insp_similar_offer(&similar, longer, INSP_SIMILAR_MAX + 1);
    assert_null(similar.best);
    insp_similar_offer(&similar, longer, INSP_SIMILAR_MAX);
    assert_ptr_equal(longer, similar.best);
    insp_similar_init(&similar, longer, INSP_SIMILAR_MAX + 1);
    insp_similar_offer(&similar, longer, INSP_SIMILAR_MAX);
    assert_null(similar.best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needle_is_found_at_every_place),
        cmocka_unit_test(needle_agrees_with_a_naive_search),
        cmocka_unit_test(nearest_name_is_suggested),
        cmocka_unit_test(long_names_are_not_compared),
    };
    return cmocka_run_group_tests_name("inspect_needle", tests, NULL, NULL);
}
