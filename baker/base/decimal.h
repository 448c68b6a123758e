/* Decimal numbers: from their text to the nearest float.
 *
 * The form is `[sign] digits [. digits] [e [sign] digits]`, with at least one digit before the
 * exponent and `_` allowed between two digits. The result is what strtod gives for the same text in
 * the C locale, bit for bit; most texts need none, since a mantissa up to 2^53 times or over a
 * power of ten up to 10^22 is one operation on exact operands, which IEEE 754 rounds once. */
#ifndef BAKE_DECIMAL_H
#define BAKE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* False for a text of another form. What a float cannot hold becomes an infinity or a zero. */
bool bake_decimal_f64(const char *text, size_t length, double *ret_value);
/* Rounded from the text, not by way of an f64. */
bool bake_decimal_f32(const char *text, size_t length, float *ret_value);

#endif
