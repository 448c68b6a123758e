/* A cold bake has neither outputs nor records nor a cache. A bake from a warm cache has no outputs
 * and no records, as in a fresh copy of the project. The cache has delivered the result before. */
#define _XOPEN_SOURCE 700

#include "bench_cache.h"

#include "bench_inputs.h"
#include "bench_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CACHE "bench_data/cache"

static const double millisecond = 1e6;

static bool remove_all(const char *folder)
{
    char out[256], state[256];
    process_cost cost;
    snprintf(out, sizeof out, "%s/game.kiln", folder);
    snprintf(state, sizeof state, "%s/.kiln", folder);
    const char *const args[] = {"/bin/rm", "-rf", out, state, NULL};
    return bench_process_run(args, NULL, NULL, &cost);
}

static bool bake(const bench_tools *tools, const char *folder, bool uses_cache,
                 process_cost *ret_cost)
{
    const char *const args[] = {tools->bake, "-q", "-C", folder, uses_cache ? "--cache" : NULL,
                                CACHE,       NULL};
    return remove_all(folder) && bench_process_run(args, NULL, NULL, ret_cost);
}

static bool write_project(const char *folder, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/kiln.yaml", folder);
    mkdir(folder, 0777);
    FILE *file = fopen(path, "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

static const char *sample(const bench_tools *tools, const char *folder, bench_pair *ret_pair)
{
    process_cost cold, warm;
    /* The first run stores the result, and the second stores the verdict of the verifier. */
    for (int i = 0; i < 2; i++)
        if (!bake(tools, folder, true, &warm))
            return "FAILED: a program failed";
    if (!bake(tools, folder, false, &cold) || !bake(tools, folder, true, &warm))
        return "FAILED: a program failed";
    ret_pair->ours = warm.wall / millisecond;
    ret_pair->baseline = cold.wall / millisecond;
    return NULL;
}

const char *bench_sample_warm_project(const bench_tools *tools, const char *const *args,
                                      bench_pair *ret_pair)
{
    static const char folder[] = BENCH_PROJECT "_warm";
    (void)args;
    if (!write_project(folder, "kiln: 1\nschemas: ../project/s.yaml\nbundles: {game: {sources: "
                               "\"../project/data/**/*.yaml\", base: ../project, "
                               "output: game.kiln}}\n"))
        return "FAILED: cannot write the project";
    return sample(tools, folder, ret_pair);
}

const char *bench_sample_warm_real(const bench_tools *tools, const char *const *args,
                                   bench_pair *ret_pair)
{
    static const char folder[] = "bench_data/real_warm";
    char text[8192], *data = tools->real ? realpath(tools->real, NULL) : NULL;
    char *schema = tools->real_schema ? realpath(tools->real_schema, NULL) : NULL;
    (void)args;
    const char *why = "SKIPPED (no real data)";
    if (data && schema) {
        snprintf(text, sizeof text,
                 "kiln: 1\nschemas: \"%s\"\nbundles: {game: {sources: \"%s/Resources/**/*.yml\", "
                 "base: \"%s\", output: game.kiln}}\n",
                 schema, data, data);
        why = write_project(folder, text) ? sample(tools, folder, ret_pair)
                                          : "FAILED: cannot write the project";
    }
    free(data);
    free(schema);
    return why;
}

const char *bench_sample_cache_hits(const bench_tools *tools, const char *const *args,
                                    bench_pair *ret_pair)
{
    static char line[128];
    process_cost cost;
    if (!tools->nginx || !tools->cache_hits)
        return "SKIPPED (no nginx or libcurl)";
    const char *const command[] = {tools->cache_hits, tools->nginx, "bench_data/nginx",
                                   args[0],           args[1],      NULL};
    if (!bench_process_run(command, NULL, BENCH_PROBE_OUTPUT, &cost))
        return "FAILED: cache_hits failed";
    FILE *file = fopen(BENCH_PROBE_OUTPUT, "r");
    bool good = file && fgets(line, sizeof line, file) &&
                sscanf(line, "%lf %lf", &ret_pair->ours, &ret_pair->baseline) == 2;
    if (file)
        fclose(file);
    ret_pair->ours /= millisecond;
    ret_pair->baseline /= millisecond;
    return good ? NULL : "FAILED: cache_hits printed nothing";
}
