/* Redirects of mounted files: assets that are found by an earlier id, directly and through
 * references, while files are mounted and unmounted in any order. */
#include "asset_fixture.h"

#include <stdio.h>
#include <string.h>

static void expect_named(scene *s, const char *name, uint32_t value)
{
    if (value != scene_value_named(s, name))
        fail_msg("%s: %u instead of %u", name, (unsigned)scene_value_named(s, name),
                 (unsigned)value);
}

/* ---- what redirects lead to ---- */

enum { FILES_MAX = 3 };

typedef struct chain_case {
    const char *what;
    const char *renames[FILES_MAX]; /* of files with the orders 0, 1 and 2; "" if it has none */
    const char *look_up;
    kiln_status status;
    const char *path;
} chain_case;

/* The lowest file also has the assets It/a and It/b. */
static const chain_case chains[] = {
    {"one rename", {"It/x>It/a"}, "It/x", KILN_OK, NULL},
    {"two renames to one asset", {"It/x>It/a It/y>It/a"}, "It/y", KILN_OK, NULL},
    {"a chain from a lower file to a higher one",
     {"It/x>It/y", "It/y>It/a"},
     "It/x",
     KILN_OK,
     NULL},
    {"a chain from a higher file to a lower one",
     {"It/y>It/a", "It/x>It/y"},
     "It/x",
     KILN_OK,
     NULL},
    {"a chain that returns to a file", {"It/x>It/y It/z>It/a", "It/y>It/z"}, "It/x", KILN_OK, NULL},
    {"the higher file wins", {"It/x>", "It/x>It/a"}, "It/x", KILN_OK, NULL},
    {"an asset ends the chain", {"It/x>It/a", "It/a>It/c"}, "It/x", KILN_OK, NULL},
    {"an asset is not redirected", {"", "It/a>It/b"}, "It/a", KILN_OK, NULL},
    {"no redirect", {"It/x>It/a"}, "It/y", KILN_NOT_FOUND, "It/y"},
    {"a target without an asset", {"It/x>It/c"}, "It/x", KILN_NOT_FOUND, "It/x (renamed to It/c)"},
    {"a chain without an asset",
     {"It/x>It/c", "It/c>It/d"},
     "It/x",
     KILN_NOT_FOUND,
     "It/x (renamed to It/d)"},
    {"a deleted asset", {"It/x>"}, "It/x", KILN_NOT_FOUND, "It/x (deleted)"},
    {"renamed, then deleted", {"It/x>It/y", "It/y>"}, "It/x", KILN_NOT_FOUND, "It/x (deleted)"},
    {"redirects of two files form a cycle",
     {"It/x>It/y", "It/y>It/x"},
     "It/x",
     KILN_REDIRECT_CYCLE,
     "It/x -> It/y -> It/x"},
    {"redirects of three files form a cycle",
     {"It/x>It/y", "It/y>It/z", "It/z>It/x"},
     "It/y",
     KILN_REDIRECT_CYCLE,
     "It/y -> It/z -> It/x -> It/y"},
};

static void check_chain(const chain_case *row, bool is_reversed)
{
    scene s;
    kiln_ref ref = {0};
    scene_begin(&s);
    for (int32_t k = 0; k < FILES_MAX; k++) {
        int32_t i = is_reversed ? FILES_MAX - 1 - k : k;
        const char *renames = row->renames[i] ? row->renames[i] : "";
        if (i == 0)
            scene_mount(&s,
                        SCENE_RENAMED(renames, {"It/a", 1, NULL, SCENE_THING},
                                      {"It/b", 2, NULL, SCENE_THING}),
                        i);
        else
            scene_mount(&s, SCENE_RENAMED(renames, {"It/other", 9, NULL, SCENE_THING}), i);
    }
    bool is_known = kiln_assets_find(s.assets, row->look_up) != 0;
    kiln_status status = scene_try_load(&s, row->look_up, &ref);
    if (status != row->status || is_known != (status == KILN_OK))
        fail_msg("%s: %s: %s", row->what, kiln_status_name(status), s.error.path);
    if (status == KILN_OK) {
        expect_named(&s, row->look_up, 1);
        assert_int_equal(1, scene_value_of(&s, ref));
    } else {
        assert_string_equal(row->path, s.error.path);
        assert_null(kiln_assets_get(s.assets, scene_id(row->look_up)));
    }
    scene_clear(&s, &ref);
    scene_end(&s);
}

static void redirects_are_followed_through_all_files_in_any_order_of_mounting(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        check_chain(&chains[i], false);
        check_chain(&chains[i], true);
    }
}

/* Two files whose entries alternate: It/0 > It/1 > ... > It/`steps`. */
static void mount_long_chain(scene *s, int steps)
{
    char lists[2][4096] = {"", ""};
    for (int i = 0; i < steps; i++) {
        size_t at = strlen(lists[i % 2]);
        snprintf(lists[i % 2] + at, sizeof lists[0] - at, "It/%d>It/%d ", i, i + 1);
    }
    char last[16];
    snprintf(last, sizeof last, "It/%d", steps);
    scene_mount(s, SCENE_RENAMED(lists[0], {last, 5, NULL, SCENE_THING}), 0);
    scene_mount(s, SCENE_RENAMED(lists[1], {"It/other", 9, NULL, SCENE_THING}), 0);
}

static void a_chain_of_64_redirects_is_followed_and_one_of_65_is_not(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    mount_long_chain(&s, KILN_REDIRECT_STEPS_MAX);
    kiln_ref ref = scene_load(&s, "It/0");
    expect_named(&s, "It/0", 5);
    expect_named(&s, "It/1", 5);
    scene_clear(&s, &ref);
    scene_end(&s);
    scene_begin(&s);
    mount_long_chain(&s, KILN_REDIRECT_STEPS_MAX + 1);
    EXPECT_STATUS(KILN_REDIRECT_CYCLE, scene_try_load(&s, "It/0", &ref));
    ref = scene_load(&s, "It/1");
    expect_named(&s, "It/1", 5);
    assert_null(kiln_assets_get(s.assets, scene_id("It/0")));
    scene_clear(&s, &ref);
    scene_end(&s);
}

/* ---- references ---- */

static void references_to_an_earlier_id_load_the_asset(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Level/one", 3, "It/x It/y", SCENE_THING}), 0);
    EXPECT_FAILURE(&s, KILN_MISSING, "Level/one > It/x",
                   scene_try_load(&s, "Level/one", &(kiln_ref){0}));
    scene_mount(&s,
                SCENE_RENAMED("It/x>It/a It/y>It/a", {"It/a", 1, "It/y", SCENE_THING},
                              {"It/b", 2, NULL, SCENE_THING}),
                1);
    kiln_ref ref = scene_load(&s, "Level/one");
    expect_named(&s, "It/x", 1);
    expect_named(&s, "It/y", 1);
    expect_named(&s, "It/a", 1);
    assert_int_equal(2, scene_stats(&s).loaded);
    scene_clear(&s, &ref);
    scene_end(&s);
}

static void failures_behind_redirects_name_the_chain_of_references(void **state)
{
    (void)state;
    static const struct {
        const char *renames, *path;
    } rows[] = {
        {"It/x>", "Level/one > It/x (deleted)"},
        {"It/x>It/c", "Level/one > It/x (renamed to It/c)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        kiln_ref ref = {0};
        scene_begin(&s);
        scene_mount(&s, SCENE_RENAMED(rows[i].renames, {"Level/one", 3, "It/x", SCENE_THING}), 0);
        EXPECT_FAILURE(&s, KILN_MISSING, rows[i].path, scene_try_load(&s, "Level/one", &ref));
        kiln_load_args args = {.name = "Level/one", .allow_missing = true};
        EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &args, &ref, &s.error));
        assert_null(kiln_assets_get(s.assets, scene_id("It/x")));
        scene_clear(&s, &ref);
        scene_end(&s);
    }
}

static void a_cycle_behind_a_reference_is_refused(void **state)
{
    (void)state;
    scene s;
    kiln_ref ref = {0};
    scene_begin(&s);
    scene_mount(&s, SCENE_RENAMED("It/x>It/y", {"Level/one", 3, "It/x", SCENE_THING}), 0);
    scene_mount(&s, SCENE_RENAMED("It/y>It/x", {"It/other", 9, NULL, SCENE_THING}), 0);
    EXPECT_FAILURE(&s, KILN_REDIRECT_CYCLE, "Level/one > It/x -> It/y -> It/x",
                   scene_try_load(&s, "Level/one", &ref));
    /* A file that has one of the ids ends the cycle. */
    scene_mount(&s, SCENE_FILE({"It/y", 4, NULL, SCENE_THING}), 0);
    ref = scene_load(&s, "Level/one");
    expect_named(&s, "It/x", 4);
    scene_clear(&s, &ref);
    scene_end(&s);
}

static void another_type_than_the_required_one_is_refused(void **state)
{
    (void)state;
    scene s;
    kiln_ref ref = {0};
    scene_begin(&s);
    scene_mount(&s, SCENE_RENAMED("It/x>It/a", {"It/a", 1, NULL, SCENE_PLATE}), 0);
    const kiln_root_type thing = scene_root_type(SCENE_THING), plate = scene_root_type(SCENE_PLATE);
    kiln_load_args args = {.name = "It/x", .type = &thing};
    for (int i = 0; i < 2; i++) {
        EXPECT_FAILURE(&s, KILN_TYPE_MISMATCH, "It/a",
                       kiln_assets_load(s.assets, &args, &ref, &s.error));
        kiln_ref loaded = scene_load(&s, "It/a");
        scene_clear(&s, &loaded);
    }
    args.type = &plate;
    EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &args, &ref, &s.error));
    scene_clear(&s, &ref);
    scene_end(&s);
}

/* ---- mounting and unmounting ---- */

static void an_earlier_id_follows_the_asset_while_files_come_and_go(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount base = scene_mount(&s, SCENE_FILE({"It/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref ref = scene_load(&s, "It/a");
    assert_int_equal(0, kiln_assets_find(s.assets, "It/x"));
    kiln_mount renames =
        scene_mount(&s, SCENE_RENAMED("It/x>It/a", {"It/other", 9, NULL, SCENE_THING}), 0);
    expect_named(&s, "It/x", 1);
    kiln_mount patch = scene_mount(&s, SCENE_FILE({"It/a", 2, NULL, SCENE_THING}), 1);
    expect_named(&s, "It/x", 2);
    scene_unmount(&s, patch);
    expect_named(&s, "It/x", 1);
    /* Another file has an asset with the earlier id. It is loaded, because loaded assets may refer
     * to this id. */
    kiln_mount real = scene_mount(&s, SCENE_FILE({"It/x", 3, NULL, SCENE_THING}), 0);
    expect_named(&s, "It/x", 3);
    kiln_ref other = scene_load(&s, "It/x");
    expect_named(&s, "It/x", 3);
    scene_clear(&s, &other);
    scene_unmount(&s, real);
    expect_named(&s, "It/x", 1);
    scene_unmount(&s, renames);
    assert_int_equal(0, kiln_assets_find(s.assets, "It/x"));
    assert_null(kiln_assets_get(s.assets, scene_id("It/x")));
    expect_named(&s, "It/a", 1);
    scene_clear(&s, &ref);
    scene_unmount(&s, base);
    assert_int_equal(0, scene_stats(&s).known);
    scene_end(&s);
}

static void a_large_file_with_the_earlier_id_becomes_the_base(void **state)
{
    (void)state;
    static const char *const names[] = {"It/0", "It/1", "It/2", "It/3", "It/4", "It/5",
                                        "It/6", "It/7", "It/8", "It/x", "It/b"};
    enum { LARGE = sizeof names / sizeof *names };
    scene_asset assets[LARGE];
    for (uint32_t i = 0; i < LARGE; i++)
        assets[i] = (scene_asset){names[i], 100 + i, NULL, SCENE_THING};
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_RENAMED("It/x>It/a It/y>It/b", {"It/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "It/x"), ref;
    expect_named(&s, "It/x", 1);
    assert_int_equal(2, scene_stats(&s).known); /* It/a and the list of redirects */
    kiln_mount large = scene_mount(&s, scene_file(assets, LARGE), 0);
    expect_named(&s, "It/x", 109);
    assert_true(kiln_assets_has(s.assets, scene_id("It/y")));
    ref = scene_load(&s, "It/y");
    expect_named(&s, "It/y", 110);
    scene_clear(&s, &ref);
    ref = scene_load(&s, "It/x");
    expect_named(&s, "It/x", 109);
    scene_clear(&s, &ref);
    scene_unmount(&s, large);
    expect_named(&s, "It/x", 1);
    assert_false(kiln_assets_has(s.assets, scene_id("It/y")));
    scene_clear(&s, &a);
    scene_end(&s);
}

/* Nothing is loaded, so the table has the earlier id only because of the redirect. */
static void an_earlier_id_that_is_not_loaded_may_be_in_a_new_base(void **state)
{
    (void)state;
    static const char *const names[] = {"It/0", "It/1", "It/2", "It/3", "It/4", "It/5",
                                        "It/6", "It/7", "It/8", "It/9", "It/x"};
    enum { LARGE = sizeof names / sizeof *names };
    scene_asset assets[LARGE];
    for (uint32_t i = 0; i < LARGE; i++)
        assets[i] = (scene_asset){names[i], 100 + i, NULL, SCENE_THING};
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_RENAMED("It/x>It/a", {"It/a", 1, NULL, SCENE_THING}), 0);
    kiln_mount large = scene_mount(&s, scene_file(assets, LARGE), 0);
    kiln_ref ref = scene_load(&s, "It/x");
    expect_named(&s, "It/x", 110);
    scene_clear(&s, &ref);
    scene_unmount(&s, large);
    ref = scene_load(&s, "It/x");
    expect_named(&s, "It/x", 1);
    scene_clear(&s, &ref);
    scene_end(&s);
}

/* A held asset keeps its file open, but the file's redirects no longer apply. */
static void redirects_of_an_unmounted_file_are_not_merged_again(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount first =
        scene_mount(&s, SCENE_RENAMED("It/x>It/b", {"It/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref held = scene_load(&s, "It/a");
    EXPECT_STATUS(KILN_OK, scene_try_unmount(&s, first, KILN_UNMOUNT_DEFER));
    assert_int_equal(0, kiln_assets_find(s.assets, "It/x"));
    kiln_mount second =
        scene_mount(&s, SCENE_RENAMED("It/y>It/b", {"It/b", 2, NULL, SCENE_THING}), 0);
    assert_int_equal(0, kiln_assets_find(s.assets, "It/x"));
    kiln_ref ref = scene_load(&s, "It/y");
    expect_named(&s, "It/y", 2);
    assert_null(kiln_assets_get(s.assets, scene_id("It/x")));
    scene_clear(&s, &ref);
    scene_clear(&s, &held);
    scene_unmount(&s, second);
    scene_end(&s);
}

static void references_resolve_when_the_redirects_are_mounted_later(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Level/one", 3, "It/x", SCENE_THING}), 0);
    kiln_ref level = {0}, ref;
    kiln_load_args args = {.name = "Level/one", .allow_missing = true};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &args, &level, &s.error));
    kiln_mount late =
        scene_mount(&s, SCENE_RENAMED("It/x>It/a", {"It/a", 1, NULL, SCENE_THING}), 0);
    assert_null(kiln_assets_get(s.assets, scene_id("It/x")));
    ref = scene_load(&s, "It/a");
    expect_named(&s, "It/x", 1);
    scene_clear(&s, &ref);
    EXPECT_STATUS(KILN_OK, kiln_assets_unmount(s.assets, late, KILN_UNMOUNT_REFUSE, &s.error));
    assert_null(kiln_assets_get(s.assets, scene_id("It/x")));
    scene_clear(&s, &level);
    scene_end(&s);
}

/* A loaded asset refers to It/x, which leads to It/a. Files of higher order change that. */
static void the_new_target_of_a_reference_is_loaded(void **state)
{
    (void)state;
    static const struct {
        const char *what, *renames, *own; /* `own`: an asset of the patch */
        uint32_t value;
    } rows[] = {{"another target", "It/x>It/b", "It/other", 2},
                {"a chain", "It/x>It/y It/z>It/b", "It/other", 0},
                {"a target in the patch", "It/x>It/c", "It/c", 7},
                {"an asset with the earlier id", "", "It/x", 7},
                {"the same target", "It/x>It/a", "It/other", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int replaced = 0; replaced < 2; replaced++) {
            scene s;
            scene_begin(&s);
            scene_mount(&s,
                        SCENE_RENAMED("It/x>It/a", {"Level/one", 3, "It/x", SCENE_THING},
                                      {"It/a", 1, NULL, SCENE_THING},
                                      {"It/b", 2, NULL, SCENE_THING}),
                        0);
            kiln_mount before = {0};
            if (replaced)
                before = scene_mount(&s, SCENE_FILE({"It/first", 5, NULL, SCENE_THING}), 1);
            kiln_ref level = scene_load(&s, "Level/one");
            expect_named(&s, "It/x", 1);
            scene_asset own = {rows[i].own, 7, NULL, SCENE_THING};
            kiln_buffer file =
                *rows[i].renames ? scene_renamed(rows[i].renames, &own, 1) : scene_file(&own, 1);
            kiln_mount patch = before;
            if (replaced) {
                kiln_mount_def def = kiln_mount_def_default();
                def.file.data = file.data;
                def.file.size = file.size;
                EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, before, &def, &s.error));
            } else {
                patch = scene_mount(&s, file, 1);
            }
            if (scene_value_named(&s, "It/x") != rows[i].value)
                fail_msg("%s: %u", rows[i].what, (unsigned)scene_value_named(&s, "It/x"));
            scene_unmount(&s, patch);
            expect_named(&s, "It/x", 1);
            scene_clear(&s, &level);
            scene_end(&s);
            if (replaced)
                kiln_buffer_fini(&file);
        }
}

/* A patch whose asset refers to an id that only the patch's redirects contain. */
static void a_patch_may_refer_to_earlier_ids(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"It/a", 1, NULL, SCENE_THING}, {"It/b", 2, NULL, SCENE_THING}), 0);
    kiln_ref ref = scene_load(&s, "It/a");
    kiln_mount patch =
        scene_mount(&s, SCENE_RENAMED("It/x>It/b", {"It/a", 11, "It/x", SCENE_THING}), 1);
    expect_named(&s, "It/a", 11);
    expect_named(&s, "It/x", 2);
    scene_unmount(&s, patch);
    expect_named(&s, "It/a", 1);
    scene_clear(&s, &ref);
    scene_end(&s);
}

/* ---- added blobs ---- */

static void names_of_added_blobs_are_targets_and_end_redirects(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_RENAMED("It/x>It/a", {"It/other", 9, NULL, SCENE_THING}), 0);
    scene_mount(&s, SCENE_RENAMED("It/y>It/x", {"It/more", 9, NULL, SCENE_THING}), 0);
    assert_int_equal(0, kiln_assets_find(s.assets, "It/y"));
    kiln_ref a = scene_add(&s, "It/a", 5);
    expect_named(&s, "It/x", 5);
    expect_named(&s, "It/y", 5);
    kiln_ref x = scene_add(&s, "It/x", 6);
    expect_named(&s, "It/x", 6);
    expect_named(&s, "It/y", 6);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, x));
    expect_named(&s, "It/x", 5);
    expect_named(&s, "It/y", 5);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    expect_named(&s, "It/y", 0);
    assert_int_equal(0, kiln_assets_find(s.assets, "It/y"));
    scene_end(&s);
}

/* ---- hostile lists ---- */

static void broken_lists_are_refused_when_the_file_is_mounted(void **state)
{
    (void)state;
    static const kiln_verify_level levels[] = {KILN_VERIFY_NONE, KILN_VERIFY_HASH,
                                               KILN_VERIFY_DEEP};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        scene s;
        kiln_mount mount;
        scene_begin(&s);
        kiln_buffer image = SCENE_RENAMED("It/x>It/a", {"It/a", 1, NULL, SCENE_THING});
        unsigned char *name = NULL;
        for (size_t at = 0; at + 4 <= image.size; at++)
            if (memcmp((unsigned char *)image.data + at, "It/x", 4) == 0)
                name = (unsigned char *)image.data + at;
        assert_non_null(name);
        name[3] = 'z';
        kiln_mount_def def = kiln_mount_def_default();
        def.file.data = image.data;
        def.file.size = image.size;
        def.file.level = levels[i];
        EXPECT_STATUS(KILN_H_HASH, kiln_assets_mount(s.assets, &def, &mount, &s.error));
        scene_expect_valid(&s);
        kiln_buffer_fini(&image);
        scene_end(&s);
    }
}

/* Nothing prevents a program from writing a list with the id of an asset of the file. */
static void lists_with_the_id_of_an_asset_are_refused_at_every_level(void **state)
{
    (void)state;
    for (int level = KILN_VERIFY_NONE; level <= KILN_VERIFY_DEEP; level++) {
        scene s;
        kiln_mount mount;
        scene_begin(&s);
        kiln_buffer image = SCENE_RENAMED("It/x>It/a", {"It/a", 1, NULL, SCENE_THING},
                                          {"It/x", 2, NULL, SCENE_THING});
        kiln_mount_def def = kiln_mount_def_default();
        def.file.data = image.data;
        def.file.size = image.size;
        def.file.level = (kiln_verify_level)level;
        EXPECT_FAILURE(&s, KILN_R_ASSET, "entries[0].id",
                       kiln_assets_mount(s.assets, &def, &mount, &s.error));
        scene_expect_valid(&s);
        kiln_file *file = NULL;
        EXPECT_STATUS(KILN_OK, kiln_file_open(&def.file, &file, &s.error));
        EXPECT_FAILURE(&s, KILN_R_ASSET, "entries[0].id",
                       kiln_file_verify(file, KILN_VERIFY_DEEP, &s.error));
        kiln_file_close(file);
        kiln_buffer_fini(&image);
        scene_end(&s);
    }
}

/* An asset of another type has the name of the list. */
static void assets_that_are_not_the_list_have_no_effect(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({KILN_REDIRECTS_NAME, 1, NULL, SCENE_THING}), 0);
    assert_int_equal(0, kiln_assets_find(s.assets, "It/x"));
    EXPECT_STATUS(KILN_TYPE_MISMATCH,
                  scene_try_mount(&s, SCENE_RENAMED("It/x>It/a", {"It/a", 1, NULL, SCENE_THING}), 0,
                                  &(kiln_mount){0}));
    scene_end(&s);
}

/* ---- memory ---- */

/* Fails each allocation of mounting or unmounting a file with redirects in turn. */
static void a_failed_allocation_leaves_redirects_as_they_were(void **state)
{
    (void)state;
    for (int unmounts = 0; unmounts < 2; unmounts++) {
        scene s;
        scene_begin(&s);
        scene_mount(&s, SCENE_RENAMED("It/x>It/a", {"It/a", 1, NULL, SCENE_THING}), 0);
        kiln_ref ref = scene_load(&s, "It/a");
        kiln_buffer image = SCENE_RENAMED("It/x>It/b It/z>It/a", {"It/b", 2, "It/a", SCENE_PACKED});
        kiln_mount mount = {0};
        if (unmounts)
            mount = scene_mount(&s, image, 1);
        kiln_status status = KILN_NO_MEMORY;
        for (size_t fail_at = 1; status != KILN_OK; fail_at++) {
            s.memory.fail_at = s.memory.calls + fail_at;
            kiln_mount_def def = kiln_mount_def_default();
            def.file.data = image.data;
            def.file.size = image.size;
            def.order = 1;
            status = unmounts ? kiln_assets_unmount(s.assets, mount, KILN_UNMOUNT_REFUSE, &s.error)
                              : kiln_assets_mount(s.assets, &def, &mount, &s.error);
            s.memory.fail_at = 0;
            scene_expect_valid(&s);
            bool has_both = unmounts != (status == KILN_OK);
            assert_int_equal(has_both, kiln_assets_has(s.assets, scene_id("It/z")));
            expect_named(&s, "It/x", has_both ? 2 : 1);
            if (status != KILN_OK)
                EXPECT_STATUS(KILN_NO_MEMORY, status);
        }
        scene_clear(&s, &ref);
        if (!unmounts)
            s.images[s.image_count++] = image;
        scene_end(&s);
    }
}

enum { REFERENCES = 40 };

/* Recording a taker may fail silently. */
static void record_no_takers(kiln_assets_def *def)
{
    def->track_takers = def->track_pointers = false;
}

/* Loads an asset that refers to REFERENCES earlier ids, and to a deleted one if `has_deleted`.
 * Returns whether an allocation failed. */
static bool load_with(size_t fail_at, bool has_deleted)
{
    scene s;
    char renames[1024] = "", refs[1024] = "", names[REFERENCES][16];
    scene_asset assets[REFERENCES + 1];
    for (int i = 0; i < REFERENCES; i++) {
        size_t at = strlen(renames);
        snprintf(renames + at, sizeof renames - at, "It/%d>It/new%d ", i, i);
        at = strlen(refs);
        snprintf(refs + at, sizeof refs - at, "It/%d ", i);
        snprintf(names[i], sizeof names[i], "It/new%d", i);
        assets[i] = (scene_asset){names[i], 1, NULL, SCENE_THING};
    }
    if (has_deleted) {
        strcat(renames, "It/gone>");
        strcat(refs, "It/gone");
    }
    assets[REFERENCES] = (scene_asset){"Level/one", 2, refs, SCENE_THING};
    scene_begin_with(&s, record_no_takers);
    scene_mount(&s, scene_renamed(renames, assets, REFERENCES + 1), 0);
    kiln_ref ref = {0};
    s.memory.fail_at = s.memory.calls + fail_at;
    kiln_status status = scene_try_load(&s, "Level/one", &ref);
    s.memory.fail_at = 0;
    const bool has_failed = s.memory.failed > 0;
    EXPECT_STATUS(has_failed ? KILN_NO_MEMORY : has_deleted ? KILN_MISSING : KILN_OK, status);
    assert_int_equal(status == KILN_OK ? REFERENCES + 1 : 0, scene_stats(&s).loaded);
    scene_clear(&s, &ref);
    scene_end(&s);
    return has_failed;
}

static void a_failed_allocation_while_earlier_ids_are_followed_fails_the_load(void **state)
{
    (void)state;
    for (int has_deleted = 0; has_deleted < 2; has_deleted++)
        for (size_t fail_at = 1; load_with(fail_at, has_deleted); fail_at++)
            continue;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redirects_are_followed_through_all_files_in_any_order_of_mounting),
        cmocka_unit_test(a_chain_of_64_redirects_is_followed_and_one_of_65_is_not),
        cmocka_unit_test(references_to_an_earlier_id_load_the_asset),
        cmocka_unit_test(failures_behind_redirects_name_the_chain_of_references),
        cmocka_unit_test(a_cycle_behind_a_reference_is_refused),
        cmocka_unit_test(another_type_than_the_required_one_is_refused),
        cmocka_unit_test(an_earlier_id_follows_the_asset_while_files_come_and_go),
        cmocka_unit_test(a_large_file_with_the_earlier_id_becomes_the_base),
        cmocka_unit_test(an_earlier_id_that_is_not_loaded_may_be_in_a_new_base),
        cmocka_unit_test(redirects_of_an_unmounted_file_are_not_merged_again),
        cmocka_unit_test(references_resolve_when_the_redirects_are_mounted_later),
        cmocka_unit_test(the_new_target_of_a_reference_is_loaded),
        cmocka_unit_test(a_patch_may_refer_to_earlier_ids),
        cmocka_unit_test(names_of_added_blobs_are_targets_and_end_redirects),
        cmocka_unit_test(lists_with_the_id_of_an_asset_are_refused_at_every_level),
        cmocka_unit_test(assets_that_are_not_the_list_have_no_effect),
        cmocka_unit_test(broken_lists_are_refused_when_the_file_is_mounted),
        cmocka_unit_test(a_failed_allocation_leaves_redirects_as_they_were),
        cmocka_unit_test(a_failed_allocation_while_earlier_ids_are_followed_fails_the_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
