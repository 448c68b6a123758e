/* Loads a scene and saves it, or loads a scene with further files mounted:
 *
 *     renamed_save save GAME.kiln SCENE SAVED.kiln
 *     renamed_save load GAME.kiln SCENE FILE...
 *
 * Prints what each row of the component game.Holder refers to: the names of its two assets, and the
 * prices of the assets in its bag; `-` for null. */
#include <kiln/assets.h>
#include <kiln/query.h>
#include <kiln/scenes.h>
#include <kiln/world.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of game.Holder. */
typedef struct holder {
    kiln_ref item, other;
    kiln_data bag; /* an array of kiln_id */
} holder;

static kiln_error error;

static void must(kiln_status status, const char *what)
{
    char text[KILN_ERROR_TEXT_SIZE];
    if (!status)
        return;
    error.status = status;
    kiln_error_format(&error, text, sizeof text);
    fprintf(stderr, "renamed_save: %s: %s\n", what, text);
    exit(1);
}

static void mount(kiln_assets *assets, const char *path)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount made;
    def.file.path = path;
    must(kiln_assets_mount(assets, &def, &made, &error), path);
}

static void print_ref(kiln_assets *assets, kiln_ref ref)
{
    kiln_asset_info info;
    if (!ref.bits)
        printf(" -");
    else if (kiln_assets_get_info(assets, ref, &info) == KILN_OK)
        printf(" %s", info.name);
    else
        printf(" stale");
}

static void print_row(kiln_assets *assets, const holder *row)
{
    const kiln_array *bag = kiln_data_get(row->bag);
    print_ref(assets, row->item);
    print_ref(assets, row->other);
    printf(" bag");
    for (uint32_t i = 0; bag && i < bag->count; i++) {
        const kiln_id *ids = kiln_relative_get(bag, bag->offset);
        const uint32_t *price = kiln_assets_get(assets, ids[i]);
        printf(price ? " %u" : " -", price ? (unsigned)*price : 0);
    }
    printf("\n");
}

static void print_rows(kiln_assets *assets, kiln_world *world)
{
    const kiln_query_term term = {.component = kiln_component_find(world, "game.Holder")};
    kiln_query *query = NULL;
    must(kiln_query_create(world, &term, 1, &query), "query");
    kiln_iterator it = kiln_query_iterate(query);
    while (kiln_iterator_next(&it)) {
        const holder *rows = kiln_iterator_read(&it, term.component);
        for (uint32_t i = 0; i < it.count; i++)
            print_row(assets, &rows[i]);
    }
    kiln_query_destroy(query);
}

static void save(kiln_assets *assets, kiln_world *world, const char *path)
{
    const kiln_scene_save_args args = {.world = world, .assets = assets, .name = "Scene/saved"};
    kiln_buffer file = {0};
    must(kiln_scene_save(&args, &file, &error), "save");
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(file.data, 1, file.size, out) != file.size || fclose(out) != 0) {
        fprintf(stderr, "renamed_save: cannot write %s\n", path);
        exit(1);
    }
    kiln_buffer_fini(&file);
}

int main(int argc, char **argv)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_world_def world_def = kiln_world_def_default();
    kiln_assets *assets = NULL;
    kiln_world *world = NULL;
    kiln_scene_source *source = NULL;
    kiln_scene_instance *instance = NULL;
    if (argc < 5)
        return 2;
    bool saves = strcmp(argv[1], "save") == 0;
    must(kiln_assets_create(&assets_def, &assets, &error), "assets");
    must(kiln_world_create(&world_def, &world), "world");
    mount(assets, argv[2]);
    for (int i = 4; i < argc && !saves; i++)
        mount(assets, argv[i]);
    const kiln_scene_source_args open = {.assets = assets, .name = argv[3], .by = KILN_HERE};
    must(kiln_scene_source_open(&open, &source, &error), argv[3]);
    const kiln_scene_load_args load = {
        .world = world, .source = source, .unknown = KILN_UNKNOWN_KEEP};
    must(kiln_scene_load(&load, &instance, &error), argv[3]);
    print_rows(assets, world);
    if (saves)
        save(assets, world, argv[4]);
    kiln_scene_unload(instance);
    kiln_scene_source_close(source);
    kiln_world_destroy(world);
    kiln_assets_destroy(assets);
    return 0;
}
