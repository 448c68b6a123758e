/* Loads a baked scene twice, prints its entities, moves a table in one instance, saves that
 * instance as a new scene, and loads the saved scene.
 * Usage: village [GAME.kiln VILLAGE.kiln [SAVED.kiln]] */
#include <kiln/kiln.h>

#include "village.h"

#include <stdio.h>
#include <stdlib.h>

static kiln_assets *assets;
static kiln_world *world;

/* `error` is NULL if the called function returns only a status. */
static void must(kiln_status status, const kiln_error *error)
{
    char text[KILN_ERROR_TEXT_SIZE];
    kiln_error plain;
    if (!status)
        return;
    kiln_fail(&plain, status, 0, NULL);
    kiln_error_format(error ? error : &plain, text, sizeof text);
    fprintf(stderr, "village: %s\n", text);
    exit(1);
}

enum { PLACE, HEALTH, LIT, INSIDE, ERRAND, TALK, COUNT };
static const kiln_component_desc descs[COUNT] = {village_Place_COMPONENT,  village_Health_COMPONENT,
                                                 village_Lit_COMPONENT,    village_Inside_COMPONENT,
                                                 village_Errand_COMPONENT, village_Talk_COMPONENT};
static kiln_component components[COUNT];

static kiln_mount mount(const char *path, const kiln_buffer *memory)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount;
    kiln_error error;
    def.file.path = path;
    def.file.data = memory ? memory->data : NULL;
    def.file.size = memory ? memory->size : 0;
    must(kiln_assets_mount(assets, &def, &mount, &error), &error);
    return mount;
}

static void unmount(kiln_mount mount)
{
    kiln_error error;
    must(kiln_assets_unmount(assets, mount, KILN_UNMOUNT_REFUSE, &error), &error);
}

static kiln_scene_source *open_scene(const char *name)
{
    kiln_scene_source_args args = {.assets = assets, .name = name, .by = KILN_HERE};
    kiln_scene_source *source;
    kiln_error error;
    must(kiln_scene_source_open(&args, &source, &error), &error);
    return source;
}

static kiln_scene_instance *load(kiln_scene_source *source)
{
    kiln_scene_load_args args = {.world = world, .source = source};
    kiln_scene_instance *instance;
    kiln_error error;
    must(kiln_scene_load(&args, &instance, &error), &error);
    return instance;
}

static void print_counters(const char *when)
{
    kiln_world_stats in_world;
    kiln_assets_stats in_table;
    kiln_world_get_stats(world, &in_world);
    kiln_assets_get_stats(assets, &in_table);
    printf("%-10s %2u entities, %2u chunks, %u files, %u assets loaded, %u held\n", when,
           (unsigned)in_world.live, (unsigned)in_world.chunks, (unsigned)in_table.mounts,
           (unsigned)in_table.loaded, (unsigned)in_table.strong);
}

/* Prints every entity with an errand and a talk: what it brings, where to, and what it says. */
static void print_errands(const kiln_query *query)
{
    for (kiln_iterator it = kiln_query_iterate(query); kiln_iterator_next(&it);) {
        const village_Errand *errand = kiln_iterator_read(&it, components[ERRAND]);
        const village_Talk *talk = kiln_iterator_read(&it, components[TALK]);
        for (uint32_t i = 0; i < it.count; i++) {
            const game_Item *item = kiln_ref_get(kiln_assets_get_slots(assets), errand[i].with);
            const village_Place *to = kiln_entity_read(world, errand[i].to, components[PLACE]);
            if (item && to)
                printf("%s brings %s to %g %g\n", kiln_string_get(village_Talk_name(&talk[i])),
                       kiln_string_get(&item->name), (double)to->x, (double)to->y);
            const kiln_string_array *says = village_Talk_says(&talk[i]);
            for (uint32_t j = 0; says && j < says->count; j++)
                printf("  \"%s\"\n", kiln_string_get(kiln_string_array_at(says, j)));
        }
    }
}

/* Mounts a file from memory, and loads its scene in the same way as that of a file on disk. */
static void load_saved(const kiln_buffer *file, const kiln_query *carriers)
{
    kiln_mount saved = mount(NULL, file);
    kiln_scene_source *source = open_scene("Scene/saved");
    kiln_scene_instance *instance = load(source);
    print_counters("from save");
    print_errands(carriers);
    kiln_scene_unload(instance);
    kiln_scene_source_close(source);
    unmount(saved);
}

/* Writes the saved scene to a file; `kiln-inspect scene FILE` shows it. */
static void write_file(const char *path, const kiln_buffer *file)
{
    FILE *to = fopen(path, "wb");
    bool good = to && fwrite(file->data, 1, file->size, to) == file->size;
    if (!to || fclose(to) != 0 || !good)
        fprintf(stderr, "cannot write %s\n", path);
}

int main(int argc, char **argv)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_world_def world_def = kiln_world_def_default();
    kiln_query *carriers;
    kiln_error error;
    assets_def.types = village_types(&assets_def.types_size);
    must(kiln_assets_create(&assets_def, &assets, &error), &error);
    must(kiln_world_create(&world_def, &world), NULL);
    for (int i = 0; i < COUNT; i++)
        must(kiln_component_register(world, &descs[i], &components[i]), NULL);
    const kiln_query_term needed[] = {{components[ERRAND], KILN_TERM_WITH},
                                      {components[TALK], KILN_TERM_WITH}};
    must(kiln_query_create(world, needed, 2, &carriers), NULL);
    print_counters("start");
    kiln_mount game = mount(argc > 2 ? argv[1] : "game.kiln", NULL);
    kiln_mount scenes = mount(argc > 2 ? argv[2] : "village.kiln", NULL);
    kiln_scene_source *source = open_scene("Scene/emberwick");
    kiln_scene_instance *first = load(source);
    print_counters("one");
    print_errands(carriers);
    kiln_scene_instance *second = load(source);
    print_counters("two");
    kiln_scene_unload(second);
    kiln_entity table = kiln_scene_find(first, "hill_hut/table");
    ((village_Place *)kiln_entity_write(world, table, components[PLACE]))->x += 0.5F;
    kiln_scene_save_args save_args = {.world = world, .assets = assets, .name = "Scene/saved"};
    kiln_buffer file = {0};
    must(kiln_scene_save(&save_args, &file, &error), &error);
    kiln_scene_unload(first);
    kiln_scene_source_close(source);
    print_counters("none");
    load_saved(&file, carriers);
    if (argc > 3)
        write_file(argv[3], &file);
    unmount(scenes);
    unmount(game);
    print_counters("end");
    kiln_buffer_fini(&file);
    kiln_query_destroy(carriers);
    kiln_world_destroy(world);
    kiln_assets_destroy(assets);
    return 0;
}
