/* Samples that use real data from a game. Their arguments are not used. */
#ifndef BENCH_REAL_H
#define BENCH_REAL_H

#include "bench_samples.h"

bench_sample bench_sample_real_bake;  /* milliseconds of CPU time */
bench_sample bench_sample_real_infer; /* the same */
bench_sample bench_sample_real_jobs;  /* speed-ups, see bench_jobs.h */
bench_sample bench_sample_real_peak;  /* MB; the baseline is the size of the input */

#endif
