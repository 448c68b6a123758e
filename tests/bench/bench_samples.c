#define _POSIX_C_SOURCE 200809L

#include "bench_samples.h"

#include "bench_inputs.h"
#include "bench_process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One flatc process per file is slow, so only every tenth file is measured. */
enum { EACH_STEP = 10 };

static const double microsecond = 1e3, millisecond = 1e6, megabyte = 1e6;

static double file_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size : 0;
}

/* Size of a JSON file without white space. The strings of the level contain none. */
static double content_size(const char *path)
{
    FILE *file = fopen(path, "r");
    double count = 0;
    for (int c; file && (c = getc(file)) != EOF;)
        count += c != ' ' && c != '\n';
    if (file)
        fclose(file);
    return count;
}

static bool bake(const bench_tools *tools, const char *output, const char *input,
                 process_cost *ret_cost)
{
    const char *const args[] = {tools->bake, "-q", "-s",  tools->schema, "-o",
                                output,      "--", input, NULL};
    return bench_process_run(args, NULL, NULL, ret_cost);
}

/* Runs the probe and reads the pair, or the reason, that it prints. */
static const char *run_probe(const char *const *command, bench_pair *ret_pair)
{
    static char line[128];
    process_cost cost;
    if (!bench_process_run(command, NULL, BENCH_PROBE_OUTPUT, &cost))
        return "FAILED: the probe failed";
    FILE *file = fopen(BENCH_PROBE_OUTPUT, "r");
    bool good = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    if (!good)
        return "FAILED: the probe printed nothing";
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lf %lf", &ret_pair->ours, &ret_pair->baseline) != 2)
        return line;
    return NULL;
}

const char *bench_sample_probe(const bench_tools *tools, const char *const *args,
                               bench_pair *ret_pair)
{
    const char *const command[] = {tools->probe, args[0], args[1], NULL};
    return run_probe(command, ret_pair);
}

static void to_milliseconds(bench_pair *pair)
{
    pair->ours /= millisecond;
    pair->baseline /= millisecond;
}

const char *bench_sample_probe_long(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    const char *why = bench_sample_probe(tools, args, ret_pair);
    to_milliseconds(ret_pair);
    return why;
}

const char *bench_sample_reload(const bench_tools *tools, const char *const *args,
                                bench_pair *ret_pair)
{
    const char *const command[] = {tools->probe,  "reload",         tools->bake,
                                   tools->schema, BENCH_NOTES_YAML, NULL};
    (void)args;
    const char *why = run_probe(command, ret_pair);
    to_milliseconds(ret_pair);
    return why;
}

const char *bench_sample_entities(const bench_tools *tools, const char *const *args,
                                  bench_pair *ret_pair)
{
    char count[16];
    snprintf(count, sizeof count, "%" PRIu32, tools->sizes.entities);
    bool has_own = args[1] && strtoul(args[1], NULL, 10) <= tools->sizes.entities;
    const char *const with_count[] = {args[0], has_own ? args[1] : count};
    return bench_sample_probe(tools, with_count, ret_pair);
}

/* Measures a bake, compared with a loop over libyaml's events. */
static const char *bake_beside_events(const bench_tools *tools, const char *output,
                                      const char *input, bench_pair *ret_pair)
{
    const char *const bare[] = {tools->probe, "yaml", input, NULL};
    process_cost baseline, ours;
    if (!bench_process_run(bare, NULL, NULL, &baseline) || !bake(tools, output, input, &ours))
        return "FAILED: a program failed";
    ret_pair->ours = ours.cpu / millisecond;
    ret_pair->baseline = baseline.cpu / millisecond;
    return NULL;
}

const char *bench_sample_bake_yaml(const bench_tools *tools, const char *const *args,
                                   bench_pair *ret_pair)
{
    (void)args;
    return bake_beside_events(tools, BENCH_LEVEL_KILN, BENCH_LEVEL_YAML, ret_pair);
}

const char *bench_sample_bake_scene(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    (void)args;
    return bake_beside_events(tools, BENCH_SCENE_KILN, BENCH_SCENE_YAML, ret_pair);
}

static void set_per_spawn(const bench_tools *tools, const process_cost *ours,
                          const process_cost *baseline, bench_pair *ret_pair)
{
    ret_pair->ours = ours->cpu / microsecond / tools->sizes.spawns;
    ret_pair->baseline = baseline->cpu / microsecond / tools->sizes.spawns;
}

const char *bench_sample_bake_flatc(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    const char *const peer[] = {tools->flatc,     "-b", "-o", "bench_data", tools->fbs,
                                BENCH_LEVEL_JSON, NULL};
    process_cost baseline, ours;
    (void)args;
    if (!bench_process_run(peer, NULL, NULL, &baseline) ||
        !bake(tools, BENCH_LEVEL_KILN, BENCH_LEVEL_YAML, &ours))
        return "FAILED: a program failed";
    set_per_spawn(tools, &ours, &baseline, ret_pair);
    return NULL;
}

const char *bench_sample_bake_capnp(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    const char *const peer[] = {tools->capnp,        "convert", "json:binary",
                                tools->capnp_schema, "Level",   NULL};
    process_cost baseline, ours;
    (void)args;
    if (!bench_process_run(peer, BENCH_LEVEL_JSON, BENCH_CAPNP_CONVERTED, &baseline) ||
        !bake(tools, BENCH_LEVEL_KILN, BENCH_LEVEL_YAML, &ours))
        return "FAILED: a program failed";
    set_per_spawn(tools, &ours, &baseline, ret_pair);
    return NULL;
}

const char *bench_sample_peak(const bench_tools *tools, const char *const *args,
                              bench_pair *ret_pair)
{
    process_cost ours;
    (void)args;
    if (!bake(tools, BENCH_LEVEL_KILN, BENCH_LEVEL_YAML, &ours))
        return "FAILED: a program failed";
    ret_pair->ours = ours.peak / megabyte;
    ret_pair->baseline = (file_size(BENCH_LEVEL_YAML) + 8 * file_size(BENCH_LEVEL_KILN)) / megabyte;
    return NULL;
}

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool done = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && done;
}

/* The quick form uses a smaller file. */
const char *bench_sample_payload(const bench_tools *tools, const char *const *args,
                                 bench_pair *ret_pair)
{
    static const char schema[] = "bench_data/payload.schema.yaml",
                      data[] = "bench_data/payload.yaml", raw[] = "bench_data/payload.raw",
                      output[] = "bench_data/payload.kiln";
    const char *const command[] = {tools->bake, "-q", "-s", schema, "-o", output, data, NULL};
    const off_t size = tools->sizes.spawns < 100000 ? (off_t)1 << 24 : (off_t)1 << 30;
    process_cost ours;
    (void)args;
    bool done =
        write_text(schema, "kiln: 1\ntypes: {T: {struct: {raw: payload}, asset: true}}\n") &&
        write_text(data, "T: {a: {raw: !file payload.raw}}\n") && write_text(raw, "") &&
        truncate(raw, size) == 0 && bench_process_run(command, NULL, NULL, &ours);
    remove(raw);
    remove(output);
    if (!done)
        return "FAILED: a program failed";
    ret_pair->ours = ours.peak / megabyte;
    ret_pair->baseline = 64 * 1048576 / megabyte;
    return NULL;
}

/* Writes a file of at least `size` bytes, with twelve or thirteen assets. */
static bool write_many(const char *path, unsigned number, double size)
{
    unsigned count = 12 + number % 2;
    double written = 0;
    FILE *file = fopen(path, "w");
    bool done = file && fputs("Thing:\n", file) >= 0;
    for (unsigned i = 0; done && i < count; i++) {
        written += fprintf(file, "  thing_%u_%u:\n    price: %u\n    parts:\n", number, i,
                           (number * count + i) % 60000);
        for (unsigned part = 0; done && written < size * (i + 1) / count; part++) {
            int length = fprintf(file,
                                 "      - {id: %u, name: \"part %u of thing %u of %u\", weight: "
                                 "%u.25, tags: [alpha, beta, number%u]}\n",
                                 part, part, i, number, part % 100, part);
            done = length > 0;
            written += length;
        }
    }
    return file && fclose(file) == 0 && done;
}

/* The quick form uses fewer files. */
const char *bench_sample_many_peak(const bench_tools *tools, const char *const *args,
                                   bench_pair *ret_pair)
{
    static const char schema[] = "bench_data/many.schema.yaml", folder[] = "bench_data/many_yaml",
                      output[] = "bench_data/many_yaml.kiln";
    const char *const command[] = {tools->bake, "-q", "-j",   "2",    "-s",
                                   schema,      "-o", output, folder, NULL};
    static double largest;
    static bool is_written;
    unsigned count = tools->sizes.spawns < 100000 ? 20 : 4000;
    process_cost ours;
    (void)args;
    bool done =
        write_text(schema, "kiln: 1\ntypes:\n  Part: {struct: {id: u32, name: string, weight: f32, "
                           "tags: \"string[]\"}}\n  Thing: {struct: {price: u16, parts: "
                           "\"Part[]\"}, asset: true}\n") &&
        (mkdir(folder, 0777) == 0 || errno == EEXIST);
    for (unsigned i = 0; i < count && done && !is_written; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/m%04u.yaml", folder, i);
        done = write_many(path, i, 50000);
        largest = file_size(path) > largest ? file_size(path) : largest;
    }
    is_written = done;
    done = done && bench_process_run(command, NULL, NULL, &ours);
    remove(output);
    if (!done)
        return "FAILED: a program failed";
    ret_pair->ours = ours.peak / megabyte;
    ret_pair->baseline = (64 * 1048576 + 8 * largest) / megabyte;
    return NULL;
}

const char *bench_sample_size(const bench_tools *tools, const char *const *args,
                              bench_pair *ret_pair)
{
    (void)tools;
    ret_pair->ours = file_size(BENCH_LEVEL_KILN) / megabyte;
    ret_pair->baseline = file_size(args[0]) / megabyte;
    return ret_pair->ours > 0 && ret_pair->baseline > 0 ? NULL
                                                        : "SKIPPED (the peer's file is missing)";
}

const char *bench_sample_start(const bench_tools *tools, const char *const *args,
                               bench_pair *ret_pair)
{
    const char *const empty[] = {tools->empty, NULL};
    double our_times[BENCH_STARTS_MAX], baseline_times[BENCH_STARTS_MAX];
    int starts = tools->sizes.starts;
    (void)args;
    for (int i = 0; i < starts; i++) {
        process_cost baseline, ours;
        if (!bench_process_run(empty, NULL, NULL, &baseline) ||
            !bake(tools, BENCH_TINY_KILN, BENCH_FIRST_SMALL, &ours))
            return "FAILED: a program failed";
        our_times[i] = ours.wall / millisecond;
        baseline_times[i] = baseline.wall / millisecond;
    }
    ret_pair->ours = bench_median(our_times, starts);
    ret_pair->baseline = bench_median(baseline_times, starts);
    return NULL;
}

/* Runs flatc on the small files `first` to `end` - 1 in one process. */
static bool flatc_small(const bench_tools *tools, unsigned first, unsigned end,
                        process_cost *ret_cost)
{
    static char paths[BENCH_SMALL_MAX][40];
    static const char *args[BENCH_SMALL_MAX + 6];
    unsigned count = 0;
    args[count++] = tools->flatc;
    args[count++] = "-b";
    args[count++] = "-o";
    args[count++] = BENCH_SMALL_BINS;
    args[count++] = tools->fbs;
    for (unsigned i = first; i < end; i++) {
        snprintf(paths[i], sizeof paths[i], BENCH_SMALL_JSON "/s%04u.json", i);
        args[count++] = paths[i];
    }
    args[count] = NULL;
    return bench_process_run(args, NULL, NULL, ret_cost);
}

const char *bench_sample_small(const bench_tools *tools, const char *const *args,
                               bench_pair *ret_pair)
{
    process_cost baseline, ours;
    (void)args;
    if (!flatc_small(tools, 0, tools->sizes.small, &baseline) ||
        !bake(tools, BENCH_SMALL_KILN, BENCH_SMALL_YAML, &ours))
        return "FAILED: a program failed";
    ret_pair->ours = ours.wall / millisecond;
    ret_pair->baseline = baseline.wall / millisecond;
    return NULL;
}

const char *bench_sample_small_each(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    process_cost cost;
    double sum = 0;
    (void)args;
    for (unsigned i = 0; i < tools->sizes.small; i += EACH_STEP) {
        if (!flatc_small(tools, i, i + 1, &cost))
            return "FAILED: a program failed";
        sum += cost.wall;
    }
    if (!bake(tools, BENCH_SMALL_KILN, BENCH_SMALL_YAML, &cost))
        return "FAILED: a program failed";
    ret_pair->ours = cost.wall / millisecond;
    ret_pair->baseline = sum * EACH_STEP / millisecond;
    return NULL;
}

/* Writes a file of 450,000 notes, whose texts have 80 letters. */
static bool write_notes(const bench_tools *tools)
{
    const char *count = tools->sizes.entities < 1000000 ? "1000" : "450000";
    const char *const args[] = {tools->pages, "write", BENCH_DUMP_NOTES, count, "128", NULL};
    static bool is_written;
    process_cost cost;
    is_written = is_written || bench_process_run(args, NULL, NULL, &cost);
    return is_written;
}

const char *bench_sample_dump(const bench_tools *tools, const char *const *args,
                              bench_pair *ret_pair)
{
    const char *const dump[] = {tools->inspect, "dump", "-f", "json", args[0], NULL};
    const char *const peer[] = {tools->flatc,
                                "--json",
                                "--strict-json",
                                "--raw-binary",
                                "-o",
                                BENCH_DUMP_FOLDER,
                                tools->fbs,
                                "--",
                                BENCH_LEVEL_BIN,
                                NULL};
    process_cost baseline, ours;
    if ((strcmp(args[0], BENCH_DUMP_NOTES) == 0 && !write_notes(tools)) ||
        !bench_process_run(peer, NULL, NULL, &baseline) ||
        !bench_process_run(dump, NULL, BENCH_DUMP_OURS, &ours))
        return "FAILED: a program failed";
    /* Bytes per nanosecond are gigabytes per second. */
    ret_pair->ours = content_size(BENCH_DUMP_OURS) / ours.cpu * 1000;
    ret_pair->baseline = content_size(BENCH_DUMP_PEER) / baseline.cpu * 1000;
    return NULL;
}
