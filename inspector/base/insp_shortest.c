/* Implements the algorithm that insp_shortest.h describes in integer arithmetic, so that every host
 * prints the same digits.
 *
 * For every exponent of an f32 or f64, `shift` is 1 to 4 and insp_powers has an entry for
 * `-unit`. So 4 x mantissa + 2 is below 2^60 after the shift. */
#include "insp_shortest.h"

#include <stdbool.h>

/* Returns the upper half of the product; `ret_low` receives the lower one. */
static inline uint64_t multiply(uint64_t a, uint64_t b, uint64_t *ret_low)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    *ret_low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    *ret_low = other << 32 | (uint32_t)low;
    return a_high * b_high + (middle >> 32) + (other >> 32);
#endif
}

/* Computes `power` x `number` / 2^128, rounded to odd: the result is truncated, and its last bit is
 * set if the remainder is not 0. So comparisons with even numbers have the same result as with the
 * exact product. The table entry can be too large by less than 1, and the product thus by less than
 * 2^64, so a remainder that small counts as 0. */
static inline uint64_t scale(insp_power power, uint64_t number)
{
    uint64_t low, middle;
    uint64_t carry = multiply(power.low, number, &low);
    uint64_t high = multiply(power.high, number, &middle);
    middle += carry;
    high += middle < carry;
    return high | (middle > 1);
}

/* Returns floor(`number` / 2^bits), including for negative numbers. Requires |number| < 2^40. */
static inline int divide(int64_t number, int bits)
{
    return (int)((number + (INT64_C(1) << 40)) >> bits) - (int)(INT64_C(1) << (40 - bits));
}

/* Return floor(log10(2^e)), floor(log10(3/4 x 2^e)) and floor(log2(10^e)) for the exponents of
 * floats. The factors are in units of 2^-22, 2^-22 and 2^-19. */
static inline int log10_of_2(int e)
{
    return divide((int64_t)e * 1262611, 22);
}
static inline int log10_of_three_quarters(int e)
{
    return divide((int64_t)e * 1262611 - 524031, 22);
}
static inline int log2_of_10(int e)
{
    return divide((int64_t)e * 1741647, 19);
}

/* Returns `digits` or `digits` + 1, whichever is in the interval. At least one is, because the unit
 * is smaller than the interval. If both are, returns the nearer one, or the even one in a tie.
 * `low`, `at` and `high` are multiplied by four. */
static uint64_t nearest(uint64_t digits, uint64_t low, uint64_t at, uint64_t high)
{
    bool lower_fits = low <= 4 * digits, upper_fits = 4 * (digits + 1) <= high;
    uint64_t middle = 4 * digits + 2;
    if (lower_fits != upper_fits)
        return lower_fits ? digits : digits + 1;
    return at < middle || (at == middle && digits % 2 == 0) ? digits : digits + 1;
}

static insp_decimal without_zeros(uint64_t digits, int exponent)
{
    insp_decimal decimal = {digits, exponent};
    while (decimal.digits % 100 == 0) {
        decimal.digits /= 100;
        decimal.exponent += 2;
    }
    if (decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    return decimal;
}

/* Returns the shortest decimal for mantissa x 2^exponent. `is_edge`: the next smaller float is half
 * as far away as the next larger one. If the mantissa is even, the interval includes its ends,
 * because parsers round to even. */
static insp_decimal shortest(uint64_t mantissa, int exponent, bool is_edge)
{
    uint64_t odd = mantissa & 1, digits, tens, low, at, high;
    int unit = is_edge ? log10_of_three_quarters(exponent) : log10_of_2(exponent);
    int shift = exponent + log2_of_10(-unit) + 1;
    insp_power power = insp_powers[-unit - INSP_POWER_MIN];
    bool lower_fits, upper_fits;
    low = scale(power, (4 * mantissa - (is_edge ? 1 : 2)) << shift) + odd;
    at = scale(power, (4 * mantissa) << shift);
    high = scale(power, (4 * mantissa + 2) << shift) - odd;
    /* `low`, `at` and `high` are in quarters of a unit. A decimal that ends in 0 is one digit
     * shorter, so it is tried first. */
    digits = at / 4;
    tens = digits / 10 * 10;
    lower_fits = low <= 4 * tens;
    upper_fits = 4 * (tens + 10) <= high;
    if (digits >= 10 && lower_fits != upper_fits)
        return without_zeros(lower_fits ? tens : tens + 10, unit);
    return without_zeros(nearest(digits, low, at, high), unit);
}

/* An exponent of 0 means a subnormal number, which has no implicit leading bit. The interval is
 * asymmetric at a power of two, except at the smallest normal number, because subnormal numbers
 * have the same spacing. */
insp_decimal insp_shortest_f32(uint32_t bits)
{
    uint32_t fraction = bits & 0x7fffff, exponent = bits >> 23 & 0xff;
    if (!exponent)
        return shortest(fraction, -149, false);
    return shortest(fraction | 0x800000, (int)exponent - 150, fraction == 0 && exponent > 1);
}

insp_decimal insp_shortest_f64(uint64_t bits)
{
    uint64_t fraction = bits & UINT64_C(0xfffffffffffff);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (!exponent)
        return shortest(fraction, -1074, false);
    return shortest(fraction | UINT64_C(1) << 52, exponent - 1075, fraction == 0 && exponent > 1);
}
