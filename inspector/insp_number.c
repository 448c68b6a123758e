#include "insp_number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reads_back(const char *text, double value, bool single)
{
    return single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

/* Writes `value` >= 0 as d.ddde±x with the fewest digits that read back. Whatever up to FLT_DIG
 * (DBL_DIG) digits name a normal number, printing it with that many digits and dropping the zeros
 * finds them, so the search begins there; numbers below the normal range have no such promise and
 * are tried from one digit. */
static void shortest(char *text, size_t size, double value, bool single)
{
    int most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    int digits = single ? FLT_DIG : DBL_DIG;
    if (value < (single ? (double)FLT_MIN : DBL_MIN))
        digits = 1;
    for (; digits <= most; digits++) {
        snprintf(text, size, "%.*e", digits - 1, value);
        if (reads_back(text, value, single))
            return;
    }
}

void insp_format_float(char text[INSP_NUMBER_SIZE], double value, bool single)
{
    char raw[48], digits[24];
    int count = 0, exponent, i;
    const char *c;
    char *to = text;
    shortest(raw, sizeof raw, fabs(value), single);
    for (c = raw; *c && *c != 'e'; c++)
        if (*c != '.' && count < 23)
            digits[count++] = *c;
    exponent = *c ? atoi(c + 1) : 0;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    if (signbit(value))
        *to++ = '-';
    if (exponent < -5 || exponent > 15) {
        *to++ = digits[0];
        *to++ = '.';
        if (count == 1)
            *to++ = '0';
        for (i = 1; i < count; i++)
            *to++ = digits[i];
        snprintf(to, 8, "e%+d", exponent);
        return;
    }
    if (exponent < 0)
        *to++ = '0';
    for (i = 0; i <= exponent; i++)
        *to++ = i < count ? digits[i] : '0';
    *to++ = '.';
    for (i = exponent + 1; i < 0; i++)
        *to++ = '0';
    for (i = exponent < 0 ? 0 : exponent + 1; i < count; i++)
        *to++ = digits[i];
    if (to[-1] == '.')
        *to++ = '0';
    *to = '\0';
}

void insp_format_count(char text[INSP_NUMBER_SIZE], uint64_t count)
{
    char plain[24];
    int length = snprintf(plain, sizeof plain, "%llu", (unsigned long long)count), i;
    for (i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *text++ = ',';
        *text++ = plain[i];
    }
    *text = '\0';
}
