/* The shortest decimals of floats, and the powers of ten used to find them. */
#define _XOPEN_SOURCE 700
#include "insp_number.h"
#include "insp_shortest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_COUNT = 50000, AROUND = 8 };

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state ^ random_state >> 29;
}

static double f64_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static float f32_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static bool names(uint64_t digits, int exponent, double number, bool single)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
    return single ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number;
}

/* The result of `%.*e` for the number: the nearest decimal with `count` digits. */
static insp_decimal with_digits(double number, int count)
{
    char text[64], *from = text, *to = text;
    insp_decimal decimal;
    snprintf(text, sizeof text, "%.*e", count - 1, number);
    decimal.exponent = atoi(strchr(text, 'e') + 1) - (count - 1);
    for (; *from != 'e'; from++)
        if (*from >= '0' && *from <= '9')
            *to++ = *from;
    *to = '\0';
    decimal.digits = strtoull(text, NULL, 10);
    return decimal;
}

/* The decimal must read back as the number, and no decimal with one digit fewer may do so: neither
 * the nearest one nor its neighbours. It must be the nearest decimal with its number of digits,
 * unless the nearest one does not read back. */
static void check_decimal(double number, bool single, insp_decimal decimal)
{
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, decimal.digits);
    insp_decimal near = with_digits(number, count);
    assert_true(names(decimal.digits, decimal.exponent, number, single));
    if (near.digits != decimal.digits || near.exponent != decimal.exponent)
        assert_false(names(near.digits, near.exponent, number, single));
    if (count > 1) {
        near = with_digits(number, count - 1);
        assert_false(names(near.digits, near.exponent, number, single));
        assert_false(names(near.digits - 1, near.exponent, number, single));
        assert_false(names(near.digits + 1, near.exponent, number, single));
    }
}

static void check_f32(uint32_t bits)
{
    bits &= 0x7fffffff;
    if (bits && bits < 0x7f800000)
        check_decimal((double)f32_of(bits), true, insp_shortest_f32(bits));
}

static void check_f64(uint64_t bits)
{
    bits &= UINT64_MAX >> 1;
    if (bits && bits < UINT64_C(0x7ff) << 52)
        check_decimal(f64_of(bits), false, insp_shortest_f64(bits));
}

static void floats_around_every_power_of_two_are_shortest(void **state)
{
    uint32_t exponent, i;
    (void)state;
    for (exponent = 0; exponent < 255; exponent++)
        for (i = 0; i < 2 * AROUND; i++)
            check_f32((exponent << 23) + i - AROUND);
    for (exponent = 0; exponent < 2047; exponent++)
        for (i = 0; i < 2 * AROUND; i++)
            check_f64(((uint64_t)exponent << 52) + i - AROUND);
}

static void random_floats_are_shortest(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < RANDOM_COUNT; i++) {
        check_f32((uint32_t)(next_random() >> 32));
        check_f64(next_random());
    }
}

static void short_decimals_are_printed_unchanged(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < RANDOM_COUNT; i++) {
        char text[64], printed[INSP_NUMBER_SIZE];
        uint64_t whole = next_random() >> 40, part = next_random() % 1000000;
        snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64 "1", whole, part);
        insp_format_float(printed, strtod(text, NULL), false);
        assert_string_equal(text, printed);
        snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64, whole % 10000, 1 + part % 9);
        insp_format_float(printed, (double)strtof(text, NULL), true);
        assert_string_equal(text, printed);
    }
}

/* Reads the text of a number without an exponent. */
static insp_decimal decimal_of(const char *text)
{
    insp_decimal decimal = {0, 0};
    const char *point = strchr(text, '.');
    assert_non_null(point);
    for (; *text; text++)
        if (*text != '.')
            decimal.digits = decimal.digits * 10 + (uint64_t)(*text - '0');
    decimal.exponent = -(int)(strlen(point) - 1);
    while (decimal.digits && decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    return decimal;
}

static void check_printed(double number, bool single, insp_decimal expected)
{
    char printed[INSP_NUMBER_SIZE];
    insp_decimal decimal;
    insp_format_float(printed, number, single);
    decimal = decimal_of(printed);
    assert_int_equal(expected.digits, decimal.digits);
    assert_int_equal(expected.exponent, decimal.exponent);
}

/* Prints the number and its neighbours. */
static void check_around(double number)
{
    float small = (float)number;
    uint32_t small_bits;
    uint64_t bits;
    int i;
    memcpy(&small_bits, &small, sizeof small_bits);
    memcpy(&bits, &number, sizeof bits);
    for (i = -2; i <= 2; i++) {
        uint32_t near = small_bits + (uint32_t)i;
        uint64_t near_bits = bits + (uint64_t)i;
        check_printed((double)f32_of(near), true, insp_shortest_f32(near));
        check_printed(f64_of(near_bits), false, insp_shortest_f64(near_bits));
    }
}

static void numbers_around_hundredths_are_printed_as_shortest(void **state)
{
    uint32_t i;
    (void)state;
    for (i = 0; i < RANDOM_COUNT; i++)
        check_around((double)(1 + next_random() % 1100000) / 100);
    for (i = 0; i < RANDOM_COUNT / 10; i++)
        check_around((double)(1 + next_random() % (UINT64_C(1) << 25)));
    for (i = 1; i < 300; i++)
        check_around((double)i / 100);
    check_around((double)(1 << 24));
    check_around(10000);
}

/* Numbers with 1,280 bits. */
enum { LIMBS = 40 };

static void multiply(uint32_t number[LIMBS], uint32_t factor)
{
    uint64_t carry = 0;
    int i;
    for (i = 0; i < LIMBS; i++) {
        carry += (uint64_t)number[i] * factor;
        number[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert_int_equal(0, carry);
}

static int width(const uint32_t number[LIMBS])
{
    int bits = 32 * LIMBS;
    while (bits && !(number[(bits - 1) / 32] >> ((bits - 1) % 32) & 1))
        bits--;
    return bits;
}

/* (power - less) x number */
static void scale(insp_power power, uint32_t less, const uint32_t number[LIMBS],
                  uint32_t ret_product[LIMBS])
{
    uint32_t limbs[4], i, k;
    power.high -= power.low < less;
    power.low -= less;
    limbs[0] = (uint32_t)power.low;
    limbs[1] = (uint32_t)(power.low >> 32);
    limbs[2] = (uint32_t)power.high;
    limbs[3] = (uint32_t)(power.high >> 32);
    memset(ret_product, 0, LIMBS * sizeof *ret_product);
    for (i = 0; i < 4; i++) {
        uint64_t carry = 0;
        for (k = 0; i + k < LIMBS; k++) {
            carry += (uint64_t)limbs[i] * number[k] + ret_product[i + k];
            ret_product[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        assert_int_equal(0, carry);
    }
}

/* For k >= 0, 10^k is cut to its first 128 bits, plus 1 if a nonzero bit is cut off. For k < 0 the
 * entry is the smallest whose product with 10^-k reaches a power of two. */
static void powers_of_ten_are_rounded_up_to_128_bits(void **state)
{
    uint32_t ten[LIMBS] = {1}, product[LIMBS];
    int k, i;
    (void)state;
    for (k = 0; k <= INSP_POWER_MAX; k++) {
        insp_power up = insp_powers[k - INSP_POWER_MIN], cut = {0, 0};
        int bits = width(ten), more = 0;
        assert_true(up.high >> 63);
        for (i = 1; i <= bits; i++) {
            uint32_t bit = ten[(bits - i) / 32] >> ((bits - i) % 32) & 1;
            if (i <= 64)
                cut.high |= (uint64_t)bit << (64 - i);
            else if (i <= 128)
                cut.low |= (uint64_t)bit << (128 - i);
            else
                more |= bit != 0;
        }
        cut.low += (uint64_t)more;
        cut.high += more && cut.low == 0;
        assert_int_equal(cut.high, up.high);
        assert_int_equal(cut.low, up.low);
        if (k > 0 && -k >= INSP_POWER_MIN) {
            up = insp_powers[-k - INSP_POWER_MIN];
            assert_true(up.high >> 63);
            scale(up, 1, ten, product);
            assert_int_equal(127 + bits, width(product));
            scale(up, 0, ten, product);
            assert_int_equal(128 + bits, width(product));
        }
        multiply(ten, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_around_every_power_of_two_are_shortest),
        cmocka_unit_test(random_floats_are_shortest),
        cmocka_unit_test(short_decimals_are_printed_unchanged),
        cmocka_unit_test(numbers_around_hundredths_are_printed_as_shortest),
        cmocka_unit_test(powers_of_ten_are_rounded_up_to_128_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
