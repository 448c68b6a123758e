/* Times a piece of our work against its baseline, in turns, inside one process. */
#ifndef BENCH_SPAN_H
#define BENCH_SPAN_H

#include <stdbool.h>
#include <stdint.h>

/* One side of a figure. `prepare` (may be NULL) is not timed and comes before each run. `run` gives
 * a number that depends on all its work, so that no compiler leaves any of it out. */
typedef struct bench_side {
    void (*prepare)(void *ctx);
    uint64_t (*run)(void *ctx);
} bench_side;

/* Medians of the rounds, in nanoseconds of processor a run. */
typedef struct bench_pair {
    double ours, baseline;
} bench_pair;

/* One untimed round, then at least seven, the baseline first in each even one. */
bench_pair bench_span_measure(bench_side ours, bench_side baseline, void *ctx);
/* The same, in nanoseconds of each of the `count` things that a run is over. */
bench_pair bench_span_measure_each(bench_side ours, bench_side baseline, void *ctx, uint64_t count);

/* For loops that keep what they read. */
extern volatile uint64_t bench_sink;

/* Wall clock, nanoseconds. */
double bench_now(void);

double bench_median(double *values, int count);

#endif
