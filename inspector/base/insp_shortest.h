/* The shortest decimal that names a float.
 *
 * A float stands for an interval: all numbers that are read as that float. The result is the
 * decimal in the interval with the fewest digits, and of these the one nearest to the float. The
 * method is that of Raffaello Giulietti's paper "The Schubfach way to render doubles": three
 * products with a power of ten of 126 bits or more compare the float and both ends of the interval
 * exactly, in a decimal unit that is just small enough. The same steps serve f32 and f64.
 *
 * The table of powers, in insp_powers.c, takes 10 KB. A loop that prints with 15, 16 and 17 digits
 * (6 to 9 for f32) until strtod reads the number back needs no table, but a JSON dump of 600,000
 * f32, 400,000 f64 and 400,000 u32 (23.5 MB of text) takes 602 ms with the loop and 88 ms with the
 * table: medians of 15 runs of a release build, processor time. For a dump of a sample the
 * difference is at most 0.1 ms. */
#ifndef INSP_SHORTEST_H
#define INSP_SHORTEST_H

#include <stdint.h>

/* digits x 10^exponent; the last digit is not 0. */
typedef struct insp_decimal {
    uint64_t digits;
    int exponent;
} insp_decimal;

/* The bits are those of a finite number above 0. */
insp_decimal insp_shortest_f32(uint32_t bits);
insp_decimal insp_shortest_f64(uint64_t bits);

enum { INSP_POWER_LEAST = -292, INSP_POWER_MOST = 324 };

typedef struct insp_power {
    uint64_t high, low;
} insp_power;

extern const insp_power insp_powers[INSP_POWER_MOST - INSP_POWER_LEAST + 1];

#endif
