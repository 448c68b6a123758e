/* Files mounted and unmounted: which file provides an asset, to which root words resolve, and which
 * calls are refused. */
#include "asset_fixture.h"

#include <stdio.h>
#include <string.h>

/* ---- order ---- */

typedef struct order_case {
    int32_t orders[3]; /* of the files 1, 2, 3, mounted in that order */
    uint32_t best[3];  /* after each mount */
    uint32_t left[3];  /* the best without the first, second or third file */
} order_case;

static const order_case order_cases[] = {
    {{0, 0, 0}, {1, 2, 3}, {3, 3, 2}},    {{2, 1, 0}, {1, 1, 1}, {2, 1, 1}},
    {{0, 1, 0}, {1, 2, 2}, {2, 3, 2}},    {{1, 0, 1}, {1, 1, 3}, {3, 3, 1}},
    {{-1, -2, -3}, {1, 1, 1}, {2, 1, 1}}, {{INT32_MIN, INT32_MAX, 0}, {1, 2, 2}, {2, 3, 2}},
};

/* Expects file `best` to provide Thing/a, which is loaded, and Thing/b, which is not. */
static void expect_best(scene *s, kiln_ref loaded, uint32_t best)
{
    assert_int_equal(best, scene_value_of(s, loaded));
    assert_int_equal(best, scene_value_named(s, "Thing/a"));
    kiln_ref ref = scene_load(s, "Thing/b");
    assert_int_equal(10 + best, scene_value_of(s, ref));
    scene_clear(s, &ref);
    EXPECT_STATUS(KILN_MAPPED, scene_dispose(s, scene_load(s, "Thing/b")));
    ref = scene_load(s, "Thing/b");
    /* Clears the handle taken above, and the one taken for the refused disposal. */
    for (int i = 0; i < 2; i++)
        kiln_assets_clear(s->assets, &(kiln_ref){ref.bits});
}

static void mount_in_order(scene *s, const order_case *row, kiln_mount *mounts, kiln_ref *ref)
{
    for (uint32_t i = 0; i < 3; i++) {
        mounts[i] = scene_mount(s,
                                SCENE_FILE({"Thing/a", i + 1, NULL, SCENE_THING},
                                           {"Thing/b", i + 11, NULL, SCENE_THING}),
                                row->orders[i]);
        if (i == 0)
            *ref = scene_load(s, "Thing/a");
        expect_best(s, *ref, row->best[i]);
    }
}

static void the_highest_order_wins_and_then_the_last_mounted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof order_cases / sizeof *order_cases; i++)
        for (uint32_t gone = 0; gone < 3; gone++) {
            scene s;
            kiln_mount mounts[3];
            kiln_ref ref;
            scene_begin(&s);
            mount_in_order(&s, &order_cases[i], mounts, &ref);
            scene_unmount(&s, mounts[gone]);
            expect_best(&s, ref, order_cases[i].left[gone]);
            scene_clear(&s, &ref);
            for (uint32_t k = 0; k < 3; k++)
                if (k != gone)
                    scene_unmount(&s, mounts[k]);
            assert_int_equal(0, kiln_assets_find(s.assets, "Thing/a"));
            assert_int_equal(0, scene_stats(&s).mounts);
            assert_int_equal(0, scene_stats(&s).known);
            assert_int_equal(0, scene_stats(&s).loaded);
            scene_end(&s);
        }
}

/* ---- patches ---- */

static void a_patch_replaces_loaded_assets_and_updates_words(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount base = scene_mount(&s,
                                  SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING},
                                             {"Thing/b", 2, NULL, SCENE_THING},
                                             {"Thing/c", 3, NULL, SCENE_THING}),
                                  0);
    kiln_ref strong = scene_load(&s, "Thing/a");
    kiln_ref weak = scene_take(&s, strong, KILN_REF_WEAK);
    kiln_ref indirect = scene_take(&s, strong, KILN_REF_INDIRECT);
    kiln_ref pointer = scene_take(&s, strong, KILN_REF_POINTER);
    const void *borrowed = NULL;
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, weak, "me", &borrowed, NULL));
    /* The patch's Thing/a refers to one more asset, which is loaded with it. */
    kiln_mount patch = scene_mount(&s,
                                   SCENE_FILE({"Thing/a", 100, "Thing/d Thing/b", SCENE_THING},
                                              {"Thing/d", 4, NULL, SCENE_THING}),
                                   1);
    assert_int_equal(100, scene_value_of(&s, strong));
    assert_int_equal(100, scene_value_of(&s, weak));
    assert_int_equal(100, scene_value_of(&s, indirect));
    assert_int_equal(1, scene_value_of(&s, pointer));
    assert_int_equal(1, scene_value(borrowed));
    assert_int_equal(100, scene_value_named(&s, "Thing/a"));
    assert_int_equal(2, scene_value_named(&s, "Thing/b"));
    assert_int_equal(0, scene_value_named(&s, "Thing/c"));
    assert_int_equal(4, scene_value_named(&s, "Thing/d"));
    assert_int_equal(1, scene_stats(&s).replaced);
    assert_int_equal(4, scene_stats(&s).known);
    assert_int_equal(3, scene_stats(&s).loaded);
    /* The base's bytes stay at their address, so nothing is reported. */
    assert_int_equal(0, s.report_count);
    scene_unmount(&s, patch);
    assert_int_equal(1, scene_value_of(&s, strong));
    assert_int_equal(1, scene_value_of(&s, weak));
    assert_int_equal(1, scene_value_of(&s, indirect));
    assert_int_equal(0, scene_value_named(&s, "Thing/d"));
    assert_int_equal(2, scene_stats(&s).loaded);
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, held by me",
                   scene_try_unmount(&s, base, KILN_UNMOUNT_REFUSE));
    EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, borrowed, "me"));
    scene_clear(&s, &pointer);
    scene_clear(&s, &weak);
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, held by the test",
                   scene_try_unmount(&s, base, KILN_UNMOUNT_REFUSE));
    scene_clear(&s, &strong);
    scene_unmount(&s, base);
    scene_end(&s);
}

static void a_lower_file_changes_no_loaded_asset(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref strong = scene_load(&s, "Thing/a");
    const void *root = kiln_ref_get(kiln_assets_get_slots(s.assets), strong);
    scene_mount(
        &s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}, {"Thing/b", 3, NULL, SCENE_THING}), -1);
    assert_ptr_equal(root, kiln_ref_get(kiln_assets_get_slots(s.assets), strong));
    assert_int_equal(0, scene_stats(&s).replaced);
    scene_clear(&s, &strong);
    scene_end(&s);
}

/* Mounts a patch whose Thing/a refers to `refs`. */
static kiln_status patch_with(scene *s, const char *refs, kiln_mount *ret_mount)
{
    return scene_try_mount(s, SCENE_FILE({"Thing/a", 100, refs, SCENE_THING}), 1, ret_mount);
}

static void a_patch_with_a_missing_target_leaves_the_table_unchanged(void **state)
{
    (void)state;
    scene s;
    kiln_mount mount = {0};
    scene_begin(&s);
    kiln_mount base = scene_mount(
        &s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}), 0);
    kiln_ref strong = scene_load(&s, "Thing/a");
    EXPECT_FAILURE(&s, KILN_MISSING, "Thing/a > Thing/nobody",
                   patch_with(&s, "Thing/b Thing/nobody", &mount));
    assert_int_equal(0, mount.number);
    assert_int_equal(1, scene_value_of(&s, strong));
    assert_int_equal(0, scene_value_named(&s, "Thing/b"));
    assert_int_equal(1, scene_stats(&s).mounts);
    assert_int_equal(2, scene_stats(&s).known);
    /* Assets that are not loaded are not checked. */
    scene_clear(&s, &strong);
    scene_unmount(&s, base);
    EXPECT_STATUS(KILN_OK, patch_with(&s, "Thing/b Thing/nobody", &mount));
    scene_end(&s);
}

/* ---- names and types ---- */

static void two_names_with_one_id_clash(void **state)
{
    (void)state;
    assert_int_equal(scene_id(CLASHING_NAME), scene_id(CLASHED_NAME));
    /* The first file is the base, or its ids were entered when a larger file became the base. */
    for (int larger = 0; larger < 2; larger++) {
        scene s;
        kiln_mount mount = {0};
        scene_begin(&s);
        scene_mount(&s, SCENE_FILE({CLASHED_NAME, 1, NULL, SCENE_THING}), 0);
        if (larger)
            scene_mount(&s,
                        SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING},
                                   {"Thing/b", 1, NULL, SCENE_THING},
                                   {"Thing/c", 1, NULL, SCENE_THING}),
                        0);
        EXPECT_FAILURE(
            &s, KILN_NAME_CLASH, CLASHING_NAME ", " CLASHED_NAME,
            scene_try_mount(&s, SCENE_FILE({CLASHING_NAME, 2, NULL, SCENE_THING}), 1, &mount));
        assert_int_equal(1 + larger, scene_stats(&s).mounts);
        kiln_ref ref = scene_load(&s, CLASHED_NAME);
        scene_clear(&s, &ref);
        scene_end(&s);
    }
}

static void an_added_name_clashes_with_a_files_name(void **state)
{
    (void)state;
    for (int second = 0; second < 2; second++) {
        scene s;
        kiln_mount mount = {0};
        scene_begin(&s);
        kiln_ref ref = scene_add(&s, second ? "Thing/first" : CLASHED_NAME, 1), same = {0};
        if (second)
            same = scene_add(&s, CLASHED_NAME, 1);
        EXPECT_FAILURE(
            &s, KILN_NAME_CLASH, CLASHING_NAME ", " CLASHED_NAME,
            scene_try_mount(&s, SCENE_FILE({CLASHING_NAME, 2, NULL, SCENE_THING}), 1, &mount));
        scene_clear(&s, &same);
        EXPECT_STATUS(KILN_OK, scene_dispose(&s, ref));
        EXPECT_STATUS(
            KILN_OK,
            scene_try_mount(&s, SCENE_FILE({CLASHING_NAME, 2, NULL, SCENE_THING}), 1, &mount));
        scene_end(&s);
    }
}

static void one_name_has_one_type(void **state)
{
    (void)state;
    scene s;
    kiln_mount mount = {0};
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    EXPECT_FAILURE(&s, KILN_TYPE_MISMATCH, "Thing/a",
                   scene_try_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_PLATE}), 1, &mount));
    kiln_ref ref = scene_add(&s, "Thing/b", 3);
    EXPECT_FAILURE(&s, KILN_TYPE_MISMATCH, "Thing/b",
                   scene_try_mount(&s, SCENE_FILE({"Thing/b", 2, NULL, SCENE_PLATE}), 1, &mount));
    scene_clear(&s, &ref);
    scene_end(&s);
}

/* ---- invalid files ---- */

static void invalid_mounts_are_rejected(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    const kiln_mount forged[] = {{0, 0},
                                 {0, mount.version},
                                 {mount.number, mount.version + 1},
                                 {mount.number + 1, mount.version},
                                 {UINT32_MAX, mount.version}};
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
        EXPECT_STATUS(KILN_DEAD, scene_try_unmount(&s, forged[i], KILN_UNMOUNT_REFUSE));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, scene_try_unmount(&s, mount, (kiln_unmount)2));
    kiln_mount_def def = kiln_mount_def_default();
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_mount(s.assets, &def, &mount, NULL));
    def.file.data = s.images[0].data;
    def.file.size = s.images[0].size;
    def.file.types = s.types.data;
    def.file.types_size = s.types.size;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_mount(s.assets, &def, &mount, NULL));
    def = kiln_mount_def_default();
    def.file.path = "no such file";
    EXPECT_STATUS(KILN_IO, kiln_assets_mount(s.assets, &def, &mount, NULL));
    assert_int_equal(1, scene_stats(&s).mounts);
    scene_end(&s);
}

static const char path[] = "assets_mounts.kiln";

static void write_file(kiln_buffer image)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (image.size)
        assert_int_equal(image.size, fwrite(image.data, 1, image.size, file));
    assert_int_equal(0, fclose(file));
    kiln_buffer_fini(&image);
}

static void files_on_disk_are_named_by_their_path(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    static const kiln_source sources[] = {KILN_SOURCE_MAP, KILN_SOURCE_COPY};
    for (size_t i = 0; i < 2; i++) {
        write_file(SCENE_FILE({"Thing/a", 7, NULL, SCENE_THING}));
        kiln_mount_def def = kiln_mount_def_default();
        def.file.path = path;
        def.file.source = sources[i];
        kiln_mount mount = {0};
        EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, NULL));
        remove(path);
        kiln_ref ref = scene_load(&s, "Thing/a");
        kiln_asset_info info;
        EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, ref, &info));
        assert_string_equal(path, info.mount);
        assert_int_equal(7, scene_value_of(&s, ref));
        scene_clear(&s, &ref);
        scene_unmount(&s, mount);
    }
    scene_end(&s);
}

/* Programs need such a copy of files to which other programs may write. */
static void a_private_copy_survives_changes_of_its_file(void **state)
{
    (void)state;
    for (int truncated = 0; truncated < 2; truncated++) {
        scene s;
        kiln_mount mount = {0};
        scene_begin(&s);
        write_file(SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING},
                              {"Thing/b", 2, NULL, SCENE_THING},
                              {"Thing/c", 3, "Thing/a", SCENE_PACKED}));
        kiln_mount_def def = kiln_mount_def_default();
        def.file.path = path;
        def.file.source = KILN_SOURCE_COPY;
        EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, NULL));
        kiln_ref a = scene_load(&s, "Thing/a");
        write_file(truncated ? (kiln_buffer){0}
                             : SCENE_FILE({"Thing/x", 7, "Thing/y", SCENE_PLATE},
                                          {"Thing/z", 8, "Thing/x", SCENE_PACKED},
                                          {"Thing/u", 9, NULL, SCENE_THING}));
        kiln_ref c = scene_load(&s, "Thing/c");
        assert_int_equal(1, scene_value_of(&s, a));
        assert_int_equal(2, scene_value_named(&s, "Thing/b"));
        assert_int_equal(3, scene_value_of(&s, c));
        remove(path);
        scene_clear(&s, &a);
        scene_clear(&s, &c);
        scene_unmount(&s, mount);
        scene_end(&s);
    }
}

/* A file with `count` assets, from `Thing/first` on. Their values are their numbers plus `add`. */
static kiln_buffer numbered_file(uint32_t first, uint32_t count, uint32_t add)
{
    scene_asset assets[64];
    char names[64][24];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "Thing/%u", first + i);
        assets[i] = (scene_asset){names[i], first + i + add, NULL, SCENE_THING};
    }
    return scene_file(assets, count);
}

/* Several of these files become the base (assets_object.h), because each is larger than the base
 * before it. */
static void the_size_of_files_makes_no_difference(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 3, 9, 40, 0, 30, 2, 64};
    enum { FILES = sizeof sizes / sizeof *sizes };
    for (uint32_t skip = 1; skip < FILES; skip++) {
        scene s;
        kiln_mount mounts[FILES];
        scene_begin(&s);
        uint32_t highest = 0;
        for (uint32_t i = 0; i < FILES; i++) {
            mounts[i] = scene_mount(&s, numbered_file(1, sizes[i], 1000 * i), (int32_t)i);
            highest = sizes[i] > highest ? sizes[i] : highest;
            assert_int_equal(highest, scene_stats(&s).known);
            if (i == skip && sizes[i]) {
                kiln_ref ref = scene_load(&s, "Thing/1");
                assert_int_equal(1 + 1000 * i, scene_value_of(&s, ref));
                scene_clear(&s, &ref);
            }
        }
        for (uint32_t i = 0; i < FILES; i++) {
            uint32_t gone = (i * skip) % FILES == 0 && i ? FILES : (i * 2 + skip) % FILES;
            if (gone < FILES)
                scene_try_unmount(&s, mounts[gone], KILN_UNMOUNT_REFUSE);
        }
        scene_end(&s);
    }
}

static void overwrite(const kiln_buffer *image, const kiln_array *array, const uint32_t *numbers)
{
    size_t at = (size_t)((uintptr_t)array - (uintptr_t)image->data) + array->offset;
    memcpy(image->data + at, numbers, array->count * sizeof *numbers);
}

/* Two of three assets have all edges of the file, so their lists overlap. */
static void overlap_edges(const kiln_buffer *image)
{
    const kiln_index *index = (const void *)(image->data + KILN_HEADER_SIZE);
    assert_int_equal(4, index->edge_starts.count);
    assert_int_equal(3, index->edges.count);
    overwrite(image, &index->edge_starts, (const uint32_t[]){0, 3, 0, 3});
    overwrite(image, &index->edges, (const uint32_t[]){0, 2, 3});
}

static void overlapping_lists_of_references_are_rejected(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_buffer image =
        SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING}, {"Thing/b", 2, "Thing/c", SCENE_THING},
                   {"Thing/c", 3, "Thing/far", SCENE_THING});
    overlap_edges(&image);
    const kiln_index *index = (const void *)(image.data + KILN_HEADER_SIZE);
    kiln_id first = kiln_index_id(index, 0), second = kiln_index_id(index, 1);
    scene_mount(&s, SCENE_FILE({"Thing/far", 4, NULL, SCENE_THING}), 0);
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount;
    def.file.data = image.data;
    def.file.size = image.size;
    def.file.level = KILN_VERIFY_NONE; /* the index's hash is now wrong */
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
    kiln_load_args load = {.id = first, .by = "me"};
    kiln_ref none = {0};
    EXPECT_STATUS(KILN_I_EDGES, kiln_assets_load(s.assets, &load, &none, &s.error));
    assert_non_null(strstr(s.error.path, ": edge_starts"));
    /* A list whose end precedes its start is reported by its number. */
    load.id = second;
    EXPECT_STATUS(KILN_I_EDGES, kiln_assets_load(s.assets, &load, &none, &s.error));
    assert_non_null(strstr(s.error.path, ": edge_starts[1]"));
    assert_int_equal(0, scene_stats(&s).loaded);
    scene_end(&s);
    kiln_buffer_fini(&image);
}

static void drop_types(kiln_assets_def *def)
{
    def->types = NULL;
    def->types_size = 0;
}

/* A program without types reads the layout that it loaded first. */
static void a_patch_cannot_change_the_layout_of_a_loaded_asset(void **state)
{
    (void)state;
    const scene_asset old = {"Thing/a", 1, NULL, SCENE_THING},
                      fresh = {"Thing/a", 2, NULL, SCENE_THING};
    for (int is_older = 0; is_older < 2; is_older++)
        for (int is_loaded = 0; is_loaded < 2; is_loaded++) {
            scene s;
            kiln_mount patch = {0};
            kiln_types *older = scene_types(true), *newer = scene_types(false);
            scene_begin_with(&s, drop_types);
            scene_mount(&s, scene_file_of(is_older ? older : newer, &old, 1), 0);
            kiln_ref ref = {0};
            if (is_loaded)
                ref = scene_load(&s, "Thing/a");
            kiln_buffer image = scene_file_of(is_older ? newer : older, &fresh, 1);
            if (is_loaded) {
                EXPECT_FAILURE(&s, KILN_TYPE_MISMATCH,
                               "Thing/a: its layout differs from that of the loaded asset",
                               scene_try_mount(&s, image, 1, &patch));
                assert_int_equal(1, scene_value_of(&s, ref));
            } else {
                scene_mount(&s, image, 1);
                ref = scene_load(&s, "Thing/a");
                assert_int_equal(2, scene_value_of(&s, ref));
            }
            scene_clear(&s, &ref);
            scene_end(&s);
            kiln_types_destroy(older);
            kiln_types_destroy(newer);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_order_wins_and_then_the_last_mounted),
        cmocka_unit_test(a_patch_replaces_loaded_assets_and_updates_words),
        cmocka_unit_test(a_lower_file_changes_no_loaded_asset),
        cmocka_unit_test(a_patch_with_a_missing_target_leaves_the_table_unchanged),
        cmocka_unit_test(two_names_with_one_id_clash),
        cmocka_unit_test(an_added_name_clashes_with_a_files_name),
        cmocka_unit_test(one_name_has_one_type),
        cmocka_unit_test(invalid_mounts_are_rejected),
        cmocka_unit_test(files_on_disk_are_named_by_their_path),
        cmocka_unit_test(a_private_copy_survives_changes_of_its_file),
        cmocka_unit_test(the_size_of_files_makes_no_difference),
        cmocka_unit_test(overlapping_lists_of_references_are_rejected),
        cmocka_unit_test(a_patch_cannot_change_the_layout_of_a_loaded_asset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
