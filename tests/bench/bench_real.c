/* Samples of baking real data of a game, compared with a loop over libyaml's events. */
#define _XOPEN_SOURCE 700

#include "bench_real.h"

#include "bench_inputs.h"
#include "bench_jobs.h"
#include "bench_process.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 1024, DESCRIPTORS = 16 };

/* Arguments of the loop: the program, its figure, and the files. */
static const char *loop[FILES_MAX + 3];
static int loop_count;
static double loop_bytes;

static int add_file(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    size_t length = strlen(path);
    (void)where;
    if (kind != FTW_F || info->st_size == 0 || length < 4 || strcmp(path + length - 4, ".yml") != 0)
        return 0;
    if (loop_count == FILES_MAX + 2)
        return 1;
    loop[loop_count] = strdup(path);
    loop_bytes += (double)info->st_size;
    return loop[loop_count++] ? 0 : 1;
}

/* Finds the files once. Returns NULL, or why there are none. */
static const char *find_files(const bench_tools *tools)
{
    if (!tools->real || !tools->real_schema)
        return "SKIPPED (no real data)";
    if (loop_count > 0)
        return NULL;
    loop[loop_count++] = tools->probe;
    loop[loop_count++] = "yaml";
    int found = nftw(tools->real, add_file, DESCRIPTORS, FTW_PHYS);
    if (found < 0 || loop_count == 2) {
        loop_count = 0;
        return "SKIPPED (no real data)";
    }
    return found ? "FAILED: too many files" : NULL;
}

static const char *beside_loop(const bench_tools *tools, const char *const *ours,
                               process_cost *ret_ours, process_cost *ret_loop)
{
    const char *why = find_files(tools);
    if (!why && (!bench_process_run(loop, NULL, NULL, ret_loop) ||
                 !bench_process_run(ours, NULL, NULL, ret_ours)))
        why = "FAILED: a program failed";
    return why;
}

static const char *sample(const bench_tools *tools, const char *const *args, bool is_memory,
                          bench_pair *ret_pair)
{
    process_cost ours, bare;
    const char *why = beside_loop(tools, args, &ours, &bare);
    if (why)
        return why;
    ret_pair->ours = is_memory ? ours.peak / 1e6 : ours.cpu / 1e6;
    ret_pair->baseline = is_memory ? loop_bytes / 1e6 : bare.cpu / 1e6;
    return NULL;
}

static const char *bake(const bench_tools *tools, bool is_memory, bench_pair *ret_pair)
{
    const char *const args[] = {tools->bake, "-q",        "-s", tools->real_schema,
                                "-C",        tools->real, "-o", BENCH_REAL_KILN,
                                "Resources", NULL};
    return sample(tools, args, is_memory, ret_pair);
}

const char *bench_sample_real_bake(const bench_tools *tools, const char *const *args,
                                   bench_pair *ret_pair)
{
    (void)args;
    return bake(tools, false, ret_pair);
}

const char *bench_sample_real_peak(const bench_tools *tools, const char *const *args,
                                   bench_pair *ret_pair)
{
    (void)args;
    return bake(tools, true, ret_pair);
}

const char *bench_sample_real_infer(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    const char *const infer[] = {tools->bake, "schema", "infer",           "-q",        "-C",
                                 tools->real, "-o",     BENCH_REAL_SCHEMA, "Resources", NULL};
    (void)args;
    return sample(tools, infer, false, ret_pair);
}

const char *bench_sample_real_jobs(const bench_tools *tools, const char *const *args,
                                   bench_pair *ret_pair)
{
    static const char *two_loops[FILES_MAX + 3];
    const char *const one[] = {tools->bake,        "-q", "-j",        "1",  "-s",
                               tools->real_schema, "-C", tools->real, "-o", BENCH_REAL_KILN,
                               "Resources",        NULL};
    const char *two[sizeof one / sizeof *one];
    const char *why = find_files(tools);
    (void)args;
    memcpy(two, one, sizeof two);
    two[3] = "2";
    memcpy(two_loops, loop, sizeof two_loops);
    two_loops[1] = "yaml-threads";
    return why ? why
               : bench_jobs_compare(tools, one, two, loop, two_loops, BENCH_REAL_KILN, ret_pair);
}
