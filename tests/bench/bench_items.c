#include "bench_items.h"

#include "baselines.h"
#include "bench_text.h"
#include "bench_types.h"

#include <inttypes.h>
#include <kiln/file_writer.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void bench_items_fail(kiln_status status)
{
    fprintf(stderr, "items: %s\n", kiln_status_text(status));
    exit(2);
}

void bench_items_name(char name[BENCH_ITEM_NAME_SIZE], uint32_t number)
{
    snprintf(name, BENCH_ITEM_NAME_SIZE, "Item/%07" PRIu32, number % 10000000);
}

typedef struct writing {
    kiln_types *types;
    kiln_builder *builder;
    kiln_file_writer *writer;
} writing;

static void begin(writing *w)
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    bench_items_expect(bench_types_create(NULL, &w->types, NULL));
    builder_def.types = writer_def.types = w->types;
    bench_items_expect(kiln_builder_create(&builder_def, &w->builder));
    bench_items_expect(kiln_file_writer_create(&writer_def, &w->writer, NULL));
}

/* Items have the size of those in the sample game. */
static const char text[] =
    "Thrown in one afternoon, glazed in two, and sold by weight at the gate.";

static void write_item(writing *w, uint32_t type, uint32_t number, uint32_t price)
{
    char name[BENCH_ITEM_NAME_SIZE];
    bench_items_name(name, number);
    kiln_builder_reset(w->builder);
    bench_Item *item = bench_Item_new(w->builder);
    if (!item || !bench_Item_set_name(w->builder, item, name, strlen(name)) ||
        !bench_Item_set_text(w->builder, item, text, strlen(text)))
        bench_items_fail(KILN_NO_MEMORY);
    item->price = price;
    item->weight = (float)number;
    item->size.x = item->size.y = item->size.z = 1;
    item->rarity = (uint8_t)(number % 5);
    bench_items_expect(kiln_file_writer_build(w->writer, name, type, w->builder, NULL));
}

static void write_shelf(writing *w, const bench_items_def *def)
{
    static const char shelf_name[] = "Shelf/all";
    char name[BENCH_ITEM_NAME_SIZE];
    uint32_t *order = baseline_order(def->count, BENCH_SEED);
    kiln_builder_reset(w->builder);
    bench_Shelf *shelf = bench_Shelf_new(w->builder);
    if (!shelf)
        bench_items_fail(KILN_NO_MEMORY);
    bench_Item_ref_view refs = bench_Shelf_new_items(w->builder, shelf, def->count);
    for (uint32_t i = 0; i < def->count; i++) {
        bench_Item_ref *ref = bench_Item_ref_view_at(refs, i);
        if (!ref)
            bench_items_fail(KILN_NO_MEMORY);
        bench_items_name(name, def->first + order[i]);
        ref->id = kiln_asset_id(name, strlen(name));
    }
    bench_items_expect(kiln_file_writer_build(
        w->writer, shelf_name, kiln_types_find(w->types, "bench.Shelf"), w->builder, NULL));
    free(order);
}

kiln_buffer bench_items_write(const bench_items_def *def)
{
    writing w = {0};
    kiln_buffer bytes = {0};
    begin(&w);
    uint32_t type = kiln_types_find(w.types, "bench.Item");
    const uint32_t each = def->changed ? def->count / def->changed : 0;
    for (uint32_t i = 0; i < def->count; i++)
        write_item(&w, type, def->first + i, def->price + (each && i % each == def->which));
    if (def->has_shelf)
        write_shelf(&w, def);
    bench_items_expect(kiln_file_writer_finish_buffer(w.writer, &bytes, NULL));
    kiln_file_writer_destroy(w.writer);
    kiln_builder_destroy(w.builder);
    kiln_types_destroy(w.types);
    return bytes;
}

kiln_assets *bench_items_table(void)
{
    kiln_assets_def def = kiln_assets_def_default();
    kiln_assets *assets = NULL;
    def.track_pointers = def.track_takers = false;
    bench_items_expect(kiln_assets_create(&def, &assets, NULL));
    return assets;
}

void bench_items_save(const kiln_buffer *bytes, const char *path)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    if (!file || fclose(file) != 0 || !good)
        bench_items_fail(KILN_IO);
}

kiln_mount bench_items_mount(kiln_assets *assets, const kiln_buffer *file, int32_t order)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount;
    def.file.data = file->data;
    def.file.size = file->size;
    def.order = order;
    bench_items_expect(kiln_assets_mount(assets, &def, &mount, NULL));
    return mount;
}
