/* Reads assets through reference words and ids, mounts files and looks up names. */
#include "probe_assets.h"

#include "baselines.h"
#include "bench_items.h"
#include "bench_text.h"
#include "bench_types.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- reading ---- */

typedef struct reading {
    uint32_t count;
    kiln_assets *assets;
    kiln_ref shelf;
    const bench_Item_ref *ids; /* in the shelf's blob, in random order */
    const bench_Item **plain;  /* the roots, in the same order */
    kiln_ref *words;           /* the same, in the measured form */
} reading;

static uint64_t read_plain(void *ctx)
{
    const reading *r = ctx;
    const bench_Item **const plain = r->plain;
    const uint32_t count = r->count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += plain[i]->price;
    return sum;
}

/* Reads words that are certainly valid, like the program's pointers. */
static uint64_t read_trusted(void *ctx)
{
    const reading *r = ctx;
    const kiln_slots slots = *kiln_assets_get_slots(r->assets);
    const kiln_ref *const words = r->words;
    const uint32_t count = r->count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bench_Item *item = kiln_ref_get(&slots, words[i]);
        sum += item->price;
    }
    return sum;
}

/* Reads words that may be stale. */
static uint64_t read_checked(void *ctx)
{
    const reading *r = ctx;
    const kiln_slots slots = *kiln_assets_get_slots(r->assets);
    const kiln_ref *const words = r->words;
    const uint32_t count = r->count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bench_Item *item = kiln_ref_get(&slots, words[i]);
        if (item)
            sum += item->price;
    }
    return sum;
}

static uint64_t read_ids(void *ctx)
{
    const reading *r = ctx;
    const kiln_assets *const assets = r->assets;
    const bench_Item_ref *const ids = r->ids;
    const uint32_t count = r->count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bench_Item *item = kiln_assets_get(assets, ids[i].id);
        if (item)
            sum += item->price;
    }
    return sum;
}

static void begin_reading(reading *r, const char *count)
{
    kiln_load_args load = {.name = "Shelf/all", .by = KILN_HERE};
    r->count = (uint32_t)strtoul(count, NULL, 10);
    bench_items_def def = {0, r->count, 3, true, 0, 0};
    kiln_buffer bytes = bench_items_write(&def);
    kiln_mount_def mount_def = kiln_mount_def_default();
    kiln_mount mount;
    mount_def.file.path = "items.kiln";
    bench_items_save(&bytes, mount_def.file.path);
    kiln_buffer_fini(&bytes);
    r->assets = bench_items_table();
    bench_items_expect(kiln_assets_mount(r->assets, &mount_def, &mount, NULL));
    remove(mount_def.file.path);
    bench_items_expect(kiln_assets_load(r->assets, &load, &r->shelf, NULL));
    const bench_Shelf *shelf = kiln_ref_get(kiln_assets_get_slots(r->assets), r->shelf);
    r->ids = bench_Item_ref_array_data(&shelf->items);
    r->plain = baseline_array(r->count, sizeof *r->plain);
    for (uint32_t i = 0; i < r->count; i++)
        r->plain[i] = kiln_assets_get(r->assets, r->ids[i].id);
}

static const char *end_reading(reading *r, bench_side ours, bench_pair *ret_pair)
{
    bench_side baseline = {NULL, read_plain};
    if (read_plain(r) != (uint64_t)r->count * 3 || ours.run(r) != read_plain(r))
        return "FAILED: the two sides read different values";
    *ret_pair = bench_span_measure_each(ours, baseline, r, r->count);
    return NULL;
}

static const char *measure_form(const char *count, kiln_ref_form form, bench_pair *ret_pair)
{
    reading r = {0};
    bench_side ours = {NULL, form == KILN_REF_WEAK ? read_checked : read_trusted};
    begin_reading(&r, count);
    r.words = baseline_array(r.count, sizeof *r.words);
    for (uint32_t i = 0; i < r.count; i++)
        bench_items_expect(kiln_assets_take(r.assets, kiln_ref_from_pointer(r.plain[i]), form,
                                            KILN_HERE, &r.words[i]));
    return end_reading(&r, ours, ret_pair);
}

const char *probe_ref_pointer(const char *count, bench_pair *ret_pair)
{
    return measure_form(count, KILN_REF_POINTER, ret_pair);
}

const char *probe_ref_indirect(const char *count, bench_pair *ret_pair)
{
    return measure_form(count, KILN_REF_INDIRECT, ret_pair);
}

const char *probe_ref_handle(const char *count, bench_pair *ret_pair)
{
    return measure_form(count, KILN_REF_WEAK, ret_pair);
}

const char *probe_ref_id(const char *count, bench_pair *ret_pair)
{
    reading r = {0};
    bench_side ours = {NULL, read_ids};
    begin_reading(&r, count);
    return end_reading(&r, ours, ret_pair);
}

/* ---- mounting ---- */

typedef struct mounting {
    kiln_assets *assets;
    const char *path;
    size_t index_size;
    kiln_mount mount;
    bool is_mounted;
} mounting;

static kiln_mount mount_path(const mounting *m)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount;
    def.file.path = m->path;
    bench_items_expect(kiln_assets_mount(m->assets, &def, &mount, NULL));
    return mount;
}

static void be_unmounted(void *ctx)
{
    mounting *m = ctx;
    if (m->is_mounted)
        bench_items_expect(kiln_assets_unmount(m->assets, m->mount, KILN_UNMOUNT_REFUSE, NULL));
    m->is_mounted = false;
}

static void be_mounted(void *ctx)
{
    mounting *m = ctx;
    if (!m->is_mounted)
        m->mount = mount_path(m);
    m->is_mounted = true;
}

static uint64_t mount_it(void *ctx)
{
    be_mounted(ctx);
    return 1;
}

static uint64_t unmount_it(void *ctx)
{
    be_unmounted(ctx);
    return 1;
}

static uint64_t read_index(void *ctx)
{
    const mounting *m = ctx;
    return baseline_read_once(m->path, m->index_size);
}

static const char *measure_mount(const char *path, bench_side ours, bool has_other,
                                 bench_pair *ret_pair)
{
    mounting m = {.path = path, .index_size = probe_index_size(path)};
    bench_side baseline = {NULL, read_index};
    if (m.index_size == 0)
        return "FAILED: the file of notes cannot be read";
    m.assets = bench_items_table();
    if (has_other)
        mount_path(&m);
    *ret_pair = bench_span_measure(ours, baseline, &m);
    kiln_assets_destroy(m.assets);
    return NULL;
}

const char *probe_mount(const char *path, bench_pair *ret_pair)
{
    bench_side ours = {be_unmounted, mount_it};
    return measure_mount(path, ours, false, ret_pair);
}

const char *probe_unmount(const char *path, bench_pair *ret_pair)
{
    bench_side ours = {be_mounted, unmount_it};
    return measure_mount(path, ours, false, ret_pair);
}

const char *probe_mount_patch(const char *path, bench_pair *ret_pair)
{
    bench_side ours = {be_unmounted, mount_it};
    return measure_mount(path, ours, true, ret_pair);
}

/* ---- finding ---- */

enum { FILES = 1000, NAMES = 100000 };

typedef struct finding {
    kiln_assets *many, *one;
    char **names; /* consecutive in memory, in lookup order */
    uint32_t count;
} finding;

static uint64_t find_names(const finding *f, const kiln_assets *assets)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < f->count; i++)
        found += kiln_assets_find(assets, f->names[i]) != 0;
    return found;
}

static uint64_t find_in_many(void *ctx)
{
    const finding *f = ctx;
    return find_names(f, f->many);
}

static uint64_t find_in_one(void *ctx)
{
    const finding *f = ctx;
    return find_names(f, f->one);
}

/* The files' bytes are never freed, because tables use them until the process ends. */
static void mount_items(kiln_assets *assets, uint32_t first, uint32_t count)
{
    bench_items_def def = {first, count, 3, false, 0, 0};
    kiln_buffer file = bench_items_write(&def);
    bench_items_mount(assets, &file, 0);
}

const char *probe_find_mounted(const char *count, bench_pair *ret_pair)
{
    uint32_t each = (uint32_t)strtoul(count, NULL, 10) / FILES, all = each * FILES;
    finding f = {bench_items_table(), bench_items_table(), NULL, all < NAMES ? all : NAMES};
    bench_side ours = {NULL, find_in_many}, baseline = {NULL, find_in_one};
    if (all == 0)
        return "FAILED: too few assets";
    uint32_t *order = baseline_order(all, BENCH_SEED);
    f.names = baseline_array(f.count, sizeof *f.names);
    for (uint32_t i = 0; i < f.count; i++) {
        char name[BENCH_ITEM_NAME_SIZE];
        bench_items_name(name, order[i]);
        f.names[i] = baseline_text(name, strlen(name));
    }
    free(order);
    for (uint32_t i = 0; i < FILES; i++)
        mount_items(f.many, i * each, each);
    mount_items(f.one, 0, all);
    if (find_in_many(&f) != f.count || find_in_one(&f) != f.count)
        return "FAILED: a name was not found";
    *ret_pair = bench_span_measure_each(ours, baseline, &f, f.count);
    return NULL;
}
