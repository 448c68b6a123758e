/* The rules T7, T8 and T10 of FORMAT.md section 9: values, keys and defaults. */
#include "type_refusals.h"

#include <string.h>

static void value_of_base(kiln_kind base, uint64_t value, kiln_status expected)
{
    const kiln_member values[] = {NUMBER("v", value)};
    const kiln_type list[] = {
        {.name = "E", .kind = KILN_KIND_ENUM, .base = base, .members = values, .member_count = 1}};
    if (expected)
        refused(list, 1, expected, "E.v");
    else
        made(list, 1);
}

static void rule_t7_values_out_of_range_are_refused(void **state)
{
    (void)state;
    value_of_base(KILN_KIND_U8, 255, KILN_OK);
    value_of_base(KILN_KIND_U8, 256, KILN_T_VALUE);
    value_of_base(KILN_KIND_U8, (uint64_t)-1, KILN_T_VALUE);
    value_of_base(KILN_KIND_I8, (uint64_t)-128, KILN_OK);
    value_of_base(KILN_KIND_I8, (uint64_t)-129, KILN_T_VALUE);
    value_of_base(KILN_KIND_I8, 127, KILN_OK);
    value_of_base(KILN_KIND_I8, 128, KILN_T_VALUE);
    value_of_base(KILN_KIND_I32, UINT64_C(0x80000000), KILN_T_VALUE);
    value_of_base(KILN_KIND_U32, UINT64_C(0x100000000), KILN_T_VALUE);
    value_of_base(KILN_KIND_I64, (uint64_t)INT64_MIN, KILN_OK);
    value_of_base(KILN_KIND_U64, UINT64_MAX, KILN_OK);
}

static void rule_t7_values_given_twice_or_not_at_all_are_refused(void **state)
{
    (void)state;
    REFUSED(KILN_T_VALUE, "E", {.name = "E", .kind = KILN_KIND_ENUM, .base = KILN_KIND_U8});
    REFUSED(KILN_T_VALUE, "U", {.name = "U", .kind = KILN_KIND_UNION});
    kiln_types *types;
    const kiln_type twice[] = {{.name = "E",
                                .kind = KILN_KIND_ENUM,
                                .base = KILN_KIND_U8,
                                MEMBERS(NUMBER("a", 1), NUMBER("b", 1))}};
    assert_int_equal(kiln_types_create(NULL, twice, 1, &types, NULL), KILN_T_VALUE);
    const kiln_type tags[] = {{.name = "U",
                               .kind = KILN_KIND_UNION,
                               MEMBERS({.name = "a", .value = 1, .type = KILN_TYPE_NONE},
                                       {.name = "b", .value = 1, .type = KILN_TYPE_NONE})}};
    assert_int_equal(kiln_types_create(NULL, tags, 1, &types, NULL), KILN_T_VALUE);
    const kiln_type masks[] = {{.name = "E",
                                .kind = KILN_KIND_FLAGS,
                                .base = KILN_KIND_U8,
                                MEMBERS(NUMBER("a", 4), NUMBER("b", 4))}};
    assert_int_equal(kiln_types_create(NULL, masks, 1, &types, NULL), KILN_T_VALUE);
    REFUSED(KILN_T_VALUE, "E.a",
            {.name = "E", .kind = KILN_KIND_FLAGS, .base = KILN_KIND_U8, MEMBERS(NUMBER("a", 0))});
    REFUSED(KILN_T_VALUE, "U.a",
            {.name = "U",
             .kind = KILN_KIND_UNION,
             MEMBERS({.name = "a", .value = 0, .type = KILN_TYPE_NONE})});
    REFUSED(KILN_T_VALUE, "U.a",
            {.name = "U",
             .kind = KILN_KIND_UNION,
             MEMBERS({.name = "a", .value = UINT64_C(0x100000000), .type = KILN_TYPE_NONE})});
    MADE({.name = "U",
          .kind = KILN_KIND_UNION,
          MEMBERS({.name = "a", .value = UINT32_MAX, .type = KILN_TYPE_NONE})});
}

static void rule_t8_types_that_cannot_be_keys_are_refused(void **state)
{
    (void)state;
    const kiln_type *all = test_type_descriptions();
    static const uint32_t good[] = {T_BOOL, T_I8,       T_U64,   T_F32,  T_F64,    T_STRING,
                                    T_REF,  T_REF_ITEM, T_COLOR, T_SIGN, T_BOOL_3, T_F32_2};
    static const uint32_t bad[] = {T_BYTES,  T_BITS,      T_VEC,           T_ITEM,
                                   T_EFFECT, T_U32_ARRAY, T_NODE_OPTIONAL, T_MAP_BOOL_U8};
    kiln_type list[TEST_TYPE_COUNT + 1];
    memcpy(list, all, sizeof(kiln_type) * TEST_TYPE_COUNT);
    for (size_t i = 0; i < COUNT(good) + COUNT(bad); i++) {
        kiln_type map = {.kind = KILN_KIND_MAP,
                         .key = i < COUNT(good) ? good[i] : bad[i - COUNT(good)],
                         .element = T_I64};
        list[TEST_TYPE_COUNT] = map;
        kiln_types *types = NULL;
        kiln_status status = kiln_types_create(NULL, list, TEST_TYPE_COUNT + 1, &types, NULL);
        assert_int_equal(status, i < COUNT(good) ? KILN_OK : KILN_T_KEY);
        kiln_types_destroy(types);
    }
    REFUSED(KILN_T_KEY, "map<string[2], u8>", {.kind = KILN_KIND_STRING}, {.kind = KILN_KIND_U8},
            {.kind = KILN_KIND_FIXED, .element = 0, .count = 2},
            {.kind = KILN_KIND_MAP, .key = 2, .element = 1});
}

/* Alignments in an image count from its first byte, whatever its address. */
static void rule_t10_objects_of_a_default_are_aligned_in_its_image(void **state)
{
    (void)state;
    enum { ROOT = 8, LAST = 4096 };
    static const uint32_t aligns[] = {0, 64, LAST};
    static unsigned char memory[2 * LAST];
    for (size_t i = 0; i < COUNT(aligns); i++) {
        const kiln_member fields[] = {FIELD("list", 1)};
        const kiln_type list[] = {
            U32,
            {.kind = KILN_KIND_ARRAY, .element = 0, .align_at = aligns[i]},
            {.name = "S", .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 1}};
        kiln_types *types = NULL;
        assert_int_equal(kiln_types_create(NULL, list, 3, &types, NULL), KILN_OK);
        uint32_t align = aligns[i] ? aligns[i] : 4, count = 1;
        uint32_t right = align > ROOT ? align : ROOT;
        /* At even and odd addresses. */
        for (uint32_t shift = 0; shift < 8; shift++) {
            const uint32_t places[] = {right, right - align / 2, right + align / 2};
            for (size_t k = 0; k < COUNT(places); k++) {
                unsigned char *image = memory + shift;
                kiln_error error = {KILN_OK, 0, 0, ""};
                memset(memory, 0, sizeof memory);
                patch_number(image, places[k], 4);
                patch_number(image + 4, count, 4);
                image[places[k]] = 7;
                kiln_status status = k == 0 ? KILN_OK : KILN_T_DEFAULT;
                uint32_t size = places[k] + 4 < right + 4 ? right + 4 : places[k] + 4;
                assert_int_equal(
                    kiln_types_set_default(types, 2, 0, (kiln_span){image, size}, &error), status);
                assert_error(&error, status, 0, status ? "S.list" : "");
            }
        }
        kiln_types_destroy(types);
    }
}

static void rule_t10_default_that_is_not_a_value_of_its_field_is_refused(void **state)
{
    (void)state;
    kiln_types *types = test_types_create(NULL);
    kiln_error error;
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 3, (kiln_span){"\2", 1}, &error),
                     KILN_OK);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 3, (kiln_span){"\3", 1}, &error),
                     KILN_T_DEFAULT);
    assert_error(&error, KILN_T_DEFAULT, 0, "test.Item.color");
    assert_int_equal(kiln_types_set_default(types, KILN_TYPE_NONE, 0, (kiln_span){"\2", 1}, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 3, (kiln_span){"", 0}, &error),
                     KILN_T_DEFAULT);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 1, (kiln_span){"\1\0\0", 3}, &error),
                     KILN_T_DEFAULT);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 0,
                                            (kiln_span){"\x8\0\0\0\1\0\0\0"
                                                        "a",
                                                        10},
                                            &error),
                     KILN_OK);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 0,
                                            (kiln_span){"\x8\0\0\0\1\0\0\0"
                                                        "ab",
                                                        10},
                                            &error),
                     KILN_T_DEFAULT);
    /* The default of a data field is a value of the element type. */
    assert_int_equal(kiln_types_default_type(types, T_DATA_STRING), T_STRING);
    assert_int_equal(kiln_types_default_type(types, T_STRING), T_STRING);
    assert_int_equal(kiln_types_default_type(types, TEST_TYPE_COUNT), TEST_TYPE_COUNT);
    assert_int_equal(kiln_types_set_default(types, T_SLOT, 2,
                                            (kiln_span){"\x8\0\0\0\1\0\0\0"
                                                        "a",
                                                        10},
                                            &error),
                     KILN_OK);
    assert_int_equal(
        kiln_types_set_default(types, T_SLOT, 2, (kiln_span){"\0\0\0\0\0\0\0\1", 8}, &error),
        KILN_T_DEFAULT);
    assert_int_equal(
        kiln_types_set_default(types, T_SLOT, 1, (kiln_span){"\0\0\0\0\0\0\0\0", 8}, &error),
        KILN_OK);
    assert_int_equal(
        kiln_types_set_default(types, T_SLOT, 1, (kiln_span){"\1\0\0\0\0\0\0\0", 8}, &error),
        KILN_T_DEFAULT);
    const kiln_member *name = &kiln_types_get(types, T_ITEM)->members[0];
    assert_int_equal(name->default_size, 10);
    assert_memory_equal(name->default_image,
                        "\x8\0\0\0\1\0\0\0"
                        "a",
                        10);
    /* Members of types other than structs. */
    assert_int_equal(kiln_types_set_default(types, T_COLOR, 0, (kiln_span){"\1", 1}, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 4, (kiln_span){"\1", 1}, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(
        kiln_types_set_default(types, TEST_TYPE_COUNT, 0, (kiln_span){"\1", 1}, &error),
        KILN_BAD_ARGUMENT);
    kiln_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_t7_values_out_of_range_are_refused),
        cmocka_unit_test(rule_t7_values_given_twice_or_not_at_all_are_refused),
        cmocka_unit_test(rule_t8_types_that_cannot_be_keys_are_refused),
        cmocka_unit_test(rule_t10_objects_of_a_default_are_aligned_in_its_image),
        cmocka_unit_test(rule_t10_default_that_is_not_a_value_of_its_field_is_refused),
    };
    return cmocka_run_group_tests_name("rules about values, keys and defaults", tests, NULL, NULL);
}
