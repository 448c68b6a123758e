/* Samples of a game's data that others wrote. Their arguments are not used. */
#ifndef BENCH_REAL_H
#define BENCH_REAL_H

#include "bench_samples.h"

bench_sample bench_sample_real_bake;  /* milliseconds of processor */
bench_sample bench_sample_real_infer; /* the same */
bench_sample bench_sample_real_peak;  /* MB, beside those of the input */

#endif
