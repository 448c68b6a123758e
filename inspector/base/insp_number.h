/* Numbers as text that reads back to the same bits. */
#ifndef INSP_NUMBER_H
#define INSP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSP_NUMBER_SIZE = 40 };

/* All write at most INSP_NUMBER_SIZE bytes, including the closing NUL, and return its address. */

/* The shortest decimal that reads back as the same f32 (`single`) or f64, always with a point or an
 * exponent: `1.0`, `0.1`, `-0.0`, `1.0e+30`. `value` is finite. */
char *insp_format_float(char *text, double value, bool single);

char *insp_format_unsigned(char *text, uint64_t number);
char *insp_format_signed(char *text, int64_t number);

/* With a comma between groups of three digits. */
char *insp_format_count(char *text, uint64_t count);

#endif
