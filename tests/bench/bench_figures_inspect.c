/* The figures of kiln-inspect. */
#include "bench_figure.h"

const bench_figure bench_inspect_figures[] = {
    {.name = "start of kiln-inspect / an empty process",
     .sample = bench_sample_inspect,
     .args = {"--version", "empty"},
     .target = 1.5,
     .unit = "ms",
     .span = "from starting a process to its end, median of 41 pairs a sample: kiln-inspect "
             "--version; a process with the same libraries that does nothing"},
    {.name = "get a number of 1000000 assets / the pages that it needs",
     .sample = bench_sample_inspect,
     .args = {"get", "one"},
     .target = 3.0,
     .unit = "ms",
     .span = "the same: kiln-inspect get of a value in a file of 1.1 GB; a process that maps the "
             "file, finds the asset by its id, and reads its entries, its blob and the type table"},
    {.name = "ls of one of 1000000 assets / the pages that it needs",
     .sample = bench_sample_inspect,
     .args = {"ls", "one"},
     .target = 3.0,
     .unit = "ms",
     .span = "the same with kiln-inspect ls of the asset"},
    {.name = "type in a file of 1000000 assets / the pages that it needs",
     .sample = bench_sample_inspect,
     .args = {"type", "types"},
     .target = 3.0,
     .unit = "ms",
     .span = "the same: kiln-inspect type; a process that maps the file and reads its type table"},
    {.name = "info of 1000000 assets / reading the index once",
     .sample = bench_sample_inspect,
     .args = {"info", "index"},
     .target = 3.0,
     .unit = "ms",
     .span = "the same: kiln-inspect info, with the hash of the index; a process that maps the "
             "file and sums the words of its index"},
    {.name = "find a text in 1000000 assets / one XXH3 pass",
     .sample = bench_sample_inspect,
     .args = {"find", "hash"},
     .target = 6.0,
     .unit = "ms",
     .span = "the same: kiln-inspect find of a text that one asset of a file of 1.1 GB contains; a "
             "process that maps the file and hashes it"},
    {.name = "peak memory of get in a file of 1.1 GB / 16 MiB",
     .sample = bench_sample_inspect_peak,
     .args = {"get", "one"},
     .target = 1.0,
     .unit = "MB",
     .span = "largest resident size of the kiln-inspect process, with mapped pages; 16 MiB"},
};
const size_t bench_inspect_figure_count =
    sizeof bench_inspect_figures / sizeof *bench_inspect_figures;
