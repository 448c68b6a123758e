/* Replaces a file, whose assets are all loaded, with versions in which a few assets have changed.
 *
 * In each version, other items differ from their usual value. So a version changes the items that
 * differed before and those that differ now, and the table still uses bytes of several earlier
 * versions. The span has as many replacements as there are versions: unchanged assets must
 * sometimes move to a newer file, and the average includes this work. */
#include "baselines.h"
#include "bench_items.h"
#include "probe.h"
#include "probe_assets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANGED = 100, VERSIONS = 9, PATH_SIZE = 32 };

typedef struct replacing {
    kiln_assets *assets;
    kiln_mount mount;
    uint32_t version;
    size_t index_size;
} replacing;

static const char *path_of(uint32_t version)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "version%" PRIu32 ".kiln", version);
    return path;
}

static uint32_t next_of(uint32_t version)
{
    return (version + 1) % VERSIONS;
}

static kiln_mount_def def_of(uint32_t version)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.path = path_of(version);
    return def;
}

static uint64_t replace_all(void *ctx)
{
    replacing *r = ctx;
    for (uint32_t i = 0; i < VERSIONS; i++) {
        r->version = next_of(r->version);
        kiln_mount_def def = def_of(r->version);
        bench_items_expect(kiln_assets_replace(r->assets, r->mount, &def, NULL));
    }
    return r->version;
}

static uint64_t read_indexes(void *ctx)
{
    const replacing *r = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < VERSIONS; i++)
        sum += baseline_read_once(path_of(i), r->index_size) +
               baseline_read_once(path_of(next_of(i)), r->index_size);
    return sum;
}

static void write_versions(uint32_t count)
{
    for (uint32_t i = 0; i < VERSIONS; i++) {
        bench_items_def def = {0, count, 3, true, CHANGED / 2, i};
        kiln_buffer bytes = bench_items_write(&def);
        bench_items_save(&bytes, path_of(i));
        kiln_buffer_fini(&bytes);
    }
}

const char *probe_replace(const char *count, bench_pair *ret_pair)
{
    replacing r = {0};
    bench_side ours = {NULL, replace_all}, baseline = {NULL, read_indexes};
    kiln_load_args load = {.name = "Shelf/all", .by = KILN_HERE};
    kiln_ref shelf;
    write_versions((uint32_t)strtoul(count, NULL, 10));
    kiln_mount_def def = def_of(0);
    r.index_size = probe_index_size(path_of(0));
    r.assets = bench_items_table();
    bench_items_expect(kiln_assets_mount(r.assets, &def, &r.mount, NULL));
    bench_items_expect(kiln_assets_load(r.assets, &load, &shelf, NULL));
    *ret_pair = bench_span_measure_each(ours, baseline, &r, VERSIONS);
    kiln_assets_stats stats;
    kiln_assets_get_stats(r.assets, &stats);
    kiln_assets_destroy(r.assets);
    for (uint32_t i = 0; i < VERSIONS; i++)
        remove(path_of(i));
    return stats.deferred == 0 && stats.replaced % CHANGED == 0 && stats.replaced > 0
               ? NULL
               : "FAILED: old files accumulate, or other assets were replaced";
}
