/* The benchmark of the whole project. Prints a row for each figure: name, ours, baseline, ratio,
 * target, verdict, unit, and span: the work that each side includes.
 *
 * Every figure is sampled in five processes. A sample measures baseline and ours in direct
 * succession. Within a process it takes the median CPU time of several rounds. A row has the
 * medians of the five samples and the median of their five ratios. */
#define _DEFAULT_SOURCE

#include "bench_figures.h"
#include "bench_inputs.h"
#include "bench_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
        {"--capnp", &tools->capnp},   {"--capnp-schema", &tools->capnp_schema},
        {"--ninja", &tools->ninja},   {"--hash-files", &tools->hash_files},
        {"--real", &tools->real},     {"--real-schema", &tools->real_schema},
        {"--only", &tools->only},     {"--cache-hits", &tools->cache_hits},
        {"--nginx", &tools->nginx},   {"--inspect-pages", &tools->pages},
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

static void print_columns(FILE *out, const bench_sizes *sizes, const char *columns)
{
    print_heading(out, "start");
    fprintf(out,
            "# %sseed %#" PRIx64 "; level of %" PRIu32 " spawns; %" PRIu32 " notes; %" PRIu32
            " small levels of %d spawns; %" PRIu32
            " entities; medians of %d processes, page cache warm\n%s\n",
            sizes->processes > 1 ? "" : "QUICK RUN, VALUES MEAN NOTHING; ", BENCH_SEED,
            sizes->spawns, sizes->notes, sizes->small, BENCH_SMALL_SPAWNS, sizes->entities,
            sizes->processes, columns);
    fflush(out);
}

/* Makes the inputs and measures the figures. */
static int run(const bench_tools *tools, FILE *csv)
{
    if (!bench_inputs_make(tools)) {
        fputs("cannot create the inputs\n", stderr);
        return 2;
    }
    print_columns(stdout, &tools->sizes,
                  "name, ours, baseline, ratio, target, verdict, unit, span");
    if (csv)
        print_columns(csv, &tools->sizes, "name,ours,baseline,ratio,target,verdict,unit,span");
    bool good = bench_figures_print(tools, csv);
    print_heading(stdout, "end");
    if (csv)
        print_heading(csv, "end");
    return good ? 0 : 1;
}

/* Runs everything once, with small inputs, to check that it works. Uses a separate folder to
 * preserve the inputs of a real run. */
static bool make_quick(bench_tools *tools)
{
    const char **const paths[] = {
        &tools->bake,         &tools->inspect,    &tools->probe,       &tools->empty,
        &tools->schema,       &tools->fbs,        &tools->flatc,       &tools->capnp,
        &tools->capnp_schema, &tools->real,       &tools->real_schema, &tools->ninja,
        &tools->hash_files,   &tools->cache_hits, &tools->nginx,       &tools->pages};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (*paths[i])
            *paths[i] = realpath(*paths[i], NULL);
    }
    tools->sizes = (bench_sizes){200, 200, 20, 20000, 1, 1};
    return (mkdir("bench_quick", 0777) == 0 || errno == EEXIST) && chdir("bench_quick") == 0;
}

int main(int argc, char **argv)
{
    bench_tools tools = {
        .sizes = {100000, 100000, BENCH_SMALL_MAX, 1000000, BENCH_PROCESSES_MAX, BENCH_STARTS_MAX}};
    const char *csv_path = NULL;
    bool quick = false;
    for (int i = 1; i < argc; i++) {
        const char **value = option(&tools, &csv_path, argv[i]);
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (!value || i + 1 == argc) {
            fprintf(stderr, "%s: unknown option, or missing value\n", argv[i]);
            return 2;
        } else {
            *value = argv[++i];
        }
    }
    if (!tools.bake || !tools.inspect || !tools.probe || !tools.empty || !tools.schema ||
        !tools.fbs || !tools.capnp_schema || !tools.hash_files || !tools.pages) {
        fputs("--bake, --inspect, --probe, --empty, --hash-files, --inspect-pages, --schema, --fbs "
              "and --capnp-schema are needed\n",
              stderr);
        return 2;
    }
    if (quick && !make_quick(&tools)) {
        perror("bench_quick");
        return 2;
    }
    /* Cap'n Proto's compiler warns if PWD does not match the current folder. */
    unsetenv("PWD");
    FILE *csv = csv_path ? fopen(csv_path, "w") : NULL;
    if (csv_path && !csv) {
        perror(csv_path);
        return 2;
    }
    int result = run(&tools, csv);
    if (csv && fclose(csv) != 0 && !result)
        result = 1;
    return result;
}
