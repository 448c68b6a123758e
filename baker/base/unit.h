/* Units of measure that numbers may be written in, and conversions between them.
 *
 * A converted number rounds to a float as the exact result would: it is exact, or has so many
 * digits that those left out cannot matter. With pi in the ratio it has 76 correct digits. */
#ifndef BAKE_UNIT_H
#define BAKE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of a unit; 0: no unit. */
typedef uint8_t bake_unit;

/* The most digits that a number with a unit may have, and the largest exponent. */
enum { BAKE_UNIT_DIGITS_MAX = 400, BAKE_UNIT_EXPONENT_MAX = 2000, BAKE_UNIT_TEXT_SIZE = 2048 };

/* The unit with this name; 0 if there is none. */
bake_unit bake_unit_find(const char *name, size_t length);
/* The name of a unit; units are numbered from 1. NULL beyond the last. */
const char *bake_unit_name(bake_unit unit);
/* Writes the names of the units that can be converted to `unit`, itself included: "rad, deg". */
void bake_unit_list(bake_unit unit, char *out, size_t size);

/* Reads a number followed by a unit of the same dimension as `unit`, and writes it in `unit` as a
 * decimal number without a point, `digits` or `digits e exponent`. Returns the length of the
 * output; 0 for any other text. */
size_t bake_unit_convert(bake_unit unit, const char *text, size_t length,
                         char out[BAKE_UNIT_TEXT_SIZE]);

/* The length of a short number that is followed by `unit` itself, so that no conversion is needed;
 * 0 for any other text, for which bake_unit_convert decides. */
size_t bake_unit_same(bake_unit unit, const char *text, size_t length);

#endif
