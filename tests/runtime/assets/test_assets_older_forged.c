/* Replacing files whose indexes state wrong hashes or ids, or whose bytes are damaged: an asset
 * never gets bytes that its level would refuse. */
#define OLDER_PATH "assets_older_forged.kiln"
#include "older_files.h"

#include <kiln/blob_header.h>

static kiln_index_member *member_of(const kiln_buffer *image, const char *name)
{
    kiln_index *index = (void *)(image->data + KILN_HEADER_SIZE);
    uint32_t number = kiln_index_find(index, scene_id(name));
    return (kiln_index_member *)(uintptr_t)kiln_index_member_at(
        index, kiln_index_asset_at(index, number)->member);
}

/* Makes the index valid again after a change. */
static void rehash(const kiln_buffer *image)
{
    kiln_blob_header header;
    memcpy(&header, image->data, sizeof header);
    kiln_header_write(image->data, header.flags, header.payload_size, header.layout);
}

typedef struct forged_kind {
    scene_type type;
    bool is_long;  /* many references */
    bool is_older; /* needs conversion */
} forged_kind;

/* A file with Thing/a and, if `has_other`, Thing/b. */
static kiln_buffer file_of(const forged_kind *kind, uint32_t value, bool has_other)
{
    char refs[4000] = "Thing/a";
    while (kind->is_long && strlen(refs) + sizeof " Thing/a" < sizeof refs)
        strcat(refs, " Thing/a");
    const scene_asset assets[] = {{"Thing/a", value, refs, kind->type},
                                  {"Thing/b", 2, NULL, SCENE_THING}};
    kiln_types *types = scene_types(kind->is_older);
    kiln_buffer image = scene_file_of(types, assets, has_other ? 2 : 1);
    kiln_types_destroy(types);
    return image;
}

/* A file that states the content hash of value 1 for an asset with a different value. */
static kiln_buffer forged_of(const forged_kind *kind, uint32_t value, bool has_other)
{
    kiln_buffer honest = file_of(kind, 1, false), image = file_of(kind, value, has_other);
    member_of(&image, "Thing/a")->content = member_of(&honest, "Thing/a")->content;
    rehash(&image);
    kiln_buffer_fini(&honest);
    return image;
}

static kiln_buffer forged_file(uint32_t value, bool has_other, bool is_damaged)
{
    kiln_buffer image = forged_of(&(forged_kind){.type = SCENE_THING}, value, has_other);
    if (is_damaged)
        image.data[member_of(&image, "Thing/a")->place + KILN_HEADER_SIZE] ^= 0xff;
    return image;
}

static void with_a_forged_hash_an_asset_keeps_its_verified_bytes(void **state)
{
    (void)state;
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount =
            scene_mount_path(&s, SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING}), path);
        kiln_ref a = scene_load(&s, "Thing/a");
        const void *root = root_of(&s, a);
        EXPECT_STATUS(KILN_OK,
                      try_replace(&s, mount, forged_file(9, false, is_damaged), KILN_VERIFY_DEEP));
        assert_ptr_equal(root, root_of(&s, a));
        assert_int_equal(1, scene_value_of(&s, a));
        /* The new file has one more asset, so the version ends, and the old and new bytes are
         * compared. They differ, so the new ones are verified. If they are damaged, the file is
         * refused. */
        kiln_status status =
            try_replace(&s, mount, forged_file(9, true, is_damaged), KILN_VERIFY_DEEP);
        assert_int_equal(is_damaged, status != KILN_OK);
        assert_int_equal(is_damaged ? 1 : 9, scene_value_of(&s, a));
        assert_int_equal(is_damaged, older(&s));
        /* A loaded asset always has verified bytes. */
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* The old index states the hash of the new content for its own, different content. The hash of a
 * large asset is checked only when its file is replaced. */
static void a_forged_file_has_no_effect_on_the_next_one(void **state)
{
    (void)state;
    static const struct {
        kiln_verify_level level;
        uint32_t value;
    } rows[] = {{KILN_VERIFY_NONE, 9}, {KILN_VERIFY_HASH, 1}, {KILN_VERIFY_DEEP, 1}};
    static const forged_kind kinds[] = {{SCENE_THING, false, false},  {SCENE_THING, true, false},
                                        {SCENE_PACKED, false, false}, {SCENE_PACKED, true, false},
                                        {SCENE_THING, false, true},   {SCENE_THING, true, true}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (size_t i = 0; i < KINDS * sizeof rows / sizeof *rows; i++) {
        const forged_kind *kind = &kinds[i % KINDS];
        const kiln_verify_level level = rows[i / KINDS].level;
        scene s;
        scene_begin(&s);
        kiln_mount mount = {0};
        kiln_mount_def def = def_of_path();
        def.file.level = level;
        scene_save(forged_of(kind, 9, false), path);
        EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
        kiln_ref a = scene_load(&s, "Thing/a");
        assert_int_equal(9, scene_value_of(&s, a));
        for (int k = 0; k < 2; k++)
            EXPECT_STATUS(KILN_OK, try_replace(&s, mount, file_of(kind, 1, false), level));
        assert_int_equal(rows[i / KINDS].value, scene_value_of(&s, a));
        assert_int_equal(1, older(&s));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* The first file is in memory of the program, so its hashes are not checked. Its asset moves to the
 * second file, which has the same bytes. */
static void an_asset_that_moves_is_proven_later(void **state)
{
    (void)state;
    static const forged_kind kind = {.type = SCENE_THING};
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, forged_of(&kind, 9, false), 0);
    kiln_ref a = scene_load(&s, "Thing/a");
    replace(&s, mount, forged_of(&kind, 9, false));
    assert_int_equal(9, scene_value_of(&s, a));
    replace(&s, mount, file_of(&kind, 1, false));
    assert_int_equal(1, scene_value_of(&s, a));
    scene_clear(&s, &a);
    scene_end(&s);
}

/* Borrowed bytes that no asset uses are not proven when a replacement is tried. */
static void borrowed_bytes_are_proven_when_an_asset_uses_them_again(void **state)
{
    (void)state;
    static const forged_kind kind = {.type = SCENE_THING, .is_long = true};
    scene s;
    scene_begin(&s);
    const void *root = NULL;
    kiln_mount mount = scene_mount_path(&s, forged_of(&kind, 9, true), path);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, a, "reader", &root, NULL));
    kiln_mount patch = scene_mount(&s, SCENE_FILE({"Thing/a", 5, NULL, SCENE_THING}), 1);
    kiln_buffer damaged = file_of(&kind, 1, true);
    kiln_index_member *member = member_of(&damaged, "Thing/b");
    member->content.low ^= 1;
    rehash(&damaged);
    damaged.data[member->place + KILN_HEADER_SIZE] ^= 1;
    EXPECT_STATUS(KILN_H_HASH, try_replace(&s, mount, damaged, KILN_VERIFY_HASH));
    scene_unmount(&s, patch);
    assert_int_equal(9, scene_value_of(&s, a));
    assert_ptr_equal(root, root_of(&s, a));
    replace(&s, mount, file_of(&kind, 1, true));
    assert_int_equal(1, scene_value_of(&s, a));
    assert_int_equal(9, scene_value(root));
    EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, root, "reader"));
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_end(&s);
}

/* Both files state the same hash, which differs from the correct one in one half. */
static void both_halves_of_the_hash_are_checked(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        scene s;
        scene_begin(&s);
        kiln_buffer images[2];
        for (int i = 0; i < 2; i++) {
            images[i] = SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING});
            kiln_hash128 *content = &member_of(&images[i], "Thing/a")->content;
            *(half ? &content->high : &content->low) ^= 1;
            rehash(&images[i]);
        }
        kiln_mount mount = scene_mount_path(&s, images[0], path);
        kiln_ref a = scene_load(&s, "Thing/a");
        replace(&s, mount, images[1]);
        assert_int_equal(0, older(&s));
        assert_int_equal(1, scene_value_of(&s, a));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* An index whose two ids are equal can be opened at the level `none`. Only one asset is found. */
static kiln_buffer file_with_equal_ids(uint32_t value)
{
    kiln_buffer image = SCENE_FILE({"Thing/a", value, NULL, SCENE_THING},
                                   {"Thing/b", value + 1, NULL, SCENE_THING});
    kiln_index *index = (void *)(image.data + KILN_HEADER_SIZE);
    kiln_id *ids = (kiln_id *)(uintptr_t)kiln_relative_get(&index->ids, index->ids.offset);
    ids[1] = ids[0];
    rehash(&image);
    return image;
}

static void an_id_that_a_file_has_twice_is_loaded_once(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = {0};
    kiln_mount_def def = def_of_path();
    def.file.level = KILN_VERIFY_NONE;
    scene_save(file_with_equal_ids(1), path);
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
    kiln_ref a = {0};
    const kiln_id ids[] = {scene_id("Thing/a"), scene_id("Thing/b")};
    const kiln_load_args args = {.id = ids[ids[1] < ids[0]], .by = "test"};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &args, &a, &s.error));
    EXPECT_STATUS(KILN_OK, try_replace(&s, mount, file_with_equal_ids(11), KILN_VERIFY_NONE));
    assert_int_equal(2, scene_stats(&s).loads);
    kiln_assets_clear_by(s.assets, &a, "test");
    scene_end(&s);
}

static void a_deeper_level_verifies_the_bytes_of_older_versions_again(void **state)
{
    (void)state;
    static const struct {
        kiln_verify_level levels[3]; /* of three files, the second and third with damaged bytes */
        kiln_status status;          /* of the third */
        uint32_t older;              /* afterwards */
    } rows[] = {
        {{KILN_VERIFY_DEEP, KILN_VERIFY_DEEP, KILN_VERIFY_DEEP}, KILN_OK, 1},
        {{KILN_VERIFY_DEEP, KILN_VERIFY_NONE, KILN_VERIFY_NONE}, KILN_OK, 1},
        {{KILN_VERIFY_DEEP, KILN_VERIFY_HASH, KILN_VERIFY_NONE}, KILN_OK, 1},
        {{KILN_VERIFY_DEEP, KILN_VERIFY_NONE, KILN_VERIFY_HASH}, KILN_H_HASH, 1},
        {{KILN_VERIFY_HASH, KILN_VERIFY_NONE, KILN_VERIFY_DEEP}, KILN_H_HASH, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount =
            scene_mount_path(&s, SCENE_FILE({"Thing/z", 1, NULL, SCENE_THING}), path);
        EXPECT_STATUS(KILN_OK,
                      try_replace(&s, mount, SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING}),
                                  rows[i].levels[0]));
        kiln_ref a = scene_load(&s, "Thing/a");
        const void *root = root_of(&s, a);
        EXPECT_STATUS(KILN_OK,
                      try_replace(&s, mount, forged_file(1, false, true), rows[i].levels[1]));
        EXPECT_STATUS(rows[i].status,
                      try_replace(&s, mount, forged_file(1, false, true), rows[i].levels[2]));
        assert_ptr_equal(root, root_of(&s, a));
        assert_int_equal(1, scene_value_of(&s, a));
        assert_int_equal(rows[i].older, older(&s));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_a_forged_hash_an_asset_keeps_its_verified_bytes),
        cmocka_unit_test(a_forged_file_has_no_effect_on_the_next_one),
        cmocka_unit_test(an_asset_that_moves_is_proven_later),
        cmocka_unit_test(borrowed_bytes_are_proven_when_an_asset_uses_them_again),
        cmocka_unit_test(both_halves_of_the_hash_are_checked),
        cmocka_unit_test(an_id_that_a_file_has_twice_is_loaded_once),
        cmocka_unit_test(a_deeper_level_verifies_the_bytes_of_older_versions_again),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
