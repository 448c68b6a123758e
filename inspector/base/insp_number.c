/* Formats numbers without printf. A JSON dump consists mostly of numbers, so formatting them
 * dominates its time; insp_shortest.h has a measurement for floats.
 *
 * Digits are written from the last to the first, two per division by 100. The longest result is a
 * count of 20 digits with 6 commas, which easily fits INSP_NUMBER_SIZE. */
#include "insp_number.h"

#include "insp_shortest.h"

#include <math.h>
#include <string.h>

/* A u64 has at most 20 digits. Floats from 1e-5 to 1e16 are written without an exponent, which is
 * easier to read; parsers accept both forms. */
enum { DIGITS_MAX = 20, PLAIN_MIN = -5, PLAIN_MAX = 15 };

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                            "34353637383940414243444546474849505152535455565758596061626364656667"
                            "6869707172737475767778798081828384858687888990919293949596979899";

/* Writes the digits so that the last is just before `end`. Returns the address of the first. */
static char *write_before(char *end, uint64_t number)
{
    while (number >= 100) {
        end -= 2;
        memcpy(end, pairs + number % 100 * 2, 2);
        number /= 100;
    }
    if (number < 10) {
        *--end = (char)('0' + number);
    } else {
        end -= 2;
        memcpy(end, pairs + number * 2, 2);
    }
    return end;
}

static int digit_count(uint64_t number)
{
    int count = 1;
    for (; number >= 10000; number /= 10000)
        count += 4;
    return count + (number >= 10) + (number >= 100) + (number >= 1000);
}

char *insp_format_unsigned(char *text, uint64_t number)
{
    text += digit_count(number);
    *text = '\0';
    write_before(text, number);
    return text;
}

char *insp_format_signed(char *text, int64_t number)
{
    uint64_t size = (uint64_t)number;
    if (number < 0) {
        *text++ = '-';
        size = 0 - size; /* unsigned: INT64_MIN has no positive counterpart in int64_t */
    }
    return insp_format_unsigned(text, size);
}

static char *put(char *to, const char *from, int count)
{
    memcpy(to, from, (size_t)count);
    return to + count;
}

static char *put_zeros(char *to, int count)
{
    memset(to, '0', (size_t)count);
    return to + count;
}

/* Writes d.ddde±x with at least one digit after the point, because some YAML parsers read `1e+30`
 * as a string. */
static char *put_scientific(char *to, const char *digits, int count, int exponent)
{
    *to++ = digits[0];
    *to++ = '.';
    to = count == 1 ? put_zeros(to, 1) : put(to, digits + 1, count - 1);
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    return insp_format_unsigned(to, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

static insp_decimal shortest(double value, bool single)
{
    uint64_t bits;
    if (single) {
        float small = (float)value;
        uint32_t small_bits;
        memcpy(&small_bits, &small, sizeof small_bits);
        return insp_shortest_f32(small_bits);
    }
    memcpy(&bits, &value, sizeof bits);
    return insp_shortest_f64(bits);
}

/* Writes a number below 10,000 with at most two digits after the point, or an integer below 2^24;
 * returns NULL for other numbers. Such a number has at most six digits, or is an integer that its
 * type represents exactly. So no other decimal of as many digits reads back as the same float, and
 * the result is that of `shortest`. The division is rounded correctly: the distance of a decimal of
 * six digits from the middle of two floats is larger than the error of the quotient. */
static char *put_short(char *text, double value, bool single)
{
    uint32_t number, part = 0;
    double quotient;
    if (!(value < 1 << 24))
        return NULL;
    number = (uint32_t)value;
    if ((double)number < value) {
        if (value >= 10000)
            return NULL;
        number = (uint32_t)(value * 100 + 0.5);
        quotient = number / 100.0;
        if (single ? (float)quotient != (float)value : quotient != value)
            return NULL;
        part = number % 100;
        number /= 100;
    }
    text = insp_format_unsigned(text, number);
    *text++ = '.';
    *text++ = (char)('0' + part / 10);
    if (part % 10)
        *text++ = (char)('0' + part % 10);
    *text = '\0';
    return text;
}

char *insp_format_float(char *text, double value, bool single)
{
    char room[DIGITS_MAX], *end = room + sizeof room, *digits, *end_of_short;
    insp_decimal decimal = {0, 0};
    int count, exponent;
    /* -0.0 compares equal to 0.0, but its sign must survive a round trip. */
    if (signbit(value))
        *text++ = '-';
    end_of_short = put_short(text, fabs(value), single);
    if (end_of_short)
        return end_of_short;
    if (value < 0 || value > 0)
        decimal = shortest(fabs(value), single);
    digits = write_before(end, decimal.digits);
    count = (int)(end - digits);
    exponent = decimal.exponent + count - 1; /* of the first digit */
    if (exponent < PLAIN_MIN || exponent > PLAIN_MAX)
        return put_scientific(text, digits, count, exponent);
    if (exponent < 0) {
        text = put(text, "0.", 2);
        text = put(put_zeros(text, -exponent - 1), digits, count);
    } else if (count <= exponent + 1) {
        text = put_zeros(put(text, digits, count), exponent + 1 - count);
        text = put(text, ".0", 2);
    } else {
        text = put(text, digits, exponent + 1);
        *text++ = '.';
        text = put(text, digits + exponent + 1, count - exponent - 1);
    }
    *text = '\0';
    return text;
}

char *insp_format_count(char *text, uint64_t count)
{
    char plain[DIGITS_MAX + 1];
    int length = (int)(insp_format_unsigned(plain, count) - plain), i;
    for (i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *text++ = ',';
        *text++ = plain[i];
    }
    *text = '\0';
    return text;
}
