/* Samples of caches: a bake from a warm cache, and hits in an HTTP store. */
#ifndef BENCH_CACHE_H
#define BENCH_CACHE_H

#include "bench_samples.h"

bench_sample bench_sample_warm_project; /* milliseconds; the baseline is a cold bake */
bench_sample bench_sample_warm_real;    /* the same with the data of a game */
bench_sample bench_sample_cache_hits;   /* args: number of objects, their size; milliseconds; the
                                           baseline is libcurl */

#endif
