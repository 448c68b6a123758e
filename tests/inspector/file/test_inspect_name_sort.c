/* Sorting assets by name agrees with comparing the names. */
#include "insp_memory.h"
#include "insp_name_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 1500, NAME_SIZE = 64 };

static char texts[NAMES][NAME_SIZE];
static insp_asset assets[NAMES];
static const insp_asset *sorted[NAMES], *expected[NAMES];

static uint32_t random_below(uint32_t bound)
{
    static uint64_t seed = 7;
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % bound;
}

static int compare(const void *a, const void *b)
{
    const insp_asset *left = *(const insp_asset *const *)a, *right = *(const insp_asset *const *)b;
    int order = insp_text_compare(left->name, right->name);
    return order ? order : left->number < right->number ? -1 : 1;
}

/* Names of a few bytes, of any bytes, with the prefix of the row and a repeated part. */
typedef struct row {
    const char *prefix;
    uint32_t repeats, length, bytes;
} row;

static uint32_t fill(char *text, const row *of)
{
    uint32_t at = (uint32_t)strlen(of->prefix), repeats = random_below(of->repeats + 1);
    uint32_t length = random_below(of->length + 1);
    memcpy(text, of->prefix, at);
    for (uint32_t i = 0; i < repeats; i++)
        text[at++] = 'r';
    for (uint32_t i = 0; i < length; i++)
        text[at++] = (char)(of->bytes == 256 ? random_below(256) : 'a' + random_below(of->bytes));
    return at;
}

static void order_is_that_of_the_names(void **state)
{
    static const row rows[] = {{"", 0, 4, 26},      {"", 0, 0, 1},
                               {"Item/", 0, 12, 3}, {"", 0, 3, 256},
                               {"A/", 40, 2, 2},    {"Kind/of/a/long/name", 9, 30, 1},
                               {"", 0, 12, 256},    {"", 50, 3, 256}};
    static const size_t counts[] = {0, 1, 2, 63, 64, 65, NAMES};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            size_t count = counts[k];
            for (size_t n = 0; n < count; n++) {
                assets[n] = (insp_asset){.name = {texts[n], fill(texts[n], &rows[i])},
                                         .number = (uint32_t)n};
                sorted[n] = expected[n] = &assets[n];
            }
            assert_int_equal(KILN_OK, insp_name_sort(sorted, count));
            if (count)
                qsort(expected, count, sizeof *expected, compare);
            for (size_t n = 0; n < count; n++)
                if (sorted[n] != expected[n])
                    fail_msg("row %zu, %zu names: place %zu", i, count, n);
        }
}

static void without_memory_nothing_is_sorted(void **state)
{
    (void)state;
    sorted[0] = &assets[1];
    sorted[1] = &assets[0];
    insp_memory_fail_at(0);
    assert_int_equal(KILN_NO_MEMORY, insp_name_sort(sorted, 2));
    insp_memory_fail_at(-1);
    assert_ptr_equal(&assets[1], sorted[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_that_of_the_names),
        cmocka_unit_test(without_memory_nothing_is_sorted),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
