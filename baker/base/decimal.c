/* Parsing takes one of two paths. If rounding errors of floating-point arithmetic cannot change the
 * result, `quick` and `quick_f32` compute it in one to three operations. Otherwise strtod or strtof
 * computes it. Their decimal point depends on the locale, so write_plain passes them an integer
 * with an exponent. scan_short reads the most common form; it is tried before the general form. */
#include "decimal.h"

#include "ascii.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every integer of this many digits fits a 64-bit mantissa. */
enum { MANTISSA_DIGITS = 19 };
/* A number halfway between two doubles has fewer significant digits than this. So of all further
 * digits, it only matters whether any is not 0. */
enum { DIGITS_KEPT = 800 };
/* Any larger exponent gives infinity or zero, because no input has enough digits to compensate for
 * it. */
#define EXPONENT_MAX INT64_C(1000000000000)
#define EXACT_MANTISSA_MAX (UINT64_C(1) << 53)

typedef struct decimal {
    uint64_t mantissa; /* the leading digits */
    int64_t exponent;  /* power of ten by which `mantissa` is multiplied */
    bool negative;
    bool lost; /* a digit other than 0 did not fit the mantissa */
} decimal;

/* Reads digits from offset `i` into the mantissa and returns the offset after them. Sets `*ret_any`
 * if there is at least one. */
static size_t scan_digits(const char *text, size_t length, size_t i, bool fraction, decimal *d,
                          bool *ret_any)
{
    for (; i < length; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9) {
            if (bake_joins_digits(text, length, i))
                continue;
            break;
        }
        *ret_any = true;
        if (d->mantissa < UINT64_C(1000000000000000000)) {
            d->mantissa = d->mantissa * 10 + digit;
            d->exponent -= fraction;
        } else {
            d->lost = d->lost || digit != 0;
            d->exponent += !fraction;
        }
    }
    return i;
}

static size_t scan_exponent(const char *text, size_t length, size_t i, decimal *d, bool *ret_any)
{
    bool negative = i < length && text[i] == '-';
    int64_t exponent = 0;
    if (i < length && (text[i] == '-' || text[i] == '+'))
        i++;
    for (; i < length && (bake_is_digit(text[i]) || bake_joins_digits(text, length, i)); i++) {
        if (text[i] == '_')
            continue;
        *ret_any = true;
        if (exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (text[i] - '0');
    }
    d->exponent += negative ? -exponent : exponent;
    return i;
}

/* Reads `[-] digits [. digits]` of up to 18 bytes, the form of nearly all numbers in practice. */
static bool scan_short(const char *text, size_t length, decimal *ret)
{
    const char *end = text + length, *at = text, *first, *point;
    uint64_t mantissa = 0;
    if (length == 0 || length > MANTISSA_DIGITS - 1)
        return false;
    ret->negative = *at == '-';
    at += ret->negative;
    for (first = at; at < end && bake_is_digit(*at); at++)
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    size_t digits = (size_t)(at - first);
    ret->exponent = 0;
    if (at < end && *at == '.') {
        for (point = ++at; at < end && bake_is_digit(*at); at++)
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
        ret->exponent = point - at;
        digits += (size_t)(at - point);
    }
    ret->mantissa = mantissa;
    ret->lost = false;
    return at == end && digits > 0;
}

static bool scan(const char *text, size_t length, decimal *ret)
{
    if (scan_short(text, length, ret))
        return true;
    decimal d = {0, 0, false, false};
    bool any = false;
    size_t i = 0;
    d.negative = length > 0 && text[0] == '-';
    if (d.negative || (length > 0 && text[0] == '+'))
        i++;
    i = scan_digits(text, length, i, false, &d, &any);
    if (i < length && text[i] == '.')
        i = scan_digits(text, length, i + 1, true, &d, &any);
    if (!any)
        return false;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        bool any_exponent = false;
        i = scan_exponent(text, length, i + 1, &d, &any_exponent);
        if (!any_exponent)
            return false;
    }
    *ret = d;
    return i == length;
}

/* The powers of ten that a double represents exactly. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { POWER_MAX = sizeof powers / sizeof *powers - 1 };

/* Whether an operation on doubles rounds once, directly to a double. The x87 unit first rounds to a
 * 64-bit mantissa. */
static bool is_rounded_once(void)
{
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
    return true;
#else
    return false;
#endif
}

static double scaled(double value, int64_t exponent)
{
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

/* Computes the number with one floating-point operation. Returns false if the result might be
 * rounded more than once. */
static bool quick(const decimal *d, double *ret_value)
{
    if (!is_rounded_once() || d->lost || d->mantissa > EXACT_MANTISSA_MAX ||
        d->exponent < -POWER_MAX || d->exponent > POWER_MAX)
        return false;
    double value = scaled((double)d->mantissa, d->exponent);
    *ret_value = d->negative ? -value : value;
    return true;
}

/* Writes the number as an integer with an exponent, a form that strtod reads in any locale. */
static void write_plain(const char *text, size_t length, const decimal *d, char *out, size_t size)
{
    size_t count = 0;
    int64_t exponent = d->exponent;
    /* `d->exponent` applies to the digits in the mantissa; each further digit lowers it by one. */
    unsigned taken = 0;
    bool lost = false;
    if (d->negative)
        out[count++] = '-';
    size_t first = count;
    for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (!bake_is_digit(text[i]) || (count == first && text[i] == '0'))
            continue;
        if (count - first < DIGITS_KEPT) {
            out[count++] = text[i];
            exponent -= ++taken > MANTISSA_DIGITS;
        } else {
            lost = lost || text[i] != '0';
        }
    }
    if (count == first)
        out[count++] = '0';
    if (lost) {
        out[count++] = '1';
        exponent--;
    }
    if (exponent > EXPONENT_MAX)
        exponent = EXPONENT_MAX;
    if (exponent < -EXPONENT_MAX)
        exponent = -EXPONENT_MAX;
    snprintf(out + count, size - count, "e%lld", (long long)exponent);
}

bool bake_decimal_f64(const char *text, size_t length, double *ret_value)
{
    char plain[DIGITS_KEPT + 32];
    decimal d;
    if (!scan(text, length, &d))
        return false;
    if (!quick(&d, ret_value)) {
        write_plain(text, length, &d, plain, sizeof plain);
        *ret_value = strtod(plain, NULL);
    }
    return true;
}

/* Rounding to double and then to float differs from rounding once only if the double is exactly
 * halfway between two floats. Otherwise the double and the exact number are on the same side of the
 * halfway point. Each further rounding step moves the double by less than two units in the last
 * place. So the distance from the halfway point must exceed two units for each further step. */
static bool quick_f32(const decimal *d, float *ret_value)
{
    static const double least = 1e-37, most = 1e37; /* well within the range of normal floats */
    bool is_exact = d->mantissa <= EXACT_MANTISSA_MAX, is_small = d->exponent < -POWER_MAX;
    if (!is_rounded_once() || d->lost || d->exponent < -2 * POWER_MAX || d->exponent > POWER_MAX)
        return false;
    double value = (double)d->mantissa;
    if (is_small)
        value = scaled(value, -POWER_MAX);
    value = scaled(value, is_small ? d->exponent + POWER_MAX : d->exponent);
    if (value != 0 && (value < least || value > most))
        return false;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int64_t from_halfway = (int64_t)(bits & ((UINT64_C(1) << 29) - 1)) - (INT64_C(1) << 28);
    int64_t margin = 2 * (!is_exact + is_small);
    *ret_value = (float)(d->negative ? -value : value);
    return from_halfway > margin || from_halfway < -margin;
}

bool bake_decimal_f32(const char *text, size_t length, float *ret_value)
{
    char plain[DIGITS_KEPT + 32];
    decimal d;
    if (!scan(text, length, &d))
        return false;
    if (!quick_f32(&d, ret_value)) {
        write_plain(text, length, &d, plain, sizeof plain);
        *ret_value = strtof(plain, NULL);
    }
    return true;
}
