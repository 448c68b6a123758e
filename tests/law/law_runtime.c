/* The runtime's verdicts on files, for the comparison with the Python reader of FORMAT.md.
 *
 *   law_runtime verify FILE...        prints each file's name, and "ok" or the broken rule
 *   law_runtime save GAME VILLAGE OUT loads the village's scene and saves it as a scene in OUT */
#include <kiln/assets.h>
#include <kiln/scenes.h>

#include "village.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(kiln_status status, const kiln_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "law_runtime: %s %s\n", kiln_status_text(status), error ? error->path : "");
    exit(2);
}

static kiln_status verify(const char *path)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file;
    kiln_status status;
    def.path = path;
    status = kiln_file_open(&def, &file, NULL);
    if (status == KILN_OK) {
        status = kiln_file_verify(file, KILN_VERIFY_DEEP, NULL);
        kiln_file_close(file);
    }
    return status;
}

static int verify_all(int count, char **paths)
{
    int i;
    for (i = 0; i < count; i++) {
        kiln_status status = verify(paths[i]);
        const char *rule = kiln_status_rule(status);
        printf("%s: %s\n", paths[i],
               status == KILN_OK ? "ok"
               : rule && *rule   ? rule
                                 : kiln_status_name(status));
    }
    return 0;
}

static kiln_mount mount(kiln_assets *assets, const char *path)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount made;
    kiln_error error;
    def.file.path = path;
    must(kiln_assets_mount(assets, &def, &made, &error), &error);
    return made;
}

static int save(const char *game, const char *village, const char *out)
{
    static const kiln_component_desc defs[] = {village_Place_COMPONENT,  village_Health_COMPONENT,
                                               village_Lit_COMPONENT,    village_Inside_COMPONENT,
                                               village_Errand_COMPONENT, village_Talk_COMPONENT};
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_world_def world_def = kiln_world_def_default();
    kiln_scene_source_args source_args = {.name = "Scene/emberwick", .by = KILN_HERE};
    kiln_scene_load_args load_args = {0};
    kiln_scene_save_args save_args = {.name = "Scene/saved"};
    kiln_scene_instance *instance;
    kiln_component component;
    kiln_buffer file = {0};
    kiln_error error;
    size_t i, written;
    FILE *stream;
    assets_def.types = village_types(&assets_def.types_size);
    must(kiln_assets_create(&assets_def, &save_args.assets, &error), &error);
    must(kiln_world_create(&world_def, &load_args.world), NULL);
    for (i = 0; i < sizeof defs / sizeof *defs; i++)
        must(kiln_component_register(load_args.world, &defs[i], &component), NULL);
    kiln_mount first = mount(save_args.assets, game), second = mount(save_args.assets, village);
    source_args.assets = save_args.assets;
    must(kiln_scene_source_open(&source_args, &load_args.source, &error), &error);
    must(kiln_scene_load(&load_args, &instance, &error), &error);
    save_args.world = load_args.world;
    must(kiln_scene_save(&save_args, &file, &error), &error);
    stream = fopen(out, "wb");
    written = stream ? fwrite(file.data, 1, file.size, stream) : 0;
    if (!stream || fclose(stream) || written != file.size) {
        fprintf(stderr, "law_runtime: cannot write %s\n", out);
        exit(2);
    }
    kiln_buffer_fini(&file);
    kiln_scene_unload(instance);
    kiln_scene_source_close(load_args.source);
    must(kiln_assets_unmount(save_args.assets, second, KILN_UNMOUNT_REFUSE, &error), &error);
    must(kiln_assets_unmount(save_args.assets, first, KILN_UNMOUNT_REFUSE, &error), &error);
    kiln_world_destroy(load_args.world);
    kiln_assets_destroy(save_args.assets);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "verify") == 0)
        return verify_all(argc - 2, argv + 2);
    if (argc == 5 && strcmp(argv[1], "save") == 0)
        return save(argv[2], argv[3], argv[4]);
    fputs("usage: law_runtime verify FILE... | save GAME VILLAGE OUT\n", stderr);
    return 2;
}
