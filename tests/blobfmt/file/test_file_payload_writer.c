/* The files that kiln_file_writer_payload writes, and what it refuses. */
#include "payload_files.h"

static void plain_data_are_stored_at_their_alignment(void **state)
{
    (void)state;
    static const uint32_t rows[] = {0, 1, 16, 64, 4096, 65536};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer file = write_one(text, DATA_MAX, rows[i], 0);
        kiln_payload_view view = view_of(&file);
        uint32_t align = rows[i] > 16 ? rows[i] : 16;
        assert_int_equal(check_all(&file, NULL), KILN_OK);
        assert_int_equal(view.place % align, 0);
        assert_true(1u << kiln_index_member_at(index_of(&file), 1)->align_log2 == align);
        assert_int_equal(view.payload->size, DATA_MAX);
        assert_int_equal(view.payload->frame_size, 0);
        assert_memory_equal(file.data + view.place, text, DATA_MAX);
        kiln_buffer_fini(&file);
    }
}

static void frames_decompress_to_their_parts_of_the_data(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        uint32_t frame_size, frames;
    } rows[] = {{4096, 4096, 1},
                {4097, 4096, 2},
                {DATA_MAX, 4096, 74},
                {100, 4194304, 1},
                {DATA_MAX, 65536, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer file = write_one(text, rows[i].size, 4096, rows[i].frame_size);
        kiln_payload_view view = view_of(&file);
        kiln_decompressor *decompressor = NULL;
        unsigned char *memory = malloc(rows[i].frame_size);
        assert_int_equal(check_all(&file, NULL), KILN_OK);
        assert_int_equal(view.payload->frames.count, rows[i].frames);
        assert_int_equal(kiln_decompressor_create(NULL, &decompressor), KILN_OK);
        for (uint32_t f = 0; f < rows[i].frames; f++) {
            assert_int_equal(
                kiln_payload_unpack(&view, f,
                                    &(kiln_payload_unpack_args){file.data, decompressor, false},
                                    memory, NULL),
                KILN_OK);
            assert_memory_equal(memory, text + (size_t)f * rows[i].frame_size,
                                kiln_payload_frame_bytes(view.payload, f));
        }
        kiln_decompressor_destroy(decompressor);
        free(memory);
        kiln_buffer_fini(&file);
    }
}

static void frames_that_save_no_space_are_not_used(void **state)
{
    (void)state;
    kiln_buffer file = write_one(noise, 10000, 4096, 4096);
    kiln_payload_view view = view_of(&file);
    assert_int_equal(view.payload->frame_size, 0);
    assert_int_equal(view.place % 4096, 0);
    assert_int_equal(check_all(&file, NULL), KILN_OK);
    kiln_buffer_fini(&file);
}

static void equal_data_are_stored_once_with_the_largest_alignment(void **state)
{
    (void)state;
    source from = {.data = text, .size = 5000};
    kiln_payload_args args[2] = {args_of(&from, 64, 0), args_of(&from, 4096, 4096)};
    kiln_buffer file = {0};
    assert_int_equal(write_with(args, 2, NULL, &file, NULL), KILN_OK);
    const kiln_index *index = index_of(&file);
    assert_int_equal(index->members.count, 2);
    assert_int_equal(kiln_index_member_at(index, 1)->align_log2, 12);
    assert_int_equal(kiln_index_member_at(index, 1)->compression, KILN_COMPRESSION_PAYLOAD);
    assert_int_equal(check_all(&file, NULL), KILN_OK);
    kiln_buffer_fini(&file);
}

static void data_without_bytes_have_no_member(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 0, 4096, 4096);
    kiln_payload_view view = view_of(&file);
    assert_int_equal(index_of(&file)->members.count, 1);
    assert_true(view.member == KILN_MEMBER_NONE);
    assert_int_equal(check_all(&file, NULL), KILN_OK);
    kiln_buffer_fini(&file);
}

static void payloads_are_found_by_their_hash(void **state)
{
    (void)state;
    kiln_buffer file = write_two();
    const kiln_index *index = index_of(&file);
    assert_int_equal(check_all(&file, NULL), KILN_OK);
    kiln_hash128 hashes[2] = {kiln_content_hash(text, 5000), kiln_content_hash(noise, 100)};
    for (int i = 0; i < 2; i++) {
        char name[KILN_PAYLOAD_NAME_SIZE];
        uint32_t member = kiln_payload_find(index, hashes[i]);
        assert_in_range(member, 2, 3);
        assert_memory_equal(file.data + kiln_index_member_at(index, member)->place,
                            i ? noise : text, i ? 100 : 5000);
        kiln_payload_name(hashes[i], name);
        assert_true(kiln_index_find_name(index, name, strlen(name)) != KILN_ASSET_NONE);
        hashes[i].low ^= 1;
        assert_true(kiln_payload_find(index, hashes[i]) == KILN_MEMBER_NONE);
    }
    assert_true(kiln_payload_find(index, (kiln_hash128){0, 0}) == KILN_MEMBER_NONE);
    assert_true(kiln_payload_find(index, (kiln_hash128){UINT64_MAX, UINT64_MAX}) ==
                KILN_MEMBER_NONE);
    kiln_buffer_fini(&file);
}

static void arguments_that_break_their_contract_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t alignment, frame_size;
        int level;
        bool without_source;
    } rows[] = {{.alignment = 131072},   {.alignment = 48},       {.frame_size = 2048},
                {.frame_size = 8388608}, {.frame_size = 12288},   {.level = -1},
                {.level = 23},           {.without_source = true}};
    source from = {.data = text, .size = 5000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_payload_args args = args_of(&from, rows[i].alignment, rows[i].frame_size);
        args.level = rows[i].level;
        args.read = rows[i].without_source ? NULL : args.read;
        kiln_buffer file = {0};
        assert_int_equal(write_with(&args, 1, NULL, &file, NULL), KILN_BAD_ARGUMENT);
    }
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_payload_args args = args_of(&from, 0, 0);
    def.types = verdict_types;
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    assert_int_equal(kiln_file_writer_payload(writer, &args, NULL, NULL), KILN_BAD_ARGUMENT);
    kiln_file_writer_destroy(writer);
}

/* Makes the blob of a payload asset as a file contains it. */
static void build_asset(kiln_builder *builder)
{
    kiln_payload *root = kiln_builder_root(builder, sizeof *root, _Alignof(kiln_payload));
    kiln_hash128 content = kiln_content_hash(text, 5000);
    assert_non_null(root);
    root->content_low = content.low;
    root->content_high = content.high;
    root->size = 5000;
}

static kiln_status add_copied(kiln_file_writer *writer, const char *name, uint32_t type,
                              kiln_builder *builder)
{
    kiln_buffer blob = {0};
    assert_int_equal(kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL), KILN_OK);
    kiln_status status =
        kiln_file_writer_add(writer, name, type, (kiln_span){blob.data, blob.size}, NULL);
    kiln_buffer_fini(&blob);
    return status;
}

static kiln_status add_taken(kiln_file_writer *writer, const char *name, uint32_t type,
                             kiln_builder *builder)
{
    kiln_buffer blob = {0};
    assert_int_equal(kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL), KILN_OK);
    kiln_status status = kiln_file_writer_take(writer, name, type, &blob, NULL);
    assert_true(status == KILN_OK || blob.data);
    kiln_buffer_fini(&blob);
    return status;
}

static kiln_status add_built(kiln_file_writer *writer, const char *name, uint32_t type,
                             kiln_builder *builder)
{
    return kiln_file_writer_build(writer, name, type, builder, NULL);
}

static kiln_status add_finished(kiln_file_writer *writer, const char *name, uint32_t type,
                                kiln_builder *builder)
{
    kiln_finished_asset asset = {0};
    assert_int_equal(kiln_finished_asset_build(builder, type, &asset, NULL), KILN_OK);
    kiln_status status = kiln_file_writer_put(writer, name, &asset, NULL);
    kiln_finished_asset_fini(&asset);
    return status;
}

static void a_payload_asset_without_data_is_refused(void **state)
{
    (void)state;
    static kiln_status (*const adders[])(kiln_file_writer *, const char *, uint32_t,
                                         kiln_builder *) = {add_copied, add_taken, add_built,
                                                            add_finished};
    static const bool has_data[] = {false, true};
    char name[KILN_PAYLOAD_NAME_SIZE];
    source from = {.data = text, .size = 5000};
    kiln_payload_args args = args_of(&from, 0, 0);
    uint32_t type = kiln_types_find(types, KILN_PAYLOAD_TYPE_NAME);
    kiln_payload_name(kiln_content_hash(text, 5000), name);
    for (size_t i = 0; i < sizeof adders / sizeof *adders * 2; i++) {
        kiln_file_writer *writer = NULL;
        kiln_builder_def def = kiln_builder_def_default();
        kiln_builder *builder = NULL;
        kiln_buffer file = {0};
        def.types = types;
        assert_int_equal(new_writer(NULL, &writer, NULL), KILN_OK);
        assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
        build_asset(builder);
        if (has_data[i % 2])
            assert_int_equal(kiln_file_writer_payload(writer, &args, NULL, NULL), KILN_OK);
        assert_int_equal(adders[i / 2](writer, name, type, builder), KILN_BAD_ARGUMENT);
        assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, NULL), KILN_OK);
        assert_int_equal(kiln_file_writer_get_counts(writer).assets, has_data[i % 2]);
        kiln_buffer_fini(&file);
        kiln_builder_destroy(builder);
        kiln_file_writer_destroy(writer);
    }
}

static void data_that_cannot_be_read_or_change_are_reported(void **state)
{
    (void)state;
    static const struct {
        unsigned fails_at, differs_at;
        uint32_t frame_size;
        kiln_status status;
    } rows[] = {{1, 0, 0, KILN_IO},          {2, 0, 0, KILN_IO},     {0, 3, 0, KILN_CHANGED},
                {0, 80, 4096, KILN_CHANGED}, {75, 0, 4096, KILN_IO}, {0, 0, 4096, KILN_OK}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        source from = {.data = text,
                       .size = DATA_MAX,
                       .fails_at = rows[i].fails_at,
                       .differs_at = rows[i].differs_at};
        kiln_payload_args args = args_of(&from, 0, rows[i].frame_size);
        kiln_buffer file = {0};
        kiln_error error = {0};
        assert_int_equal(write_with(&args, 1, NULL, &file, &error), rows[i].status);
        assert_int_equal(error.system_error, rows[i].status == KILN_IO ? EIO : 0);
        kiln_buffer_fini(&file);
    }
}

/* The later data need far more bytes than the index states. They must not overrun the buffer. */
static void data_that_change_between_the_passes_overrun_nothing(void **state)
{
    (void)state;
    source from = {.data = text, .size = DATA_MAX, .later = noise};
    kiln_payload_args args = args_of(&from, 0, 4096);
    kiln_buffer file = {0};
    assert_int_equal(write_with(&args, 1, NULL, &file, NULL), KILN_CHANGED);
    assert_null(file.data);
}

static kiln_status write_and_check(const kiln_allocator *allocator, kiln_error *reterr)
{
    source from[2] = {{.data = text, .size = 9000}, {.data = noise, .size = 100}};
    kiln_payload_args args[2] = {args_of(&from[0], 0, 4096), args_of(&from[1], 64, 0)};
    kiln_buffer file = {0};
    kiln_status status = write_with(args, 2, allocator, &file, reterr);
    if (status)
        return status;
    const kiln_index *index = index_of(&file);
    kiln_index_frame frame = frame_of(&file);
    kiln_payload_view view;
    for (uint32_t i = 0; i < 2 && !status; i++) {
        status = kiln_payload_view_read(blob_of(&file, index, i),
                                        &(kiln_payload_read_args){&frame, NULL, allocator}, &view,
                                        reterr);
        if (!status)
            status = kiln_payload_check(&view, index, file.data, allocator, reterr);
    }
    kiln_buffer_fini(&file);
    return status;
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    check_each_failure(write_and_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_data_are_stored_at_their_alignment),
        cmocka_unit_test(frames_decompress_to_their_parts_of_the_data),
        cmocka_unit_test(frames_that_save_no_space_are_not_used),
        cmocka_unit_test(equal_data_are_stored_once_with_the_largest_alignment),
        cmocka_unit_test(data_without_bytes_have_no_member),
        cmocka_unit_test(payloads_are_found_by_their_hash),
        cmocka_unit_test(arguments_that_break_their_contract_are_refused),
        cmocka_unit_test(a_payload_asset_without_data_is_refused),
        cmocka_unit_test(data_that_cannot_be_read_or_change_are_reported),
        cmocka_unit_test(data_that_change_between_the_passes_overrun_nothing),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, payload_set_up, payload_tear_down);
}
