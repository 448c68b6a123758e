/* The benchmark of the whole project. Prints a row for each figure: name, ours, baseline, ratio,
 * target, whether it is met, unit, and what the span covers in words.
 *
 * Every figure is sampled in five processes. A sample takes baseline and ours one right after the
 * other (inside a process: in rounds, whose medians count); a row has the medians of the five
 * and the median of their five ratios. */
#define _DEFAULT_SOURCE

#include "bench_figures.h"
#include "bench_inputs.h"
#include "bench_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char **option(bench_tools *tools, const char **csv, const char *name)
{
    struct {
        const char *name;
        const char **value;
    } const options[] = {
        {"--bake", &tools->bake},     {"--inspect", &tools->inspect},
        {"--probe", &tools->probe},   {"--empty", &tools->empty},
        {"--schema", &tools->schema}, {"--fbs", &tools->fbs},
        {"--flatc", &tools->flatc},   {"--csv", csv},
    };
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(name, options[i].name) == 0)
            return options[i].value;
    }
    return NULL;
}

static void print_heading(FILE *out, const char *when)
{
    double load = -1;
    (void)getloadavg(&load, 1);
    fprintf(out, "# %s: %ld processors, load average %.2f%s\n", when, sysconf(_SC_NPROCESSORS_ONLN),
            load,
#if defined(NDEBUG) && defined(__OPTIMIZE__)
            ""
#else
            ", NOT A RELEASE BUILD"
#endif
    );
}

static void print_columns(FILE *out)
{
    print_heading(out, "start");
    fprintf(out,
            "# seed %#" PRIx64 "; level of %d spawns; %d notes; %d small levels of %d spawns; "
            "medians of 5 processes, page cache warm\n"
            "name, ours, baseline, ratio, target, verdict, unit, span\n",
            BENCH_SEED, BENCH_SPAWNS, BENCH_NOTES, BENCH_SMALL, BENCH_SMALL_SPAWNS);
    fflush(out);
}

int main(int argc, char **argv)
{
    bench_tools tools = {0};
    const char *csv_path = NULL;
    for (int i = 1; i < argc; i += 2) {
        const char **value = option(&tools, &csv_path, argv[i]);
        if (!value || i + 1 == argc) {
            fprintf(stderr, "%s: unknown, or without a value\n", argv[i]);
            return 2;
        }
        *value = argv[i + 1];
    }
    if (!tools.bake || !tools.inspect || !tools.probe || !tools.empty || !tools.schema ||
        !tools.fbs) {
        fputs("--bake, --inspect, --probe, --empty, --schema and --fbs are needed\n", stderr);
        return 2;
    }
    FILE *csv = csv_path ? fopen(csv_path, "w") : NULL;
    if (csv_path && !csv) {
        perror(csv_path);
        return 2;
    }
    if (!bench_inputs_make(&tools)) {
        fputs("the inputs cannot be made\n", stderr);
        return 2;
    }
    print_columns(stdout);
    if (csv)
        print_columns(csv);
    bool good = bench_figures_print(&tools, csv);
    print_heading(stdout, "end");
    if (csv) {
        print_heading(csv, "end");
        good = fclose(csv) == 0 && good;
    }
    return good ? 0 : 1;
}
