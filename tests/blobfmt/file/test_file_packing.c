/* Tests which members a file writer compresses, with which dictionaries, and that the file reads
 * back. */
#include "failing_memory.h"
#include "test_types.h"
#include "verdict.h"

#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <kiln/compression.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 80, FEW = 12, TEXT_SIZE = 600 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Similar strings. */
static void write_text(char *text, uint32_t number)
{
    uint32_t seed = number + 1;
    snprintf(text, TEXT_SIZE,
             "Of oak, bound in %u hoops of iron, %u years old, and never opened since it was "
             "closed by the cooper of the village on day %u of the hundred-year rain, %x%x",
             number * 7919 % 100, number * 104729 % 1000, number * 31 % 366, next_random(&seed),
             next_random(&seed));
}

/* The root of an asset: an item, or bytes without repetition. */
static uint32_t build_root(kiln_builder *builder, uint32_t number, bool is_random)
{
    char text[TEXT_SIZE];
    if (is_random) {
        uint32_t seed = number + 7;
        kiln_array *root = kiln_builder_root(builder, sizeof *root, 4);
        for (int i = 0; i < TEXT_SIZE; i++)
            text[i] = (char)(unsigned char)next_random(&seed);
        if (root)
            kiln_builder_bytes(builder, root, text, TEXT_SIZE, 1);
        return T_ONE_BYTES;
    }
    test_item *root = kiln_builder_root(builder, sizeof *root, _Alignof(test_item));
    write_text(text, number);
    if (root) {
        kiln_builder_string(builder, &root->name, text, strlen(text));
        root->price = number;
        root->color = 2;
    }
    return T_ITEM;
}

static kiln_status add_item(kiln_file_writer *writer, kiln_builder *builder, const char *kind,
                            uint32_t number, bool is_random, kiln_error *reterr)
{
    char name[32];
    uint32_t type = build_root(builder, number, is_random);
    snprintf(name, sizeof name, "%s/%u", kind, number);
    kiln_status status = kiln_file_writer_build(writer, name, type, builder, reterr);
    kiln_builder_reset(builder);
    return status;
}

/* The assets of a file: a sequence of settings, each for some number of items. */
typedef struct part {
    const char *kind;
    int level;
    const char *group;
    uint32_t count;
    bool is_random;
} part;

static kiln_status write_parts(const kiln_allocator *allocator, const part *parts, size_t count,
                               kiln_buffer *ret_file, kiln_error *reterr)
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    builder_def.types = def.types = verdict_types;
    builder_def.allocator = def.allocator = allocator;
    kiln_status status = kiln_builder_create(&builder_def, &builder);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    status = kiln_file_writer_create(&def, &writer, reterr);
    for (size_t i = 0; i < count && !status; i++) {
        if (kiln_file_writer_compress(writer, parts[i].level, parts[i].group))
            status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
        for (uint32_t k = 0; k < parts[i].count && !status; k++)
            status = add_item(writer, builder, parts[i].kind, k, parts[i].is_random, reterr);
    }
    if (!status)
        status = kiln_file_writer_finish_buffer(writer, ret_file, reterr);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    return status;
}

static kiln_buffer file_of(const part *parts, size_t count)
{
    kiln_buffer file = {0};
    kiln_error error;
    if (write_parts(NULL, parts, count, &file, &error))
        fail_msg("%s: %s", kiln_status_name(error.status), error.path);
    return file;
}

static const kiln_index *index_of(const kiln_buffer *file)
{
    return (const void *)(file->data + KILN_HEADER_SIZE);
}

/* Checks every rule of the file, and its decompressed members. */
static void check_file(const kiln_buffer *file)
{
    kiln_types *builtin = NULL;
    const kiln_index *index;
    kiln_decompressor *context = NULL;
    kiln_error error;
    assert_int_equal(KILN_OK, kiln_types_create_builtin(NULL, &builtin, NULL));
    assert_int_equal(KILN_OK,
                     kiln_index_check(builtin, NULL,
                                      &(kiln_file_head){file->data, file->size, file->size}, &index,
                                      &error));
    assert_int_equal(KILN_OK, kiln_index_check_gaps(index, file->data, &error));
    assert_int_equal(KILN_OK, kiln_decompressor_create(NULL, &context));
    const uint32_t *dictionaries =
        kiln_relative_get(&index->dictionaries, index->dictionaries.offset);
    for (uint32_t i = 0; i < index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        kiln_dictionary *dictionary = NULL;
        if (!member->compression) {
            assert_int_equal(KILN_OK, kiln_index_check_member(index, i, file->data, true, &error));
            continue;
        }
        assert_true(member->stored_size < member->size);
        assert_int_equal(KILN_OK, kiln_index_check_stored(index, i, file->data, &error));
        if (member->dictionary) {
            const kiln_index_member *used =
                kiln_index_member_at(index, dictionaries[member->dictionary - 1]);
            assert_int_equal(KILN_OK, kiln_dictionary_create(
                                          NULL, file->data + used->place + KILN_HEADER_SIZE,
                                          (size_t)used->size - KILN_HEADER_SIZE, &dictionary));
        }
        unsigned char *blob = aligned_alloc(4096, ((size_t)member->size + 4095) / 4096 * 4096);
        assert_int_equal(KILN_OK, kiln_decompress(context, dictionary,
                                                  (kiln_span){file->data + member->place,
                                                              (size_t)member->stored_size},
                                                  blob, (size_t)member->size));
        assert_int_equal(KILN_OK, kiln_index_check_blob(index, i, blob, true, &error));
        kiln_dictionary_destroy(dictionary);
        free(blob);
    }
    kiln_decompressor_destroy(context);
    kiln_types_destroy(builtin);
}

static void the_settings_determine_which_members_are_compressed(void **state)
{
    (void)state;
    static const struct {
        part parts[3];
        uint32_t members, dictionaries, with_dictionary, compressed;
    } rows[] = {
        {{{"A", 0, NULL, ITEMS, false}}, ITEMS, 0, 0, 0},
        {{{"A", 0, "group", ITEMS, false}}, ITEMS, 0, 0, 0},
        {{{"A", 3, NULL, ITEMS, false}}, ITEMS, 0, 0, ITEMS},
        {{{"A", 3, "group", ITEMS, false}}, ITEMS, 1, ITEMS, ITEMS},
        {{{"A", 19, "group", ITEMS, false}}, ITEMS, 1, ITEMS, ITEMS},
        /* Too few blobs for a dictionary, and dissimilar blobs. */
        {{{"A", 3, "group", 7, false}}, 7, 0, 0, 7},
        {{{"A", 3, "group", 1, false}}, 1, 0, 0, 1},
        {{{"A", 3, "group", FEW, true}}, FEW, 0, 0, 0},
        /* Two groups with the same blobs. */
        {{{"A", 3, "one", ITEMS, false}, {"B", 3, "two", FEW, true}}, ITEMS + FEW, 1, ITEMS, ITEMS},
        {{{"A", 3, "one", ITEMS, false}, {"B", 3, "two", ITEMS, false}}, ITEMS, 1, ITEMS, ITEMS},
        {{{"A", 0, NULL, ITEMS, false}, {"B", 3, "two", ITEMS, false}}, ITEMS, 0, 0, 0},
        {{{"A", 3, NULL, ITEMS / 2, false}, {"B", 3, "two", ITEMS, false}},
         ITEMS,
         1,
         ITEMS / 2,
         ITEMS},
        /* A later setting with the same group continues the group. */
        {{{"A", 3, "one", 4, false}, {"B", 0, NULL, 40, true}, {"C", 3, "one", ITEMS, false}},
         ITEMS + 40,
         1,
         ITEMS,
         ITEMS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t parts = rows[i].parts[2].kind ? 3 : rows[i].parts[1].kind ? 2 : 1;
        kiln_buffer file = file_of(rows[i].parts, parts), again = file_of(rows[i].parts, parts);
        const kiln_index *index = index_of(&file);
        uint32_t compressed = 0, with_dictionary = 0;
        for (uint32_t k = 0; k < index->members.count; k++) {
            compressed += kiln_index_member_at(index, k)->compression == KILN_COMPRESSION_ZSTD;
            with_dictionary += kiln_index_member_at(index, k)->dictionary == 1;
        }
        assert_int_equal(index->dictionaries.count, rows[i].dictionaries);
        assert_int_equal(index->members.count, 1 + rows[i].members + rows[i].dictionaries);
        assert_int_equal(compressed, rows[i].compressed);
        assert_int_equal(with_dictionary, rows[i].with_dictionary);
        check_file(&file);
        assert_same_bytes(&file, &again);
        kiln_buffer_fini(&file);
        kiln_buffer_fini(&again);
    }
}

static void a_dictionary_makes_the_file_smaller(void **state)
{
    (void)state;
    static const part with = {"A", 19, "group", ITEMS, false},
                      without = {"A", 19, NULL, ITEMS, false}, plain = {"A", 0, NULL, ITEMS, false};
    kiln_buffer files[] = {file_of(&with, 1), file_of(&without, 1), file_of(&plain, 1)};
    assert_true(files[0].size < files[1].size);
    assert_true(files[1].size < files[2].size);
    for (int i = 0; i < 3; i++)
        kiln_buffer_fini(&files[i]);
}

static void groups_have_separate_dictionaries(void **state)
{
    (void)state;
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    builder_def.types = def.types = verdict_types;
    assert_int_equal(KILN_OK, kiln_builder_create(&builder_def, &builder));
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    for (uint32_t i = 0; i < 2 * ITEMS; i++) {
        assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, 5, i % 2 ? "odd" : "even"));
        assert_int_equal(KILN_OK, add_item(writer, builder, "A", i, false, NULL));
    }
    kiln_buffer file = {0}, again = {0};
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &file, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &again, NULL));
    assert_same_bytes(&file, &again);
    const kiln_index *index = index_of(&file);
    assert_int_equal(index->dictionaries.count, 2);
    /* The dictionaries come after the type table. */
    const uint32_t *numbers = kiln_relative_get(&index->dictionaries, index->dictionaries.offset);
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[1], 2);
    for (uint32_t i = 3; i < index->members.count; i++)
        assert_int_equal(kiln_index_member_at(index, i)->dictionary, 1 + (i - 3) % 2);
    check_file(&file);
    kiln_buffer_fini(&file);
    kiln_buffer_fini(&again);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
}

static void invalid_levels_are_refused(void **state)
{
    (void)state;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    def.types = verdict_types;
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    for (int level = -3; level <= 25; level++) {
        bool is_right = level >= 0 && level <= KILN_COMPRESSION_LEVEL_MAX;
        assert_int_equal(kiln_file_writer_compress(writer, level, NULL),
                         is_right ? KILN_OK : KILN_BAD_ARGUMENT);
    }
    kiln_file_writer_destroy(writer);
}

static kiln_status write_packed(const kiln_allocator *allocator, kiln_error *reterr)
{
    static const part parts[] = {{"A", 1, "group", ITEMS, false}, {"B", 1, NULL, 2, true}};
    kiln_buffer file = {0};
    kiln_status status = write_parts(allocator, parts, 2, &file, reterr);
    kiln_buffer_fini(&file);
    return status;
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    assert_true(check_each_failure(write_packed) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_settings_determine_which_members_are_compressed),
        cmocka_unit_test(a_dictionary_makes_the_file_smaller),
        cmocka_unit_test(groups_have_separate_dictionaries),
        cmocka_unit_test(invalid_levels_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, verdict_set_up, verdict_tear_down);
}
