/* Each function takes one sample of a figure: our side and its baseline, one directly after the
 * other. It returns NULL, or the reason for the failure. A reason that begins with SKIPPED is not
 * an error. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "bench_figures.h"
#include "bench_span.h"

typedef const char *bench_sample(const bench_tools *tools, const char *const *args,
                                 bench_pair *ret_pair);

bench_sample bench_sample_probe;      /* args: figure of bench_probe, its argument; nanoseconds */
bench_sample bench_sample_probe_long; /* the same in milliseconds */
bench_sample bench_sample_entities; /* args: figure of bench_probe, and the number of entities (NULL
                                       for the default of the tools); nanoseconds */
bench_sample bench_sample_reload;   /* milliseconds of wall-clock time */
bench_sample bench_sample_bake_yaml;    /* milliseconds of CPU time */
bench_sample bench_sample_bake_scene;   /* the same */
bench_sample bench_sample_bake_flatc;   /* microseconds of CPU time per spawn */
bench_sample bench_sample_bake_capnp;   /* the same */
bench_sample bench_sample_peak;         /* MB */
bench_sample bench_sample_payload;      /* MB */
bench_sample bench_sample_many_peak;    /* MB */
bench_sample bench_sample_size;         /* args: the peer's file; MB */
bench_sample bench_sample_start;        /* milliseconds */
bench_sample bench_sample_small;        /* milliseconds */
bench_sample bench_sample_small_each;   /* milliseconds */
bench_sample bench_sample_inspect;      /* args: command, mode of inspect_pages; milliseconds */
bench_sample bench_sample_inspect_peak; /* the same; MB */
bench_sample bench_sample_inspect_diff; /* args: mode of inspect_pages that writes; milliseconds */
bench_sample bench_sample_dump;         /* args: the file; MB per second of CPU time */

#endif
