/* Unmounting files while their assets are held: refused, deferred, or without effect because
 * nothing is held. */
#include "asset_fixture.h"

typedef enum holding { HOLD_NOTHING, HOLD_WEAK, HOLD_STRONG, HOLD_PROTECTION, HOLD_BYTES } holding;

static const struct unmount_case {
    holding how;
    bool is_held;      /* expected if no other file has the asset */
    bool is_held_over; /* expected if an older file has it, too */
} unmount_cases[] = {{HOLD_NOTHING, false, false},
                     {HOLD_WEAK, false, false},
                     {HOLD_STRONG, true, false},
                     {HOLD_PROTECTION, true, false},
                     {HOLD_BYTES, true, true}};

typedef struct held {
    kiln_ref ref;     /* holds the asset, or only refers to it */
    kiln_ref handle;  /* a weak word that is not counted */
    const void *root; /* borrowed */
} held;

static held hold(scene *s, const char *name, holding how)
{
    held h = {scene_load(s, name), {0}, NULL};
    h.handle =
        kiln_assets_find_root(s->assets, kiln_ref_get(kiln_assets_get_slots(s->assets), h.ref));
    kiln_ref first = h.ref;
    if (how == HOLD_STRONG)
        return h;
    h.ref.bits = 0;
    if (how == HOLD_WEAK)
        h.ref = scene_take(s, first, KILN_REF_WEAK);
    if (how == HOLD_PROTECTION)
        EXPECT_STATUS(KILN_OK, kiln_assets_protect(s->assets, first, "the test", NULL));
    if (how == HOLD_BYTES)
        EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s->assets, first, "the test", &h.root, NULL));
    scene_clear(s, &first);
    return h;
}

static void let_go(scene *s, held *h, holding how)
{
    scene_clear(s, &h->ref);
    if (how == HOLD_PROTECTION)
        EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(s->assets, h->handle, "the test"));
    if (how == HOLD_BYTES)
        EXPECT_STATUS(KILN_OK, kiln_assets_release(s->assets, h->root, "the test"));
    scene_expect_valid(s);
}

static void unmounting_is_refused_or_deferred_while_something_is_held(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unmount_cases / sizeof *unmount_cases; i++) {
        holding how = unmount_cases[i].how;
        bool is_held = unmount_cases[i].is_held;
        scene s;
        scene_begin(&s);
        kiln_mount mount = scene_mount(
            &s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}),
            0);
        held h = hold(&s, "Thing/a", how);
        if (is_held)
            EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, held by the test",
                           scene_try_unmount(&s, mount, KILN_UNMOUNT_REFUSE));
        EXPECT_STATUS(KILN_OK, scene_try_unmount(&s, mount, KILN_UNMOUNT_DEFER));
        EXPECT_STATUS(KILN_DEAD, scene_try_unmount(&s, mount, KILN_UNMOUNT_DEFER));
        assert_int_equal(0, kiln_assets_find(s.assets, "Thing/a"));
        assert_null(kiln_assets_get(s.assets, scene_id("Thing/a")));
        assert_int_equal(0, scene_stats(&s).mounts);
        assert_int_equal(is_held, scene_stats(&s).deferred);
        bool is_alive = how == HOLD_STRONG || how == HOLD_PROTECTION;
        assert_int_equal(is_alive ? 1 : 0, scene_value_of(&s, h.handle));
        assert_int_equal(is_alive, scene_stats(&s).loaded);
        if (how == HOLD_BYTES)
            assert_int_equal(1, scene_value(h.root));
        let_go(&s, &h, how);
        kiln_assets_collect(s.assets);
        assert_int_equal(0, scene_stats(&s).deferred);
        assert_int_equal(0, scene_stats(&s).loaded);
        assert_int_equal(0, scene_value_of(&s, h.handle));
        scene_end(&s);
    }
}

static void only_bytes_hold_an_asset_of_an_older_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unmount_cases / sizeof *unmount_cases; i++) {
        holding how = unmount_cases[i].how;
        scene s;
        scene_begin(&s);
        scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
        kiln_mount patch = scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 0);
        held h = hold(&s, "Thing/a", how);
        assert_int_equal(2, scene_value_of(&s, h.handle));
        bool is_held = unmount_cases[i].is_held_over;
        EXPECT_STATUS(is_held ? KILN_HELD : KILN_OK,
                      scene_try_unmount(&s, patch, KILN_UNMOUNT_REFUSE));
        if (is_held)
            EXPECT_STATUS(KILN_OK, scene_try_unmount(&s, patch, KILN_UNMOUNT_DEFER));
        assert_int_equal(1, scene_value_of(&s, h.handle));
        assert_int_equal(is_held, scene_stats(&s).deferred);
        if (is_held)
            assert_int_equal(2, scene_value(h.root));
        let_go(&s, &h, how);
        kiln_assets_collect(s.assets);
        assert_int_equal(0, scene_stats(&s).deferred);
        assert_int_equal(1, scene_value_of(&s, h.handle));
        scene_end(&s);
    }
}

static void a_deferred_asset_and_a_new_one_of_its_name_are_two(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref old = scene_load(&s, "Thing/a");
    EXPECT_STATUS(KILN_OK, scene_try_unmount(&s, mount, KILN_UNMOUNT_DEFER));
    kiln_ref none = {0};
    EXPECT_FAILURE(&s, KILN_NOT_FOUND, "Thing/a", scene_try_load(&s, "Thing/a", &none));
    scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 0);
    assert_int_equal(1, scene_value_of(&s, old));
    kiln_ref now = scene_load(&s, "Thing/a");
    assert_int_equal(2, scene_value_of(&s, now));
    assert_int_equal(1, scene_value_of(&s, old));
    scene_clear(&s, &old);
    scene_clear(&s, &now);
    assert_int_equal(0, scene_stats(&s).deferred);
    scene_end(&s);
}

static void assets_loaded_by_unmounting_may_lack_targets(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, "Thing/b Thing/nobody", SCENE_THING}), 0);
    kiln_mount patch = scene_mount(
        &s, SCENE_FILE({"Thing/a", 2, "Thing/b", SCENE_THING}, {"Thing/b", 3, NULL, SCENE_THING}),
        0);
    kiln_ref ref = scene_load(&s, "Thing/a");
    scene_unmount(&s, patch);
    assert_int_equal(1, scene_value_of(&s, ref));
    assert_int_equal(1, scene_stats(&s).loaded);
    scene_clear(&s, &ref);
    scene_end(&s);
}

/* The file that is being unmounted must not provide the targets of references in assets that
 * replace its own. */
static void assets_of_only_the_unmounted_file_are_missing(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount large = scene_mount(&s,
                                   SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING},
                                              {"Thing/only", 2, NULL, SCENE_THING},
                                              {"Thing/x", 3, NULL, SCENE_THING}),
                                   0);
    scene_mount(&s, SCENE_FILE({"Thing/a", 11, "Thing/only", SCENE_THING}), -1);
    kiln_ref a = scene_load(&s, "Thing/a");
    scene_unmount(&s, large);
    assert_int_equal(11, scene_value_of(&s, a));
    assert_int_equal(0, kiln_assets_find(s.assets, "Thing/only"));
    assert_int_equal(2, scene_stats(&s).loads);
    assert_int_equal(1, scene_stats(&s).loaded);
    scene_clear(&s, &a);
    scene_end(&s);
}

static void disposing_of_a_deferred_asset_keeps_the_new_one(void **state)
{
    (void)state;
    for (int loads = 0; loads < 2; loads++) {
        scene s;
        kiln_ref now = {0};
        scene_begin(&s);
        kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_PACKED}), 0);
        kiln_ref old = scene_load(&s, "Thing/a");
        EXPECT_STATUS(KILN_OK, scene_try_unmount(&s, mount, KILN_UNMOUNT_DEFER));
        scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 0);
        if (loads)
            now = scene_load(&s, "Thing/a");
        EXPECT_STATUS(KILN_OK, scene_dispose(&s, old));
        kiln_assets_collect(s.assets);
        assert_int_equal(0, scene_value_of(&s, old));
        assert_int_equal(loads ? 2 : 0, scene_value_of(&s, now));
        assert_int_equal(loads ? 2 : 0, scene_value_named(&s, "Thing/a"));
        assert_int_equal(loads, scene_stats(&s).loaded);
        assert_int_equal(0, scene_stats(&s).deferred);
        scene_clear(&s, &now);
        scene_end(&s);
    }
}

/* Bytes that two mounts use in place have a record for each mount. */
static void an_image_mounted_twice_is_held_by_either_mount(void **state)
{
    (void)state;
    scene s;
    kiln_mount twice = {0};
    const void *borrowed = NULL;
    scene_begin(&s);
    kiln_mount first = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a");
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, a, "the test", &borrowed, NULL));
    scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 1);
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = s.images[0].data;
    def.file.size = s.images[0].size;
    def.order = 2;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &twice, NULL));
    scene_expect_valid(&s);
    assert_ptr_equal(borrowed, kiln_ref_get(kiln_assets_get_slots(s.assets), a));
    EXPECT_STATUS(KILN_HELD, scene_try_unmount(&s, first, KILN_UNMOUNT_REFUSE));
    EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, borrowed, "the test"));
    scene_unmount(&s, first);
    assert_int_equal(1, scene_value_of(&s, a));
    scene_unmount(&s, twice);
    assert_int_equal(2, scene_value_of(&s, a));
    scene_clear(&s, &a);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unmounting_is_refused_or_deferred_while_something_is_held),
        cmocka_unit_test(only_bytes_hold_an_asset_of_an_older_file),
        cmocka_unit_test(a_deferred_asset_and_a_new_one_of_its_name_are_two),
        cmocka_unit_test(assets_loaded_by_unmounting_may_lack_targets),
        cmocka_unit_test(assets_of_only_the_unmounted_file_are_missing),
        cmocka_unit_test(disposing_of_a_deferred_asset_keeps_the_new_one),
        cmocka_unit_test(an_image_mounted_twice_is_held_by_either_mount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
