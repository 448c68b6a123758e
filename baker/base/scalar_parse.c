/* No function here allocates memory or reads beyond `length`. Integers and floats each have a fast
 * path, because nearly all numbers in real data have fewer than 19 digits and no prefix. */
#include "scalar_parse.h"

#include "ascii.h"
#include "bake_text.h"
#include "decimal.h"

#include <math.h>
#include <string.h>

static bool equals_ignoring_case(const char *text, size_t length, const char *lower)
{
    if (strlen(lower) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (bake_lower(text[i]) != lower[i])
            return false;
    }
    return true;
}

bake_parse bake_parse_bool(const char *text, size_t length, bool *ret_value)
{
    static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    if (length == 1 && (*text == '0' || *text == '1')) {
        *ret_value = *text == '1';
        return BAKE_PARSE_OK;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (bake_text_is(text, length, words[i])) {
            *ret_value = i >= 3;
            return BAKE_PARSE_OK;
        }
    }
    return BAKE_PARSE_MALFORMED;
}

/* Reads the sign and the prefix. Returns the base and sets `*at` to the offset of the first
 * digit. */
static unsigned number_base(const char *text, size_t length, size_t *at, bool *negative)
{
    size_t i = 0;
    *negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+'))
        i++;
    unsigned base = 10;
    if (length - i > 2 && text[i] == '0') {
        char c = text[i + 1];
        base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
    }
    *at = base == 10 ? i : i + 2;
    return base;
}

/* Parses sign and magnitude. Returns TOO_LARGE if the magnitude exceeds 64 bits, but only after
 * reading the whole string, so that a malformed number is never reported as too large. */
static bake_parse parse_magnitude(const char *text, size_t length, bool *ret_negative,
                                  uint64_t *ret_magnitude)
{
    size_t i;
    unsigned base = number_base(text, length, &i, ret_negative);
    if (i == length)
        return BAKE_PARSE_MALFORMED;
    uint64_t value = 0;
    bool overflow = false, after_digit = false;
    for (; i < length; i++) {
        unsigned digit = bake_hex_digit(text[i]);
        if (text[i] == '_' && after_digit && i + 1 < length) {
            after_digit = false;
            continue;
        }
        if (digit >= base)
            return BAKE_PARSE_MALFORMED;
        after_digit = true;
        overflow = overflow || value > (UINT64_MAX - digit) / base;
        value = overflow ? 0 : value * base + digit;
    }
    *ret_magnitude = value;
    return overflow ? BAKE_PARSE_TOO_LARGE : BAKE_PARSE_OK;
}

uint64_t bake_kind_max(kiln_kind kind)
{
    unsigned bits = kiln_kind_size(kind) * 8 - (kiln_kind_is_signed(kind) ? 1 : 0);
    return UINT64_MAX >> (64 - bits);
}

uint64_t bake_kind_min(kiln_kind kind)
{
    return kiln_kind_is_signed(kind) ? ~bake_kind_max(kind) : 0;
}

/* Reads up to 18 bytes of sign and decimal digits, which cannot overflow 64 bits. */
static bool is_short_decimal(const char *text, size_t length, bool *ret_negative,
                             uint64_t *ret_magnitude)
{
    size_t i = length > 0 && text[0] == '-';
    uint64_t value = 0;
    *ret_negative = i > 0;
    if (i == length || length > 18)
        return false;
    for (; i < length; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *ret_magnitude = value;
    return true;
}

bake_parse bake_parse_integer(kiln_kind kind, const char *text, size_t length, uint64_t *ret_bits)
{
    bool negative;
    uint64_t magnitude;
    bake_parse parse = BAKE_PARSE_OK;
    if (!is_short_decimal(text, length, &negative, &magnitude))
        parse = parse_magnitude(text, length, &negative, &magnitude);
    if (parse == BAKE_PARSE_TOO_LARGE)
        return negative ? BAKE_PARSE_TOO_SMALL : parse;
    if (parse)
        return parse;
    uint64_t limit = bake_kind_max(kind);
    if (!negative) {
        if (magnitude > limit)
            return BAKE_PARSE_TOO_LARGE;
        *ret_bits = magnitude;
        return BAKE_PARSE_OK;
    }
    if (magnitude > (kiln_kind_is_signed(kind) ? limit + 1 : 0))
        return BAKE_PARSE_TOO_SMALL;
    *ret_bits = UINT64_C(0) - magnitude;
    return BAKE_PARSE_OK;
}

/* Parses `.inf`, `-inf`, `.nan` and their other spellings. */
static bool parse_special(const char *text, size_t length, double *ret_value)
{
    bool negative = length > 0 && text[0] == '-';
    bool sign = length > 0 && (text[0] == '-' || text[0] == '+');
    const char *word = text + sign;
    size_t rest = length - sign;
    if (rest > 0 && word[0] == '.') {
        word++;
        rest--;
    }
    if (equals_ignoring_case(word, rest, "inf")) {
        *ret_value = negative ? -HUGE_VAL : HUGE_VAL;
        return true;
    }
    if (!sign && equals_ignoring_case(word, rest, "nan")) {
        static const uint64_t bits = UINT64_C(0x7ff8000000000000);
        memcpy(ret_value, &bits, sizeof bits);
        return true;
    }
    return false;
}

bake_parse bake_parse_f64(const char *text, size_t length, double *ret_value)
{
    bool negative;
    uint64_t magnitude;
    double decimal;
    if (bake_decimal_f64(text, length, &decimal)) {
        if (isinf(decimal))
            return text[0] == '-' ? BAKE_PARSE_TOO_SMALL : BAKE_PARSE_TOO_LARGE;
        *ret_value = decimal;
        return BAKE_PARSE_OK;
    }
    if (parse_special(text, length, ret_value))
        return BAKE_PARSE_OK;
    /* All other valid numbers are integers with a base prefix. */
    bake_parse parse = parse_magnitude(text, length, &negative, &magnitude);
    if (!parse)
        *ret_value = negative ? -(double)magnitude : (double)magnitude;
    return parse;
}

bake_parse bake_parse_f32(const char *text, size_t length, float *ret_value)
{
    static const uint32_t nan_bits = 0x7fc00000;
    bool negative;
    uint64_t magnitude;
    double special;
    float decimal;
    if (bake_decimal_f32(text, length, &decimal)) {
        if (isinf(decimal))
            return text[0] == '-' ? BAKE_PARSE_TOO_SMALL : BAKE_PARSE_TOO_LARGE;
        *ret_value = decimal;
        return BAKE_PARSE_OK;
    }
    if (parse_special(text, length, &special)) {
        if (special == special)
            *ret_value = (float)special;
        else
            memcpy(ret_value, &nan_bits, sizeof nan_bits);
        return BAKE_PARSE_OK;
    }
    bake_parse parse = parse_magnitude(text, length, &negative, &magnitude);
    if (!parse)
        *ret_value = negative ? -(float)magnitude : (float)magnitude;
    return parse;
}

static unsigned base64_value(char c)
{
    if (bake_is_upper(c))
        return (unsigned)(c - 'A');
    if (bake_is_lower(c))
        return (unsigned)(c - 'a' + 26);
    if (bake_is_digit(c))
        return (unsigned)(c - '0' + 52);
    return c == '+' ? 62 : c == '/' ? 63 : 99;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bake_parse bake_parse_base64(const char *text, size_t length, unsigned char *ret_data,
                             size_t *ret_size, size_t *reterr_at)
{
    /* A group of four digits encodes three bytes; `digits + pads` counts within the group. After
     * padding, `digits` stays 4, which rejects any further digit. */
    uint32_t group = 0;
    unsigned digits = 0, pads = 0;
    size_t size = 0, last = 0;
    for (size_t i = 0; i < length; i++) {
        if (is_space(text[i]))
            continue;
        last = i;
        unsigned value = base64_value(text[i]);
        bool pad = text[i] == '=' && digits + pads >= 2 && digits + pads < 4;
        if (pad ? digits == 4 : (value == 99 || pads > 0)) {
            *reterr_at = i;
            return BAKE_PARSE_MALFORMED;
        }
        pads += pad;
        digits += !pad;
        group = pad ? group << 6 : group << 6 | value;
        if (digits + pads < 4)
            continue;
        /* Bits that padding leaves unused must be 0, so that every byte string has one encoding. */
        uint32_t unused = pads == 2 ? 0xffff : pads == 1 ? 0xff : 0;
        if (group & unused) {
            *reterr_at = i;
            return BAKE_PARSE_MALFORMED;
        }
        for (unsigned byte = 0; byte < 3 - pads; byte++, size++)
            if (ret_data)
                ret_data[size] = (unsigned char)(group >> (16 - 8 * byte));
        group = 0;
        digits = 0;
        if (pads) {
            /* Only whitespace may follow. */
            digits = 4;
        }
    }
    if (digits % 4 != 0 || (pads && digits != 4)) {
        *reterr_at = last;
        return BAKE_PARSE_MALFORMED;
    }
    *ret_size = size;
    return BAKE_PARSE_OK;
}
