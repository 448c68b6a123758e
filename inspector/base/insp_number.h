/* Formats numbers so that they read back as the same bits. */
#ifndef INSP_NUMBER_H
#define INSP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSP_NUMBER_SIZE = 40 };

/* Many JSON parsers store numbers as f64, which represents all integers up to this one exactly. In
 * JSON, larger integers are strings. */
#define INSP_JSON_INTEGER_MAX (UINT64_C(1) << 53)

/* All functions write at most INSP_NUMBER_SIZE bytes, including the NUL, and return the address of
 * the NUL. */

/* Writes the shortest decimal that reads back as the same f32 (`single`) or f64. It always has a
 * point: `1.0`, `0.1`, `-0.0`, `1.0e+30`. `value` must be finite. */
char *insp_format_float(char *text, double value, bool single);

char *insp_format_unsigned(char *text, uint64_t number);
char *insp_format_signed(char *text, int64_t number);

/* Writes a comma between groups of three digits. */
char *insp_format_count(char *text, uint64_t count);

#endif
