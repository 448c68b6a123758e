/* The rules V17 to V19 of FORMAT.md section 9: positions of objects and references between them. */
#include "verdict.h"

#include <kiln/verify.h>
#include <string.h>

static void rule_v17_overlapping_objects_are_refused(void **state)
{
    (void)state;
    ACCEPT(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0"
                          "\xa\0\0\0\1\0\0\0"
                          "a\0b\0");
    /* An overlap with the middle of a string, with its end, and with the root. */
    REFUSE(T_TWO_STRINGS,
           "\x10\0\0\0\3\0\0\0"
           "\x9\0\0\0\2\0\0\0"
           "abc\0",
           KILN_V_OVERLAP, 8, "b");
    REFUSE(T_TWO_STRINGS,
           "\x12\0\0\0\1\0\0\0"
           "\x8\0\0\0\3\0\0\0"
           "abc\0",
           KILN_V_OVERLAP, 8, "b");
    REFUSE(T_ONE_U32_ARRAY, "\4\0\0\0\1\0\0\0", KILN_V_OVERLAP, 0, "value");
    REFUSE(T_TWO_ARRAYS,
           "\x10\0\0\0\2\0\0\0"
           "\xc\0\0\0\2\0\0\0"
           "aaaabbbbcccc",
           KILN_V_OVERLAP, 8, "b");
}

/* A long object overlaps a short one in a single element: at the beginning, in the middle or at the
 * end. The verifier records owners in groups of 64 bytes, so each case uses different bits. */
static void rule_v17_objects_of_any_length_that_overlap_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, a_count, b, b_count;
        bool overlaps;
    } rows[] = {
        {16, 4, 28, 60, true},   {72, 1, 16, 60, true},   {196, 1, 16, 46, true},
        {192, 9, 16, 45, true},  {16, 60, 28, 1, true},   {16, 60, 128, 1, true},
        {16, 60, 252, 1, true},  {16, 12, 64, 32, false}, {16, 11, 64, 33, false},
        {196, 1, 16, 45, false}, {16, 3, 28, 70, false},  {16, 60, 256, 1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char payload[320] = {0};
        patch_number(payload, rows[i].a, 4);
        patch_number(payload + 4, rows[i].a_count, 4);
        patch_number(payload + 8, rows[i].b - 8, 4);
        patch_number(payload + 12, rows[i].b_count, 4);
        if (!rows[i].overlaps)
            assert_payload_accepted(T_TWO_ARRAYS, payload, sizeof payload);
        else
            assert_payload_refused(T_TWO_ARRAYS, payload, sizeof payload, KILN_V_OVERLAP, 8, "b");
    }
}

static void rule_v18_sharing_with_another_type_or_count_is_refused(void **state)
{
    (void)state;
    ACCEPT(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0"
                          "\x8\0\0\0\1\0\0\0"
                          "a\0");
    ACCEPT(T_TWO_ARRAYS, "\x10\0\0\0\1\0\0\0"
                         "\x8\0\0\0\1\0\0\0"
                         "aaaa");
    REFUSE(T_TWO_ARRAYS,
           "\x10\0\0\0\2\0\0\0"
           "\x8\0\0\0\1\0\0\0"
           "aaaabbbb",
           KILN_V_SHARE, 8, "b");
    REFUSE(T_TWO_STRINGS,
           "\x10\0\0\0\1\0\0\0"
           "\x8\0\0\0\2\0\0\0"
           "a\0\0",
           KILN_V_SHARE, 8, "b");
    /* bytes and u8[] may share an object; bytes and strings may not. */
    ACCEPT(T_BYTES_AND_ARRAY, "\x10\0\0\0\2\0\0\0"
                              "\x8\0\0\0\2\0\0\0"
                              "a\0");
    REFUSE(T_STRING_AND_BYTES,
           "\x10\0\0\0\1\0\0\0"
           "\x8\0\0\0\2\0\0\0"
           "a\0",
           KILN_V_SHARE, 8, "b");
    REFUSE(T_STRING_AND_BYTES,
           "\x10\0\0\0\1\0\0\0"
           "\x8\0\0\0\1\0\0\0"
           "a\0",
           KILN_V_SHARE, 8, "b");
    /* An optional and an array of one element may share an object. */
    ACCEPT(T_NODE_AND_ARRAY, "\xc\0\0\0\x8\0\0\0\1\0\0\0"
                             "aaaa\0\0\0\0\0\0\0\0\0\0\0\0");
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
    patched blob =
        patched_blob(verdict_types, T_ONE_NODE_OPTIONAL, 0, payload, 4 + KILN_DEPTH_MAX * 16);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_NODE_OPTIONAL;
    kiln_error error;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, &error), KILN_V_DEPTH);
    memcpy(path, error.path, sizeof path);
    /* The error is at the field of the second to last node. */
    assert_error(&error, KILN_V_DEPTH, 32 + 4 + (KILN_DEPTH_MAX - 2) * 16 + 12, path);
    assert_memory_equal(path, "value.next.next", 15);
    assert_non_null(strstr(path, "..."));
    patched_fini(&blob);
}

static void rule_v19_counts_the_longest_path_to_a_shared_object(void **state)
{
    (void)state;
    /* Two chains of 100 nodes each. The root's field a refers to the second chain, and its field b
     * is an array with the first chain. The end of the first chain then also refers to the second
     * one, so the longest path goes through both. */
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
    /* Objects from the target of this field on: 129. */
    assert_int_equal(error.offset, 32 + ROOT + (CHAIN - (KILN_DEPTH_MAX - CHAIN + 1)) * 16 + 12);
    patched_fini(&blob);
}

/* The same, but the longest path is visited first. The root's child is a chain whose last node but
 * one has the other chain as its child; the last node is not on the path. The root's `next` also
 * refers to the other chain, which is stored last, because in canonical order an object follows all
 * fields that refer to it. */
static void rule_v19_counts_the_longest_path_even_if_a_shorter_one_comes_last(void **state)
{
    (void)state;
    enum { CHAIN = 100, NODE = 16, CHILDREN = 4, NEXT = 12, LAST = CHAIN, OTHER = CHAIN + 2 };
    unsigned char payload[(OTHER + CHAIN) * NODE];
    unsigned char *last = payload + LAST * NODE;
    memset(payload, 0, sizeof payload);
    for (uint32_t i = 1; i + 1 < OTHER + CHAIN; i++)
        if (i + 1 != OTHER)
            patch_number(payload + (size_t)i * NODE + NEXT, NODE - NEXT, 4);
    patch_number(payload + CHILDREN, NODE - CHILDREN, 4);
    patch_number(payload + CHILDREN + 4, 1, 4);
    patch_number(payload + NEXT, OTHER * NODE - NEXT, 4);
    assert_payload_accepted(T_NODE, payload, sizeof payload);
    patch_number(last + CHILDREN, (OTHER - LAST) * NODE - CHILDREN, 4);
    patch_number(last + CHILDREN + 4, 1, 4);
    patched blob = patched_blob(verdict_types, T_NODE, 0, payload, sizeof payload);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_NODE;
    kiln_error error;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, &error), KILN_V_DEPTH);
    /* Objects from the root to the target of this field: 129. The extra node is not on the path. */
    assert_int_equal(error.offset, 32 + KILN_DEPTH_MAX * NODE + NEXT);
    patched_fini(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_v17_overlapping_objects_are_refused),
        cmocka_unit_test(rule_v17_objects_of_any_length_that_overlap_are_refused),
        cmocka_unit_test(rule_v18_sharing_with_another_type_or_count_is_refused),
        cmocka_unit_test(rule_v18_sharing_with_another_alignment_is_refused),
        cmocka_unit_test(rule_v19_nesting_deeper_than_128_is_refused),
        cmocka_unit_test(rule_v19_counts_the_longest_path_to_a_shared_object),
        cmocka_unit_test(rule_v19_counts_the_longest_path_even_if_a_shorter_one_comes_last),
    };
    return cmocka_run_group_tests_name("object rules", tests, verdict_set_up, verdict_tear_down);
}
