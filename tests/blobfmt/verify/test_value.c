/* The functions of kiln/value.h: their results for each kind, and their errors for other kinds. */
#include "random_value.h"
#include "value_walk.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/value.h>
#include <string.h>

static kiln_value root_of(uint32_t type, const void *payload, size_t size)
{
    kiln_value value = {0};
    assert_int_equal(kiln_value_root(verdict_types, type, payload, size, &value), KILN_OK);
    assert_int_equal(value.type, type);
    assert_ptr_equal(value.data, payload);
    return value;
}

static kiln_value child_of(const kiln_value *value, uint32_t i)
{
    kiln_value child = {0};
    assert_int_equal(kiln_value_at(value, i, &child), KILN_OK);
    return child;
}

static void numbers_of_every_kind_are_read(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        const char *bytes;
        int64_t number;
    } rows[] = {
        {T_BOOL, "\1", 1},
        {T_I8, "\xff", -1},
        {T_I16, "\xfe\xff", -2},
        {T_I32, "\0\0\0\x80", INT32_MIN},
        {T_I64, "\0\0\0\0\0\0\0\x80", INT64_MIN},
        {T_U8, "\xff", 255},
        {T_U16, "\xff\xff", 65535},
        {T_U32, "\xff\xff\xff\xff", UINT32_MAX},
        {T_U64, "\xff\xff\xff\xff\xff\xff\xff\xff", -1},
        {T_REF, "\1\0\0\0\0\0\0\0", 1},
        {T_COLOR, "\xc8", 200},
        {T_SIGN, "\xff", -1},
        {T_BITS, "\x3\0", 3},
        {T_F32, "\0\0\0\0", 0},
        {T_STRING, "\0\0\0\0\0\0\0\0", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_value value =
            root_of(rows[i].type, rows[i].bytes, kiln_types_get(verdict_types, rows[i].type)->size);
        assert_int_equal(kiln_value_int(&value), rows[i].number);
        assert_int_equal(kiln_value_uint(&value), (uint64_t)rows[i].number);
    }
    kiln_value single = root_of(T_F32, "\0\0\x80\xbf", 4),
               number = root_of(T_F64, "\0\0\0\0\0\0\xf8\x3f", 8);
    assert_true(kiln_value_float(&single) == -1.0);
    assert_true(kiln_value_float(&number) == 1.5);
    kiln_value whole = root_of(T_U32, "\1\0\0\0", 4);
    assert_true(kiln_value_float(&whole) == 0.0);
}

static void members_have_names(void **state)
{
    (void)state;
    kiln_value sign = root_of(T_SIGN, "\xff", 1), none = root_of(T_SIGN, "\x7f", 1);
    assert_string_equal(kiln_value_member(&sign)->name, "minus");
    assert_null(kiln_value_member(&none));
    kiln_value effect = root_of(T_EFFECT, "\3\0\0\0\0\0\0\0", 8),
               unset = root_of(T_EFFECT, "\0\0\0\0\0\0\0\0", 8);
    assert_string_equal(kiln_value_member(&effect)->name, "silence");
    assert_null(kiln_value_member(&unset));
    assert_int_equal(kiln_value_count(&effect), 0);
}

static void fields_are_found_by_name_and_number(void **state)
{
    (void)state;
    kiln_value item = root_of(T_ITEM,
                              "\x10\0\0\0\2\0\0\0\x7\0\0\0\1\2\0\0"
                              "ab",
                              19),
               field;
    assert_int_equal(kiln_value_count(&item), 4);
    assert_int_equal(kiln_value_field(&item, "price", 5, &field), KILN_OK);
    assert_int_equal(kiln_value_uint(&field), 7);
    assert_int_equal(kiln_value_offset(&field), 8);
    assert_int_equal(kiln_value_field(&item, "pric", 4, &field), KILN_NOT_FOUND);
    assert_int_equal(kiln_value_field(&field, "price", 5, &field), KILN_NOT_FOUND);
    assert_int_equal(kiln_value_at(&item, 4, &field), KILN_BAD_ARGUMENT);
    const char *text;
    uint32_t length;
    kiln_value name = child_of(&item, 0);
    assert_int_equal(kiln_value_text(&name, &text, &length), KILN_OK);
    assert_int_equal(length, 2);
    assert_memory_equal(text, "ab", 3);
    assert_int_equal(kiln_value_text(&item, &text, &length), KILN_BAD_ARGUMENT);
}

static void maps_give_keys_and_values(void **state)
{
    (void)state;
    kiln_value map = root_of(T_MAP_I16_BOOL, "\x8\0\0\0\2\0\0\0\xff\xff\1\0\5\0\0\0", 16), key,
               value;
    assert_int_equal(kiln_value_count(&map), 2);
    assert_int_equal(kiln_value_key(&map, 0, &key), KILN_OK);
    assert_int_equal(kiln_value_int(&key), -1);
    value = child_of(&map, 0);
    assert_int_equal(kiln_value_uint(&value), 1);
    assert_int_equal(kiln_value_key(&map, 1, &value), KILN_OK);
    assert_true(kiln_value_compare_keys(&key, &value) < 0);
    assert_true(kiln_value_compare_keys(&value, &key) > 0);
    assert_int_equal(kiln_value_compare_keys(&key, &key), 0);
    assert_int_equal(kiln_value_key(&map, 2, &key), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_value_key(&key, 0, &key), KILN_BAD_ARGUMENT);
}

static void targets_are_whole_objects(void **state)
{
    (void)state;
    const unsigned char *target;
    uint64_t size;
    static const struct {
        uint32_t type;
        const char *payload;
        size_t payload_size;
        uint64_t at, size;
    } rows[] = {
        {T_STRING,
         "\x8\0\0\0\3\0\0\0"
         "abc",
         12, 8, 4},
        {T_BYTES,
         "\x8\0\0\0\3\0\0\0"
         "abc",
         12, 8, 3},
        {T_U32_ARRAY,
         "\x8\0\0\0\2\0\0\0"
         "aaaabbbb",
         16, 8, 8},
        {T_MAP_I16_BOOL, "\x8\0\0\0\2\0\0\0\xff\xff\1\0\5\0\0\0", 16, 8, 8},
        {T_NODE_OPTIONAL, "\4\0\0\0aaaabbbbccccdddd", 20, 4, 16},
        {T_EFFECT, "\1\0\0\0\4\0\0\0aaaa", 12, 8, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_value value = root_of(rows[i].type, rows[i].payload, rows[i].payload_size);
        assert_int_equal(kiln_value_target(&value, &target, &size), KILN_OK);
        assert_int_equal(target - value.data, rows[i].at);
        assert_int_equal(size, rows[i].size);
        /* One byte less makes it out of bounds. */
        value = root_of(rows[i].type, rows[i].payload, (size_t)(rows[i].at + rows[i].size - 1));
        assert_int_equal(kiln_value_target(&value, &target, &size), KILN_V_BOUNDS);
    }
    kiln_value empty = root_of(T_U32_ARRAY, "\0\0\0\0\0\0\0\0", 8);
    assert_int_equal(kiln_value_target(&empty, &target, &size), KILN_OK);
    assert_null(target);
    assert_int_equal(size, 0);
    assert_int_equal(kiln_value_count(&empty), 0);
    kiln_value number = root_of(T_U32, "\1\0\0\0", 4);
    assert_int_equal(kiln_value_target(&number, &target, &size), KILN_BAD_ARGUMENT);
}

static void invalid_steps_are_refused(void **state)
{
    (void)state;
    kiln_value list = root_of(T_U32_ARRAY,
                              "\x8\0\0\0\xff\xff\xff\xff"
                              "aaaa",
                              12),
               element;
    assert_int_equal(kiln_value_count(&list), UINT32_MAX);
    assert_int_equal(kiln_value_at(&list, 0, &element), KILN_OK);
    assert_int_equal(kiln_value_at(&list, 1, &element), KILN_V_BOUNDS);
    assert_int_equal(kiln_value_at(&list, UINT32_MAX - 1, &element), KILN_V_BOUNDS);
    kiln_value odd = root_of(T_U32_ARRAY,
                             "\x9\0\0\0\1\0\0\0"
                             "aaaaa",
                             13);
    assert_int_equal(kiln_value_at(&odd, 0, &element), KILN_V_MISALIGNED);
    kiln_value text = root_of(T_STRING,
                              "\x8\0\0\0\x9\0\0\0"
                              "abc",
                              12);
    const char *at;
    uint32_t length;
    assert_int_equal(kiln_value_text(&text, &at, &length), KILN_V_BOUNDS);
    kiln_value backwards = root_of(T_NODE_OPTIONAL, "\xfc\xff\xff\xff", 4);
    assert_int_equal(kiln_value_at(&backwards, 0, &element), KILN_V_BOUNDS);
}

static void verified_blobs_are_traversed_without_errors(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        kiln_builder_def def = kiln_builder_def_default();
        kiln_builder *builder = NULL;
        kiln_buffer blob;
        kiln_blob_header header;
        def.types = verdict_types;
        assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
        random_value_build(builder, verdict_types, T_ALL, seed, 0);
        assert_int_equal(
            kiln_builder_finish(builder, T_ALL, seed % 2 ? KILN_FLAG_CANONICAL : 0, &blob, NULL),
            KILN_OK);
        assert_int_equal(kiln_header_read(blob.data, blob.size, &header, NULL), KILN_OK);
        assert_int_equal(walk_verified(verdict_types, T_ALL,
                                       blob.data + kiln_header_payload_at(&header),
                                       (size_t)header.payload_size),
                         KILN_OK);
        kiln_buffer_fini(&blob);
        kiln_builder_destroy(builder);
    }
}

static void statuses_have_names_texts_and_rules(void **state)
{
    (void)state;
    for (int status = 0; status < KILN_STATUS_COUNT; status++) {
        assert_true(strlen(kiln_status_name((kiln_status)status)) > 1);
        assert_true(strlen(kiln_status_text((kiln_status)status)) > 1);
        assert_non_null(kiln_status_rule((kiln_status)status));
    }
    assert_string_equal(kiln_status_name(KILN_V_MAP_ORDER), "V_MAP_ORDER");
    assert_string_equal(kiln_status_rule(KILN_V_MAP_ORDER), "V13");
    assert_string_equal(kiln_status_rule(KILN_NO_MEMORY), "");
    assert_non_null(kiln_status_text((kiln_status)9999));
    assert_non_null(kiln_status_name((kiln_status)-1));
    assert_non_null(kiln_status_rule(KILN_STATUS_COUNT));
    kiln_error error;
    char path[400];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(kiln_fail(&error, KILN_IO, 7, path), KILN_IO);
    assert_int_equal(strlen(error.path), KILN_PATH_SIZE - 1);
    assert_int_equal(kiln_fail(NULL, KILN_IO, 7, path), KILN_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_kind_are_read),
        cmocka_unit_test(members_have_names),
        cmocka_unit_test(fields_are_found_by_name_and_number),
        cmocka_unit_test(maps_give_keys_and_values),
        cmocka_unit_test(targets_are_whole_objects),
        cmocka_unit_test(invalid_steps_are_refused),
        cmocka_unit_test(verified_blobs_are_traversed_without_errors),
        cmocka_unit_test(statuses_have_names_texts_and_rules),
    };
    return cmocka_run_group_tests_name("values", tests, verdict_set_up, verdict_tear_down);
}
