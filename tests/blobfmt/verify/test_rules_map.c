/* The rules V13 and V14 of FORMAT.md section 9 about map keys, on hand-written payloads. */
#include "verdict.h"

#include <string.h>

#define MAP_HEAD(count) "\x8\0\0\0" count "\0\0\0"

static void rule_v13_map_keys_not_ascending_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_ONE_MAP_BOOL_U8, MAP_HEAD("\2") "\0\5\1\5");
    REFUSE(T_ONE_MAP_BOOL_U8, MAP_HEAD("\2") "\1\5\0\5", KILN_V_MAP_ORDER, 10, "value[0]");
    REFUSE(T_ONE_MAP_BOOL_U8, MAP_HEAD("\2") "\1\5\1\5", KILN_V_MAP_ORDER, 10, "value[1]");
    ACCEPT(T_ONE_MAP_I16_BOOL, MAP_HEAD("\2") "\xff\xff\1\0\1\0\1\0");
    REFUSE(T_ONE_MAP_I16_BOOL, MAP_HEAD("\2") "\1\0\1\0\xff\xff\1\0", KILN_V_MAP_ORDER, 12,
           "value[-1]");
    ACCEPT(T_ONE_MAP_COLOR_U8, MAP_HEAD("\2") "\1\0\xc8\0");
    REFUSE(T_ONE_MAP_COLOR_U8, MAP_HEAD("\2") "\xc8\0\1\0", KILN_V_MAP_ORDER, 10, "value[\"red\"]");
    ACCEPT(T_ONE_MAP_SIGN_U8, MAP_HEAD("\3") "\xff\0\0\0\1\0");
    REFUSE(T_ONE_MAP_SIGN_U8, MAP_HEAD("\2") "\1\0\xff\0", KILN_V_MAP_ORDER, 10,
           "value[\"minus\"]");
    /* References are unsigned; their keys are ordered by id. */
    ACCEPT(T_ONE_MAP_REF_U8, MAP_HEAD("\2") "\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0"
                                            "\0\0\0\0\0\0\0\x80\7\0\0\0\0\0\0\0");
    REFUSE(T_ONE_MAP_REF_U8,
           MAP_HEAD("\2") "\0\0\0\0\0\0\0\x80\7\0\0\0\0\0\0\0"
                          "\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0",
           KILN_V_MAP_ORDER, 24, "value[\"0000000000000001\"]");
}

static void rule_v13_order_of_string_keys_is_bytewise_then_by_length(void **state)
{
    (void)state;
    /* Entries { string, u32 } of 12 bytes at 8 and 20, text from 32. */
    ACCEPT(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0"
                                                "\xe\0\0\0\2\0\0\0\7\0\0\0"
                                                "a\0ab\0");
    REFUSE(T_ONE_MAP_STRING_U32,
           MAP_HEAD("\2") "\x18\0\0\0\2\0\0\0\7\0\0\0"
                          "\xf\0\0\0\1\0\0\0\7\0\0\0"
                          "ab\0a\0",
           KILN_V_MAP_ORDER, 20, "value[\"a\"]");
    ACCEPT(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0"
                                                "\xe\0\0\0\2\0\0\0\7\0\0\0"
                                                "a\0\xc3\xa4\0");
    REFUSE(T_ONE_MAP_STRING_U32,
           MAP_HEAD("\2") "\x18\0\0\0\2\0\0\0\7\0\0\0"
                          "\xf\0\0\0\1\0\0\0\7\0\0\0"
                          "\xc3\xa4\0a\0",
           KILN_V_MAP_ORDER, 20, "value[\"a\"]");
    /* The same string twice, stored as one object or as two. The empty key comes first. */
    REFUSE(T_ONE_MAP_STRING_U32,
           MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0"
                          "\xc\0\0\0\1\0\0\0\7\0\0\0"
                          "a\0",
           KILN_V_MAP_ORDER, 20, "value[\"a\"]");
    ACCEPT(T_ONE_MAP_STRING_U32, MAP_HEAD("\2") "\0\0\0\0\0\0\0\0\7\0\0\0"
                                                "\xc\0\0\0\1\0\0\0\7\0\0\0"
                                                "a\0");
    REFUSE(T_ONE_MAP_STRING_U32,
           MAP_HEAD("\2") "\x18\0\0\0\1\0\0\0\7\0\0\0"
                          "\0\0\0\0\0\0\0\0\7\0\0\0"
                          "a\0",
           KILN_V_MAP_ORDER, 20, "value[\"\"]");
}

static void rule_v13_order_of_float_keys_is_numeric_and_of_arrays_lexicographic(void **state)
{
    (void)state;
    /* -1.0 bf800000, 0 00000000, 1.0 3f800000, infinity 7f800000. */
    ACCEPT(T_ONE_MAP_F32_U32, MAP_HEAD("\4") "\0\0\x80\xbf"
                                             "aaaa"
                                             "\0\0\0\0"
                                             "aaaa"
                                             "\0\0\x80\x3f"
                                             "aaaa"
                                             "\0\0\x80\x7f"
                                             "aaaa");
    REFUSE(T_ONE_MAP_F32_U32,
           MAP_HEAD("\2") "\0\0\x80\x3f"
                          "aaaa"
                          "\0\0\x80\xbf"
                          "aaaa",
           KILN_V_MAP_ORDER, 16, "value[-1]");
    ACCEPT(T_ONE_MAP_PAIR_U8, MAP_HEAD("\2") "\0\0\x80\xbf\0\0\x80\x3f"
                                             "\7\0\0\0"
                                             "\0\0\0\0\0\0\x80\xbf"
                                             "\7\0\0\0");
    ACCEPT(T_ONE_MAP_PAIR_U8, MAP_HEAD("\2") "\0\0\0\0\0\0\x80\xbf"
                                             "\7\0\0\0"
                                             "\0\0\0\0\0\0\x80\x3f"
                                             "\7\0\0\0");
    REFUSE(T_ONE_MAP_PAIR_U8,
           MAP_HEAD("\2") "\0\0\0\0\0\0\x80\x3f"
                          "\7\0\0\0"
                          "\0\0\0\0\0\0\x80\xbf"
                          "\7\0\0\0",
           KILN_V_MAP_ORDER, 20, "value[\"0,-1\"]");
}

static void rule_v14_nan_and_negative_zero_as_key_are_refused(void **state)
{
    (void)state;
    REFUSE(T_ONE_MAP_F32_U32,
           MAP_HEAD("\1") "\0\0\xc0\x7f"
                          "aaaa",
           KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_F32_U32,
           MAP_HEAD("\1") "\1\0\x80\xff"
                          "aaaa",
           KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_F32_U32,
           MAP_HEAD("\1") "\0\0\0\x80"
                          "aaaa",
           KILN_V_MAP_KEY, 8, "value[0]");
    ACCEPT(T_ONE_MAP_F64_U8, MAP_HEAD("\1") "\0\0\0\0\0\0\0\0"
                                            "\7\0\0\0\0\0\0\0");
    REFUSE(T_ONE_MAP_F64_U8,
           MAP_HEAD("\1") "\0\0\0\0\0\0\0\x80"
                          "\7\0\0\0\0\0\0\0",
           KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_F64_U8,
           MAP_HEAD("\1") "\0\0\0\0\0\0\xf8\x7f"
                          "\7\0\0\0\0\0\0\0",
           KILN_V_MAP_KEY, 8, "value[0]");
    REFUSE(T_ONE_MAP_PAIR_U8,
           MAP_HEAD("\1") "\0\0\0\0\0\0\0\x80"
                          "\7\0\0\0",
           KILN_V_MAP_KEY, 8, "value[0]");
    /* They are valid as values. */
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
    assert_payload_refused(T_ONE_MAP_STRING_U32, payload, sizeof payload, KILN_V_MAP_KEY, 8,
                           "value[0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_v13_map_keys_not_ascending_is_refused),
        cmocka_unit_test(rule_v13_order_of_string_keys_is_bytewise_then_by_length),
        cmocka_unit_test(rule_v13_order_of_float_keys_is_numeric_and_of_arrays_lexicographic),
        cmocka_unit_test(rule_v14_nan_and_negative_zero_as_key_are_refused),
        cmocka_unit_test(rule_v14_string_key_longer_than_1024_bytes_is_refused),
    };
    return cmocka_run_group_tests_name("map rules", tests, verdict_set_up, verdict_tear_down);
}
