/* Numbers as text that reads back to the same bits. */
#ifndef INSP_NUMBER_H
#define INSP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSP_NUMBER_SIZE = 40 };

/* The shortest decimal that reads back as the same f32 (`single`) or f64, always with a point or an
 * exponent: `1.0`, `0.1`, `-0.0`, `1e+30`. `value` is finite. */
void insp_format_float(char text[INSP_NUMBER_SIZE], double value, bool single);

/* With a comma between groups of three digits. */
void insp_format_count(char text[INSP_NUMBER_SIZE], uint64_t count);

#endif
