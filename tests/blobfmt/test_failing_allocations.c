/* Fails each allocation of every entry point in turn. The status must report it, all memory must be
 * freed, and outputs must stay untouched. */
#include "counting_allocator.h"
#include "failing_memory.h"
#include "large_payload.h"
#include "random_value.h"
#include "small_file.h"
#include "verdict.h"

#include <kiln/canonical.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

static kiln_types *builtin;
static kiln_buffer all_blob, table_blob, file_bytes;

static kiln_status create_types(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *types = NULL;
    kiln_status status =
        kiln_types_create(allocator, test_type_descriptions(), TEST_TYPE_COUNT, &types, reterr);
    if (status) {
        assert_null(types);
        return status;
    }
    status = kiln_types_set_default(types, T_ITEM, 3, (kiln_span){"\2", 1}, reterr);
    if (!status)
        status = kiln_types_set_default(types, T_ITEM, 0,
                                        (kiln_span){"\x8\0\0\0\1\0\0\0"
                                                    "a",
                                                    10},
                                        reterr);
    kiln_types_destroy(types);
    return status;
}

static kiln_status create_builtin(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *types = NULL;
    kiln_status status = kiln_types_create_builtin(allocator, &types, reterr);
    kiln_types_destroy(types);
    return status;
}

static kiln_status write_table(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    kiln_status status = kiln_type_table_write(allocator, verdict_types, &blob, reterr);
    if (status)
        assert_null(blob.data);
    kiln_buffer_fini(&blob);
    return status;
}

static kiln_status read_table(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *types = NULL;
    kiln_status status =
        kiln_type_table_read(allocator, table_blob.data, table_blob.size, &types, reterr);
    if (status)
        assert_null(types);
    kiln_types_destroy(types);
    return status;
}

static kiln_status verify_blob(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ALL;
    def.allocator = allocator;
    return kiln_verify(&def, all_blob.data, all_blob.size, reterr);
}

static kiln_status canonicalize(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    kiln_status status =
        kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                 .type = T_ALL,
                                                 .blob = {all_blob.data, all_blob.size},
                                                 .allocator = allocator},
                          &blob, reterr);
    if (status)
        assert_null(blob.data);
    kiln_buffer_fini(&blob);
    return status;
}

static kiln_status build(const kiln_allocator *allocator, kiln_error *reterr, bool canonical,
                         bool once)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.share_strings = def.finish_once = once;
    def.types = verdict_types;
    def.allocator = allocator;
    def.block_size = 1024;
    kiln_builder *builder = NULL;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_buffer blob = {0};
    random_value_build(builder, verdict_types, T_ALL, 3, RANDOM_SET_TWICE | RANDOM_SHARED);
    status =
        kiln_builder_finish(builder, T_ALL, canonical ? KILN_FLAG_CANONICAL : 0, &blob, reterr);
    if (status)
        assert_null(blob.data);
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(builder);
    return status;
}

static kiln_status build_canonical(const kiln_allocator *allocator, kiln_error *reterr)
{
    return build(allocator, reterr, true, false);
}

static kiln_status build_plain(const kiln_allocator *allocator, kiln_error *reterr)
{
    return build(allocator, reterr, false, false);
}

static kiln_status build_once(const kiln_allocator *allocator, kiln_error *reterr)
{
    return build(allocator, reterr, true, true);
}

static kiln_status build_image(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = verdict_types;
    def.allocator = allocator;
    kiln_builder *builder = NULL;
    kiln_buffer image = {0};
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_string *text = kiln_builder_root(builder, sizeof *text, 4);
    if (text)
        kiln_builder_string(builder, text, "text", 4);
    status = kiln_builder_finish_image(builder, T_STRING, &image, reterr);
    kiln_buffer_fini(&image);
    kiln_builder_destroy(builder);
    return status;
}

static kiln_status write_file_by(const kiln_allocator *allocator, enum small_file_way way,
                                 kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = verdict_types;
    def.allocator = allocator;
    kiln_file_writer *writer = NULL;
    kiln_buffer file = {0};
    kiln_status status = kiln_file_writer_create(&def, &writer, reterr);
    if (!status)
        status = small_file_add(writer, verdict_types, allocator, way, reterr);
    /* The function that adds an import has no error output. */
    if (status)
        kiln_fail(reterr, status, 0, NULL);
    kiln_file_graph graph = {0};
    if (!status)
        status = kiln_file_writer_get_graph(writer, &graph, reterr);
    kiln_file_graph_fini(&graph);
    if (!status)
        status = kiln_file_writer_finish_buffer(writer, &file, reterr);
    if (!status) {
        assert_same_bytes(&file, &file_bytes);
    }
    kiln_buffer_fini(&file);
    kiln_file_writer_destroy(writer);
    return status;
}

static kiln_status write_file(const kiln_allocator *allocator, kiln_error *reterr)
{
    return write_file_by(allocator, SMALL_FILE_ADD, reterr);
}

static kiln_status write_file_of_taken_blobs(const kiln_allocator *allocator, kiln_error *reterr)
{
    return write_file_by(allocator, SMALL_FILE_TAKE, reterr);
}

static kiln_status write_file_of_built_values(const kiln_allocator *allocator, kiln_error *reterr)
{
    return write_file_by(allocator, SMALL_FILE_BUILD, reterr);
}

static kiln_status write_file_of_finished_assets(const kiln_allocator *allocator,
                                                 kiln_error *reterr)
{
    return write_file_by(allocator, SMALL_FILE_PUT, reterr);
}

static kiln_status check_index(const kiln_allocator *allocator, kiln_error *reterr)
{
    const kiln_index *index = NULL;
    kiln_status status = kiln_index_check(
        builtin, allocator, &(kiln_file_head){file_bytes.data, file_bytes.size, file_bytes.size},
        &index, reterr);
    if (status)
        assert_null(index);
    return status;
}

static kiln_buffer large_blob;
static payload_def large;

static kiln_status judge_large(const kiln_allocator *allocator, kiln_error *reterr)
{
    payload_def def = large;
    def.allocator = allocator;
    return kiln_judge(&def, reterr);
}

static kiln_status sweep_large(const kiln_allocator *allocator, kiln_error *reterr)
{
    return sweep_with(&large, allocator, reterr);
}

static void both_engines_verify_large_payloads(void **state)
{
    (void)state;
    kiln_types *types = large_types();
    large = large_payload(types, &large_blob);
    assert_int_equal(kiln_judge(&large, NULL), KILN_OK);
    assert_int_equal(kiln_sweep(&large), SWEEP_VALID);
    check_each_failure(sweep_large);
    check_each_failure(judge_large);
    kiln_buffer_fini(&large_blob);
    kiln_types_destroy(types);
}

static void making_types(void **state)
{
    (void)state;
    check_each_failure(create_types);
    check_each_failure(create_builtin);
}

static void writing_a_type_table(void **state)
{
    (void)state;
    check_each_failure(write_table);
}

static void reading_a_type_table(void **state)
{
    (void)state;
    check_each_failure(read_table);
}

static void verifying(void **state)
{
    (void)state;
    check_each_failure(verify_blob);
}

static void canonicalizing(void **state)
{
    (void)state;
    check_each_failure(canonicalize);
}

static void building(void **state)
{
    (void)state;
    check_each_failure(build_canonical);
    check_each_failure(build_plain);
    check_each_failure(build_once);
    check_each_failure(build_image);
}

static void writing_a_file(void **state)
{
    (void)state;
    check_each_failure(write_file);
    check_each_failure(write_file_of_taken_blobs);
    check_each_failure(write_file_of_built_values);
    check_each_failure(write_file_of_finished_assets);
}

static void checking_an_index(void **state)
{
    (void)state;
    check_each_failure(check_index);
}

/* A caller that continues after a failed add still writes a valid file of everything that was
 * added. */
static void file_after_a_failed_add_is_valid(void **state)
{
    (void)state;
    patched sword = patched_blob(verdict_types, T_ITEM, 0, "\0\0\0\0\0\0\0\0\1\0\0\0\0\1\0\0", 16);
    patched bow = patched_blob(verdict_types, T_ITEM, 0, "\0\0\0\0\0\0\0\0\2\0\0\0\0\1\0\0", 16);
    for (size_t at = 1; at < 40; at++) {
        counting_allocator counter = {0};
        kiln_allocator allocator = counting_allocator_of(&counter);
        kiln_file_writer_def def = kiln_file_writer_def_default();
        def.types = verdict_types;
        def.allocator = &allocator;
        kiln_file_writer *writer = NULL;
        kiln_buffer file = {0};
        const kiln_index *index = NULL;
        assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
        counter.fail_at = counter.calls + at;
        kiln_status status = kiln_file_writer_add(writer, "Item/a", T_ITEM,
                                                  (kiln_span){sword.data, sword.size}, NULL);
        counter.fail_at = 0;
        assert_int_equal(
            kiln_file_writer_add(writer, "Item/b", T_ITEM, (kiln_span){bow.data, bow.size}, NULL),
            KILN_OK);
        assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, NULL), KILN_OK);
        kiln_error error = {KILN_OK, 0, 0, ""};
        kiln_index_check(builtin, NULL, &(kiln_file_head){file.data, file.size, file.size}, &index,
                         &error);
        assert_error(&error, KILN_OK, 0, "");
        assert_int_equal(kiln_index_asset_count(index), status ? 1 : 2);
        kiln_buffer_fini(&file);
        kiln_file_writer_destroy(writer);
        assert_int_equal(counter.live_bytes, 0);
    }
    patched_fini(&sword);
    patched_fini(&bow);
}

static int set_up(void **state)
{
    verdict_set_up(state);
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = verdict_types;
    if (kiln_builder_create(&def, &builder) || kiln_types_create_builtin(NULL, &builtin, NULL) ||
        kiln_type_table_write(NULL, verdict_types, &table_blob, NULL))
        return 1;
    random_value_build(builder, verdict_types, T_ALL, 3, 0);
    kiln_status status = kiln_builder_finish(builder, T_ALL, KILN_FLAG_CANONICAL, &all_blob, NULL);
    kiln_builder_destroy(builder);
    file_bytes = small_file(verdict_types, false);
    return status != KILN_OK;
}

static int tear_down(void **state)
{
    kiln_buffer_fini(&all_blob);
    kiln_buffer_fini(&table_blob);
    kiln_buffer_fini(&file_bytes);
    kiln_types_destroy(builtin);
    return verdict_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(making_types),
        cmocka_unit_test(writing_a_type_table),
        cmocka_unit_test(reading_a_type_table),
        cmocka_unit_test(verifying),
        cmocka_unit_test(both_engines_verify_large_payloads),
        cmocka_unit_test(canonicalizing),
        cmocka_unit_test(building),
        cmocka_unit_test(writing_a_file),
        cmocka_unit_test(checking_an_index),
        cmocka_unit_test(file_after_a_failed_add_is_valid),
    };
    return cmocka_run_group_tests_name("failing allocations", tests, set_up, tear_down);
}
