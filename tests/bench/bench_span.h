/* Times a piece of our work and its baseline alternately in one process. */
#ifndef BENCH_SPAN_H
#define BENCH_SPAN_H

#include <stdbool.h>
#include <stdint.h>

/* One side of a figure. `prepare` (may be NULL) runs untimed before each run. `run` returns a
 * number that depends on all its work, so that the compiler cannot drop any of it. */
typedef struct bench_side {
    void (*prepare)(void *ctx);
    uint64_t (*run)(void *ctx);
} bench_side;

/* Medians over the rounds, in nanoseconds of CPU time per run unless a figure has a different unit.
 */
typedef struct bench_pair {
    double ours, baseline;
} bench_pair;

/* Runs one untimed round, then at least seven timed ones. The baseline goes first in every other
 * round. */
bench_pair bench_span_measure(bench_side ours, bench_side baseline, void *ctx);
/* The same, divided by `count`: nanoseconds per item of a run. */
bench_pair bench_span_measure_each(bench_side ours, bench_side baseline, void *ctx, uint64_t count);

/* A sink for the results of read loops. */
extern volatile uint64_t bench_sink;

/* Wall-clock time in nanoseconds. */
double bench_now(void);

double bench_median(double *values, int count);

#endif
