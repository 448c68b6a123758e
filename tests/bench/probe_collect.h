/* The figures of the collector. The argument is the number of assets. */
#ifndef PROBE_COLLECT_H
#define PROBE_COLLECT_H

#include "bench_span.h"

/* A whole cycle that finds nothing to remove. Baseline: a breadth-first traversal of the same edges
 * in flat arrays from the same roots. Nanoseconds per asset. */
const char *probe_mark_trees(const char *count, bench_pair *ret_pair);
const char *probe_mark_random(const char *count, bench_pair *ret_pair);
/* A cycle over trees without clusters. Baseline: the same with a cluster for each tree. Nanoseconds
 * per asset. */
const char *probe_mark_clusters(const char *count, bench_pair *ret_pair);
/* The 99.9th percentile of the CPU time of steps, while another thread spins. Baseline: the steps'
 * budget of 500 microseconds. */
const char *probe_mark_slice(const char *count, bench_pair *ret_pair);
/* Speed-up of marking by a second thread. Baseline: speed-up of two traversals at the same time.
 * Both time one thread and two threads alternately. Each thread first does its work once
 * untimed. */
const char *probe_mark_threads(const char *count, bench_pair *ret_pair);
/* Reads through handles during cycles without a pause. Baseline: the same reads without cycles. */
const char *probe_mark_read(const char *count, bench_pair *ret_pair);

#endif
