/* Replaces a file, whose assets are all loaded, with a version in which a few assets have
 * changed. */
#include "baselines.h"
#include "bench_items.h"
#include "probe.h"
#include "probe_assets.h"

#include <fcntl.h>
#include <kiln/index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHANGED = 100, VERSIONS = 2 };

static const char *const paths[VERSIONS] = {"version0.kiln", "version1.kiln"};

typedef struct replacing {
    kiln_assets *assets;
    kiln_mount mount;
    uint32_t version;
    size_t index_size;
} replacing;

static kiln_mount_def def_of(uint32_t version)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.path = paths[version];
    return def;
}

static uint64_t replace_it(void *ctx)
{
    replacing *r = ctx;
    r->version ^= 1;
    kiln_mount_def def = def_of(r->version);
    bench_items_expect(kiln_assets_replace(r->assets, r->mount, &def, NULL));
    return r->version;
}

static uint64_t sum_text(const char *text, uint32_t length)
{
    uint64_t sum = 0, word = 0;
    for (; length >= sizeof word; text += sizeof word, length -= (uint32_t)sizeof word) {
        memcpy(&word, text, sizeof word);
        sum += word;
    }
    memcpy(&word, text, length);
    return sum + word;
}

/* Adds up the ids, content hashes and names. */
static uint64_t sum_index(const kiln_index *index)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kiln_index_asset_count(index); i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        const kiln_index_member *member = kiln_index_member_at(index, asset->member);
        sum += kiln_index_id(index, i) ^ member->content.low ^ member->content.high;
        sum += sum_text(kiln_string_get(&asset->name), asset->name.length);
    }
    return sum;
}

static uint64_t read_index(const char *path, size_t size)
{
    uint64_t sum = 0;
    int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
    unsigned char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
        sum = sum_index((const kiln_index *)(const void *)(bytes + KILN_HEADER_SIZE));
        munmap(bytes, size);
    }
    close(file);
    return sum;
}

static uint64_t read_indexes(void *ctx)
{
    const replacing *r = ctx;
    return read_index(paths[0], r->index_size) + read_index(paths[1], r->index_size);
}

static void write_versions(uint32_t count)
{
    for (uint32_t i = 0; i < VERSIONS; i++) {
        bench_items_def def = {0, count, 3, true, i == 0 ? 0 : CHANGED};
        kiln_buffer bytes = bench_items_write(&def);
        bench_items_save(&bytes, paths[i]);
        kiln_buffer_fini(&bytes);
    }
}

const char *probe_replace(const char *count, bench_pair *ret_pair)
{
    replacing r = {0};
    bench_side ours = {NULL, replace_it}, baseline = {NULL, read_indexes};
    kiln_load_args load = {.name = "Shelf/all", .by = KILN_HERE};
    kiln_ref shelf;
    write_versions((uint32_t)strtoul(count, NULL, 10));
    kiln_mount_def def = def_of(0);
    r.index_size = probe_index_size(paths[0]);
    r.assets = bench_items_table();
    bench_items_expect(kiln_assets_mount(r.assets, &def, &r.mount, NULL));
    bench_items_expect(kiln_assets_load(r.assets, &load, &shelf, NULL));
    *ret_pair = bench_span_measure(ours, baseline, &r);
    kiln_assets_stats stats;
    kiln_assets_get_stats(r.assets, &stats);
    kiln_assets_destroy(r.assets);
    for (uint32_t i = 0; i < VERSIONS; i++)
        remove(paths[i]);
    return stats.deferred == 0 && stats.replaced % CHANGED == 0 && stats.replaced > 0
               ? NULL
               : "FAILED: old files accumulate, or other assets were replaced";
}
