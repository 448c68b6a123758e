/* Converts decimal numbers to the nearest float or double.
 *
 * The form is `[sign] digits [. digits] [e [sign] digits]`, with at least one digit before the
 * exponent and `_` allowed between two digits. The result is identical, bit for bit, to that of
 * strtod in the C locale. Most numbers do not need strtod: a double represents a mantissa up to
 * 2^53 and a power of ten up to 10^22 exactly, and IEEE 754 rounds their product or quotient once.
 * See Clinger, "How to Read Floating Point Numbers Accurately" (1990). */
#ifndef BAKE_DECIMAL_H
#define BAKE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false if the string does not have this form. A number too large for the type becomes an
 * infinity, one too small becomes zero. */
bool bake_decimal_f64(const char *text, size_t length, double *ret_value);
/* Rounds once, from the decimal number to f32. */
bool bake_decimal_f32(const char *text, size_t length, float *ret_value);

#endif
