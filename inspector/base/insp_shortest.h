/* The shortest decimal that reads back as a given float.
 *
 * A float represents an interval: all numbers that round to that float. The result is the decimal
 * in the interval with the fewest digits; if there are several, the one nearest to the float. The
 * algorithm is from Raffaello Giulietti, "The Schubfach way to render doubles". The float and both
 * ends of the interval are multiplied by a power of ten that is precise to at least 126 bits. This
 * converts them to a decimal unit just smaller than the interval, in which they can be compared
 * exactly. The same steps work for f32 and f64.
 *
 * The table of powers in insp_powers.c takes 10 KB. The alternative without a table is a loop that
 * prints 15, 16 and 17 digits (6 to 9 for f32) until strtod reads the number back. A JSON dump of
 * 600,000 f32, 400,000 f64 and 400,000 u32 (23.5 MB of text) takes 602 ms with the loop and 88 ms
 * with the table: medians of the processor time of 15 runs of a release build. For a dump of a
 * sample, the difference is at most 0.1 ms. */
#ifndef INSP_SHORTEST_H
#define INSP_SHORTEST_H

#include <stdint.h>

/* The value is digits x 10^exponent. The last digit is not 0. */
typedef struct insp_decimal {
    uint64_t digits;
    int exponent;
} insp_decimal;

/* `bits` must represent a finite number above 0. */
insp_decimal insp_shortest_f32(uint32_t bits);
insp_decimal insp_shortest_f64(uint64_t bits);

enum { INSP_POWER_MIN = -292, INSP_POWER_MAX = 324 };

typedef struct insp_power {
    uint64_t high, low;
} insp_power;

extern const insp_power insp_powers[INSP_POWER_MAX - INSP_POWER_MIN + 1];

#endif
