/* Thousands of small scenes at once, and files that cannot be mapped or that change. */
#define _POSIX_C_SOURCE 200809L

#include "town.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const PATH = "scenes_many.kiln";

static void thousands_of_small_scenes_share_chunks(void **state)
{
    (void)state;
    enum { SCENES = 3000, EACH = 6 };
    static kiln_scene_instance *instances[SCENES];
    town t;
    const town_def def = {.count = EACH, .empty = 1, .path = PATH};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    for (uint32_t i = 0; i < SCENES; i++)
        instances[i] = town_load(&t, source);
    kiln_world_stats stats;
    kiln_world_get_stats(t.world, &stats);
    assert_int_equal(SCENES * (EACH + 1), stats.live);
    /* At most 6,000 rows of each kind, a few hundred per chunk. */
    assert_true(stats.chunks < 50);
    assert_true(kiln_world_is_valid(t.world));
    for (uint32_t i = 0; i < SCENES; i += 2) {
        kiln_scene_unload(instances[i]);
        instances[i] = NULL;
    }
    for (uint32_t i = 1; i < SCENES; i += 500)
        town_check(&t, instances[i], EACH, 1);
    for (uint32_t i = 1; i < SCENES; i += 2)
        kiln_scene_unload(instances[i]);
    kiln_world_get_stats(t.world, &stats);
    assert_int_equal(0, stats.live);
    assert_int_equal(0, stats.chunks);
    kiln_scene_source_close(source);
    town_end(&t);
    unlink(PATH);
}

/* ---- files ---- */

static bool refuse_to_map(void *ctx, void *memory, size_t size, int file, uint64_t offset)
{
    (void)ctx;
    (void)file;
    (void)offset;
    /* Destroys the previous content, like a real call that fails halfway. */
    memset(memory, 0x5a, size);
    return false;
}

static bool unmap_nothing(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    (void)memory;
    (void)size;
    return false;
}

static void chunks_that_cannot_be_mapped_are_copied(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        town t;
        const town_def def = {.count = 60000, .path = PATH};
        town_begin(&t, &def);
        kiln_page_source pages = kiln_page_source_default();
        pages.map_file = how == 0 ? NULL : how == 1 ? refuse_to_map : pages.map_file;
        if (how == 1)
            pages.unmap_file = unmap_nothing;
        kiln_world_def world_def = kiln_world_def_default();
        world_def.pages = &pages;
        kiln_scene_source *source = town_open(&t, "Scene/town");
        for (int again = 0; again < 2; again++) {
            kiln_world *own = t.world;
            kiln_scene_instance *instance = NULL;
            assert_int_equal(KILN_OK, kiln_world_create(&world_def, &t.world));
            kiln_scene_load_args load = {.world = t.world,
                                         .source = source,
                                         .unknown = KILN_UNKNOWN_KEEP,
                                         .forbid_mapping = how == 2};
            EXPECT_STATUS(KILN_OK, kiln_scene_load(&load, &instance, &t.error));
            assert_int_equal(0, kiln_scene_get_info(instance).mapped);
            kiln_component was[] = {t.number, t.place, t.link, t.lit};
            t.number = kiln_component_find(t.world, "town.Number");
            t.place = kiln_component_find(t.world, "town.Place");
            t.link = kiln_component_find(t.world, "town.Link");
            t.lit = kiln_component_find(t.world, "town.Lit");
            town_check(&t, instance, t.count, 0);
            kiln_scene_unload(instance);
            assert_true(kiln_world_is_valid(t.world));
            kiln_world_destroy(t.world);
            t.world = own;
            t.number = was[0];
            t.place = was[1];
            t.link = was[2];
            t.lit = was[3];
        }
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

static void overwrite(const char *path, int byte)
{
    char page[4096];
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    off_t size = lseek(file, 0, SEEK_END);
    memset(page, byte, sizeof page);
    assert_int_equal(0, lseek(file, 0, SEEK_SET));
    for (off_t done = 0; done < size; done += (off_t)sizeof page)
        assert_int_equal(sizeof page, write(file, page, sizeof page));
    close(file);
}

/* With KILN_SOURCE_COPY, later changes to the file have no effect. */
static void a_copied_file_may_be_overwritten_and_truncated(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 60000};
    town_begin(&t, &def);
    FILE *file = fopen(PATH, "wb");
    assert_non_null(file);
    assert_int_equal(t.image.size, fwrite(t.image.data, 1, t.image.size, file));
    assert_int_equal(0, fclose(file));
    kiln_assets *first = t.assets;
    kiln_assets_def assets_def = kiln_assets_def_default();
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&assets_def, &t.assets, &t.error));
    kiln_mount_def mount = kiln_mount_def_default();
    mount.file.path = PATH;
    mount.file.source = KILN_SOURCE_COPY;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(t.assets, &mount, &t.mount, &t.error));
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_instance *a = town_load(&t, source);
    overwrite(PATH, 0xee);
    kiln_scene_instance *b = town_load(&t, source);
    assert_int_equal(0, truncate(PATH, 0));
    kiln_scene_instance *c = town_load(&t, source);
    assert_int_equal(0, kiln_scene_get_info(c).mapped);
    town_check(&t, a, t.count, 0);
    town_check(&t, b, t.count, 0);
    town_check(&t, c, t.count, 0);
    kiln_scene_unload(a);
    kiln_scene_unload(b);
    kiln_scene_unload(c);
    kiln_scene_source_close(source);
    kiln_assets_destroy(t.assets);
    t.assets = first;
    town_end(&t);
    unlink(PATH);
}

/* With KILN_SOURCE_MAP, another file is renamed over the mapped file. Loaded scenes do not
 * change. */
static void a_mapped_file_may_be_replaced(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 60000, .path = PATH};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_instance *a = town_load(&t, source);
    assert_true(kiln_scene_get_info(a).mapped > 0);
    const town_def next = {.count = 12, .path = "scenes_many.next"};
    kiln_buffer unused = town_file(&next);
    kiln_buffer_fini(&unused);
    assert_int_equal(0, rename("scenes_many.next", PATH));
    kiln_scene_instance *b = town_load(&t, source);
    town_check(&t, a, t.count, 0);
    town_check(&t, b, t.count, 0);
    kiln_scene_unload(a);
    kiln_scene_unload(b);
    kiln_scene_source_close(source);
    town_end(&t);
    unlink(PATH);
}

/* After a mapped file is truncated and its scene unloaded, nothing accesses the lost pages. */
static void chunks_of_a_truncated_file_are_reused(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 60000, .path = PATH};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_instance *instance = town_load(&t, source);
    assert_true(kiln_scene_get_info(instance).mapped > 0);
    assert_int_equal(0, truncate(PATH, 4096));
    kiln_scene_unload(instance);
    kiln_archetype archetype;
    kiln_component set[] = {t.number, t.place};
    assert_int_equal(KILN_OK, kiln_archetype_register(t.world, set, 2, &archetype));
    kiln_create_args create = {.archetype = archetype, .count = 200000};
    assert_int_equal(KILN_OK, kiln_entity_create_many(t.world, &create, NULL));
    assert_true(kiln_world_is_valid(t.world));
    assert_int_equal(KILN_OK, kiln_world_clear(t.world));
    kiln_scene_source_close(source);
    town_end(&t);
    unlink(PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_small_scenes_share_chunks),
        cmocka_unit_test(chunks_that_cannot_be_mapped_are_copied),
        cmocka_unit_test(a_copied_file_may_be_overwritten_and_truncated),
        cmocka_unit_test(a_mapped_file_may_be_replaced),
        cmocka_unit_test(chunks_of_a_truncated_file_are_reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
