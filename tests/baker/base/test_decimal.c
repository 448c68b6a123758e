#include "decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { RANDOM_ROUNDS = 300000, TEXT_MAX = 2000 };

/* The text without its `_`, for strtod. */
static const char *plain(const char *text, char out[TEXT_MAX])
{
    size_t n = 0;
    for (; *text; text++)
        if (*text != '_')
            out[n++] = *text;
    out[n] = '\0';
    return out;
}

/* Parses a copy that is followed by a digit instead of a NUL. The digit is not part of the text. */
static void check_same(const char *text)
{
    char copy[TEXT_MAX], bare[TEXT_MAX];
    size_t length = strlen(text);
    double wide = -1, wide_expected = strtod(plain(text, bare), NULL);
    float narrow = -1, narrow_expected = strtof(bare, NULL);
    memcpy(copy, text, length);
    copy[length] = '9';
    if (!bake_decimal_f64(copy, length, &wide) || !bake_decimal_f32(copy, length, &narrow) ||
        memcmp(&wide, &wide_expected, sizeof wide) != 0 ||
        memcmp(&narrow, &narrow_expected, sizeof narrow) != 0)
        fail_msg("%s: %.17g and %.9g, expected %.17g and %.9g", text, wide, (double)narrow,
                 wide_expected, (double)narrow_expected);
}

static void decimals_are_rounded_like_strtod(void **state)
{
    static const char *const texts[] = {
        "0", "-0", "+0", "0.0", "-0.0e9999999999999999999", "0e-5", "00012", "1_000.5_5e1_0", "1.",
        ".5", "-.5e1", "+2E+2", "0.1", "0.2", "0.3", "123456789012345678",
        /* 2^53 and its neighbours, alone and with the largest exact powers of ten */
        "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740992e22",
        "9007199254740992e-22", "9007199254740993e22", "9007199254740993e-22", "1e22", "1e23",
        "1e-22", "1e-23", "8.5e22", "8.5e23",
        /* 19 digits, the most that always fit into the 64-bit mantissa, and more */
        "1000000000000000000", "9999999999999999999", "10000000000000000000",
        "99999999999999999999", "18446744073709551615", "18446744073709551616",
        "1234567890123456789.123456789", "12345678901234567890123456789012345678901234567890",
        "0.00000000000000000000000000000000000001234567890123456789012345",
        /* halfway between floats, and slightly below and above */
        "16777216", "16777217", "16777218", "16777219", "16777217.0000001", "16777216.9999999",
        "1.00000005960464477539062500000001", "1.000000059604644775390625",
        "1.00000005960464477539062499999999", "1.00000017881393432617187499",
        "1.000000178813934326171875", "1.00000017881393432617187501", "33554434", "33554433",
        "33554435", "8388608.5", "8388609.5", "0.50000002980232238769531250",
        /* halfway between doubles */
        "9007199254740993.00000000000000000000000000000000001",
        "1.00000000000000011102230246251565",
        "1.000000000000000111022302462515654042363166809082031250",
        "1.000000000000000111022302462515654042363166809082031251",
        "1.000000000000000111022302462515654042363166809082031249",
        /* the limits of the types */
        "3.4028234663852886e38", "3.4028235677973366e38", "3.4028235677973365e38",
        "340282356779733661637539395458142568447", "340282356779733661637539395458142568448",
        "1e39", "-1e39", "1.7976931348623157e308", "1.7976931348623159e308", "-1e309", "1e400",
        "1.1754943508222875e-38", "1.17549429e-38", "1.4e-45", "7.0064923216240853e-46",
        "7.0064923216240854e-46", "7.0064923216240862e-46", "1e-46", "2.2250738585072014e-308",
        "2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "1e-400", "-1e-400", "1e9999999999999999999999", "1e-9999999999999999999999"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        check_same(texts[i]);
}

/* A digit far beyond the buffer decides between two neighbours. */
static void digits_beyond_the_buffer_affect_rounding(void **state)
{
    static const char *const halfway[] = {"9007199254740993.", "16777217."};
    char text[TEXT_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(halfway); i++) {
        for (size_t zeros = 0; zeros < 1500; zeros += 37) {
            size_t length = strlen(halfway[i]);
            memcpy(text, halfway[i], length);
            memset(text + length, '0', zeros);
            memcpy(text + length + zeros, "1", 2);
            check_same(text);
            text[length + zeros] = '0';
            check_same(text);
        }
    }
}

static void long_numbers_are_scaled_correctly(void **state)
{
    char text[TEXT_MAX];
    (void)state;
    for (size_t digits = 1; digits < 1600; digits += 13) {
        memset(text, '7', digits);
        snprintf(text + digits, sizeof text - digits, "e-%zu", digits);
        check_same(text);
        memcpy(text, "0.", 2);
        memset(text + 2, '0', digits);
        snprintf(text + 2 + digits, sizeof text - digits - 2, "123456789e%zu", digits + 3);
        check_same(text);
    }
}

static void other_forms_are_refused(void **state)
{
    static const char *const texts[] = {
        "",     "-",   "+",    ".",     "-.",    "e5",   "1e",      "1e+",
        "1e-",  "1_",  "_1",   "1__2",  "1_.5",  "1._5", "1e_5",    "1e5_",
        " 1",   "1 ",  "1.5f", "0x10",  "1.5.2", "--1",  "+-1",     "inf",
        ".inf", "nan", "1,5",  "1e5e5", "1e5.5", "1\n",  "0x1.8p1", "infinity"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        double wide;
        float narrow;
        if (bake_decimal_f64(texts[i], strlen(texts[i]), &wide) ||
            bake_decimal_f32(texts[i], strlen(texts[i]), &narrow))
            fail_msg("'%s' was read as a decimal", texts[i]);
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 20;
}

/* The lengths and exponents include those at which the parser changes its algorithm. */
static void random_decimals_are_rounded_like_strtod(void **state)
{
    uint64_t seed = UINT64_C(20261121);
    char text[TEXT_MAX];
    (void)state;
    for (unsigned round = 0; round < RANDOM_ROUNDS; round++) {
        unsigned digits = 1 + (unsigned)next_random(&seed) % (round % 16 == 0 ? 40 : 19);
        unsigned point = (unsigned)next_random(&seed) % (digits + 1);
        size_t n = 0;
        if (next_random(&seed) % 4 == 0)
            text[n++] = '-';
        for (unsigned i = 0; i < digits; i++) {
            if (i == point && round % 3)
                text[n++] = '.';
            text[n++] = (char)('0' + next_random(&seed) % 10);
        }
        text[n] = '\0';
        if (round % 5 == 0)
            snprintf(text + n, sizeof text - n, "e%d", (int)(next_random(&seed) % 100) - 50);
        check_same(text);
    }
}

/* Decimals near the midpoint between two floats, where rounding twice would give a different
 * result. */
static void random_halfway_points_are_rounded_once(void **state)
{
    uint64_t seed = UINT64_C(2147483647);
    char text[TEXT_MAX];
    (void)state;
    for (unsigned round = 0; round < RANDOM_ROUNDS / 10; round++) {
        uint32_t bits =
            (uint32_t)(next_random(&seed) % (UINT32_C(60) << 23)) + (UINT32_C(100) << 23);
        float below, above;
        memcpy(&below, &bits, sizeof below);
        bits++;
        memcpy(&above, &bits, sizeof above);
        double halfway = ((double)below + (double)above) / 2;
        snprintf(text, sizeof text, "%.*f", 5 + (int)(round % 50), halfway);
        check_same(text);
        snprintf(text, sizeof text, "%.*e", 6 + (int)(round % 30), halfway);
        check_same(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_rounded_like_strtod),
        cmocka_unit_test(digits_beyond_the_buffer_affect_rounding),
        cmocka_unit_test(long_numbers_are_scaled_correctly),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(random_decimals_are_rounded_like_strtod),
        cmocka_unit_test(random_halfway_points_are_rounded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
