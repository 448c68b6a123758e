/* Converts numbers of up to 400 digits with decimal arithmetic. Floating-point arithmetic would
 * round the value twice, but `90deg` in rad must be the f32 nearest to pi / 2.
 *
 * A conversion multiplies by an integer, then by pi or its inverse if only one of the units
 * contains pi, and finally divides by an integer. The result is rounded once, when the value is
 * stored. Pi itself is rounded to 76 digits, far more than the 17 of a double. */
#include "unit.h"

#include "ascii.h"
#include "bake_text.h"

#include <stdio.h>
#include <string.h>

typedef enum dimension { ANGLE, TIME, LENGTH, MASS, FREQUENCY, SIZE, RATIO, TEMPERATURE } dimension;

/* One unit equals `num` / `den` base units of its dimension, divided by pi if `per_pi`. */
typedef struct unit_row {
    char name[5];
    uint8_t of; /* the dimension */
    bool per_pi;
    uint64_t num, den;
} unit_row;

static const unit_row units[] = {{"rad", ANGLE, true, 1, 2},
                                 {"deg", ANGLE, false, 1, 360},
                                 {"turn", ANGLE, false, 1, 1},
                                 {"grad", ANGLE, false, 1, 400},
                                 {"ns", TIME, false, 1, 1},
                                 {"us", TIME, false, 1000, 1},
                                 {"ms", TIME, false, 1000000, 1},
                                 {"s", TIME, false, 1000000000, 1},
                                 {"min", TIME, false, 60000000000, 1},
                                 {"h", TIME, false, 3600000000000, 1},
                                 {"d", TIME, false, 86400000000000, 1},
                                 {"um", LENGTH, false, 1, 1},
                                 {"mm", LENGTH, false, 1000, 1},
                                 {"cm", LENGTH, false, 10000, 1},
                                 {"m", LENGTH, false, 1000000, 1},
                                 {"km", LENGTH, false, 1000000000, 1},
                                 {"in", LENGTH, false, 25400, 1},
                                 {"ft", LENGTH, false, 304800, 1},
                                 {"mg", MASS, false, 1, 1},
                                 {"g", MASS, false, 1000, 1},
                                 {"kg", MASS, false, 1000000, 1},
                                 {"t", MASS, false, 1000000000, 1},
                                 {"Hz", FREQUENCY, false, 1, 1},
                                 {"kHz", FREQUENCY, false, 1000, 1},
                                 {"MHz", FREQUENCY, false, 1000000, 1},
                                 {"GHz", FREQUENCY, false, 1000000000, 1},
                                 {"B", SIZE, false, 1, 1},
                                 {"kB", SIZE, false, 1000, 1},
                                 {"MB", SIZE, false, 1000000, 1},
                                 {"GB", SIZE, false, 1000000000, 1},
                                 {"KiB", SIZE, false, 1024, 1},
                                 {"MiB", SIZE, false, 1048576, 1},
                                 {"GiB", SIZE, false, 1073741824, 1},
                                 {"%", RATIO, false, 1, 100},
                                 {"1", RATIO, false, 1, 1},
                                 {"K", TEMPERATURE, false, 1, 1},
                                 {"C", TEMPERATURE, false, 1, 1}};

enum { UNITS = sizeof units / sizeof *units };
/* The maximum numbers of digits of a product and of a quotient. Further digits of a quotient only
 * show that it is not halfway between two floats, so a single digit replaces them. */
enum { DIGITS_MAX = BAKE_UNIT_DIGITS_MAX + 128, QUOTIENT_MAX = 900 };

static const char pi[] =
    "3141592653589793238462643383279502884197169399375105820974944592307816406286";
static const char pi_inverse[] =
    "318309886183790671537767526745028724068919291480912897495334688117793595268";
/* The decimal point comes after the first digit of pi, and before the first digit of its
 * inverse. */
enum { PI_DIGITS = sizeof pi - 1, INVERSE_DIGITS = sizeof pi_inverse - 1 };

/* The value is `digits` * 10^`exponent`. The most significant digit comes first, as a number from 0
 * to 9. */
typedef struct decimal_number {
    unsigned char digits[QUOTIENT_MAX + DIGITS_MAX];
    size_t count; /* no leading zeros; 0 for the number zero */
    long exponent;
    bool negative;
} decimal_number;

bake_unit bake_unit_find(const char *name, size_t length)
{
    for (size_t i = 0; i < UNITS; i++)
        if (bake_text_is(name, length, units[i].name))
            return (bake_unit)(i + 1);
    return 0;
}

const char *bake_unit_name(bake_unit unit)
{
    return unit > 0 && unit <= UNITS ? units[unit - 1].name : NULL;
}

void bake_unit_list(bake_unit unit, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < UNITS && at < size; i++) {
        if (units[i].of != units[unit - 1].of || strcmp(units[i].name, "1") == 0)
            continue;
        int more = snprintf(out + at, size - at, "%s%s", at ? ", " : "", units[i].name);
        at += more > 0 ? (size_t)more : 0;
    }
}

static void trim(decimal_number *n)
{
    size_t zeros = 0;
    while (zeros < n->count && n->digits[zeros] == 0)
        zeros++;
    memmove(n->digits, n->digits + zeros, n->count - zeros);
    n->count -= zeros;
    while (n->count > 0 && n->digits[n->count - 1] == 0) {
        n->count--;
        n->exponent++;
    }
    if (n->count == 0)
        n->exponent = 0;
}

static bool read_exponent(const char *text, size_t length, size_t i, long *ret)
{
    bool negative = i < length && text[i] == '-', any = false;
    long value = 0;
    if (i < length && (text[i] == '-' || text[i] == '+'))
        i++;
    for (; i < length; i++) {
        if (!bake_is_digit(text[i]) || value > BAKE_UNIT_EXPONENT_MAX)
            return false;
        value = value * 10 + (text[i] - '0');
        any = true;
    }
    *ret = negative ? -value : value;
    return any && value <= BAKE_UNIT_EXPONENT_MAX;
}

/* Reads `[sign] digits [. digits] [e [sign] digits]`. */
static bool read_number(const char *text, size_t length, decimal_number *n)
{
    size_t i = 0;
    bool point = false, any = false;
    memset(n, 0, sizeof *n);
    n->negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+'))
        i++;
    for (; i < length; i++) {
        if (text[i] == '.' && !point) {
            point = true;
        } else if (bake_is_digit(text[i])) {
            if (n->count == BAKE_UNIT_DIGITS_MAX)
                return false;
            n->digits[n->count++] = (unsigned char)(text[i] - '0');
            n->exponent -= point;
            any = true;
        } else if (!bake_joins_digits(text, length, i)) {
            break;
        }
    }
    long exponent = 0;
    bool has_exponent = i < length && (text[i] == 'e' || text[i] == 'E');
    if (!any || (i < length && !has_exponent) ||
        (has_exponent && !read_exponent(text, length, i + 1, &exponent)))
        return false;
    n->exponent += exponent;
    trim(n);
    return true;
}

/* Long multiplication by a string of digits. */
static void multiply(decimal_number *n, const char *by, size_t by_count)
{
    unsigned char product[DIGITS_MAX + 96] = {0};
    size_t count = n->count + by_count;
    for (size_t i = n->count; i-- > 0;) {
        unsigned carry = 0;
        for (size_t k = by_count; k-- > 0;) {
            unsigned sum = product[i + k + 1] + n->digits[i] * (unsigned)(by[k] - '0') + carry;
            product[i + k + 1] = (unsigned char)(sum % 10);
            carry = sum / 10;
        }
        product[i] = (unsigned char)(product[i] + carry);
    }
    memcpy(n->digits, product, count);
    n->count = count;
    trim(n);
}

/* Long division to QUOTIENT_MAX digits. If there is a remainder, a final digit 1 replaces all
 * further digits. `by` is at most 8.64e13, so ten times the remainder fits in 64 bits. */
static void divide(decimal_number *n, uint64_t by)
{
    uint64_t rest = 0;
    size_t count = 0;
    unsigned char quotient[sizeof n->digits];
    long exponent = n->exponent;
    for (size_t i = 0; i < n->count || (rest > 0 && count < QUOTIENT_MAX); i++) {
        rest = rest * 10 + (i < n->count ? n->digits[i] : 0);
        unsigned digit = (unsigned)(rest / by);
        rest %= by;
        if (i >= n->count)
            exponent--;
        if (count > 0 || digit > 0)
            quotient[count++] = (unsigned char)digit;
    }
    if (rest > 0) {
        quotient[count++] = 1;
        exponent--;
    }
    memcpy(n->digits, quotient, count);
    n->count = count;
    n->exponent = exponent;
    trim(n);
}

/* The digit for 10^`place`. */
static int digit_at(const decimal_number *n, long place)
{
    long i = (long)n->count - 1 - (place - n->exponent);
    return i >= 0 && i < (long)n->count ? n->digits[i] : 0;
}

static long top_place(const decimal_number *n)
{
    return n->exponent + (long)n->count;
}

static int compare(const decimal_number *a, const decimal_number *b, long low, long high)
{
    for (long place = high; place >= low; place--)
        if (digit_at(a, place) != digit_at(b, place))
            return digit_at(a, place) - digit_at(b, place);
    return 0;
}

/* Adds or subtracts 273.15. If the magnitudes differ so much that the sum would have too many
 * digits, the result is the larger of the two. */
static void shift(decimal_number *n, bool up)
{
    decimal_number by, sum;
    memset(&by, 0, sizeof by);
    memcpy(by.digits, "\2\7\3\1\5", 5);
    by.count = 5;
    by.exponent = -2;
    by.negative = !up;
    long low = n->exponent < -2 ? n->exponent : -2;
    long high = top_place(n) > 3 ? top_place(n) : 3;
    if (n->count == 0 || high - low >= (long)DIGITS_MAX) {
        if (n->count == 0 || top_place(n) < 0)
            *n = by;
        return;
    }
    bool same = n->negative == by.negative;
    bool swap = !same && compare(n, &by, low, high) < 0;
    const decimal_number *a = swap ? &by : n, *b = swap ? n : &by;
    int carry = 0;
    memset(&sum, 0, sizeof sum);
    sum.count = (size_t)(high - low + 1);
    sum.exponent = low;
    sum.negative = a->negative;
    for (long place = low; place <= high; place++) {
        int digit = digit_at(a, place) + (same ? 1 : -1) * digit_at(b, place) + carry;
        carry = digit < 0 ? -1 : digit / 10;
        sum.digits[high - place] = (unsigned char)(digit < 0 ? digit + 10 : digit % 10);
    }
    trim(&sum);
    sum.negative = sum.negative && sum.count > 0;
    *n = sum;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void convert(decimal_number *n, const unit_row *from, const unit_row *to)
{
    char digits[24];
    if (from->of == TEMPERATURE) {
        if (from != to)
            shift(n, from->name[0] == 'C');
        return;
    }
    uint64_t num_part = common_divisor(from->num, to->num);
    uint64_t den_part = common_divisor(from->den, to->den);
    uint64_t num = from->num / num_part * (to->den / den_part);
    uint64_t den = to->num / num_part * (from->den / den_part);
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)num);
    multiply(n, digits, strlen(digits));
    if (from->per_pi && !to->per_pi) {
        multiply(n, pi_inverse, INVERSE_DIGITS);
        n->exponent -= n->count ? INVERSE_DIGITS : 0;
    } else if (to->per_pi && !from->per_pi) {
        multiply(n, pi, PI_DIGITS);
        n->exponent -= n->count ? PI_DIGITS - 1 : 0;
    }
    divide(n, den);
}

/* Finds the unit at the end of the string, with the same dimension as `like`; the longest name wins
 * (`mm`, not `m`). `*ret_length` is the length of the number before it. */
static const unit_row *split(const unit_row *like, const char *text, size_t length,
                             size_t *ret_length)
{
    const unit_row *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < UNITS; i++) {
        /* The unit `1` cannot be written, because a `1` after a number is one of its digits. */
        if (units[i].of != like->of || units[i].name[0] == '1')
            continue;
        size_t size = strlen(units[i].name);
        if (size <= longest || size >= length ||
            memcmp(text + length - size, units[i].name, size) != 0)
            continue;
        found = &units[i];
        longest = size;
    }
    length -= longest;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    *ret_length = length;
    return found;
}

size_t bake_unit_convert(bake_unit unit, const char *text, size_t length,
                         char out[BAKE_UNIT_TEXT_SIZE])
{
    const unit_row *to = &units[unit - 1];
    decimal_number n;
    size_t number, at = 0;
    const unit_row *from = split(to, text, length, &number);
    if (!from || !read_number(text, number, &n))
        return 0;
    convert(&n, from, to);
    if (n.negative)
        out[at++] = '-';
    for (size_t i = 0; i < n.count; i++)
        out[at++] = (char)('0' + n.digits[i]);
    if (n.count == 0)
        out[at++] = '0';
    /* A short whole number is written without an exponent, because integer types accept none. */
    for (; n.exponent > 0 && n.exponent + (long)n.count <= 40; n.exponent--)
        out[at++] = '0';
    if (n.exponent != 0)
        at += (size_t)snprintf(out + at, BAKE_UNIT_TEXT_SIZE - at, "e%ld", n.exponent);
    return at;
}

/* Whether the rest of a number is empty or an exponent. */
static bool is_exponent(const char *text, size_t length)
{
    size_t i = 1;
    if (length == 0)
        return true;
    if ((text[0] != 'e' && text[0] != 'E') || length > 4)
        return false;
    i += i < length && (text[i] == '-' || text[i] == '+');
    size_t first = i;
    while (i < length && bake_is_digit(text[i]))
        i++;
    return i == length && i > first;
}

size_t bake_unit_same(bake_unit unit, const char *text, size_t length)
{
    enum { FEW = 40 };
    const unit_row *to = &units[unit - 1];
    size_t number, i;
    if (length > FEW || split(to, text, length, &number) != to)
        return 0;
    i = number > 0 && (text[0] == '-' || text[0] == '+');
    for (; i < number && (bake_is_digit(text[i]) || text[i] == '.'); i++)
        continue;
    return is_exponent(text + i, number - i) ? number : 0;
}
