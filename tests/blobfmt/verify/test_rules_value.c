/* The rules V1 to V12, V15 and V16 of FORMAT.md section 9, on hand-written payloads. */
#include "verdict.h"

#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

#define MAP_HEAD(count) "\x8\0\0\0" count "\0\0\0"

static void rule_v1_payload_smaller_than_its_root_is_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_U64, "\1\2\3\4\5\6\7", KILN_V_ROOT, 0, "");
    ACCEPT(T_ONE_U64, "\1\2\3\4\5\6\7\x8");
}

static void rule_v2_offset_out_of_the_payload_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_STRING, "\x8\0\0\0\3\0\0\0"
                         "abc\0");
    REFUSE(T_ONE_STRING,
           "\x8\0\0\0\4\0\0\0"
           "abc\0",
           KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING,
           "\xc\0\0\0\1\0\0\0"
           "abc\0",
           KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING,
           "\xd\0\0\0\1\0\0\0"
           "abc\0",
           KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING,
           "\xff\xff\xff\xff\1\0\0\0"
           "abc\0",
           KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING,
           "\x8\0\0\0\xff\xff\xff\xff"
           "abc\0",
           KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_U64_ARRAY, "\x8\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0", KILN_V_BOUNDS, 0, "value");
    /* The error is at the pointer of a union. */
    REFUSE(T_ONE_EFFECT, "\1\0\0\0\x8\0\0\0\0\0\0\0", KILN_V_BOUNDS, 4, "value.damage");
    /* A negative offset, read as unsigned, is out of bounds: targets come after their fields. */
    REFUSE(T_TWO_STRINGS,
           "\x10\0\0\0\1\0\0\0\xf8\xff\xff\xff\1\0\0\0"
           "a\0",
           KILN_V_BOUNDS, 8, "b");
}

static void rule_v3_misaligned_target_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_U32_ARRAY, "\x8\0\0\0\1\0\0\0"
                            "aaaa");
    REFUSE(T_ONE_U32_ARRAY,
           "\xa\0\0\0\1\0\0\0"
           "\0\0aaaa\0\0",
           KILN_V_MISALIGNED, 0, "value");
    REFUSE(T_ONE_U64_ARRAY,
           "\xc\0\0\0\1\0\0\0"
           "\0\0\0\0aaaaaaaa",
           KILN_V_MISALIGNED, 0, "value");
    REFUSE(T_ONE_EFFECT, "\1\0\0\0\6\0\0\0\0\0aaaa", KILN_V_MISALIGNED, 4, "value.damage");
}

static void rule_v3_target_with_more_alignment_than_the_blob_is_refused(void **state)
{
    (void)state;
    unsigned char payload[68] = {64, 0, 0, 0, 1};
    for (uint32_t align_log2 = KILN_ALIGN_LOG2_MIN; align_log2 <= KILN_ALIGN_LOG2_MAX;
         align_log2++) {
        patched blob =
            patched_blob(verdict_types, T_ONE_U32_ARRAY_64, align_log2, payload, sizeof payload);
        if (align_log2 < 6)
            assert_blob_refused(blob.data, blob.size, T_ONE_U32_ARRAY_64, KILN_V_MISALIGNED, 32,
                                "value");
        else
            assert_blob_accepted(blob.data, blob.size, T_ONE_U32_ARRAY_64);
        patched_fini(&blob);
    }
}

static void rule_v4_half_empty_values_are_refused(void **state)
{
    (void)state;
    static const uint32_t types[] = {T_ONE_STRING, T_ONE_BYTES, T_ONE_U32_ARRAY,
                                     T_ONE_MAP_STRING_U32};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ACCEPT(types[i], "\0\0\0\0\0\0\0\0");
        REFUSE(types[i], "\0\0\0\0\1\0\0\0", KILN_V_EMPTY, 0, "value");
        REFUSE(types[i], "\x8\0\0\0\0\0\0\0\0\0\0\0", KILN_V_EMPTY, 0, "value");
    }
}

static void rule_v5_string_without_a_nul_after_it_is_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_STRING,
           "\x8\0\0\0\3\0\0\0"
           "abcd",
           KILN_V_STRING_END, 11, "value");
}

static void rule_v6_string_with_nul_inside_is_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_STRING,
           "\x8\0\0\0\3\0\0\0"
           "a\0c\0",
           KILN_V_STRING_NUL, 9, "value");
    REFUSE(T_ONE_STRING,
           "\x8\0\0\0\xc\0\0\0"
           "abcdefghijk\0\0",
           KILN_V_STRING_NUL, 19, "value");
}

static void rule_v7_malformed_utf8_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t valid; /* bytes before the malformed sequence, or the length if there is none */
    } rows[] = {
        {"abcdefgh\xc3\xa4", 10},
        {"\xf0\x9f\x98\x80", 4},
        {"\xed\x9f\xbf\xee\x80\x80", 6},
        {"\xf4\x8f\xbf\xbf", 4},
        {"a\x80", 1},                /* a single continuation byte */
        {"ab\xc3", 2},               /* truncated */
        {"\xc0\xaf", 0},             /* overlong */
        {"abcdefgh\xe0\x9f\xbf", 8}, /* overlong */
        {"\xf0\x8f\xbf\xbf", 0},     /* overlong */
        {"x\xed\xa0\x80", 1},        /* surrogate */
        {"x\xf4\x90\x80\x80", 1},    /* above U+10FFFF */
        {"x\xf5\x80\x80\x80", 1},
        {"\xe2\x82"
         "a",
         0},
        {"\xff", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char payload[32] = {8};
        size_t length = strlen(rows[i].text);
        payload[4] = (unsigned char)length;
        memcpy(payload + 8, rows[i].text, length);
        if (rows[i].valid == length)
            assert_payload_accepted(T_ONE_STRING, payload, 9 + length);
        else
            assert_payload_refused(T_ONE_STRING, payload, 9 + length, KILN_V_STRING_UTF8,
                                   8 + rows[i].valid, "value");
    }
}

/* However the string is split into words, each position is checked. */
static void rule_v7_every_position_of_a_string_is_checked(void **state)
{
    (void)state;
    enum { LONGEST = 70 };
    for (uint32_t length = 1; length <= LONGEST; length += length < 20 ? 1 : 7) {
        for (uint32_t at = 0; at < length; at++) {
            unsigned char payload[8 + LONGEST + 1] = {8};
            payload[4] = (unsigned char)length;
            memset(payload + 8, 'a', length);
            payload[8 + at] = 0x80;
            assert_payload_refused(T_ONE_STRING, payload, 9 + length, KILN_V_STRING_UTF8, 8 + at,
                                   "value");
            payload[8 + at] = 0;
            assert_payload_refused(T_ONE_STRING, payload, 9 + length, KILN_V_STRING_NUL, 8 + at,
                                   "value");
        }
    }
}

static void rule_v8_bool_above_one_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_BOOL, "\0");
    ACCEPT(T_ONE_BOOL, "\1");
    REFUSE(T_ONE_BOOL, "\2", KILN_V_BOOL, 0, "value");
    REFUSE(T_ONE_BOOL, "\xff", KILN_V_BOOL, 0, "value");
    REFUSE(T_ONE_BOOL_3, "\1\0\x80", KILN_V_BOOL, 2, "value[2]");
    REFUSE(T_ONE_BOOL_3, "\2\0\1", KILN_V_BOOL, 0, "value[0]");
    /* A newtype adds no step to the path. */
    ACCEPT(T_ONE_WRAP, "\1");
    REFUSE(T_ONE_WRAP, "\2", KILN_V_BOOL, 0, "value");
}

static void rule_v9_enum_value_without_name_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_COLOR, "\xc8");
    REFUSE(T_ONE_COLOR, "\0", KILN_V_ENUM, 0, "value");
    REFUSE(T_ONE_COLOR, "\3", KILN_V_ENUM, 0, "value");
    ACCEPT(T_ONE_SIGN, "\xff");
    REFUSE(T_ONE_SIGN, "\xfe", KILN_V_ENUM, 0, "value");
}

static void rule_v10_flag_without_name_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_BITS, "\0\0");
    ACCEPT(T_ONE_BITS, "\xf\0");
    ACCEPT(T_ONE_BITS, "\4\0"); /* half of a two-bit value */
    REFUSE(T_ONE_BITS, "\x10\0", KILN_V_FLAGS, 0, "value");
    REFUSE(T_ONE_BITS, "\1\x80", KILN_V_FLAGS, 0, "value");
}

static void rule_v11_tag_without_alternative_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_EFFECT, "\0\0\0\0\0\0\0\0");
    REFUSE(T_ONE_EFFECT, "\5\0\0\0\4\0\0\0aaaa", KILN_V_UNION_TAG, 0, "value");
    REFUSE(T_ONE_EFFECT, "\xff\xff\xff\xff\0\0\0\0", KILN_V_UNION_TAG, 0, "value");
}

static void rule_v12_pointer_that_does_not_fit_its_tag_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_EFFECT, "\1\0\0\0\4\0\0\0aaaa");
    ACCEPT(T_ONE_EFFECT, "\3\0\0\0\0\0\0\0");
    REFUSE(T_ONE_EFFECT, "\0\0\0\0\4\0\0\0aaaa", KILN_V_UNION_VALUE, 4, "value");
    REFUSE(T_ONE_EFFECT, "\3\0\0\0\4\0\0\0aaaa", KILN_V_UNION_VALUE, 4, "value");
    REFUSE(T_ONE_EFFECT, "\1\0\0\0\0\0\0\0", KILN_V_UNION_VALUE, 4, "value");
}

static void rule_v15_reference_of_zero_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_REF, "\0\0\0\0\0\0\0\1");
    REFUSE(T_ONE_REF, "\0\0\0\0\0\0\0\0", KILN_V_REF, 0, "value");
}

static void rule_v16_padding_that_is_not_zero_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_PADDED, "\1\0\0\0"
                     "aaaa");
    REFUSE(T_PADDED,
           "\1\0\x80\0"
           "aaaa",
           KILN_V_PADDING, 2, "");
    /* After the last field. */
    REFUSE(T_ONE_VEC, "aaaabbbbcccc\0\0\0\1", KILN_V_PADDING, 15, "value");
    /* Between key and value, and after the value of an entry. */
    REFUSE(T_ONE_MAP_I16_BOOL, MAP_HEAD("\1") "\1\0\1\1", KILN_V_PADDING, 11, "value[1]");
    REFUSE(T_ONE_MAP_U64_STRING, MAP_HEAD("\1") "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1",
           KILN_V_PADDING, 24, "");
    for (size_t i = 1; i <= 4; i++) {
        unsigned char entry[] = {8, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 'v', 'v', 'v', 'v'};
        if (i < 4) {
            entry[8 + i] = 0x80;
            assert_payload_refused(T_ONE_MAP_U8_U32, entry, sizeof entry, KILN_V_PADDING, 8 + i,
                                   "value[7]");
        } else {
            assert_payload_accepted(T_ONE_MAP_U8_U32, entry, sizeof entry);
        }
    }
    /* Between and after objects. */
    ACCEPT(T_ONE_STRING, "\xa\0\0\0\1\0\0\0\0\0"
                         "a\0\0\0");
    REFUSE(T_ONE_STRING,
           "\xa\0\0\0\1\0\0\0\0\1"
           "a\0\0\0",
           KILN_V_PADDING, 9, "");
    REFUSE(T_ONE_STRING,
           "\x8\0\0\0\1\0\0\0"
           "a\0\0\1",
           KILN_V_PADDING, 11, "");
}

static void rule_v16_entity_or_data_that_is_not_zero_is_refused(void **state)
{
    (void)state;
    enum { SIZE = 96 };
    unsigned char bytes[SIZE] = {7};
    assert_payload_accepted(T_SLOT, bytes, SIZE);
    for (size_t i = 4; i < SIZE; i++) {
        char path[32] = "others";
        if (i >= 24)
            (void)snprintf(path, sizeof path, "others[%u]", (unsigned)(i - 24) / 8);
        bytes[i] = 0x80;
        assert_payload_refused(T_SLOT, bytes, SIZE, KILN_V_PADDING, i,
                               i < 12   ? "who"
                               : i < 16 ? ""
                               : i < 24 ? "text"
                                        : path);
        bytes[i] = 0;
    }
}

static void verify_of_an_image_counts_from_its_first_byte(void **state)
{
    (void)state;
    _Alignas(16) static const unsigned char bad[] = "\x8\0\0\0\3\0\0\0"
                                                    "abcd",
                                            good[] = "\x8\0\0\0\3\0\0\0"
                                                     "abc";
    kiln_error error;
    assert_int_equal(
        kiln_verify_image(verdict_types, T_STRING, (kiln_span){good, 12}, NULL, &error), KILN_OK);
    assert_int_equal(kiln_verify_image(verdict_types, T_STRING, (kiln_span){bad, 12}, NULL, &error),
                     KILN_V_STRING_END);
    assert_error(&error, KILN_V_STRING_END, 11, "");
    assert_int_equal(kiln_verify_image(verdict_types, T_U64, (kiln_span){good, 4}, NULL, &error),
                     KILN_V_ROOT);
}

static void verify_of_an_image_refuses_sizes_that_no_payload_has(void **state)
{
    (void)state;
    static const unsigned char image[16];
    assert_int_equal(kiln_verify_image(verdict_types, T_U64, (kiln_span){image, 0}, NULL, NULL),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_verify_image(verdict_types, T_U64,
                                       (kiln_span){image, (size_t)KILN_PAYLOAD_MAX + 1}, NULL,
                                       NULL),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_verify_image(verdict_types, TEST_TYPE_COUNT,
                                       (kiln_span){image, sizeof image}, NULL, NULL),
                     KILN_BAD_ARGUMENT);
}

static void verify_without_types_or_of_no_struct_is_a_bad_argument(void **state)
{
    (void)state;
    patched blob = patched_blob(verdict_types, T_ONE_BOOL, 0, "", 1);
    kiln_verify_def def = kiln_verify_def_default();
    def.type = T_ONE_BOOL;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_BAD_ARGUMENT);
    def.types = verdict_types;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_OK);
    def.type = T_BOOL;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_BAD_ARGUMENT);
    def.type = TEST_TYPE_COUNT;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_BAD_ARGUMENT);
    patched_fini(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_v1_payload_smaller_than_its_root_is_refused),
        cmocka_unit_test(rule_v2_offset_out_of_the_payload_is_refused),
        cmocka_unit_test(rule_v3_misaligned_target_is_refused),
        cmocka_unit_test(rule_v3_target_with_more_alignment_than_the_blob_is_refused),
        cmocka_unit_test(rule_v4_half_empty_values_are_refused),
        cmocka_unit_test(rule_v5_string_without_a_nul_after_it_is_refused),
        cmocka_unit_test(rule_v6_string_with_nul_inside_is_refused),
        cmocka_unit_test(rule_v7_malformed_utf8_is_refused),
        cmocka_unit_test(rule_v7_every_position_of_a_string_is_checked),
        cmocka_unit_test(rule_v8_bool_above_one_is_refused),
        cmocka_unit_test(rule_v9_enum_value_without_name_is_refused),
        cmocka_unit_test(rule_v10_flag_without_name_is_refused),
        cmocka_unit_test(rule_v11_tag_without_alternative_is_refused),
        cmocka_unit_test(rule_v12_pointer_that_does_not_fit_its_tag_is_refused),
        cmocka_unit_test(rule_v15_reference_of_zero_is_refused),
        cmocka_unit_test(rule_v16_padding_that_is_not_zero_is_refused),
        cmocka_unit_test(rule_v16_entity_or_data_that_is_not_zero_is_refused),
        cmocka_unit_test(verify_of_an_image_counts_from_its_first_byte),
        cmocka_unit_test(verify_of_an_image_refuses_sizes_that_no_payload_has),
        cmocka_unit_test(verify_without_types_or_of_no_struct_is_a_bad_argument),
    };
    return cmocka_run_group_tests_name("value rules", tests, verdict_set_up, verdict_tear_down);
}
