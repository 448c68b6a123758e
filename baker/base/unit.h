/* Units of measure that numbers may be written in, and their way into one another.
 *
 * Conversions are exact, or rounded from so many digits as if they were, where the circle's number
 * is in them. */
#ifndef BAKE_UNIT_H
#define BAKE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of a unit; 0 is none. */
typedef uint8_t bake_unit;

/* Digits that a number with a unit may have, and powers of ten. */
enum { BAKE_UNIT_DIGITS_MAX = 400, BAKE_UNIT_EXPONENT_MAX = 2000, BAKE_UNIT_TEXT_SIZE = 2048 };

/* The unit called so; 0. */
bake_unit bake_unit_find(const char *name, size_t length);
/* The names of all are those from 1 on; NULL where there is none. */
const char *bake_unit_name(bake_unit unit);
/* Writes the names of the units that `unit` can be converted to, itself included: "rad, deg". */
void bake_unit_list(bake_unit unit, char *out, size_t size);

/* Reads a number with a unit of the same kind as `unit` behind it, and writes it in that one as a
 * decimal number without a point, `digits` or `digits e exponent`. 0 for any other text; else the
 * length of what is written. */
size_t bake_unit_convert(bake_unit unit, const char *text, size_t length,
                         char out[BAKE_UNIT_TEXT_SIZE]);

/* The length of the number of a few digits that has the very unit `unit` behind it; 0 for any other
 * text, of which bake_unit_convert knows more. */
size_t bake_unit_same(bake_unit unit, const char *text, size_t length);

#endif
