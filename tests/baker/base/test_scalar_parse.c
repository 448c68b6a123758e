#include "scalar_parse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void integers_follow_the_schema_language(void **state)
{
    static const struct {
        kiln_kind kind;
        const char *text;
        bake_parse parse;
        uint64_t bits;
    } rows[] = {
        {KILN_KIND_U8, "0", BAKE_PARSE_OK, 0},
        {KILN_KIND_U8, "255", BAKE_PARSE_OK, 255},
        {KILN_KIND_U8, "256", BAKE_PARSE_TOO_LARGE, 0},
        {KILN_KIND_U8, "-0", BAKE_PARSE_OK, 0},
        {KILN_KIND_U8, "-1", BAKE_PARSE_TOO_SMALL, 0},
        {KILN_KIND_U8, "+7", BAKE_PARSE_OK, 7},
        {KILN_KIND_U8, "010", BAKE_PARSE_OK, 10},
        {KILN_KIND_U8, "0x1F", BAKE_PARSE_OK, 31},
        {KILN_KIND_U8, "0xfe", BAKE_PARSE_OK, 254},
        {KILN_KIND_U8, "0o17", BAKE_PARSE_OK, 15},
        {KILN_KIND_U8, "0b101", BAKE_PARSE_OK, 5},
        {KILN_KIND_U8, "1_0", BAKE_PARSE_OK, 10},
        {KILN_KIND_I8, "-128", BAKE_PARSE_OK, UINT64_C(0xffffffffffffff80)},
        {KILN_KIND_I8, "-129", BAKE_PARSE_TOO_SMALL, 0},
        {KILN_KIND_I8, "128", BAKE_PARSE_TOO_LARGE, 0},
        {KILN_KIND_I8, "-0x80", BAKE_PARSE_OK, UINT64_C(0xffffffffffffff80)},
        {KILN_KIND_U16, "65_535", BAKE_PARSE_OK, 65535},
        {KILN_KIND_I32, "-2147483648", BAKE_PARSE_OK, UINT64_C(0xffffffff80000000)},
        {KILN_KIND_U32, "4294967296", BAKE_PARSE_TOO_LARGE, 0},
        {KILN_KIND_I64, "9223372036854775807", BAKE_PARSE_OK, INT64_MAX},
        {KILN_KIND_I64, "9223372036854775808", BAKE_PARSE_TOO_LARGE, 0},
        {KILN_KIND_I64, "-9223372036854775808", BAKE_PARSE_OK, UINT64_C(0x8000000000000000)},
        {KILN_KIND_I64, "-9223372036854775809", BAKE_PARSE_TOO_SMALL, 0},
        {KILN_KIND_U64, "18446744073709551615", BAKE_PARSE_OK, UINT64_MAX},
        {KILN_KIND_U64, "18446744073709551616", BAKE_PARSE_TOO_LARGE, 0},
        {KILN_KIND_U64, "0xffff_ffff_ffff_ffff", BAKE_PARSE_OK, UINT64_MAX},
        {KILN_KIND_U64, "99999999999999999999999999", BAKE_PARSE_TOO_LARGE, 0},
        {KILN_KIND_I64, "-99999999999999999999999999", BAKE_PARSE_TOO_SMALL, 0},
        {KILN_KIND_U64, "", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "-", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "+", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "0x", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "0x_1", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "_1", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "1_", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "1__2", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "0X10", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "0b2", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "0o8", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "1.0", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "1e3", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, " 1", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "1 ", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "--1", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "1,000", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "ten", BAKE_PARSE_MALFORMED, 0},
        {KILN_KIND_U64, "18446744073709551616x", BAKE_PARSE_MALFORMED, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t bits = 0;
        bake_parse parse =
            bake_parse_integer(rows[i].kind, rows[i].text, strlen(rows[i].text), &bits);
        if (parse != rows[i].parse || bits != rows[i].bits)
            fail_msg("%s as %s: outcome %d, bits %llx", rows[i].text, kiln_kind_name(rows[i].kind),
                     (int)parse, (unsigned long long)bits);
    }
}

static void floats_follow_the_schema_language(void **state)
{
    static const struct {
        const char *text;
        bake_parse wide, narrow;
        double value;
    } rows[] = {
        {"0", BAKE_PARSE_OK, BAKE_PARSE_OK, 0},
        {"1.5", BAKE_PARSE_OK, BAKE_PARSE_OK, 1.5},
        {"-1.5e3", BAKE_PARSE_OK, BAKE_PARSE_OK, -1500},
        {"+2E+2", BAKE_PARSE_OK, BAKE_PARSE_OK, 200},
        {".5", BAKE_PARSE_OK, BAKE_PARSE_OK, 0.5},
        {"5.", BAKE_PARSE_OK, BAKE_PARSE_OK, 5},
        {"1_000.5", BAKE_PARSE_OK, BAKE_PARSE_OK, 1000.5},
        {"010", BAKE_PARSE_OK, BAKE_PARSE_OK, 10},
        {"0x10", BAKE_PARSE_OK, BAKE_PARSE_OK, 16},
        {"-0b11", BAKE_PARSE_OK, BAKE_PARSE_OK, -3},
        {"100000000000000000000", BAKE_PARSE_OK, BAKE_PARSE_OK, 1e20},
        {"1e39", BAKE_PARSE_OK, BAKE_PARSE_TOO_LARGE, 1e39},
        {"-1e39", BAKE_PARSE_OK, BAKE_PARSE_TOO_SMALL, -1e39},
        {"1e309", BAKE_PARSE_TOO_LARGE, BAKE_PARSE_TOO_LARGE, 0},
        {"1e-400", BAKE_PARSE_OK, BAKE_PARSE_OK, 0},
        {".inf", BAKE_PARSE_OK, BAKE_PARSE_OK, HUGE_VAL},
        {"-.INF", BAKE_PARSE_OK, BAKE_PARSE_OK, -HUGE_VAL},
        {"+.inf", BAKE_PARSE_OK, BAKE_PARSE_OK, HUGE_VAL},
        {"Inf", BAKE_PARSE_OK, BAKE_PARSE_OK, HUGE_VAL},
        {"-inf", BAKE_PARSE_OK, BAKE_PARSE_OK, -HUGE_VAL},
        {"infinity", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"-.nan", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {".", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"1e", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"e5", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"1,5", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"1.5f", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"0x1.8p1", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"1_.5", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {" 1", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
        {"3.14 rad", BAKE_PARSE_MALFORMED, BAKE_PARSE_MALFORMED, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double wide = 0;
        float narrow = 0;
        size_t length = strlen(rows[i].text);
        bake_parse w = bake_parse_f64(rows[i].text, length, &wide);
        bake_parse n = bake_parse_f32(rows[i].text, length, &narrow);
        if (w != rows[i].wide || n != rows[i].narrow || wide != rows[i].value ||
            (!n && narrow != (float)rows[i].value))
            fail_msg("%s: outcomes %d %d, %.17g %.9g", rows[i].text, (int)w, (int)n, wide, narrow);
    }
}

static void nan_has_one_bit_pattern(void **state)
{
    static const char *const texts[] = {".nan", ".NaN", "nan", "NAN"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        double wide;
        float narrow;
        uint64_t wide_bits;
        uint32_t narrow_bits;
        assert_int_equal(bake_parse_f64(texts[i], strlen(texts[i]), &wide), BAKE_PARSE_OK);
        assert_int_equal(bake_parse_f32(texts[i], strlen(texts[i]), &narrow), BAKE_PARSE_OK);
        memcpy(&wide_bits, &wide, sizeof wide);
        memcpy(&narrow_bits, &narrow, sizeof narrow);
        assert_true(wide_bits == UINT64_C(0x7ff8000000000000));
        assert_int_equal(narrow_bits, 0x7fc00000);
    }
}

/* If the text were first rounded to an f64, the f32 would be the even neighbour below. */
static void f32_is_rounded_from_the_text(void **state)
{
    static const char text[] = "1.00000005960464477539062500000001";
    float value;
    (void)state;
    assert_int_equal(bake_parse_f32(text, strlen(text), &value), BAKE_PARSE_OK);
    assert_true(value == nextafterf(1.0f, 2.0f));
}

static void bools_are_six_words_and_two_digits(void **state)
{
    static const struct {
        const char *text;
        bake_parse parse;
        bool value;
    } rows[] = {
        {"true", BAKE_PARSE_OK, true},        {"True", BAKE_PARSE_OK, true},
        {"TRUE", BAKE_PARSE_OK, true},        {"false", BAKE_PARSE_OK, false},
        {"False", BAKE_PARSE_OK, false},      {"FALSE", BAKE_PARSE_OK, false},
        {"yes", BAKE_PARSE_MALFORMED, false}, {"on", BAKE_PARSE_MALFORMED, false},
        {"1", BAKE_PARSE_OK, true},           {"tRUE", BAKE_PARSE_MALFORMED, false},
        {"0", BAKE_PARSE_OK, false},          {"2", BAKE_PARSE_MALFORMED, false},
        {"01", BAKE_PARSE_MALFORMED, false},  {"off", BAKE_PARSE_MALFORMED, false},
        {"", BAKE_PARSE_MALFORMED, false},    {"truee", BAKE_PARSE_MALFORMED, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool value = false;
        if (bake_parse_bool(rows[i].text, strlen(rows[i].text), &value) != rows[i].parse ||
            value != rows[i].value)
            fail_msg("%s", rows[i].text);
    }
}

static void base64_must_be_padded_and_exact(void **state)
{
    static const struct {
        const char *text, *bytes;
        size_t size, wrong_at;
    } rows[] = {
        {"", "", 0, 0},
        {"TQ==", "M", 1, 0},
        {"TWE=", "Ma", 2, 0},
        {"TWFu", "Man", 3, 0},
        {"TWFuTWFu", "ManMan", 6, 0},
        {" TW\nFu\tTQ = = ", "ManM", 4, 0},
        {"+/+/", "\xfb\xff\xbf", 3, 0},
        {"TWF", NULL, 0, 2},
        {"TWFuT", NULL, 0, 4},
        {"T===", NULL, 0, 1},
        {"TQ=", NULL, 0, 2},
        {"TQ==TQ==", NULL, 0, 4},
        {"TQ===", NULL, 0, 4},
        {"TR==", NULL, 0, 3},
        {"TWF=", NULL, 0, 3},
        {"TW-_", NULL, 0, 2},
        {"=", NULL, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char bytes[32];
        size_t size = 0, at = 0;
        bake_parse parse = bake_parse_base64(rows[i].text, strlen(rows[i].text), bytes, &size, &at);
        bool ok = rows[i].bytes
                      ? !parse && size == rows[i].size && memcmp(bytes, rows[i].bytes, size) == 0
                      : parse == BAKE_PARSE_MALFORMED && at == rows[i].wrong_at;
        if (!ok)
            fail_msg("'%s': outcome %d, %zu bytes, error at %zu", rows[i].text, (int)parse, size,
                     at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_follow_the_schema_language),
        cmocka_unit_test(floats_follow_the_schema_language),
        cmocka_unit_test(nan_has_one_bit_pattern),
        cmocka_unit_test(f32_is_rounded_from_the_text),
        cmocka_unit_test(bools_are_six_words_and_two_digits),
        cmocka_unit_test(base64_must_be_padded_and_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
