/* Samples of kiln-inspect on a large file, which is written when it is first needed. */
#include "bench_inputs.h"
#include "bench_process.h"
#include "bench_samples.h"

#include <stdio.h>

enum { ASSET_BYTES = 1010, QUICK_ASSETS = 2000 };

static const double millisecond = 1e6, megabyte = 1e6;

/* An asset in the middle of the file. */
static const char asset[] = "Note/0001000", value[] = "Note/0001000.number";

static bool write_large(const bench_tools *tools)
{
    static bool is_written;
    bool quick = tools->sizes.entities < 1000000;
    char count[16], size[16];
    const char *const args[] = {tools->pages, "write", BENCH_LARGE_KILN, count, size, NULL};
    process_cost cost;
    snprintf(count, sizeof count, "%d", quick ? QUICK_ASSETS : 1000000);
    snprintf(size, sizeof size, "%d", ASSET_BYTES);
    is_written = is_written || bench_process_run(args, NULL, NULL, &cost);
    return is_written;
}

/* Sets `ours` to the arguments of kiln-inspect for a command, and `bare` to those of the baseline,
 * which has the name `baseline`. */
static void fill(const bench_tools *tools, const char *const *names, const char **ours,
                 const char **bare)
{
    const char *command = names[0], *baseline = names[1];
    bool is_empty = baseline[0] == 'e', is_one = baseline[0] == 'o';
    bool is_find = command[0] == 'f';
    *ours++ = tools->inspect;
    *ours++ = command;
    *bare++ = tools->pages;
    *bare++ = baseline;
    if (!is_empty) {
        *ours++ = BENCH_LARGE_KILN;
        *bare++ = BENCH_LARGE_KILN;
    }
    if (is_one) {
        *ours++ = command[0] == 'g' ? value : asset;
        *bare++ = asset;
    }
    if (command[0] == 's')
        *ours++ = "Note.number";
    if (is_find) {
        *ours++ = "needle";
        *ours++ = "--match=text";
    }
    *ours = *bare = NULL;
}

const char *bench_sample_inspect(const bench_tools *tools, const char *const *args,
                                 bench_pair *ret_pair)
{
    double our_times[BENCH_STARTS_MAX], baseline_times[BENCH_STARTS_MAX];
    const char *ours[6], *bare[6];
    if (!write_large(tools))
        return "FAILED: the large file cannot be written";
    fill(tools, args, ours, bare);
    for (int i = 0; i < tools->sizes.starts; i++) {
        process_cost our_cost, baseline_cost;
        if (!bench_process_run(bare, NULL, NULL, &baseline_cost) ||
            !bench_process_run(ours, NULL, NULL, &our_cost))
            return "FAILED: a program failed";
        our_times[i] = our_cost.wall / millisecond;
        baseline_times[i] = baseline_cost.wall / millisecond;
    }
    ret_pair->ours = bench_median(our_times, tools->sizes.starts);
    ret_pair->baseline = bench_median(baseline_times, tools->sizes.starts);
    return NULL;
}

const char *bench_sample_inspect_peak(const bench_tools *tools, const char *const *args,
                                      bench_pair *ret_pair)
{
    const char *ours[6], *bare[6];
    process_cost cost;
    if (!write_large(tools))
        return "FAILED: the large file cannot be written";
    fill(tools, args, ours, bare);
    if (!bench_process_run(ours, NULL, NULL, &cost))
        return "FAILED: a program failed";
    ret_pair->ours = cost.peak / megabyte;
    ret_pair->baseline = 16 * 1048576 / megabyte;
    return NULL;
}

/* Writes two files of many notes or of one level, of which one asset or spawn differs. */
static bool write_pair(const bench_tools *tools, const char *mode, const char *const files[2])
{
    static bool is_written[2];
    bool quick = tools->sizes.entities < 1000000, is_level = mode[0] == 'l';
    char size[16];
    const char *count = is_level ? (quick ? "1000" : "550000") : (quick ? "1000" : "100000");
    snprintf(size, sizeof size, "%d", ASSET_BYTES);
    for (int i = 0; i < 2 && !is_written[is_level]; i++) {
        const char *args[] = {tools->pages, mode, files[i], count, NULL, NULL, NULL};
        const char **end = args + 4;
        process_cost cost;
        if (!is_level)
            *end++ = size;
        if (i == 1)
            *end++ = "500";
        if (!bench_process_run(args, NULL, NULL, &cost))
            return false;
    }
    is_written[is_level] = true;
    return true;
}

/* With --git, the exit code does not depend on differences. */
const char *bench_sample_inspect_diff(const bench_tools *tools, const char *const *args,
                                      bench_pair *ret_pair)
{
    static const char *const notes[] = {BENCH_OLD_NOTES_KILN, BENCH_NEW_NOTES_KILN};
    static const char *const levels[] = {BENCH_OLD_LEVEL_KILN, BENCH_NEW_LEVEL_KILN};
    const char *const *files = args[0][0] == 'l' ? levels : notes;
    const char *const bare[] = {tools->pages, "hash", files[0], files[1], NULL};
    const char *const ours[] = {tools->inspect, "diff", "--git", "-", files[0], "0", "0",
                                files[1],       "0",    "0",     NULL};
    process_cost our_cost, baseline_cost;
    if (!write_pair(tools, args[0], files))
        return "FAILED: the files cannot be written";
    if (!bench_process_run(bare, NULL, NULL, &baseline_cost) ||
        !bench_process_run(ours, NULL, NULL, &our_cost))
        return "FAILED: a program failed";
    ret_pair->ours = our_cost.cpu / millisecond;
    ret_pair->baseline = baseline_cost.cpu / millisecond;
    return NULL;
}
