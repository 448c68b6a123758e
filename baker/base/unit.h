/* Units of measure for numbers, and conversions between them.
 *
 * A converted number rounds to the same float as the exact result: either it is exact, or it has so
 * many digits that further ones cannot change the rounding. If the ratio contains pi, 76 digits are
 * correct. */
#ifndef BAKE_UNIT_H
#define BAKE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The id of a unit; 0: no unit. */
typedef uint8_t bake_unit;

/* The maximum number of digits and the maximum exponent of a number with a unit. */
enum { BAKE_UNIT_DIGITS_MAX = 400, BAKE_UNIT_EXPONENT_MAX = 2000, BAKE_UNIT_TEXT_SIZE = 2048 };

/* The unit with this name; 0 if there is none. */
bake_unit bake_unit_find(const char *name, size_t length);
/* The name of a unit; NULL for an invalid id. Ids count from 1. */
const char *bake_unit_name(bake_unit unit);
/* Writes the names of the units that convert to `unit`, including itself, as a list: "rad, deg". */
void bake_unit_list(bake_unit unit, char *out, size_t size);

/* Reads a number followed by a unit of the same dimension as `unit`, converts it to `unit` and
 * writes it as `digits` or `digits e exponent`. Returns the length of the output, or 0 for any
 * other input. */
size_t bake_unit_convert(bake_unit unit, const char *text, size_t length,
                         char out[BAKE_UNIT_TEXT_SIZE]);

/* Fast path: if a short number is followed by `unit` itself, returns the length of the number,
 * which needs no conversion. Returns 0 for any other input; then call bake_unit_convert. */
size_t bake_unit_same(bake_unit unit, const char *text, size_t length);

#endif
