/* Escapes, numbers and patterns, each as a table. */
#define _XOPEN_SOURCE 700
#include "insp_escape.h"
#include "insp_glob.h"
#include "insp_number.h"
#include "json_string.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef void put_function(insp_out *out, const char *text, size_t length);

static void check_put(put_function *put, const char *text, size_t length, const char *expected)
{
    char *written = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&written, &size);
    insp_out out;
    assert_non_null(file);
    insp_out_init(&out, file, false);
    put(&out, text, length);
    assert_true(insp_out_finish(&out));
    fclose(file);
    assert_string_equal(expected, written);
    free(written);
}

static const struct {
    const char *text, *eyes, *json, *yaml;
} texts[] = {
    {"plain", "plain", "\"plain\"", "plain"},
    {"two words", "two words", "\"two words\"", "two words"},
    {" lead", " lead", "\" lead\"", "\" lead\""},
    {"trail ", "trail ", "\"trail \"", "\"trail \""},
    {"", "", "\"\"", "\"\""},
    {"null", "null", "\"null\"", "\"null\""},
    {"No", "No", "\"No\"", "\"No\""},
    {"1.10", "1.10", "\"1.10\"", "\"1.10\""},
    {"-", "-", "\"-\"", "\"-\""},
    {"a: b", "a: b", "\"a: b\"", "\"a: b\""},
    {"a #b", "a #b", "\"a #b\"", "\"a #b\""},
    {"say \"x\"", "say \"x\"", "\"say \\\"x\\\"\"", "\"say \\\"x\\\"\""},
    {"back\\slash", "back\\\\slash", "\"back\\\\slash\"", "\"back\\\\slash\""},
    {"a\nb\tc\r", "a\\nb\\tc\\x0d", "\"a\\nb\\tc\\r\"", "\"a\\nb\\tc\\r\""},
    {"\033[2J", "\\x1b[2J", "\"\\u001b[2J\"", "\"\\u001b[2J\""},
    {"\x7f", "\\x7f", "\"\\u007f\"", "\"\\u007f\""},
    {"\xc3\xa4", "\xc3\xa4", "\"\xc3\xa4\"", "\"\xc3\xa4\""},
    {"\xc2\x85", "\\u{85}", "\"\\u0085\"", "\"\\u0085\""},
    {"\xc2\xad", "\\u{ad}", "\"\\u00ad\"", "\"\\u00ad\""},
    {"\xd8\x9c", "\\u{61c}", "\"\\u061c\"", "\"\\u061c\""},
    {"\xe2\x80\xa8", "\\u{2028}", "\"\\u2028\"", "\"\\u2028\""},
    {"\xe2\x80\xae", "\\u{202e}", "\"\\u202e\"", "\"\\u202e\""},
    {"\xef\xbb\xbf", "\\u{feff}", "\"\\ufeff\"", "\"\\ufeff\""},
    {"\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5", "\"\xf0\x9f\x94\xa5\"", "\"\xf0\x9f\x94\xa5\""},
    {"\xf3\xa0\x80\x81", "\\u{e0001}", "\"\xf3\xa0\x80\x81\"", "\"\xf3\xa0\x80\x81\""},
    {"\xff", "\\xff", "\"\\ufffd\"", "\"\\ufffd\""},
    {"\xc3", "\\xc3", "\"\\ufffd\"", "\"\\ufffd\""},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\\ufffd\\ufffd\\ufffd\"", "\"\\ufffd\\ufffd\\ufffd\""},
    {"\xc0\xaf", "\\xc0\\xaf", "\"\\ufffd\\ufffd\"", "\"\\ufffd\\ufffd\""},
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"",
     "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
};

static void texts_are_escaped_for_each_reader(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t length = strlen(texts[i].text);
        check_put(insp_put_escaped, texts[i].text, length, texts[i].eyes);
        check_put(insp_put_json_string, texts[i].text, length, texts[i].json);
        check_put(insp_put_yaml_string, texts[i].text, length, texts[i].yaml);
    }
    check_put(insp_put_escaped, "a\0b", 3, "a\\x00b");
    check_put(insp_put_json_string, "a\0b", 3, "\"a\\u0000b\"");
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void exactly_the_bytes_to_escape_end_a_plain_run(void **state)
{
    char text[24];
    size_t at, i;
    unsigned c;
    (void)state;
    for (at = 0; at < sizeof text; at++) {
        for (c = 0; c < 256; c++) {
            memset(text, 'a', sizeof text);
            for (i = 0; i < sizeof text; i++)
                if (i != at && i % 3 == 0)
                    text[i] = i % 2 ? '~' : ' ';
            text[at] = (char)c;
            assert_int_equal(is_plain((unsigned char)c) ? sizeof text : at,
                             json_plain_run(text, sizeof text));
            assert_int_equal(at, json_plain_run(text, at));
        }
    }
}

static void put_base64(insp_out *out, const char *text, size_t length)
{
    insp_put_base64(out, text, length);
}

static void bytes_become_base64(void **state)
{
    (void)state;
    check_put(put_base64, "", 0, "");
    check_put(put_base64, "f", 1, "Zg==");
    check_put(put_base64, "fo", 2, "Zm8=");
    check_put(put_base64, "foo", 3, "Zm9v");
    check_put(put_base64, "\xff\xff\xfe\x00", 4, "///+AA==");
}

static const struct {
    double value;
    bool single;
    const char *text;
} floats[] = {
    {0.0, false, "0.0"},
    {-0.0, false, "-0.0"},
    {1.0, false, "1.0"},
    {-2.5, true, "-2.5"},
    {0.1, false, "0.1"},
    {0.100000001490116119384765625, true, "0.1"},
    {0.100000001490116119384765625, false, "0.10000000149011612"},
    {1e15, false, "1000000000000000.0"},
    {1e16, false, "1.0e+16"},
    {1.5e-5, false, "0.000015"},
    {1e-6, false, "1.0e-6"},
    {5e-324, false, "5.0e-324"},
    {(double)FLT_MAX, true, "3.4028235e+38"},
    {DBL_MAX, false, "1.7976931348623157e+308"},
    {(double)FLT_MIN, true, "1.1754944e-38"},
    {1.401298464324817e-45, true, "1.0e-45"},
    {16777216.0, true, "16777216.0"},
    {1.0 / 3, false, "0.3333333333333333"},
};

static void floats_are_as_short_as_possible(void **state)
{
    size_t i;
    char text[INSP_NUMBER_SIZE];
    (void)state;
    for (i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        insp_format_float(text, floats[i].value, floats[i].single);
        assert_string_equal(floats[i].text, text);
    }
}

static void floats_read_back_to_the_same_bits(void **state)
{
    uint64_t bits = 1;
    int i;
    char text[INSP_NUMBER_SIZE];
    (void)state;
    for (i = 0; i < 20000; i++) {
        double number, back;
        float single, single_back;
        uint32_t low;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(&number, &bits, sizeof number);
        low = (uint32_t)(bits >> 32);
        memcpy(&single, &low, sizeof single);
        if (number - number == 0) {
            insp_format_float(text, number, false);
            back = strtod(text, NULL);
            assert_memory_equal(&number, &back, sizeof number);
        }
        if (single - single == 0) {
            insp_format_float(text, (double)single, true);
            single_back = strtof(text, NULL);
            assert_memory_equal(&single, &single_back, sizeof single);
        }
    }
}

static void counts_have_commas(void **state)
{
    char text[INSP_NUMBER_SIZE];
    (void)state;
    insp_format_count(text, 0);
    assert_string_equal("0", text);
    insp_format_count(text, 1000);
    assert_string_equal("1,000", text);
    insp_format_count(text, UINT64_MAX);
    assert_string_equal("18,446,744,073,709,551,615", text);
}

static const struct {
    const char *pattern, *text;
    bool fits;
} globs[] = {
    {"*", "", true},
    {"*", "Item/sword", true},
    {"Item/*", "Item/sword", true},
    {"Item/*", "Page/sword", false},
    {"*sword", "Item/sword", true},
    {"*s?ord", "Item/sword", true},
    {"*sword", "Item/swords", false},
    {"a*b*c", "aXbXbXc", true},
    {"", "", true},
    {"", "x", false},
    {"?", "", false},
    {"*****x", "aaaaaaaaaaaaaaaaaaaaaaaa", false},
};

static void patterns_match_whole_names(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < sizeof globs / sizeof globs[0]; i++)
        assert_int_equal(globs[i].fits,
                         insp_glob(globs[i].pattern, globs[i].text, strlen(globs[i].text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped_for_each_reader),
        cmocka_unit_test(exactly_the_bytes_to_escape_end_a_plain_run),
        cmocka_unit_test(bytes_become_base64),
        cmocka_unit_test(floats_are_as_short_as_possible),
        cmocka_unit_test(floats_read_back_to_the_same_bits),
        cmocka_unit_test(counts_have_commas),
        cmocka_unit_test(patterns_match_whole_names),
    };
    return cmocka_run_group_tests_name("inspect_text", tests, NULL, NULL);
}
