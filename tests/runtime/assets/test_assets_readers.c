/* When memory is freed: exactly once, and not before all registered threads are quiescent. */
#include "asset_fixture.h"

#include <stdio.h>
#include <string.h>

static kiln_asset_info info_of(scene *s, kiln_ref ref)
{
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s->assets, ref, &info));
    return info;
}

/* The thread still sees the old state, then becomes quiescent. */
static void expect_kept(scene *s, kiln_assets_thread *thread, const kiln_asset_info *info)
{
    assert_int_equal(1, scene_value(info->root));
    assert_string_equal("Thing/a", info->name);
    assert_string_equal("test.Thing", info->type);
    kiln_assets_thread_quiescent(thread);
    assert_int_equal(0, kiln_assets_collect(s->assets));
}

static void disposed_memory_stays_until_readers_are_quiescent(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_assets_thread *thread = kiln_assets_thread_register(s.assets);
    kiln_ref a = scene_add(&s, "Thing/a", 1);
    kiln_asset_info info = info_of(&s, a);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    assert_true(kiln_assets_collect(s.assets) >= info.size);
    expect_kept(&s, thread, &info);
    kiln_assets_thread_unregister(thread);
    scene_end(&s);
}

static void unmounted_memory_stays_until_readers_are_quiescent(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_assets_thread *thread = kiln_assets_thread_register(s.assets);
    kiln_ref a = scene_load(&s, "Thing/a");
    kiln_asset_info info = info_of(&s, a);
    scene_clear(&s, &a);
    scene_unmount(&s, mount);
    assert_string_equal("file 0", info.mount);
    expect_kept(&s, thread, &info);
    kiln_assets_thread_unregister(thread);
    scene_end(&s);
}

typedef struct waiting {
    char name[16];
    size_t bytes;
} waiting;

static void note_thread(void *ctx, const char *name, size_t bytes)
{
    waiting *w = ctx;
    snprintf(w->name, sizeof w->name, "%s", name);
    w->bytes = bytes;
}

static void a_thread_that_keeps_memory_is_named(void **state)
{
    (void)state;
    scene s;
    waiting w = {"", 0};
    scene_begin(&s);
    kiln_assets_thread *idle = kiln_assets_thread_register(s.assets);
    kiln_assets_thread *busy = kiln_assets_thread_register(s.assets);
    kiln_assets_thread_set_name(idle, "audio");
    assert_int_equal(0, kiln_assets_list_waiting(s.assets, note_thread, &w));
    kiln_ref a = scene_add(&s, "Thing/a", 1);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    assert_int_equal(2, kiln_assets_list_waiting(s.assets, note_thread, &w));
    kiln_assets_thread_quiescent(busy);
    assert_int_equal(1, kiln_assets_list_waiting(s.assets, note_thread, &w));
    assert_string_equal("audio", w.name);
    assert_int_equal(kiln_assets_collect(s.assets), w.bytes);
    assert_true(w.bytes > 0);
    kiln_assets_thread_unregister(idle);
    assert_int_equal(0, kiln_assets_list_waiting(s.assets, note_thread, &w));
    kiln_assets_thread_unregister(busy);
    scene_end(&s);
}

static void destroying_a_table_unregisters_its_threads(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    assert_non_null(kiln_assets_thread_register(s.assets));
    assert_non_null(kiln_assets_thread_register(s.assets));
    assert_int_equal(2, scene_stats(&s).threads);
    kiln_ref a = scene_add(&s, "Thing/a", 1);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    scene_end(&s);
}

static void count_free(void *ctx, const void *blob, size_t size)
{
    (void)blob, (void)size;
    ++*(uint32_t *)ctx;
}

static void bytes_added_twice_are_freed_once(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_buffer blob = scene_blob(1, NULL, SCENE_THING), equal = scene_blob(1, NULL, SCENE_THING);
    const kiln_root_type type = scene_root_type(SCENE_THING);
    uint32_t freed = 0;
    kiln_add_args args = {.type = &type,
                          .blob = blob.data,
                          .size = blob.size,
                          .in_place = true,
                          .free = count_free,
                          .free_ctx = &freed,
                          .by = "me"};
    kiln_ref refs[3];
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s.assets, &args, &refs[0], NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s.assets, &args, &refs[1], NULL));
    assert_int_equal(0, freed);
    args.blob = equal.data;
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s.assets, &args, &refs[2], NULL));
    assert_int_equal(1, freed);
    scene_clear(&s, &refs[0]);
    scene_clear(&s, &refs[1]);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, refs[2]));
    assert_int_equal(2, freed);
    scene_end(&s);
    kiln_buffer_fini(&blob);
    kiln_buffer_fini(&equal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disposed_memory_stays_until_readers_are_quiescent),
        cmocka_unit_test(unmounted_memory_stays_until_readers_are_quiescent),
        cmocka_unit_test(a_thread_that_keeps_memory_is_named),
        cmocka_unit_test(destroying_a_table_unregisters_its_threads),
        cmocka_unit_test(bytes_added_twice_are_freed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
