/* Uses the library like a program that continues after a failure: files mapped and copied, plain
 * and compressed, assets, and a scene that is loaded and saved. Always frees everything, then
 * counts what is left. Usage: fault_library GAME.kiln VILLAGE.kiln PACKED.kiln
 *
 * Exit 0: success; 1: a call failed, see standard error; 3: something was not freed. */
#define _POSIX_C_SOURCE 200809L

#include "village.h"

#include <errno.h>
#include <kiln/assets.h>
#include <kiln/scenes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long blocks, block_bytes, pages;

static void *count_alloc(void *ctx, size_t size, size_t align)
{
    const kiln_allocator *from = ctx;
    void *block = from->alloc(from->ctx, size, align);
    blocks += block != NULL;
    block_bytes += block ? (long)size : 0;
    return block;
}

static void count_free(void *ctx, void *block, size_t size)
{
    const kiln_allocator *from = ctx;
    blocks--;
    block_bytes -= (long)size;
    from->free(from->ctx, block, size);
}

static kiln_page_source system_pages;

static void *count_map(void *ctx, size_t size, size_t align, bool huge)
{
    void *memory = system_pages.map(ctx, size, align, huge);
    pages += memory ? (long)size : 0;
    return memory;
}

static void count_unmap(void *ctx, void *memory, size_t size)
{
    pages -= (long)size;
    system_pages.unmap(ctx, memory, size);
}

static kiln_allocator system_memory, allocator;
static kiln_page_source page_source;

/* Opens, checks and reads each asset once. */
static kiln_status read_file(const char *path, kiln_source source, kiln_error *reterr)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.path = path;
    def.source = source;
    def.allocator = &allocator;
    kiln_status status = kiln_file_open(&def, &file, reterr);
    if (status == KILN_OK)
        status = kiln_file_verify(file, KILN_VERIFY_DEEP, reterr);
    for (uint32_t i = 0; status == KILN_OK && i < kiln_file_asset_count(file); i++)
        if (!*kiln_file_asset_name(file, kiln_file_asset_at(file, i)))
            status = KILN_NOT_FOUND;
    kiln_file_close(file);
    return status;
}

typedef struct places {
    kiln_assets *assets;
    kiln_world *world;
    kiln_scene_source *source;
    kiln_scene_instance *instance;
    kiln_buffer saved;
} places;

static const kiln_component_desc components[] = {village_Place_COMPONENT,  village_Health_COMPONENT,
                                                 village_Lit_COMPONENT,    village_Inside_COMPONENT,
                                                 village_Errand_COMPONENT, village_Talk_COMPONENT};

static kiln_status create(places *p, kiln_error *reterr)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_world_def world_def = kiln_world_def_default();
    assets_def.types = village_types(&assets_def.types_size);
    assets_def.allocator = world_def.allocator = &allocator;
    assets_def.pages = world_def.pages = &page_source;
    kiln_status status = kiln_assets_create(&assets_def, &p->assets, reterr);
    if (status == KILN_OK)
        status = kiln_world_create(&world_def, &p->world);
    for (size_t i = 0; status == KILN_OK && i < sizeof components / sizeof *components; i++) {
        kiln_component component;
        status = kiln_component_register(p->world, &components[i], &component);
    }
    return status;
}

static kiln_status load_and_save(places *p, kiln_error *reterr)
{
    kiln_scene_source_args source_args = {
        .assets = p->assets, .name = "Scene/emberwick", .by = KILN_HERE};
    kiln_status status = kiln_scene_source_open(&source_args, &p->source, reterr);
    kiln_scene_load_args load_args = {.world = p->world, .source = p->source};
    if (status == KILN_OK)
        status = kiln_scene_load(&load_args, &p->instance, reterr);
    kiln_scene_save_args save_args = {
        .world = p->world, .assets = p->assets, .name = "Scene/saved", .compression = 3};
    if (status == KILN_OK)
        status = kiln_scene_save(&save_args, &p->saved, reterr);
    if (status == KILN_OK)
        printf("saved %zu bytes\n", p->saved.size);
    return status;
}

static kiln_status use_scene(const char *game, const char *village, kiln_error *reterr)
{
    places p = {0};
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mounts[2];
    int mounted = 0;
    kiln_status status = create(&p, reterr);
    for (; status == KILN_OK && mounted < 2; mounted += status == KILN_OK) {
        def.file.path = mounted ? village : game;
        status = kiln_assets_mount(p.assets, &def, &mounts[mounted], reterr);
    }
    if (status == KILN_OK)
        status = load_and_save(&p, reterr);
    if (p.instance)
        kiln_scene_unload(p.instance);
    kiln_scene_source_close(p.source);
    while (mounted-- > 0)
        if (kiln_assets_unmount(p.assets, mounts[mounted], KILN_UNMOUNT_REFUSE, NULL))
            fprintf(stderr, "cannot unmount a file\n");
    kiln_buffer_fini(&p.saved);
    kiln_world_destroy(p.world);
    kiln_assets_destroy(p.assets);
    return status;
}

/* The lowest unused descriptor; -1 if it cannot be determined. */
static int lowest_descriptor(void)
{
    int file = dup(STDIN_FILENO);
    if (file >= 0)
        close(file);
    return file;
}

int main(int argc, char **argv)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    if (argc != 4)
        return 2;
    int first = lowest_descriptor();
    system_memory = kiln_allocator_default();
    allocator = (kiln_allocator){count_alloc, count_free, &system_memory};
    page_source = system_pages = kiln_page_source_default();
    page_source.map = count_map;
    page_source.unmap = count_unmap;
    kiln_status status = KILN_OK;
    for (int i = 1; i <= 3 && status == KILN_OK; i++) {
        errno = 0;
        status = read_file(argv[i], KILN_SOURCE_MAP, &error);
        if (status == KILN_OK)
            status = read_file(argv[i], KILN_SOURCE_COPY, &error);
    }
    if (status == KILN_OK)
        status = use_scene(argv[1], argv[2], &error);
    if (status != KILN_OK)
        fprintf(stderr, "%s %s: %s\n", kiln_status_text(status), error.path, strerror(errno));
    int last = lowest_descriptor();
    if (blocks == 0 && block_bytes == 0 && pages == 0 && (first == last || first < 0 || last < 0))
        return status == KILN_OK ? 0 : 1;
    fprintf(stderr, "left: %ld blocks of %ld bytes, %ld bytes of pages, descriptor %d\n", blocks,
            block_bytes, pages, first);
    return 3;
}
