/* Samples of a project that is up to date: 2,000 files with 5 small assets each, one bundle. Their
 * arguments are not used. */
#ifndef BENCH_PROJECT_H
#define BENCH_PROJECT_H

#include "bench_samples.h"

/* Writes the project and an equal graph for ninja, and bakes the project. Returns false on
 * failure. */
bool bench_project_make(const bench_tools *tools);

bench_sample bench_sample_idle;          /* milliseconds; the baseline is ninja */
bench_sample bench_sample_idle_contents; /* milliseconds; the baseline is hash_files.c */
bench_sample bench_sample_changed;       /* milliseconds; the baseline is two bakes */
/* bench_watch.c: milliseconds from saving a file to its new output; the baseline is a bake. */
bench_sample bench_sample_watch;

#endif
