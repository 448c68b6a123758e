/* Numbers in messages for people. */
#ifndef BAKE_GROUPED_NUMBER_H
#define BAKE_GROUPED_NUMBER_H

#include <stdint.h>

/* Formats a number with thousands separators, `35,240`, and returns `out`. */
const char *bake_grouped(char out[32], uint64_t number);

#endif
