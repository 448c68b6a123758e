#include "file_fixture.h"

#include <string.h>

typedef struct opened {
    kiln_buffer image;
    kiln_file *file;
} opened;

static opened whole;

static int open_whole(void **state)
{
    (void)state;
    whole.image = fixture_file(false);
    return fixture_open(whole.image.data, whole.image.size, KILN_VERIFY_DEEP, &whole.file, NULL);
}

static int close_whole(void **state)
{
    (void)state;
    kiln_file_close(whole.file);
    kiln_buffer_fini(&whole.image);
    return 0;
}

static void find_gives_every_asset_by_name_and_by_id(void **state)
{
    (void)state;
    static const char *const names[ASSET_COUNT] = {"Item/cord", "Item/lamp", "Item/oil",
                                                   "Item/tar",  "Item/wick", "Page/intro"};
    for (int i = 0; i < ASSET_COUNT; i++) {
        kiln_asset asset = kiln_file_find(whole.file, names[i]);
        assert_true(asset.number != 0);
        kiln_id id = kiln_asset_id(names[i], strlen(names[i]));
        assert_int_equal(asset.number, kiln_file_find_id(whole.file, id).number);
        assert_int_equal(id, kiln_file_asset_id(whole.file, asset));
        assert_string_equal(names[i], kiln_file_asset_name(whole.file, asset));
        assert_string_equal(names[i][0] == 'I' ? "test.Item" : "test.Page",
                            kiln_file_asset_type(whole.file, asset));
    }
}

static void find_gives_null_for_missing_assets(void **state)
{
    (void)state;
    static const char *const names[] = {
        "", "Item", "Item/", "Item/lam", "Item/lamps", "item/lamp", "Item/elsewhere", "/", "\xff"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(0, kiln_file_find(whole.file, names[i]).number);
    assert_int_equal(0, kiln_file_find(whole.file, NULL).number);
    static const kiln_id ids[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        assert_int_equal(0, kiln_file_find_id(whole.file, ids[i]).number);
}

static void assets_are_listed_in_the_order_of_ids(void **state)
{
    (void)state;
    assert_int_equal(ASSET_COUNT, kiln_file_asset_count(whole.file));
    kiln_id last = 0;
    for (uint32_t i = 0; i < ASSET_COUNT; i++) {
        kiln_id id = kiln_file_asset_id(whole.file, kiln_file_asset_at(whole.file, i));
        assert_true(id > last);
        last = id;
    }
    assert_int_equal(0, kiln_file_asset_at(whole.file, ASSET_COUNT).number);
    assert_int_equal(0, kiln_file_asset_at(whole.file, UINT32_MAX).number);
}

static void null_and_foreign_assets_give_null(void **state)
{
    (void)state;
    const kiln_asset assets[] = {{0}, {ASSET_COUNT + 1}, {UINT32_MAX}};
    kiln_root_type type = fixture_root_type("test.Item");
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++) {
        assert_null(kiln_file_asset_name(whole.file, assets[i]));
        assert_null(kiln_file_asset_type(whole.file, assets[i]));
        assert_int_equal(0, kiln_file_asset_id(whole.file, assets[i]));
        kiln_error error;
        assert_null(kiln_file_root(whole.file, assets[i], &type, &error));
        assert_int_equal(KILN_NOT_FOUND, error.status);
        assert_null(kiln_file_root(whole.file, assets[i], &type, NULL));
    }
}

static void root_gives_plain_structs(void **state)
{
    (void)state;
    kiln_root_type item_type = fixture_root_type("test.Item");
    kiln_root_type page_type = fixture_root_type("test.Page");
    kiln_error error;
    const test_item *lamp =
        kiln_file_root(whole.file, kiln_file_find(whole.file, "Item/lamp"), &item_type, &error);
    assert_non_null(lamp);
    assert_string_equal("Lamp", kiln_string_get(&lamp->name));
    assert_int_equal(7, lamp->hp);
    assert_int_equal(2, lamp->kind);
    assert_int_equal(1, lamp->lucky);
    assert_int_equal(2, lamp->tags.count);
    assert_int_equal(2, lamp->refs.count);
    const kiln_id *refs = kiln_relative_get(&lamp->refs, lamp->refs.offset);
    kiln_asset oil = kiln_file_find_id(whole.file, refs[0]);
    assert_string_equal("Item/oil", kiln_file_asset_name(whole.file, oil));
    const test_page *page =
        kiln_file_root(whole.file, kiln_file_find(whole.file, "Page/intro"), &page_type, &error);
    assert_non_null(page);
    assert_int_equal(0, (uintptr_t)page % PAGE_ALIGN);
    assert_string_equal("Once upon a time", kiln_string_get(&page->text));
}

static void equal_assets_share_their_bytes(void **state)
{
    (void)state;
    kiln_root_type type = fixture_root_type("test.Item");
    const void *oil =
        kiln_file_root(whole.file, kiln_file_find(whole.file, "Item/oil"), &type, NULL);
    const void *tar =
        kiln_file_root(whole.file, kiln_file_find(whole.file, "Item/tar"), &type, NULL);
    assert_non_null(oil);
    assert_ptr_equal(oil, tar);
}

static void root_rejects_another_type_or_layout(void **state)
{
    (void)state;
    kiln_root_type item = fixture_root_type("test.Item"), page = fixture_root_type("test.Page");
    const struct {
        kiln_root_type type;
        kiln_status status;
    } rows[] = {{page, KILN_TYPE_MISMATCH},
                {{"test.Item", item.layout ^ 1}, KILN_TYPE_MISMATCH},
                {{"test.Page", item.layout}, KILN_TYPE_MISMATCH},
                {{"test.Ite", item.layout}, KILN_TYPE_MISMATCH},
                {{"", 0}, KILN_TYPE_MISMATCH},
                {{NULL, item.layout}, KILN_BAD_ARGUMENT}};
    kiln_asset lamp = kiln_file_find(whole.file, "Item/lamp");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_error error;
        assert_null(kiln_file_root(whole.file, lamp, &rows[i].type, &error));
        assert_int_equal(rows[i].status, error.status);
        if (error.status == KILN_TYPE_MISMATCH)
            assert_string_equal("Item/lamp", error.path);
        assert_null(kiln_file_root(whole.file, lamp, &rows[i].type, NULL));
    }
    kiln_error error;
    assert_null(kiln_file_root(whole.file, lamp, NULL, &error));
    assert_int_equal(KILN_BAD_ARGUMENT, error.status);
}

static void the_whole_index_is_accessible(void **state)
{
    (void)state;
    const kiln_index *index = kiln_file_index(whole.file, NULL);
    assert_non_null(index);
    assert_int_equal(whole.image.size, index->file_size);
    assert_int_equal(1, index->imports.count);
    assert_string_equal("Item/elsewhere", kiln_string_get(&kiln_index_import_at(index, 0)->name));
}

static void verify_rejects_an_unknown_level(void **state)
{
    (void)state;
    kiln_error error;
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_file_verify(whole.file, (kiln_verify_level)3, &error));
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_file_verify(whole.file, (kiln_verify_level)-1, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_gives_every_asset_by_name_and_by_id),
        cmocka_unit_test(find_gives_null_for_missing_assets),
        cmocka_unit_test(assets_are_listed_in_the_order_of_ids),
        cmocka_unit_test(null_and_foreign_assets_give_null),
        cmocka_unit_test(root_gives_plain_structs),
        cmocka_unit_test(equal_assets_share_their_bytes),
        cmocka_unit_test(root_rejects_another_type_or_layout),
        cmocka_unit_test(the_whole_index_is_accessible),
        cmocka_unit_test(verify_rejects_an_unknown_level),
    };
    return cmocka_run_group_tests(tests, open_whole, close_whole);
}
