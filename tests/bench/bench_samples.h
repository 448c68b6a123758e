/* One sample of a figure: ours and its baseline, taken one right after the other. Each returns
 * NULL, or why there is none; a reason that begins with SKIPPED is no failure. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "bench_figures.h"
#include "bench_span.h"

typedef const char *bench_sample(const bench_tools *tools, const char *const *args,
                                 bench_pair *ret_pair);

bench_sample bench_sample_probe;      /* args: figure and argument of bench_probe; nanoseconds */
bench_sample bench_sample_probe_long; /* the same in milliseconds */
bench_sample bench_sample_entities;   /* args: figure of bench_probe, and how many entities; the
                                         tools' number where that is NULL; nanoseconds */
bench_sample bench_sample_bake_yaml;  /* milliseconds of processor */
bench_sample bench_sample_bake_scene; /* the same */
bench_sample bench_sample_bake_flatc; /* microseconds of processor a spawn */
bench_sample bench_sample_bake_capnp; /* the same */
bench_sample bench_sample_peak;       /* MB */
bench_sample bench_sample_size;       /* args: the peer's file; MB */
bench_sample bench_sample_start;      /* milliseconds */
bench_sample bench_sample_small;      /* milliseconds */
bench_sample bench_sample_small_each; /* milliseconds */
bench_sample bench_sample_dump;       /* MB a second of processor */

#endif
