/* Samples of baking on two threads, compared with two loops over libyaml's events side by side.
 * Both sides are speed-ups, so that the machine's own limits affect both. */
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

#include "bench_samples.h"

bench_sample bench_sample_jobs_mixed; /* speed-ups */

/* Divides the shortest wall-clock time of the command `one` by that of `two`, for both sides.
 * Commands end with NULL. `output`, the file that our commands write, is removed before each run.
 */
const char *bench_jobs_compare(const bench_tools *tools, const char *const *ours_one,
                               const char *const *ours_two, const char *const *loop_one,
                               const char *const *loop_two, const char *output,
                               bench_pair *ret_pair);

#endif
