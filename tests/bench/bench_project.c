#define _POSIX_C_SOURCE 200809L

#include "bench_project.h"

#include "bench_inputs.h"
#include "bench_process.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { ASSETS = 5, FOLDER_FILES = 100, SETTLE_SECONDS = 3 };

static const double millisecond = 1e6;

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Writes an input, and its path to the list of files and to the graph. */
static bool write_input(unsigned number, FILE *list, FILE *graph)
{
    char name[64], path[128];
    snprintf(name, sizeof name, "data/d%02u/f%04u.yaml", number / FOLDER_FILES, number);
    snprintf(path, sizeof path, BENCH_PROJECT "/data/d%02u", number / FOLDER_FILES);
    if (!make_folder(path))
        return false;
    snprintf(path, sizeof path, BENCH_PROJECT "/%s", name);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs("Item:\n", file);
    for (unsigned i = number * ASSETS; i < (number + 1) * ASSETS; i++)
        fprintf(file, "  item_%u: {price: %u, name: \"item number %u\", weight: 1.5}\n", i,
                i % 60000, i);
    fprintf(list, BENCH_PROJECT "/%s\n", name);
    fprintf(graph, " %s", name);
    return fclose(file) == 0;
}

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

static bool write_project(uint32_t count)
{
    FILE *list = fopen(BENCH_PROJECT_LIST, "w"), *graph = fopen(BENCH_PROJECT "/build.ninja", "w");
    bool good = list && graph;
    if (good) {
        fputs("rule bake\n  command = touch $out\nbuild out.stamp: bake s.yaml", graph);
        fprintf(list, BENCH_PROJECT "/s.yaml\n" BENCH_PROJECT "/game.kiln\n");
    }
    for (unsigned i = 0; good && i < count; i++)
        good = write_input(i, list, graph);
    if (good)
        fputc('\n', graph);
    good = list && fclose(list) == 0 && good;
    return graph && fclose(graph) == 0 && good;
}

static bool bake(const bench_tools *tools, const char *option, process_cost *ret_cost)
{
    const char *const args[] = {tools->bake, "-q", "-C", BENCH_PROJECT, option, NULL};
    return bench_process_run(args, NULL, NULL, ret_cost);
}

static bool run_ninja(const bench_tools *tools, process_cost *ret_cost)
{
    const char *const args[] = {tools->ninja, "-C", BENCH_PROJECT, NULL};
    return bench_process_run(args, NULL, NULL, ret_cost);
}

/* kiln-bake reads files that are younger than two seconds, so the inputs must become older. */
static bool settle(const bench_tools *tools)
{
    process_cost cost;
    const struct timespec time = {.tv_sec = SETTLE_SECONDS};
    return bake(tools, NULL, &cost) && nanosleep(&time, NULL) == 0 && bake(tools, NULL, &cost);
}

bool bench_project_make(const bench_tools *tools)
{
    process_cost cost;
    return make_folder(BENCH_PROJECT) && make_folder(BENCH_PROJECT "/data") &&
           write_text(BENCH_PROJECT "/s.yaml", "kiln: 1\ntypes: {Item: {struct: {price: u16, name: "
                                               "string, weight: f32}, asset: true}}\n") &&
           write_text(BENCH_PROJECT "/kiln.yaml",
                      "kiln: 1\nschemas: s.yaml\nbundles: {game: {sources: \"data/**/*.yaml\", "
                      "output: game.kiln}}\n") &&
           write_project(tools->sizes.small) && settle(tools) &&
           (!tools->ninja || run_ninja(tools, &cost));
}

const char *bench_sample_idle(const bench_tools *tools, const char *const *args,
                              bench_pair *ret_pair)
{
    double our_times[BENCH_STARTS_MAX], baseline_times[BENCH_STARTS_MAX];
    (void)args;
    if (!tools->ninja)
        return "SKIPPED (no ninja)";
    for (int i = 0; i < tools->sizes.starts; i++) {
        process_cost baseline, ours;
        if (!run_ninja(tools, &baseline) || !bake(tools, NULL, &ours))
            return "FAILED: a program failed";
        our_times[i] = ours.wall / millisecond;
        baseline_times[i] = baseline.wall / millisecond;
    }
    ret_pair->ours = bench_median(our_times, tools->sizes.starts);
    ret_pair->baseline = bench_median(baseline_times, tools->sizes.starts);
    return NULL;
}

/* Writes the first input with other prices. */
static bool write_changed(unsigned change)
{
    FILE *file = fopen(BENCH_PROJECT "/data/d00/f0000.yaml", "w");
    if (!file)
        return false;
    fputs("Item:\n", file);
    for (unsigned i = 0; i < ASSETS; i++)
        fprintf(file, "  item_%u: {price: %u, name: \"item number %u\", weight: 1.5}\n", i,
                (i + 7 * change) % 60000, i);
    return fclose(file) == 0;
}

static bool bake_alone(const bench_tools *tools, process_cost *ret_cost)
{
    const char *const args[] = {tools->bake,
                                "-q",
                                "-s",
                                BENCH_PROJECT "/s.yaml",
                                "-o",
                                BENCH_PROJECT "/alone.kiln",
                                BENCH_PROJECT "/data/d00/f0000.yaml",
                                NULL};
    return bench_process_run(args, NULL, NULL, ret_cost);
}

const char *bench_sample_changed(const bench_tools *tools, const char *const *args,
                                 bench_pair *ret_pair)
{
    static unsigned change;
    double our_times[BENCH_STARTS_MAX], baseline_times[BENCH_STARTS_MAX];
    (void)args;
    for (int i = 0; i < tools->sizes.starts; i++) {
        process_cost idle, alone, ours;
        if (!write_changed(++change) || !bake(tools, NULL, &ours) || !bake(tools, NULL, &idle) ||
            !bake_alone(tools, &alone))
            return "FAILED: a program failed";
        our_times[i] = ours.wall / millisecond;
        baseline_times[i] = (idle.wall + 2 * alone.wall) / millisecond;
    }
    ret_pair->ours = bench_median(our_times, tools->sizes.starts);
    ret_pair->baseline = bench_median(baseline_times, tools->sizes.starts);
    return NULL;
}

const char *bench_sample_idle_contents(const bench_tools *tools, const char *const *args,
                                       bench_pair *ret_pair)
{
    const char *const hash[] = {tools->hash_files, BENCH_PROJECT_LIST, NULL};
    double our_times[BENCH_STARTS_MAX], baseline_times[BENCH_STARTS_MAX];
    (void)args;
    for (int i = 0; i < tools->sizes.starts; i++) {
        process_cost baseline, ours;
        if (!bench_process_run(hash, NULL, NULL, &baseline) ||
            !bake(tools, "--compare-contents", &ours))
            return "FAILED: a program failed";
        our_times[i] = ours.wall / millisecond;
        baseline_times[i] = baseline.wall / millisecond;
    }
    ret_pair->ours = bench_median(our_times, tools->sizes.starts);
    ret_pair->baseline = bench_median(baseline_times, tools->sizes.starts);
    return NULL;
}
