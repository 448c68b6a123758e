/* Prints the runtime's counts for files: runtime_figures FILE...
 *
 * Prints a line of JSON for the last file; the others are mounted below it. Loads all scenes of the
 * last file, each into a separate world. */
#include <kiln/assets.h>
#include <kiln/scenes.h>
#include <kiln/version.h>
#include <kiln/world.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kiln_error error;

static void must(kiln_status status, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "runtime_figures: %s: %s %s\n", what, kiln_status_text(status), error.path);
    exit(1);
}

static void print_scene(kiln_assets *assets, const char *name, bool is_first)
{
    kiln_world_def def = kiln_world_def_default();
    kiln_world *world = NULL;
    kiln_scene_source *source = NULL;
    kiln_scene_instance *instance = NULL;
    kiln_world_stats stats;
    must(kiln_world_create(&def, &world), name);
    const kiln_scene_source_args open = {
        .assets = assets, .name = name, .allow_missing = true, .by = KILN_HERE};
    must(kiln_scene_source_open(&open, &source, &error), name);
    const kiln_scene_load_args load = {
        .world = world, .source = source, .unknown = KILN_UNKNOWN_KEEP};
    must(kiln_scene_load(&load, &instance, &error), name);
    kiln_scene_info info = kiln_scene_get_info(instance);
    kiln_scene_forecast forecast = kiln_scene_get_forecast(kiln_scene_source_view(source));
    kiln_world_get_stats(world, &stats);
    printf("%s\"%s\": {\"entities\": %" PRIu32 ", \"living\": %" PRIu32 ", \"chunks\": %" PRIu32
           ", \"world_entities\": %" PRIu64 ", \"world_chunks\": %" PRIu32
           ", \"forecast_entities\": %" PRIu32 ", \"forecast_chunks\": %" PRIu32 "}",
           is_first ? "" : ", ", name, info.entities, info.living, info.chunks, stats.live,
           stats.chunks, forecast.entities, forecast.chunks);
    kiln_scene_unload(instance);
    kiln_scene_source_close(source);
    kiln_world_destroy(world);
}

static void print_file(kiln_assets *assets, const kiln_file *file)
{
    bool is_first = true;
    uint32_t count = kiln_file_asset_count(file);
    printf("\"assets\": %" PRIu32 ", \"scenes\": {", count);
    for (uint32_t i = 0; i < count; i++) {
        kiln_asset asset = kiln_file_asset_at(file, i);
        if (strcmp(kiln_file_asset_type(file, asset), "kiln.Scene") != 0)
            continue;
        print_scene(assets, kiln_file_asset_name(file, asset), is_first);
        is_first = false;
    }
    printf("}");
}

int main(int argc, char **argv)
{
    kiln_assets_def def = kiln_assets_def_default();
    kiln_assets *assets = NULL;
    kiln_file *file = NULL;
    kiln_assets_stats before = {0}, after;
    if (argc < 2)
        return 2;
    must(kiln_assets_create(&def, &assets, &error), "table");
    for (int i = 1; i < argc; i++) {
        kiln_mount_def mount_def = kiln_mount_def_default();
        kiln_mount mount;
        mount_def.file.path = argv[i];
        kiln_assets_get_stats(assets, &before);
        must(kiln_assets_mount(assets, &mount_def, &mount, &error), argv[i]);
    }
    kiln_assets_get_stats(assets, &after);
    kiln_file_def file_def = kiln_file_def_default();
    file_def.path = argv[argc - 1];
    must(kiln_file_open(&file_def, &file, &error), "open");
    const kiln_index *index = kiln_file_index(file, &error);
    if (!index)
        must(error.status, "index");
    printf("{\"version\": \"%s\", \"format\": \"%s\", \"known\": %" PRIu64 ", \"types\": %" PRIu32
           ", \"members\": %" PRIu32 ", ",
           kiln_version(), kiln_format_version(), after.known - before.known, index->types.count,
           index->members.count);
    print_file(assets, file);
    printf("}\n");
    kiln_file_close(file);
    kiln_assets_destroy(assets);
    return 0;
}
