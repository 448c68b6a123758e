#define _POSIX_C_SOURCE 200809L

#include "bench_span.h"

#include <stdlib.h>
#include <time.h>

/* Short spans have more rounds, because noise affects them more. */
enum { ROUNDS_MIN = 7, ROUNDS_MAX = 101 };
#define SPANS_ENOUGH 2e8 /* nanoseconds in total */

volatile uint64_t bench_sink;

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* CPU time, so that other processes on the machine do not count. */
static double processor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_one(bench_side side, void *ctx)
{
    if (side.prepare)
        side.prepare(ctx);
    double start = processor_now();
    uint64_t sum = side.run(ctx);
    double end = processor_now();
    bench_sink = bench_sink + sum;
    return end - start;
}

bench_pair bench_span_measure(bench_side ours, bench_side baseline, void *ctx)
{
    double our_times[ROUNDS_MAX], baseline_times[ROUNDS_MAX], total = 0;
    int rounds = 0;
    time_one(baseline, ctx);
    time_one(ours, ctx);
    for (; rounds < ROUNDS_MIN || (rounds < ROUNDS_MAX && total < SPANS_ENOUGH); rounds++) {
        if (rounds % 2 == 0)
            baseline_times[rounds] = time_one(baseline, ctx);
        our_times[rounds] = time_one(ours, ctx);
        if (rounds % 2 != 0)
            baseline_times[rounds] = time_one(baseline, ctx);
        total += our_times[rounds] + baseline_times[rounds];
    }
    bench_pair pair = {bench_median(our_times, rounds), bench_median(baseline_times, rounds)};
    return pair;
}

bench_pair bench_span_measure_each(bench_side ours, bench_side baseline, void *ctx, uint64_t count)
{
    bench_pair pair = bench_span_measure(ours, baseline, ctx);
    pair.ours /= (double)count;
    pair.baseline /= (double)count;
    return pair;
}
