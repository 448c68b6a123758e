/* Files with compressed members read like uncompressed ones, and use the memory that they report.
 */
#include "packed_fixture.h"

#include "file_member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void the_images_have_the_expected_members(void **state)
{
    (void)state;
    const kiln_index *index = packed_index(packed_image.data);
    uint32_t compressed = 0, with_dictionary = 0;
    assert_true(packed_image.size < plain_image.size);
    assert_int_equal(0, index->dictionaries.count);
    for (uint32_t i = 0; i < index->members.count; i++)
        compressed += kiln_index_member_at(index, i)->compression == KILN_COMPRESSION_ZSTD;
    assert_true(compressed >= 3 && compressed < index->members.count);
    index = packed_index(trained_image.data);
    assert_int_equal(1, index->dictionaries.count);
    for (uint32_t i = 0; i < index->members.count; i++)
        with_dictionary += kiln_index_member_at(index, i)->dictionary == 1;
    assert_true(with_dictionary > PACKED_ITEMS / 2);
}

static void compressed_assets_have_the_expected_values(void **state)
{
    (void)state;
    kiln_file *file = packed_open(plain_image.data, plain_image.size, KILN_VERIFY_DEEP, NULL);
    uint64_t expected = fixture_read_all(file);
    kiln_file_close(file);
    kiln_buffer table = fixture_type_table(LAYOUT_NOW);
    for (int i = 0; i < 18; i++) {
        kiln_file_def def = kiln_file_def_default();
        kiln_error error = {.status = KILN_OK};
        def.data = packed_image.data;
        def.size = packed_image.size;
        def.level = packed_levels[i % 3];
        if (i >= 9)
            def.types = table.data, def.types_size = table.size;
        assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
        if (i / 3 % 3 == 0)
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_NONE, &error));
        assert_int_equal(expected, fixture_read_all(file));
        if (i / 3 % 3 == 1)
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_HASH, &error));
        const void *root = packed_root(file, "Page/intro", &error);
        assert_int_equal(0, (uintptr_t)root % PAGE_ALIGN);
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
        assert_int_equal(expected, fixture_read_all(file));
        assert_ptr_equal(root, packed_root(file, "Page/intro", &error));
        kiln_file_close(file);
    }
    kiln_buffer_fini(&table);
}

static void assets_that_need_a_dictionary_are_read(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        kiln_file *file =
            packed_open(trained_image.data, trained_image.size, packed_levels[i / 2], NULL);
        kiln_error error = {.status = KILN_OK};
        if (i % 2)
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_NONE, &error));
        for (unsigned k = 0; k < PACKED_ITEMS; k++) {
            char name[32], begin[32];
            snprintf(name, sizeof name, "Item/%u", k);
            snprintf(begin, sizeof begin, "Number %u:", k);
            const test_item *item = packed_root(file, name, &error);
            assert_non_null(item);
            assert_memory_equal(begin, kiln_string_get(&item->name), strlen(begin));
        }
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
        kiln_file_close(file);
    }
}

static void preparing_continues_after_failures(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&packed_image);
    kiln_index_member *lamp = packed_entry(copy, "Item/lamp");
    copy[lamp->place + 10] ^= 1;
    kiln_file *file = packed_open(copy, packed_image.size, KILN_VERIFY_DEEP, NULL);
    kiln_asset assets[] = {kiln_file_find(file, "Item/oil"),
                           kiln_file_find(file, "Item/lamp"),
                           {0},
                           kiln_file_find(file, "Page/intro")};
    kiln_error error = {.status = KILN_OK};
    assert_int_equal(KILN_OK, kiln_file_prepare(file, NULL, 0, &error));
    assert_int_equal(KILN_OK, kiln_file_prepare(file, assets, 1, &error));
    assert_int_equal(KILN_OK, error.status);
    assert_int_equal(KILN_I_STORED, kiln_file_prepare(file, assets, 4, &error));
    assert_int_equal(KILN_I_STORED, error.status);
    assert_int_equal(lamp->place, error.offset);
    assert_int_equal(KILN_NOT_FOUND, kiln_file_prepare(file, assets + 2, 2, &error));
    /* A decompressed member no longer needs its stored bytes. */
    memset(copy + lamp->place, 0, packed_image.size - (size_t)lamp->place);
    assert_non_null(packed_root(file, "Item/oil", &error));
    assert_non_null(packed_root(file, "Page/intro", &error));
    assert_null(packed_root(file, "Item/wick", &error));
    kiln_file_close(file);
    free(copy);
}

static void verifying_keeps_no_blob(void **state)
{
    (void)state;
    counting_allocator counting;
    counting_allocator_init(&counting);
    kiln_file *file =
        packed_open(trained_image.data, trained_image.size, KILN_VERIFY_DEEP, &counting.allocator);
    kiln_error error;
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
    size_t before = counting.bytes;
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
    assert_int_equal(before, counting.bytes);
    assert_non_null(packed_root(file, "Item/7", &error));
    assert_int_equal(before + packed_entry(trained_image.data, "Item/7")->size, counting.bytes);
    kiln_file_close(file);
    assert_int_equal(0, counting.bytes);
}

/* Decompresses everything, or only verifies, while memory runs out. */
static kiln_status use_all(const kiln_allocator *allocator, bool verifies_only)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_unpacked unpacked = {NULL, 0};
    def.data = trained_image.data;
    def.size = trained_image.size;
    def.allocator = allocator;
    kiln_error error = {.status = KILN_OK};
    kiln_status status = kiln_file_open(&def, &file, &error);
    if (status != KILN_OK)
        return status;
    kiln_asset asset = kiln_file_find(file, "Item/3");
    if (!verifies_only && !kiln_file_root(file, asset, &packed_item_type, &error))
        status = error.status;
    if (!verifies_only && status == KILN_OK)
        status =
            kiln_file_unpack(file, asset.number - 1, LEVEL_VALUES, allocator, &unpacked, &error);
    if (unpacked.blob)
        allocator->free(allocator->ctx, unpacked.blob, unpacked.size);
    if (status == KILN_OK)
        status = kiln_file_verify(file, KILN_VERIFY_DEEP, &error);
    if (status != KILN_OK)
        assert_int_equal(0, error.offset);
    /* Running out of memory is not a verdict: with memory the call succeeds. */
    counting_allocator *counting = allocator->ctx;
    counting->fail_at = 0;
    assert_non_null(kiln_file_root(file, asset, &packed_item_type, NULL));
    kiln_file_close(file);
    return status;
}

static void running_out_of_memory_is_not_a_verdict(void **state)
{
    (void)state;
    size_t failures = 0;
    for (int row = 0; row < 4; row++) {
        for (size_t at = 1;; at++) {
            counting_allocator counting;
            counting_allocator_init(&counting);
            counting.fail_at = at;
            counting.fail_rest = row & 1;
            kiln_status status = use_all(&counting.allocator, row & 2);
            assert_int_equal(0, counting.bytes);
            if (status == KILN_OK)
                break;
            assert_int_equal(KILN_NO_MEMORY, status);
            failures++;
        }
    }
    assert_true(failures > 40);
}

static void decompressing_uses_memory_of_the_caller(void **state)
{
    (void)state;
    static const kiln_file_level levels[] = {LEVEL_HEADER, LEVEL_HASH, LEVEL_VALUES};
    for (int i = 0; i < 9; i++) {
        counting_allocator counting;
        counting_allocator_init(&counting);
        kiln_file *file =
            packed_open(trained_image.data, trained_image.size, packed_levels[i / 3], NULL);
        kiln_asset asset = kiln_file_find(file, "Page/intro");
        kiln_index_member *member = packed_entry(trained_image.data, "Page/intro");
        kiln_unpacked one = {NULL, 0}, two = {NULL, 0};
        kiln_error error;
        assert_int_equal(KILN_OK, kiln_file_unpack(file, asset.number - 1, levels[i % 3],
                                                   &counting.allocator, &one, &error));
        assert_int_equal(KILN_OK, kiln_file_unpack(file, asset.number - 1, levels[i % 3],
                                                   &counting.allocator, &two, &error));
        assert_int_equal(member->size, one.size);
        assert_int_equal(2 * one.size, counting.bytes);
        assert_int_equal(0, (uintptr_t)one.blob % PAGE_ALIGN);
        assert_memory_equal(one.blob, two.blob, one.size);
        assert_null(
            kiln_file_blob(file, kiln_index_asset_at(file->index, asset.number - 1)->member));
        const unsigned char *root = packed_root(file, "Page/intro", &error);
        assert_memory_equal(root, one.blob + PAGE_ALIGN, one.size - PAGE_ALIGN);
        counting.allocator.free(&counting, one.blob, one.size);
        counting.allocator.free(&counting, two.blob, two.size);
        kiln_file_close(file);
        assert_int_equal(0, counting.bytes);
    }
}

static void decompressing_bad_or_uncompressed_members_fails(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&packed_image);
    kiln_index_member *lamp = packed_entry(copy, "Item/lamp");
    kiln_allocator libc = kiln_allocator_default();
    copy[lamp->place + 8] ^= 1;
    kiln_file *file = packed_open(copy, packed_image.size, KILN_VERIFY_DEEP, NULL);
    kiln_unpacked none = {NULL, 7};
    uint32_t number = kiln_file_find(file, "Item/lamp").number - 1;
    for (int i = 0; i < 4; i++) {
        kiln_error error;
        if (i == 2)
            assert_null(packed_root(file, "Item/lamp", NULL));
        assert_int_equal(KILN_I_STORED,
                         kiln_file_unpack(file, number, LEVEL_VALUES, &libc, &none, &error));
        assert_int_equal(lamp->place, error.offset);
        assert_int_equal(7, none.size);
    }
    kiln_file_close(file);
    file = packed_open(plain_image.data, plain_image.size, KILN_VERIFY_DEEP, NULL);
    assert_int_equal(KILN_BAD_ARGUMENT,
                     kiln_file_unpack(file, 0, LEVEL_VALUES, &libc, &none, NULL));
    kiln_file_close(file);
    free(copy);
}

/* Values are read by functions that report no errors, so a correct hash does not make them safe to
 * read. */
static void without_types_values_cannot_be_checked(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&packed_image);
    kiln_index_member *lamp = packed_entry(copy, "Item/lamp");
    kiln_allocator libc = kiln_allocator_default();
    copy[lamp->place + 8] ^= 1;
    ((kiln_index *)(void *)(copy + KILN_HEADER_SIZE))->type_table = 0;
    fixture_rehash(copy);
    kiln_file *file = packed_open(copy, packed_image.size, KILN_VERIFY_HASH, NULL);
    kiln_unpacked none = {NULL, 7};
    static const kiln_file_level levels[] = {LEVEL_VALUES, LEVEL_HASH, LEVEL_VALUES, LEVEL_HASH};
    uint32_t number = kiln_file_find(file, "Item/lamp").number - 1;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        assert_int_equal(levels[i] == LEVEL_HASH ? KILN_I_STORED : KILN_NO_TYPES,
                         kiln_file_unpack(file, number, levels[i], &libc, &none, NULL));
    assert_int_equal(7, none.size);
    kiln_file_close(file);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_images_have_the_expected_members),
        cmocka_unit_test(compressed_assets_have_the_expected_values),
        cmocka_unit_test(assets_that_need_a_dictionary_are_read),
        cmocka_unit_test(preparing_continues_after_failures),
        cmocka_unit_test(verifying_keeps_no_blob),
        cmocka_unit_test(running_out_of_memory_is_not_a_verdict),
        cmocka_unit_test(decompressing_uses_memory_of_the_caller),
        cmocka_unit_test(decompressing_bad_or_uncompressed_members_fails),
        cmocka_unit_test(without_types_values_cannot_be_checked),
    };
    return cmocka_run_group_tests(tests, packed_set_up, packed_tear_down);
}
