/* Mounts and unmounts a patch of the sample game while two threads read one of its items.
 * Usage: patch [GAME.kiln] */
#include <kiln/kiln.h>
#include <kiln/kiln_build.h>

#include "game.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { READERS = 2, SWAPS = 100, OLD_PRICE = 90, NEW_PRICE = 45 };

static const char item_name[] = "Item/ember_red", icon_name[] = "Texture/jar";

/* The patch contains one item, at half its price. The item's icon is in the patched file. */
static kiln_status write_patch(kiln_builder *builder, kiln_file_writer *writer, uint32_t type,
                               kiln_buffer *ret_patch, kiln_error *reterr)
{
    game_Item *item = game_Item_new(builder);
    if (!item)
        return kiln_fail(reterr, kiln_builder_status(builder), 0, NULL);
    game_Item_set_name(builder, item, "Ember red, chipped", 18);
    item->kind = game_ItemKind_glaze;
    item->price = NEW_PRICE;
    item->icon.id = kiln_asset_id(icon_name, strlen(icon_name));
    kiln_status status = kiln_file_writer_import(writer, icon_name);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, icon_name);
    status = kiln_file_writer_build(writer, item_name, type, builder, reterr);
    return status == KILN_OK ? kiln_file_writer_finish_buffer(writer, ret_patch, reterr) : status;
}

static kiln_status make_patch(kiln_buffer *ret_patch, kiln_error *reterr)
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    kiln_types *types = NULL;
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    kiln_status status = game_types_create(NULL, &types, reterr);
    builder_def.types = writer_def.types = types;
    if (status == KILN_OK)
        status = kiln_fail(reterr, kiln_builder_create(&builder_def, &builder), 0, NULL);
    if (status == KILN_OK)
        status = kiln_file_writer_create(&writer_def, &writer, reterr);
    if (status == KILN_OK)
        status =
            write_patch(builder, writer, kiln_types_find(types, "game.Item"), ret_patch, reterr);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    return status;
}

typedef struct reader {
    kiln_assets *assets;
    kiln_ref item;
    atomic_bool *stop;
    uint64_t good, bad;
} reader;

static void *read_prices(void *ctx)
{
    reader *r = ctx;
    kiln_assets_thread *thread = kiln_assets_thread_register(r->assets);
    while (thread && (r->good == 0 || !atomic_load(r->stop))) {
        const game_Item *item = kiln_ref_get(kiln_assets_get_slots(r->assets), r->item);
        bool is_good = item && (item->price == OLD_PRICE || item->price == NEW_PRICE);
        r->good += is_good;
        r->bad += !is_good;
        kiln_assets_thread_quiescent(thread); /* `item` may be freed from here on */
    }
    kiln_assets_thread_unregister(thread);
    return NULL;
}

static void print_item(kiln_assets *assets, kiln_ref ref)
{
    const game_Item *item = kiln_assets_root(assets, ref, &game_Item_root_type, NULL);
    if (item)
        printf("%s, %u shells\n", kiln_string_get(&item->name), item->price);
}

static kiln_status swap(kiln_assets *assets, const kiln_buffer *patch, kiln_ref item,
                        kiln_error *reterr)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_status status = KILN_OK;
    def.file.data = patch->data;
    def.file.size = patch->size;
    def.order = 1;
    for (int i = 0; i < SWAPS && status == KILN_OK; i++) {
        kiln_mount mount;
        status = kiln_assets_mount(assets, &def, &mount, reterr);
        if (i == 0)
            print_item(assets, item);
        if (status == KILN_OK)
            status = kiln_assets_unmount(assets, mount, KILN_UNMOUNT_REFUSE, reterr);
    }
    return status;
}

static kiln_status swap_among_readers(kiln_assets *assets, const kiln_buffer *patch, kiln_ref item,
                                      kiln_error *reterr)
{
    atomic_bool stop = false;
    reader readers[READERS];
    pthread_t threads[READERS];
    uint64_t bad = 0;
    int started = 0;
    for (int i = 0; i < READERS; i++) {
        readers[started] = (reader){assets, item, &stop, 0, 0};
        started += pthread_create(&threads[started], NULL, read_prices, &readers[started]) == 0;
    }
    kiln_status status = swap(assets, patch, item, reterr);
    atomic_store(&stop, true);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        bad += readers[i].bad;
    }
    printf("%d threads read %s\n", started,
           bad ? "an unexpected price" : "only the old or the new price");
    return started < READERS ? kiln_fail(reterr, KILN_NO_MEMORY, 0, "threads") : status;
}

int main(int argc, char **argv)
{
    kiln_assets_def def = kiln_assets_def_default();
    kiln_mount_def mount_def = kiln_mount_def_default();
    kiln_load_args load = {.name = item_name, .type = &game_Item_root_type, .by = KILN_HERE};
    kiln_assets *assets = NULL;
    kiln_mount base;
    kiln_ref item = {0};
    kiln_buffer patch = {0};
    kiln_assets_stats stats;
    kiln_error error;
    def.types = game_types(&def.types_size);
    mount_def.file.path = argc > 1 ? argv[1] : "game.kiln";
    kiln_status status = kiln_assets_create(&def, &assets, &error);
    if (status == KILN_OK)
        status = kiln_assets_mount(assets, &mount_def, &base, &error);
    if (status == KILN_OK)
        status = kiln_assets_load(assets, &load, &item, &error);
    if (status == KILN_OK)
        status = make_patch(&patch, &error);
    if (status == KILN_OK) {
        print_item(assets, item);
        status = swap_among_readers(assets, &patch, item, &error);
        print_item(assets, item);
        kiln_assets_get_stats(assets, &stats);
        printf("%u file, %u assets, %u loaded, replaced %u times\n", stats.mounts,
               (unsigned)stats.known, (unsigned)stats.loaded, (unsigned)stats.replaced);
    }
    if (status != KILN_OK) {
        char text[KILN_ERROR_TEXT_SIZE];
        kiln_error_format(&error, text, sizeof text);
        fprintf(stderr, "patch: %s\n", text);
    }
    kiln_assets_clear(assets, &item);
    kiln_assets_destroy(assets);
    kiln_buffer_fini(&patch);
    return status == KILN_OK ? 0 : 1;
}
