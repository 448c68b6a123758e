/* The figures of projects. */
#include "bench_figure.h"
#include "bench_project.h"

const bench_figure bench_project_figures[] = {
    {.name = "2000 files are up to date / ninja finds no work",
     .sample = bench_sample_idle,
     .target = 1.2,
     .unit = "ms",
     .span = "from starting a process to its end, median of 41 pairs a sample: kiln-bake of an "
             "unchanged project with 10000 small assets in 2000 files; ninja with a graph of one "
             "output and the same files"},
    {.name = "2000 files have equal contents / open, read and hash them",
     .sample = bench_sample_idle_contents,
     .target = 1.1,
     .unit = "ms",
     .span = "the same with --compare-contents, which also lists the folders; a process with the "
             "same libraries that opens, reads and hashes a list of these files and the output"},
};
const size_t bench_project_figure_count =
    sizeof bench_project_figures / sizeof *bench_project_figures;
