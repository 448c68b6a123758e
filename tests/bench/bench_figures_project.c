/* The figures of projects. */
#include "bench_cache.h"
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
    {.name = "2000 files from a warm cache / cold bake",
     .sample = bench_sample_warm_project,
     .target = 0.2,
     .unit = "ms",
     .span = "wall-clock time of kiln-bake of the same project without outputs and records: with "
             "a local cache that has the result and its verdict; without a cache"},
    {.name = "a game's data from a warm cache / cold bake",
     .sample = bench_sample_warm_real,
     .target = 0.2,
     .unit = "ms",
     .span = "the same with all files of ss14-2021"},
    {.name = "a hit of 1 MiB in nginx / libcurl",
     .sample = bench_sample_cache_hits,
     .args = {"1", "1048576"},
     .target = 1.5,
     .unit = "ms",
     .span = "wall-clock time, median of 15 rounds: one connection to nginx on the loopback "
             "interface, with the check of the hash; a bare loop over libcurl that collects the "
             "same bytes"},
    {.name = "1000 hits of 4 KiB in nginx / libcurl",
     .sample = bench_sample_cache_hits,
     .args = {"1000", "4096"},
     .target = 1.5,
     .unit = "ms",
     .span = "the same, all over one connection"},
    {.name = "one of 2000 files has changed / no work, and twice that file alone",
     .sample = bench_sample_changed,
     .target = 1.0,
     .unit = "ms",
     .span = "from starting a process to its end, median of 41 pairs a sample: kiln-bake of the "
             "project after all 5 assets of one file have changed; kiln-bake of the unchanged "
             "project, plus twice kiln-bake of this file alone with the same schema"},
    {.name = "save to new output with watch / bake of that file",
     .sample = bench_sample_watch,
     .target = 2.0,
     .unit = "ms",
     .span = "median of 41 pairs a sample: from before writing and renaming an input with 5 small "
             "assets until the output is a new file, with kiln-bake watch --debounce 0; from "
             "starting kiln-bake of the same input to its end"},
};
const size_t bench_project_figure_count =
    sizeof bench_project_figures / sizeof *bench_project_figures;
