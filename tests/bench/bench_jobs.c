#include "bench_jobs.h"

#include "bench_inputs.h"
#include "bench_process.h"

#include <stdio.h>
#include <string.h>

/* The shortest of so many runs counts, because other processes only make runs longer. */
enum { RUNS = 15 };

const char *bench_jobs_compare(const bench_tools *tools, const char *const *ours_one,
                               const char *const *ours_two, const char *const *loop_one,
                               const char *const *loop_two, const char *output,
                               bench_pair *ret_pair)
{
    const char *const *const commands[] = {ours_one, ours_two, loop_one, loop_two};
    double shortest[4] = {0};
    int runs = tools->sizes.processes > 1 ? RUNS : 1;
    for (int run = 0; run < runs; run++) {
        for (int i = 0; i < 4; i++) {
            process_cost cost;
            /* To free an old output, the system waits until its bytes are on the disk. */
            (void)remove(output);
            if (!bench_process_run(commands[i], NULL, NULL, &cost))
                return "FAILED: a program failed";
            if (run == 0 || cost.wall < shortest[i])
                shortest[i] = cost.wall;
        }
    }
    ret_pair->ours = shortest[0] / shortest[1];
    ret_pair->baseline = shortest[2] / shortest[3];
    return NULL;
}

/* Lists the files of the folder `folder`, whose names begin with `letter`. */
static size_t list_files(const bench_tools *tools, const char *folder, char letter,
                         char (*paths)[40], const char **args)
{
    size_t count = 0;
    for (unsigned i = 0; i < tools->sizes.small; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%c%04u.yaml", folder, letter, i);
        args[count++] = paths[i];
    }
    return count;
}

const char *bench_sample_jobs_mixed(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    static char small[BENCH_SMALL_MAX][40], packed[BENCH_SMALL_MAX][40];
    static const char *loop[2 * BENCH_SMALL_MAX + 3], *two_loops[2 * BENCH_SMALL_MAX + 3];
    const char *one[] = {tools->bake,
                         "-q",
                         "-j",
                         "1",
                         "-s",
                         tools->schema,
                         "-o",
                         BENCH_SMALL_KILN,
                         BENCH_SMALL_YAML,
                         BENCH_PACKED_YAML,
                         NULL};
    const char *two[sizeof one / sizeof *one];
    size_t count = 2;
    (void)args;
    memcpy(two, one, sizeof two);
    two[3] = "2";
    loop[0] = tools->probe;
    loop[1] = "yaml";
    count += list_files(tools, BENCH_SMALL_YAML, 's', small, loop + count);
    count += list_files(tools, BENCH_PACKED_YAML, 'p', packed, loop + count);
    loop[count] = NULL;
    memcpy(two_loops, loop, sizeof two_loops);
    two_loops[1] = "yaml-threads";
    return bench_jobs_compare(tools, one, two, loop, two_loops, BENCH_SMALL_KILN, ret_pair);
}
