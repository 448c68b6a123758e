/* The figures of real data from a game. */
#include "bench_figure.h"
#include "bench_real.h"

const bench_figure bench_real_figures[] = {
    {.name = "bake a game's data / bare libyaml events",
     .sample = bench_sample_real_bake,
     .target = 1.6,
     .unit = "ms",
     .span = "user and system time of one whole process on each side: kiln-bake of all files of "
             "ss14-2021, prototypes and maps, to the finished file; a loop that reads each whole "
             "file, requests each event from libyaml and deletes it"},
    {.name = "infer a schema of a game's data / bare libyaml events",
     .sample = bench_sample_real_infer,
     .target = 3.0,
     .unit = "ms",
     .span = "the same; kiln-bake schema infer of the same files"},
    {.name = "bake a game's data on 2 threads: speed-up / libyaml's speed-up",
     .sample = bench_sample_real_jobs,
     .target = 0.8,
     .at_least = true,
     .unit = "times",
     .span = "wall-clock time, the shortest of 15 processes, without an old output: kiln-bake -j 1 "
             "of the same files, "
             "divided by kiln-bake -j 2; the loop over all files on one thread, divided by two "
             "threads that take files in turn"},
    {.name = "peak memory of baking a game's data / input",
     .sample = bench_sample_real_peak,
     .target = 12.0,
     .unit = "MB",
     .span = "largest resident size of the kiln-bake process; the size of all files"},
};
const size_t bench_real_figure_count = sizeof bench_real_figures / sizeof *bench_real_figures;
