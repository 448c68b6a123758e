/* Reads the list of redirects of an open file: compressed or not, broken, or without memory. */
#include "file_fixture.h"

#include "file_redirects.h"

#include <kiln/redirects.h>
#include <string.h>

static const int storages[] = {0, 19};
enum { STORAGES = sizeof storages / sizeof *storages, RENAMES = 40 };

/* A file whose only asset is a list of RENAMES entries. */
static kiln_buffer make_file(int level)
{
    kiln_types *types = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_buffer image = {0};
    char names[RENAMES][16];
    kiln_rename renames[RENAMES];
    for (int i = 0; i < RENAMES; i++) {
        memcpy(names[i], "Item/earlier A", 15);
        names[i][13] = (char)('A' + i);
        renames[i] = (kiln_rename){names[i], "Item/later"};
    }
    assert_int_equal(KILN_OK, kiln_types_with_redirects(NULL, NULL, &types, NULL));
    def.types = types;
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, level, NULL));
    const kiln_redirects_finish_args args = {renames, RENAMES, types, writer, NULL};
    assert_int_equal(KILN_OK, kiln_redirects_finish(&args, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &image, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return image;
}

static kiln_file *open_file(const kiln_buffer *image, kiln_verify_level level,
                            const kiln_allocator *allocator)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.data = image->data;
    def.size = image->size;
    def.level = level;
    def.allocator = allocator;
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    return file;
}

static void lists_are_read_and_freed_whether_compressed_or_not(void **state)
{
    (void)state;
    for (int i = 0; i < STORAGES; i++)
        for (int level = KILN_VERIFY_NONE; level <= KILN_VERIFY_DEEP; level++) {
            counting_allocator memory, of_list;
            kiln_file_redirects redirects = {0};
            kiln_buffer image = make_file(storages[i]);
            counting_allocator_init(&memory);
            counting_allocator_init(&of_list);
            kiln_file *file = open_file(&image, (kiln_verify_level)level, &memory.allocator);
            assert_int_equal(KILN_OK,
                             kiln_file_redirects_read(file, &of_list.allocator, &redirects, NULL));
            assert_int_equal(RENAMES, redirects.list->entries.count);
            assert_non_null(
                kiln_redirects_find(redirects.list, kiln_asset_id("Item/earlier A", 14)));
            assert_int_equal(storages[i] > 0, redirects.unpacked.blob != NULL);
            kiln_file_redirects_fini(&redirects, &of_list.allocator);
            assert_null(redirects.list);
            assert_int_equal(0, of_list.bytes);
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
            kiln_file_close(file);
            assert_int_equal(0, memory.bytes);
            kiln_buffer_fini(&image);
        }
}

static void a_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < STORAGES; i++) {
        kiln_buffer image = make_file(storages[i]);
        kiln_status status = KILN_NO_MEMORY;
        for (size_t fail_at = 1; status != KILN_OK; fail_at++) {
            counting_allocator memory;
            kiln_file_redirects redirects = {0};
            counting_allocator_init(&memory);
            kiln_file *file = open_file(&image, KILN_VERIFY_HASH, NULL);
            memory.fail_at = fail_at;
            status = kiln_file_redirects_read(file, &memory.allocator, &redirects, NULL);
            if (status != KILN_OK)
                assert_int_equal(KILN_NO_MEMORY, status);
            assert_int_equal(status == KILN_OK, redirects.list != NULL);
            kiln_file_redirects_fini(&redirects, &memory.allocator);
            assert_int_equal(0, memory.bytes);
            kiln_file_close(file);
        }
        kiln_buffer_fini(&image);
    }
}

static void a_list_whose_bytes_cannot_be_read_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const kiln_status found[STORAGES] = {KILN_H_MAGIC, KILN_I_FRAME};
    for (int i = 0; i < STORAGES; i++) {
        counting_allocator memory;
        kiln_file_redirects redirects = {0};
        kiln_error error = {0};
        kiln_buffer image = make_file(storages[i]);
        counting_allocator_init(&memory);
        kiln_file *file = open_file(&image, KILN_VERIFY_NONE, NULL);
        const kiln_index_member *member = fixture_member(file, KILN_REDIRECTS_NAME);
        const uint64_t place = member->place;
        memset(image.data + place, 0, 4);
        assert_int_equal(found[i],
                         kiln_file_redirects_read(file, &memory.allocator, &redirects, &error));
        assert_int_equal(found[i], error.status);
        assert_int_equal(place, error.offset);
        assert_null(redirects.list);
        assert_int_equal(0, memory.bytes);
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
}

static void a_list_whose_type_or_member_does_not_exist_is_ignored(void **state)
{
    (void)state;
    for (int has_type = 0; has_type < 2; has_type++) {
        kiln_file_redirects redirects = {.unpacked = {NULL, 1}};
        kiln_buffer image = make_file(0);
        kiln_file *file = open_file(&image, KILN_VERIFY_NONE, NULL);
        kiln_index_asset *asset =
            (void *)fixture_writable(image.data, kiln_index_asset_at(file->index, 0));
        *(has_type ? &asset->member : &asset->type) = INT32_MAX;
        assert_int_equal(KILN_OK, kiln_file_redirects_read(file, NULL, &redirects, NULL));
        assert_null(redirects.list);
        assert_int_equal(0, redirects.unpacked.size);
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_and_freed_whether_compressed_or_not),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
        cmocka_unit_test(a_list_whose_bytes_cannot_be_read_is_refused_with_the_reason),
        cmocka_unit_test(a_list_whose_type_or_member_does_not_exist_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
