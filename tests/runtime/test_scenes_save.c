/* Saving worlds as scenes, and loading these. */
#include "town.h"

#include <stdlib.h>
#include <string.h>

/* What was saved, mounted and opened. */
typedef struct saved {
    kiln_buffer file;
    kiln_mount mount;
    kiln_scene_source *source;
} saved;

static kiln_scene_save_def all_of(const town *t)
{
    kiln_scene_save_def def = {.world = t->world, .assets = t->assets, .name = "Scene/saved"};
    return def;
}

static kiln_buffer save(town *t, const kiln_scene_save_def *def)
{
    kiln_buffer file = {0};
    t->error.path[0] = 0;
    kiln_status status = kiln_scene_save(def, &file, &t->error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), t->error.path);
    return file;
}

static saved mount_saved(town *t, kiln_buffer file)
{
    saved s = {.file = file};
    kiln_mount_def mount = kiln_mount_def_default();
    mount.file.data = s.file.data;
    mount.file.size = s.file.size;
    mount.file.tier = KILN_TIER_DEEP;
    kiln_status status = kiln_assets_mount(t->assets, &mount, &s.mount, &t->error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), t->error.path);
    s.source = town_open(t, "Scene/saved");
    return s;
}

static void unmount_saved(town *t, saved *s)
{
    kiln_scene_source_close(s->source);
    EXPECT_STATUS(KILN_OK,
                  kiln_assets_unmount(t->assets, s->mount, KILN_UNMOUNT_REFUSE, &t->error));
    kiln_buffer_fini(&s->file);
}

static void assert_same_files(const kiln_buffer *a, const kiln_buffer *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static const town_def towns[] = {
    {.count = 1}, {.count = 7, .bare = 3}, {.count = 4000, .bare = 100}, {.count = 50000}};
enum { TOWNS = sizeof towns / sizeof *towns };

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOWNS; i++) {
        town t;
        town_begin(&t, &towns[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *instance = town_load(&t, source);
        kiln_scene_save_def def = all_of(&t);
        kiln_buffer first = save(&t, &def), again = save(&t, &def);
        assert_same_files(&first, &again);
        kiln_buffer_fini(&again);
        kiln_scene_unload(instance);
        saved s = mount_saved(&t, first);
        instance = town_load(&t, s.source);
        town_check(&t, instance, t.count, t.bare);
        again = save(&t, &def);
        assert_same_files(&s.file, &again);
        kiln_buffer_fini(&again);
        kiln_scene_unload(instance);
        unmount_saved(&t, &s);
        kiln_scene_source_close(source);
        town_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
