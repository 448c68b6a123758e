/* Decimal numbers: from their text to the nearest float.
 *
 * The form is `[sign] digits [. digits] [e [sign] digits]`, with at least one digit before the
 * exponent and `_` allowed between two digits. The result is what strtod gives for the same text in
 * the C locale, bit for bit. Most texts do not need strtod: a mantissa up to 2^53, multiplied or
 * divided by a power of ten up to 10^22, is one operation on exact operands, which IEEE 754 rounds
 * once (Clinger, "How to Read Floating Point Numbers Accurately", 1990). */
#ifndef BAKE_DECIMAL_H
#define BAKE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* False for a text of another form. A number that is too large or too small for a float becomes an
 * infinity or a zero. */
bool bake_decimal_f64(const char *text, size_t length, double *ret_value);
/* Rounded from the text directly, not from an f64. */
bool bake_decimal_f32(const char *text, size_t length, float *ret_value);

#endif
