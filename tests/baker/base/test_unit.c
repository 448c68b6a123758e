/* Units: the conversion of a number to another unit of the same kind. */
#include "decimal.h"
#include "unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *converted(const char *unit, const char *text)
{
    static char out[BAKE_UNIT_TEXT_SIZE];
    size_t length = bake_unit_convert(bake_unit_find(unit, strlen(unit)), text, strlen(text), out);
    out[length] = '\0';
    return out;
}

static void finite_decimals_are_converted_exactly(void **state)
{
    static const struct {
        const char *unit, *text, *expected;
    } rows[] = {
        {"ms", "250ms", "250"},
        {"ms", "3 s", "3000"},
        {"ms", "1.5s", "1500"},
        {"ms", "+2_000.50 s", "2000500"},
        {"s", "1d", "86400"},
        {"h", "90min", "15e-1"},
        {"ns", "1d", "86400000000000"},
        {"min", "1h", "60"},
        {"us", "-3ms", "-3000"},
        {"s", "0h", "0"},
        {"mm", "1in", "254e-1"},
        {"um", "1ft", "304800"},
        {"m", "1.5e3km", "1500000"},
        {"in", "1ft", "12"},
        {"cm", "1e-3 m", "1e-1"},
        {"g", "1t", "1000000"},
        {"kHz", "2MHz", "2000"},
        {"B", "3KiB", "3072"},
        {"KiB", "1MiB", "1024"},
        {"kB", "1GiB", "1073741824e-3"},
        {"1", "50%", "5e-1"},
        {"%", "12.5%", "125e-1"},
        {"deg", "0.5turn", "180"},
        {"grad", "90deg", "100"},
        {"turn", "720deg", "2"},
        {"K", "0C", "27315e-2"},
        {"K", "26.85C", "300"},
        {"C", "273.15K", "0"},
        {"C", "0K", "-27315e-2"},
        {"K", "-273.15C", "0"},
        {"K", "-300C", "-2685e-2"},
        {"C", "300K", "2685e-2"},
        {"K", "4K", "4"},
        {"s", "1e40s", "1e40"},
        {"s", "1e2000s", "1e2000"},
        {"ns", "1e-2000s", "1e-1991"},
        {"K", "1e-900C", "27315e-2"},
        {"K", "1e900C", "1e900"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(converted(rows[i].unit, rows[i].text), rows[i].expected) != 0)
            fail_msg("%s in %s: %s, not %s", rows[i].text, rows[i].unit,
                     converted(rows[i].unit, rows[i].text), rows[i].expected);
}

static void other_texts_are_refused(void **state)
{
    static const char *const rows[][2] = {
        {"s", ""},           {"s", "s"},        {"s", "3"},          {"s", "3m"},
        {"s", "3S"},         {"s", "3 s s"},    {"s", "x3s"},        {"s", "3xs"},
        {"s", "--3s"},       {"s", "3es"},      {"s", "3e+s"},       {"s", "1.2.3s"},
        {"s", ".s"},         {"s", "1__0s"},    {"s", "_1s"},        {"s", "1_s"},
        {"s", "0x10s"},      {"s", "1e99999s"}, {"s", "1e-99999 s"}, {"s", "infs"},
        {"1", "51"},         {"1", "5 1"},      {"%", "5 1"},        {"K", "3F"},
        {"deg", "90\u00b0"}, {"s", "3\ts"},     {"s", " 3s"},        {"s", "3s "},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (*converted(rows[i][0], rows[i][1]))
            fail_msg("%s is %s in %s", rows[i][1], converted(rows[i][0], rows[i][1]), rows[i][0]);
}

static void a_number_has_at_most_400_digits(void **state)
{
    char text[420];
    (void)state;
    memset(text, '7', sizeof text);
    for (size_t digits = 399; digits <= 402; digits++) {
        strcpy(text + digits, "min");
        assert_int_equal(strlen(converted("d", text)) > 0, digits <= BAKE_UNIT_DIGITS_MAX);
        strcpy(text + digits, "deg");
        assert_int_equal(strlen(converted("rad", text)) > 0, digits <= BAKE_UNIT_DIGITS_MAX);
        memset(text, '7', sizeof text);
    }
}

static double as_double(const char *unit, const char *text)
{
    double value = -1;
    const char *number = converted(unit, text);
    assert_true(bake_decimal_f64(number, strlen(number), &value));
    return value;
}

/* Compares as doubles, even if the processor's registers have more precision. */
static void expect_double(volatile double expected, volatile double value)
{
    assert_true(expected == value);
}

static void angles_are_rounded_once(void **state)
{
    static const double pi = 3.14159265358979323846;
    (void)state;
    expect_double(pi, as_double("rad", "180deg"));
    expect_double(pi / 2, as_double("rad", "90deg"));
    expect_double(-2 * pi, as_double("rad", "-1turn"));
    expect_double(pi, as_double("rad", "200 grad"));
    expect_double(57.29577951308232, as_double("deg", "1rad"));
    expect_double(0.15915494309189535, as_double("turn", "1rad"));
    expect_double(3.14, as_double("rad", "3.14 rad"));
    /* The calculation with doubles rounds more than once, so the results may differ slightly. */
    for (int i = 1; i < 1000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d.%ddeg", i, i % 7);
        double degrees = strtod(text, NULL), value = as_double("rad", text);
        assert_true(fabs(value - degrees * pi / 180) <= 4e-16 * value);
    }
}

static void quotients_are_rounded_like_a_division_of_doubles(void **state)
{
    (void)state;
    for (int i = 1; i < 1000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%ds", i);
        expect_double(i / 60.0, as_double("min", text));
        expect_double(i / 86400.0, as_double("d", text));
        snprintf(text, sizeof text, "%din", i);
        expect_double(i / 12.0, as_double("ft", text));
        snprintf(text, sizeof text, "%dB", i);
        expect_double(i / 1073741824.0, as_double("GiB", text));
    }
}

/* Converts between all pairs of units of one kind, and back. */
static void each_unit_converts_to_all_of_its_kind_and_back(void **state)
{
    size_t pairs = 0;
    (void)state;
    for (bake_unit from = 1; bake_unit_name(from); from++) {
        assert_int_equal(bake_unit_find(bake_unit_name(from), strlen(bake_unit_name(from))), from);
        for (bake_unit to = 1; bake_unit_name(to); to++) {
            char text[64], back[BAKE_UNIT_TEXT_SIZE + 8];
            double value;
            if (strcmp(bake_unit_name(from), "1") == 0 || strcmp(bake_unit_name(to), "1") == 0)
                continue;
            snprintf(text, sizeof text, "7.25%s", bake_unit_name(from));
            const char *there = converted(bake_unit_name(to), text);
            if (!*there)
                continue;
            pairs++;
            /* A result can have more digits than an input may have. */
            char *exponent = strchr(there, 'e');
            size_t digits = exponent ? (size_t)(exponent - there) : strlen(there);
            if (digits > BAKE_UNIT_DIGITS_MAX)
                continue;
            snprintf(back, sizeof back, "%s%s", there, bake_unit_name(to));
            const char *here = converted(bake_unit_name(from), back);
            assert_true(bake_decimal_f64(here, strlen(here), &value));
            if (!(fabs(value - 7.25) < 1e-14))
                fail_msg("%s in %s and back is %s", text, bake_unit_name(to), here);
        }
    }
    assert_int_equal(pairs, 4 * 4 + 7 * 7 + 7 * 7 + 4 * 4 + 4 * 4 + 7 * 7 + 1 + 2 * 2);
    assert_int_equal(bake_unit_find("degree", 6), 0);
    assert_int_equal(bake_unit_find("", 0), 0);
}

static void the_units_of_a_kind_are_listed(void **state)
{
    char out[80], small[8];
    (void)state;
    bake_unit_list(bake_unit_find("deg", 3), out, sizeof out);
    assert_string_equal(out, "rad, deg, turn, grad");
    bake_unit_list(bake_unit_find("1", 1), out, sizeof out);
    assert_string_equal(out, "%");
    bake_unit_list(bake_unit_find("deg", 3), small, sizeof small);
    assert_string_equal(small, "rad, de");
}

/* A number in the target unit needs no conversion. */
static void numbers_in_the_target_unit_are_unchanged(void **state)
{
    static const struct {
        const char *unit, *text;
        size_t length;
    } rows[] = {
        {"rad", "1.5 rad", 3},
        {"rad", "-1.5rad", 4},
        {"rad", "+2  rad", 2},
        {"rad", "4.3E-08 rad", 7},
        {"rad", "4e+8 rad", 4},
        {"rad", "4e8 rad", 3},
        {"rad", "4E10rad", 4},
        {"rad", "90 deg", 0},
        {"rad", "1 grad", 0},
        {"rad", "nan rad", 0},
        {"rad", "inf rad", 0},
        {"rad", "1.5", 0},
        {"rad", "1e rad", 0},
        {"rad", "1e- rad", 0},
        {"rad", "1e1000 rad", 0},
        {"rad", "1x rad", 0},
        {"rad", "1_0 rad", 0},
        {"rad", "0000000000000000000000000000000000001 rad", 0},
        {"m", "5 m", 1},
        {"m", "5 mm", 0},
        {"m", "5 km", 0},
        {"ms", "250ms", 3},
        {"s", "250ms", 0},
        {"1", "50%", 0},
        {"1", "1", 0},
        {"C", "-3 C", 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        bake_unit unit = bake_unit_find(rows[i].unit, strlen(rows[i].unit));
        size_t length = bake_unit_same(unit, rows[i].text, strlen(rows[i].text));
        if (length != rows[i].length)
            fail_msg("%s in %s: %zu", rows[i].text, rows[i].unit, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_the_target_unit_are_unchanged),
        cmocka_unit_test(finite_decimals_are_converted_exactly),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(a_number_has_at_most_400_digits),
        cmocka_unit_test(angles_are_rounded_once),
        cmocka_unit_test(quotients_are_rounded_like_a_division_of_doubles),
        cmocka_unit_test(each_unit_converts_to_all_of_its_kind_and_back),
        cmocka_unit_test(the_units_of_a_kind_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
