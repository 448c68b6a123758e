/* The rules V1 to V19 and C1 of FORMAT.md section 9, one test at least for each, on payloads written by hand. */
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/canonical.h>
#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

static void rule_v1_payload_smaller_than_its_root_is_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_U64, "\1\2\3\4\5\6\7", KILN_V_ROOT, 0, "");
    ACCEPT(T_ONE_U64, "\1\2\3\4\5\6\7\x8");
}

static void rule_v2_offset_out_of_the_payload_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_STRING, "\x8\0\0\0\3\0\0\0" "abc\0");
    REFUSE(T_ONE_STRING, "\x8\0\0\0\4\0\0\0" "abc\0", KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING, "\xc\0\0\0\1\0\0\0" "abc\0", KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING, "\xd\0\0\0\1\0\0\0" "abc\0", KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING, "\xff\xff\xff\xff\1\0\0\0" "abc\0", KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_STRING, "\x8\0\0\0\xff\xff\xff\xff" "abc\0", KILN_V_BOUNDS, 0, "value");
    REFUSE(T_ONE_U64_ARRAY, "\x8\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0", KILN_V_BOUNDS, 0, "value");
    /* Of a union it is the pointer that leads astray. */
    REFUSE(T_ONE_EFFECT, "\1\0\0\0\x8\0\0\0\0\0\0\0", KILN_V_BOUNDS, 4, "value.damage");
    /* An offset below zero, taken as a number, leads out as well: targets lie after their fields. */
    REFUSE(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0\xf8\xff\xff\xff\1\0\0\0" "a\0", KILN_V_BOUNDS, 8, "b");
}

static void rule_v3_misaligned_target_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_U32_ARRAY, "\x8\0\0\0\1\0\0\0" "aaaa");
    REFUSE(T_ONE_U32_ARRAY, "\xa\0\0\0\1\0\0\0" "\0\0aaaa\0\0", KILN_V_MISALIGNED, 0, "value");
    REFUSE(T_ONE_U64_ARRAY, "\xc\0\0\0\1\0\0\0" "\0\0\0\0aaaaaaaa", KILN_V_MISALIGNED, 0, "value");
    REFUSE(T_ONE_EFFECT, "\1\0\0\0\6\0\0\0\0\0aaaa", KILN_V_MISALIGNED, 4, "value.damage");
}

static void rule_v3_target_that_asks_for_more_than_the_blob_is_aligned_to_is_refused(void **state)
{
    (void)state;
    unsigned char payload[68] = {64, 0, 0, 0, 1};
    for (uint32_t align_log2 = KILN_ALIGN_LOG2_MIN; align_log2 <= KILN_ALIGN_LOG2_MAX; align_log2++) {
        patched blob = patched_blob(verdict_types, T_ONE_U32_ARRAY_64, align_log2, payload, sizeof payload);
        if (align_log2 < 6)
            assert_blob_refused(blob.data, blob.size, T_ONE_U32_ARRAY_64, KILN_V_MISALIGNED, 32, "value");
        else
            assert_blob_accepted(blob.data, blob.size, T_ONE_U32_ARRAY_64);
        patched_fini(&blob);
    }
}

static void rule_v4_half_empty_values_are_refused(void **state)
{
    (void)state;
    static const uint32_t types[] = {T_ONE_STRING, T_ONE_BYTES, T_ONE_U32_ARRAY, T_ONE_MAP_STRING_U32};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ACCEPT(types[i], "\0\0\0\0\0\0\0\0");
        REFUSE(types[i], "\0\0\0\0\1\0\0\0", KILN_V_EMPTY, 0, "value");
        REFUSE(types[i], "\x8\0\0\0\0\0\0\0\0\0\0\0", KILN_V_EMPTY, 0, "value");
    }
}

static void rule_v5_string_without_nul_behind_it_is_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_STRING, "\x8\0\0\0\3\0\0\0" "abcd", KILN_V_STRING_END, 11, "value");
}

static void rule_v6_string_with_nul_inside_is_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_STRING, "\x8\0\0\0\3\0\0\0" "a\0c\0", KILN_V_STRING_NUL, 9, "value");
    REFUSE(T_ONE_STRING, "\x8\0\0\0\xc\0\0\0" "abcdefghijk\0\0", KILN_V_STRING_NUL, 19, "value");
}

static void rule_v7_malformed_utf8_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t valid; /* bytes before the malformed sequence; the length when there is none */
    } rows[] = {
        {"abcdefgh\xc3\xa4", 10},
        {"\xf0\x9f\x98\x80", 4},
        {"\xed\x9f\xbf\xee\x80\x80", 6},
        {"\xf4\x8f\xbf\xbf", 4},
        {"a\x80", 1},                  /* a continuation alone */
        {"ab\xc3", 2},                 /* cut */
        {"\xc0\xaf", 0},               /* overlong */
        {"abcdefgh\xe0\x9f\xbf", 8},   /* overlong */
        {"\xf0\x8f\xbf\xbf", 0},       /* overlong */
        {"x\xed\xa0\x80", 1},          /* surrogate */
        {"x\xf4\x90\x80\x80", 1},      /* above U+10FFFF */
        {"x\xf5\x80\x80\x80", 1},
        {"\xe2\x82" "a", 0},
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

static void rule_v8_bool_above_one_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_BOOL, "\0");
    ACCEPT(T_ONE_BOOL, "\1");
    REFUSE(T_ONE_BOOL, "\2", KILN_V_BOOL, 0, "value");
    REFUSE(T_ONE_BOOL, "\xff", KILN_V_BOOL, 0, "value");
    REFUSE(T_ONE_BOOL_3, "\1\0\x80", KILN_V_BOOL, 2, "value[2]");
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
    ACCEPT(T_ONE_BITS, "\4\0"); /* half of a value of two bits */
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

#define MAP_HEAD(count) "\x8\0\0\0" count "\0\0\0"

static void rule_v13_map_keys_not_ascending_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_MAP_BOOL_U8, MAP_HEAD("\2") "\0\5\1\5");
    REFUSE(T_ONE_MAP_BOOL_U8, MAP_HEAD("\2") "\1\5\0\5", KILN_V_MAP_ORDER, 10, "value[0]");
    REFUSE(T_ONE_MAP_BOOL_U8, MAP_HEAD("\2") "\1\5\1\5", KILN_V_MAP_ORDER, 10, "value[1]");
    ACCEPT(T_ONE_MAP_I16_BOOL, MAP_HEAD("\2") "\xff\xff\1\0\1\0\1\0");
    REFUSE(T_ONE_MAP_I16_BOOL, MAP_HEAD("\2") "\1\0\1\0\xff\xff\1\0", KILN_V_MAP_ORDER, 12, "value[-1]");
    ACCEPT(T_ONE_MAP_COLOR_U8, MAP_HEAD("\2") "\1\0\xc8\0");
    REFUSE(T_ONE_MAP_COLOR_U8, MAP_HEAD("\2") "\xc8\0\1\0", KILN_V_MAP_ORDER, 10, "value[\"red\"]");
    ACCEPT(T_ONE_MAP_SIGN_U8, MAP_HEAD("\3") "\xff\0\0\0\1\0");
    REFUSE(T_ONE_MAP_SIGN_U8, MAP_HEAD("\2") "\1\0\xff\0", KILN_V_MAP_ORDER, 10, "value[\"minus\"]");
    /* References are unsigned; keys by id. */
    ACCEPT(T_ONE_MAP_REF_U8, MAP_HEAD("\2") "\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0"
                                            "\0\0\0\0\0\0\0\x80\7\0\0\0\0\0\0\0");
    REFUSE(T_ONE_MAP_REF_U8, MAP_HEAD("\2") "\0\0\0\0\0\0\0\x80\7\0\0\0\0\0\0\0"
                                            "\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0",
           KILN_V_MAP_ORDER, 24, "value[\"0000000000000001\"]");
}

static void rule_v13_order_of_string_keys_is_bytewise_then_by_length(void **state)
{
    (void)state;
    /* Entries { string, u32 } of 12 bytes at 8 and 20, text from 32. */
    ACCEPT(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0" "\xe\0\0\0\2\0\0\0\7\0\0\0" "a\0ab\0");
    REFUSE(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\2\0\0\0\7\0\0\0" "\xf\0\0\0\1\0\0\0\7\0\0\0" "ab\0a\0",
           KILN_V_MAP_ORDER, 20, "value[\"a\"]");
    ACCEPT(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0" "\xe\0\0\0\2\0\0\0\7\0\0\0" "a\0\xc3\xa4\0");
    REFUSE(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\2\0\0\0\7\0\0\0" "\xf\0\0\0\1\0\0\0\7\0\0\0" "\xc3\xa4\0a\0",
           KILN_V_MAP_ORDER, 20, "value[\"a\"]");
    /* The same text twice, whether it is one object or two; the empty key comes first. */
    REFUSE(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0" "\xc\0\0\0\1\0\0\0\7\0\0\0" "a\0",
           KILN_V_MAP_ORDER, 20, "value[\"a\"]");
    ACCEPT(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\0\0\0\0\0\0\0\0\7\0\0\0" "\xc\0\0\0\1\0\0\0\7\0\0\0" "a\0");
    REFUSE(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0" "\0\0\0\0\0\0\0\0\7\0\0\0" "a\0",
           KILN_V_MAP_ORDER, 20, "value[\"\"]");
}

static void rule_v13_order_of_float_keys_is_numeric_and_of_arrays_lexicographic(void **state)
{
    (void)state;
    /* -1.0 bf800000, 0 00000000, 1.0 3f800000, infinity 7f800000. */
    ACCEPT(T_ONE_MAP_F32_U32, MAP_HEAD("\4") "\0\0\x80\xbf" "aaaa" "\0\0\0\0" "aaaa" "\0\0\x80\x3f" "aaaa" "\0\0\x80\x7f" "aaaa");
    REFUSE(T_ONE_MAP_F32_U32, MAP_HEAD("\2") "\0\0\x80\x3f" "aaaa" "\0\0\x80\xbf" "aaaa", KILN_V_MAP_ORDER, 16, "value[-1]");
    ACCEPT(T_ONE_MAP_PAIR_U8, MAP_HEAD("\2") "\0\0\x80\xbf\0\0\x80\x3f" "\7\0\0\0" "\0\0\0\0\0\0\x80\xbf" "\7\0\0\0");
    ACCEPT(T_ONE_MAP_PAIR_U8, MAP_HEAD("\2") "\0\0\0\0\0\0\x80\xbf" "\7\0\0\0" "\0\0\0\0\0\0\x80\x3f" "\7\0\0\0");
    REFUSE(T_ONE_MAP_PAIR_U8, MAP_HEAD("\2") "\0\0\0\0\0\0\x80\x3f" "\7\0\0\0" "\0\0\0\0\0\0\x80\xbf" "\7\0\0\0",
           KILN_V_MAP_ORDER, 20, "value[\"0,-1\"]");
}

static void rule_v14_nan_and_negative_zero_as_key_are_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_MAP_F32_U32, MAP_HEAD("\1") "\0\0\xc0\x7f" "aaaa", KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_F32_U32, MAP_HEAD("\1") "\1\0\x80\xff" "aaaa", KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_F32_U32, MAP_HEAD("\1") "\0\0\0\x80" "aaaa", KILN_V_MAP_KEY, 8, "value[0]");
    ACCEPT(T_ONE_MAP_F64_U8, MAP_HEAD("\1") "\0\0\0\0\0\0\0\0" "\7\0\0\0\0\0\0\0");
    REFUSE(T_ONE_MAP_F64_U8, MAP_HEAD("\1") "\0\0\0\0\0\0\0\x80" "\7\0\0\0\0\0\0\0", KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_F64_U8, MAP_HEAD("\1") "\0\0\0\0\0\0\xf8\x7f" "\7\0\0\0\0\0\0\0", KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_PAIR_U8, MAP_HEAD("\1") "\0\0\0\0\0\0\0\x80" "\7\0\0\0", KILN_V_MAP_KEY, 8, "value[0]");
    /* As values they are fine. */
    ACCEPT(T_ONE_F32, "\0\0\xc0\x7f");
    ACCEPT(T_ONE_F64, "\1\2\3\4\5\6\xff\xff");
    ACCEPT(T_ONE_F64, "\0\0\0\0\0\0\0\x80");
}

static void rule_v14_string_key_longer_than_1024_bytes_is_refused(void **state)
{
    (void)state;
    unsigned char payload[20 + KILN_MAP_KEY_MAX + 2] = {8, 0, 0, 0, 1, 0, 0, 0, 12};
    memset(payload + 20, 'k', KILN_MAP_KEY_MAX);
    patch_number(payload + 12, KILN_MAP_KEY_MAX, 4);
    assert_payload_accepted(T_ONE_MAP_STRING_U32, payload, sizeof payload - 1);
    payload[20 + KILN_MAP_KEY_MAX] = 'k';
    patch_number(payload + 12, KILN_MAP_KEY_MAX + 1, 4);
    assert_payload_refused(T_ONE_MAP_STRING_U32, payload, sizeof payload, KILN_V_MAP_KEY, 8, "value[0]");
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
    ACCEPT(T_PADDED, "\1\0\0\0" "aaaa");
    REFUSE(T_PADDED, "\1\0\x80\0" "aaaa", KILN_V_PADDING, 2, "");
    /* Behind the last field. */
    REFUSE(T_ONE_VEC, "aaaabbbbcccc\0\0\0\1", KILN_V_PADDING, 15, "value");
    /* Between key and value, and behind the value of an entry. */
    REFUSE(T_ONE_MAP_I16_BOOL, MAP_HEAD("\1") "\1\0\1\1", KILN_V_PADDING, 11, "value[1]");
    REFUSE(T_ONE_MAP_U64_STRING, MAP_HEAD("\1") "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", KILN_V_PADDING, 24, "");
    /* Between and behind objects. */
    ACCEPT(T_ONE_STRING, "\xa\0\0\0\1\0\0\0\0\0" "a\0\0\0");
    REFUSE(T_ONE_STRING, "\xa\0\0\0\1\0\0\0\0\1" "a\0\0\0", KILN_V_PADDING, 9, "");
    REFUSE(T_ONE_STRING, "\x8\0\0\0\1\0\0\0" "a\0\0\1", KILN_V_PADDING, 11, "");
}

static void rule_v17_overlapping_objects_are_refused(void **state)
{
    (void)state;
    ACCEPT(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0" "\xa\0\0\0\1\0\0\0" "a\0b\0");
    /* Into the middle, around the end, into the root. */
    REFUSE(T_TWO_STRINGS, "\x10\0\0\0\3\0\0\0" "\x9\0\0\0\2\0\0\0" "abc\0", KILN_V_OVERLAP, 8, "b");
    REFUSE(T_TWO_STRINGS, "\x12\0\0\0\1\0\0\0" "\x8\0\0\0\3\0\0\0" "abc\0", KILN_V_OVERLAP, 8, "b");
    REFUSE(T_ONE_U32_ARRAY, "\4\0\0\0\1\0\0\0", KILN_V_OVERLAP, 0, "value");
    REFUSE(T_TWO_ARRAYS, "\x10\0\0\0\2\0\0\0" "\xc\0\0\0\2\0\0\0" "aaaabbbbcccc", KILN_V_OVERLAP, 8, "b");
}

static void rule_v18_sharing_with_another_type_or_count_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0" "\x8\0\0\0\1\0\0\0" "a\0");
    ACCEPT(T_TWO_ARRAYS, "\x10\0\0\0\1\0\0\0" "\x8\0\0\0\1\0\0\0" "aaaa");
    REFUSE(T_TWO_ARRAYS, "\x10\0\0\0\2\0\0\0" "\x8\0\0\0\1\0\0\0" "aaaabbbb", KILN_V_SHARE, 8, "b");
    REFUSE(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0" "\x8\0\0\0\2\0\0\0" "a\0\0", KILN_V_SHARE, 8, "b");
    /* Bytes and u8[] are one type; bytes never share with text. */
    ACCEPT(T_BYTES_AND_ARRAY, "\x10\0\0\0\2\0\0\0" "\x8\0\0\0\2\0\0\0" "a\0");
    REFUSE(T_STRING_AND_BYTES, "\x10\0\0\0\1\0\0\0" "\x8\0\0\0\2\0\0\0" "a\0", KILN_V_SHARE, 8, "b");
    REFUSE(T_STRING_AND_BYTES, "\x10\0\0\0\1\0\0\0" "\x8\0\0\0\1\0\0\0" "a\0", KILN_V_SHARE, 8, "b");
    /* One value in an optional and an array of one value are the same object. */
    ACCEPT(T_NODE_AND_ARRAY, "\xc\0\0\0\x8\0\0\0\1\0\0\0" "aaaa\0\0\0\0\0\0\0\0\0\0\0\0");
}

static void rule_v18_sharing_with_another_alignment_is_refused(void **state)
{
    (void)state;
    unsigned char payload[68] = {64, 0, 0, 0, 1, 0, 0, 0, 56, 0, 0, 0, 1};
    patched blob = patched_blob(verdict_types, T_ARRAY_AND_ALIGNED, 6, payload, sizeof payload);
    assert_blob_refused(blob.data, blob.size, T_ARRAY_AND_ALIGNED, KILN_V_SHARE, 64 + 8, "b");
    patched_fini(&blob);
}

/* A chain of `count` nodes below a struct of one optional node: count + 1 objects. */
static void make_chain(unsigned char *payload, uint32_t count)
{
    memset(payload, 0, 4 + (size_t)count * 16);
    payload[0] = 4;
    for (uint32_t i = 0; i + 1 < count; i++)
        payload[4 + i * 16 + 12] = 4;
}

static void rule_v19_nesting_deeper_than_128_is_refused(void **state)
{
    (void)state;
    unsigned char payload[4 + 200 * 16];
    make_chain(payload, KILN_DEPTH_MAX - 1);
    assert_payload_accepted(T_ONE_NODE_OPTIONAL, payload, 4 + (KILN_DEPTH_MAX - 1) * 16);
    make_chain(payload, KILN_DEPTH_MAX);
    char path[KILN_PATH_SIZE] = "";
    patched blob = patched_blob(verdict_types, T_ONE_NODE_OPTIONAL, 0, payload, 4 + KILN_DEPTH_MAX * 16);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_NODE_OPTIONAL;
    kiln_error error;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, &error), KILN_V_DEPTH);
    memcpy(path, error.path, sizeof path);
    /* The field of the last node but one. */
    assert_error(&error, KILN_V_DEPTH, 32 + 4 + (KILN_DEPTH_MAX - 2) * 16 + 12, path);
    assert_memory_equal(path, "value.next.next", 15);
    assert_non_null(strstr(path, "..."));
    patched_fini(&blob);
}

static void rule_v19_counts_the_longest_way_to_a_shared_object(void **state)
{
    (void)state;
    /* Two ways of 100 nodes each: `next` of the root leads to the second chain at once, and the end of the first chain leads
     * to it again, so the longest way is the sum. Field a is the optional, b the array with the first chain. */
    enum { CHAIN = 100, ROOT = 12 };
    unsigned char payload[ROOT + 2 * CHAIN * 16];
    memset(payload, 0, sizeof payload);
    for (uint32_t i = 0; i < 2 * CHAIN; i++)
        if (i != CHAIN - 1 && i != 2 * CHAIN - 1)
            payload[ROOT + i * 16 + 12] = 4;
    patch_number(payload, ROOT + CHAIN * 16, 4);
    patch_number(payload + 4, ROOT - 4, 4);
    patch_number(payload + 8, 1, 4);
    assert_payload_accepted(T_NODE_AND_ARRAY, payload, sizeof payload);
    payload[ROOT + (CHAIN - 1) * 16 + 12] = 4;
    patched blob = patched_blob(verdict_types, T_NODE_AND_ARRAY, 0, payload, sizeof payload);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_NODE_AND_ARRAY;
    kiln_error error;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, &error), KILN_V_DEPTH);
    /* Objects from this field's own one down: 129. */
    assert_int_equal(error.offset, 32 + ROOT + (CHAIN - (KILN_DEPTH_MAX - CHAIN + 1)) * 16 + 12);
    patched_fini(&blob);
}

static void verify_of_an_image_counts_from_its_first_byte(void **state)
{
    (void)state;
    _Alignas(16) static const unsigned char bad[] = "\x8\0\0\0\3\0\0\0" "abcd", good[] = "\x8\0\0\0\3\0\0\0" "abc";
    kiln_error error;
    assert_int_equal(kiln_verify_image(verdict_types, T_STRING, good, 12, NULL, &error), KILN_OK);
    assert_int_equal(kiln_verify_image(verdict_types, T_STRING, bad, 12, NULL, &error), KILN_V_STRING_END);
    assert_error(&error, KILN_V_STRING_END, 11, "");
    assert_int_equal(kiln_verify_image(verdict_types, T_U64, good, 4, NULL, &error), KILN_V_ROOT);
}

/* Flags a blob canonical, whatever it is. */
static void flag_canonical(patched *blob)
{
    blob->data[6] |= KILN_FLAG_CANONICAL;
    patched_rehash(blob->data);
}

static void assert_canonical(uint32_t type, const void *payload, size_t size, uint64_t differs_at)
{
    patched blob = patched_blob(verdict_types, type, 0, payload, size);
    assert_blob_accepted(blob.data, blob.size, type);
    flag_canonical(&blob);
    if (differs_at == UINT64_MAX)
        assert_blob_accepted(blob.data, blob.size, type);
    else
        assert_blob_refused(blob.data, blob.size, type, KILN_C_CANONICAL, blob.size - size + differs_at, "");
    patched_fini(&blob);
}

#define CANONICAL(type, literal) assert_canonical((type), (literal), sizeof(literal) - 1, UINT64_MAX)
#define NOT_CANONICAL(type, literal, at) assert_canonical((type), (literal), sizeof(literal) - 1, (at))

static void rule_c1_flagged_canonical_but_not_in_that_form_is_refused(void **state)
{
    (void)state;
    /* Trailing padding; a gap; equal objects twice; another order. */
    CANONICAL(T_ONE_STRING, "\x8\0\0\0\1\0\0\0" "a\0");
    NOT_CANONICAL(T_ONE_STRING, "\x8\0\0\0\1\0\0\0" "a\0\0", 10);
    NOT_CANONICAL(T_ONE_STRING, "\x9\0\0\0\1\0\0\0" "\0a\0", 0);
    CANONICAL(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0" "\x8\0\0\0\1\0\0\0" "a\0");
    NOT_CANONICAL(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0" "\xa\0\0\0\1\0\0\0" "a\0a\0", 8);
    CANONICAL(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0" "\xa\0\0\0\1\0\0\0" "b\0a\0");
    NOT_CANONICAL(T_TWO_STRINGS, "\x12\0\0\0\1\0\0\0" "\x8\0\0\0\1\0\0\0" "a\0b\0", 0);
    /* NaNs. */
    CANONICAL(T_ONE_F32, "\0\0\xc0\x7f");
    NOT_CANONICAL(T_ONE_F32, "\1\0\xc0\x7f", 0);
    CANONICAL(T_ONE_F64, "\0\0\0\0\0\0\xf8\x7f");
    NOT_CANONICAL(T_ONE_F64, "\0\0\0\0\0\0\xf8\xff", 7);
    CANONICAL(T_ONE_F64, "\0\0\0\0\0\0\0\x80");
}

static void rule_c1_alignment_larger_than_needed_is_refused(void **state)
{
    (void)state;
    for (uint32_t align_log2 = 5; align_log2 <= 6; align_log2++) {
        patched blob = patched_blob(verdict_types, T_ONE_BOOL, align_log2, "\1", 1);
        assert_blob_accepted(blob.data, blob.size, T_ONE_BOOL);
        flag_canonical(&blob);
        assert_blob_refused(blob.data, blob.size, T_ONE_BOOL, KILN_C_CANONICAL, 6, "");
        patched_fini(&blob);
    }
}

static void rule_c1_is_left_out_when_not_wanted(void **state)
{
    (void)state;
    patched blob = patched_blob(verdict_types, T_ONE_F32, 0, "\1\0\xc0\x7f", 4);
    flag_canonical(&blob);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_F32;
    def.check_canonical = false;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_OK);
    patched_fini(&blob);
}

/* Order by the words of FORMAT.md section 8: of two nodes with children and texts beside. */
static void canonical_order_is_parents_first_in_field_order_and_bytes_last(void **state)
{
    (void)state;
    /* Root { a: Node?, b: Node[] }. a -> node 1 with next -> node 3; b -> [node 2]. In order: root, 1, 3, 2. */
    CANONICAL(T_NODE_AND_ARRAY, "\xc\0\0\0\x28\0\0\0\1\0\0\0"
                                "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                                "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    /* node 3 is also what node 2 leads to: it comes after both. In order: root, 1, 2, 3. */
    CANONICAL(T_NODE_AND_ARRAY, "\xc\0\0\0\x18\0\0\0\1\0\0\0"
                                "\1\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0"
                                "\2\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                                "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_v1_payload_smaller_than_its_root_is_refused),
        cmocka_unit_test(rule_v2_offset_out_of_the_payload_is_refused),
        cmocka_unit_test(rule_v3_misaligned_target_is_refused),
        cmocka_unit_test(rule_v3_target_that_asks_for_more_than_the_blob_is_aligned_to_is_refused),
        cmocka_unit_test(rule_v4_half_empty_values_are_refused),
        cmocka_unit_test(rule_v5_string_without_nul_behind_it_is_refused),
        cmocka_unit_test(rule_v6_string_with_nul_inside_is_refused),
        cmocka_unit_test(rule_v7_malformed_utf8_is_refused),
        cmocka_unit_test(rule_v8_bool_above_one_is_refused),
        cmocka_unit_test(rule_v9_enum_value_without_name_is_refused),
        cmocka_unit_test(rule_v10_flag_without_name_is_refused),
        cmocka_unit_test(rule_v11_tag_without_alternative_is_refused),
        cmocka_unit_test(rule_v12_pointer_that_does_not_fit_its_tag_is_refused),
        cmocka_unit_test(rule_v13_map_keys_not_ascending_is_refused),
        cmocka_unit_test(rule_v13_order_of_string_keys_is_bytewise_then_by_length),
        cmocka_unit_test(rule_v13_order_of_float_keys_is_numeric_and_of_arrays_lexicographic),
        cmocka_unit_test(rule_v14_nan_and_negative_zero_as_key_are_refused),
        cmocka_unit_test(rule_v14_string_key_longer_than_1024_bytes_is_refused),
        cmocka_unit_test(rule_v15_reference_of_zero_is_refused),
        cmocka_unit_test(rule_v16_padding_that_is_not_zero_is_refused),
        cmocka_unit_test(rule_v17_overlapping_objects_are_refused),
        cmocka_unit_test(rule_v18_sharing_with_another_type_or_count_is_refused),
        cmocka_unit_test(rule_v18_sharing_with_another_alignment_is_refused),
        cmocka_unit_test(rule_v19_nesting_deeper_than_128_is_refused),
        cmocka_unit_test(rule_v19_counts_the_longest_way_to_a_shared_object),
        cmocka_unit_test(verify_of_an_image_counts_from_its_first_byte),
        cmocka_unit_test(rule_c1_flagged_canonical_but_not_in_that_form_is_refused),
        cmocka_unit_test(rule_c1_alignment_larger_than_needed_is_refused),
        cmocka_unit_test(rule_c1_is_left_out_when_not_wanted),
        cmocka_unit_test(canonical_order_is_parents_first_in_field_order_and_bytes_last),
    };
    return cmocka_run_group_tests_name("rules about values", tests, verdict_set_up, verdict_tear_down);
}
