#define _POSIX_C_SOURCE 200809L

#include "bench_inputs.h"

#include "bench_figures.h"
#include "bench_process.h"
#include "bench_project.h"
#include "bench_text.h"

#include <errno.h>
#include <sys/stat.h>

static const char *const folders[] = {
    "bench_data",     BENCH_SMALL_YAML,  BENCH_SMALL_JSON,
    BENCH_SMALL_BINS, BENCH_DUMP_FOLDER, BENCH_PACKED_YAML,
};

static bool write_small(uint32_t count)
{
    bool good = true;
    for (unsigned i = 0; good && i < count; i++) {
        char yaml[64], json[64];
        snprintf(yaml, sizeof yaml, BENCH_SMALL_YAML "/s%04u.yaml", i);
        snprintf(json, sizeof json, BENCH_SMALL_JSON "/s%04u.json", i);
        good = bench_text_level(yaml, json, BENCH_SMALL_SPAWNS, i + 1);
    }
    return good;
}

/* Levels whose blobs have 1 to 4 KB each, 1.5 KB on average. */
static bool make_packed(const bench_tools *tools)
{
    process_cost cost;
    const char *const bake[] = {
        tools->bake,       "-q", "-s", tools->schema, "-o", BENCH_PACKED_KILN, "--",
        BENCH_PACKED_YAML, NULL};
    bool good = true;
    for (unsigned i = 0; good && i < tools->sizes.small; i++) {
        char yaml[64];
        snprintf(yaml, sizeof yaml, BENCH_PACKED_YAML "/p%04u.yaml", i);
        good = bench_text_level(yaml, "/dev/null", 8 + (i % 5 ? i % 3 : i * 7919 % 20),
                                100000 + 64 * i);
    }
    return good && bench_process_run(bake, NULL, NULL, &cost);
}

static bool make_flatbuffers(const bench_tools *tools)
{
    process_cost cost;
    const char *const plain[] = {tools->flatc,     "-b", "-o", "bench_data", tools->fbs,
                                 BENCH_LEVEL_JSON, NULL};
    const char *const shared[] = {tools->probe, "share", BENCH_LEVEL_BIN, BENCH_SHARED_BIN, NULL};
    if (!tools->flatc)
        return true;
    return bench_process_run(plain, NULL, NULL, &cost) &&
           bench_process_run(shared, NULL, NULL, &cost);
}

static bool make_capnp(const bench_tools *tools)
{
    process_cost cost;
    const char *const convert[] = {tools->capnp,        "convert", "json:binary",
                                   tools->capnp_schema, "Level",   NULL};
    const char *const flatten[] = {tools->probe, "flatten", BENCH_CAPNP_CONVERTED, BENCH_CAPNP,
                                   NULL};
    const char *const pack[] = {tools->capnp,        "convert", "binary:packed",
                                tools->capnp_schema, "Level",   NULL};
    if (!tools->capnp)
        return true;
    return bench_process_run(convert, BENCH_LEVEL_JSON, BENCH_CAPNP_CONVERTED, &cost) &&
           bench_process_run(flatten, NULL, NULL, &cost) &&
           bench_process_run(pack, BENCH_CAPNP, BENCH_CAPNP_PACKED, &cost);
}

bool bench_inputs_make(const bench_tools *tools)
{
    process_cost cost;
    const char *const level[] = {
        tools->bake,      "-q", "-s", tools->schema, "-o", BENCH_LEVEL_KILN, "--",
        BENCH_LEVEL_YAML, NULL};
    const char *const notes[] = {
        tools->bake,      "-q", "-s", tools->schema, "-o", BENCH_NOTES_KILN, "--",
        BENCH_NOTES_YAML, NULL};
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (mkdir(folders[i], 0777) != 0 && errno != EEXIST)
            return false;
    }
    return bench_text_level(BENCH_LEVEL_YAML, BENCH_LEVEL_JSON, tools->sizes.spawns, 0) &&
           bench_text_notes(BENCH_NOTES_YAML, tools->sizes.notes) &&
           bench_text_scene(BENCH_SCENE_YAML, tools->sizes.entities / 10) &&
           write_small(tools->sizes.small) && bench_process_run(level, NULL, NULL, &cost) &&
           bench_process_run(notes, NULL, NULL, &cost) && make_packed(tools) &&
           make_flatbuffers(tools) && make_capnp(tools) && bench_project_make(tools);
}
