/* Rule C1 of FORMAT.md section 9 and the order of section 8, byte by byte on hand-written payloads.
 */
#include "counting_allocator.h"
#include "guarded.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/canonical.h>
#include <kiln/verify.h>
#include <string.h>

/* Flags any blob as canonical. */
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
        assert_blob_refused(blob.data, blob.size, type, KILN_C_CANONICAL,
                            blob.size - size + differs_at, "");
    patched_fini(&blob);
}

#define CANONICAL(type, literal)                                                                   \
    assert_canonical((type), (literal), sizeof(literal) - 1, UINT64_MAX)
#define NOT_CANONICAL(type, literal, at)                                                           \
    assert_canonical((type), (literal), sizeof(literal) - 1, (at))

static void rule_c1_flagged_canonical_but_not_in_that_form_is_refused(void **state)
{
    (void)state;
    /* Trailing padding, a gap, equal objects stored twice, a wrong order. */
    CANONICAL(T_ONE_STRING, "\x8\0\0\0\1\0\0\0"
                            "a\0");
    NOT_CANONICAL(T_ONE_STRING,
                  "\x8\0\0\0\1\0\0\0"
                  "a\0\0",
                  10);
    NOT_CANONICAL(T_ONE_STRING,
                  "\x9\0\0\0\1\0\0\0"
                  "\0a\0",
                  0);
    CANONICAL(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0"
                             "\x8\0\0\0\1\0\0\0"
                             "a\0");
    NOT_CANONICAL(T_TWO_STRINGS,
                  "\x10\0\0\0\1\0\0\0"
                  "\xa\0\0\0\1\0\0\0"
                  "a\0a\0",
                  8);
    CANONICAL(T_TWO_STRINGS, "\x10\0\0\0\1\0\0\0"
                             "\xa\0\0\0\1\0\0\0"
                             "b\0a\0");
    NOT_CANONICAL(T_TWO_STRINGS,
                  "\x12\0\0\0\1\0\0\0"
                  "\x8\0\0\0\1\0\0\0"
                  "a\0b\0",
                  0);
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

static void rule_c1_gaps_between_objects_are_refused(void **state)
{
    (void)state;
    CANONICAL(T_NODE, "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                      "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    NOT_CANONICAL(T_NODE,
                  "\1\0\0\0\0\0\0\0\0\0\0\0\x8\0\0\0"
                  "\0\0\0\0"
                  "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                  12);
    NOT_CANONICAL(T_TWO_STRINGS,
                  "\x10\0\0\0\1\0\0\0"
                  "\xb\0\0\0\1\0\0\0"
                  "b\0\0a\0",
                  8);
}

static void rule_c1_equal_objects_that_name_others_are_refused(void **state)
{
    (void)state;
    /* Two nodes with number 1 and a child each: first equal children, then different ones. */
    NOT_CANONICAL(T_NODE_AND_ARRAY,
                  "\xc\0\0\0\x28\0\0\0\1\0\0\0"
                  "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                  "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                  "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                  "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                  4);
    CANONICAL(T_NODE_AND_ARRAY, "\xc\0\0\0\x28\0\0\0\1\0\0\0"
                                "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                                "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                                "\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

static void rule_c1_equal_objects_with_the_same_child_are_refused(void **state)
{
    (void)state;
    /* Both nodes refer to the same child, with different offsets. */
    NOT_CANONICAL(T_NODE_AND_ARRAY,
                  "\xc\0\0\0\x18\0\0\0\1\0\0\0"
                  "\1\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0"
                  "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                  "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                  4);
}

/* Root { name: string, numbers: u32[] } in field order, and with the string last. */
static void rule_c1_text_before_aligned_objects_is_refused(void **state)
{
    (void)state;
    enum { U32, TEXT, NUMBERS, ROOT, TYPES };
    static const kiln_member members[] = {{.name = "name", .type = TEXT},
                                          {.name = "numbers", .type = NUMBERS}};
    static const kiln_type described[TYPES] = {
        [U32] = {.kind = KILN_KIND_U32},
        [TEXT] = {.kind = KILN_KIND_STRING},
        [NUMBERS] = {.kind = KILN_KIND_ARRAY, .element = U32},
        [ROOT] = {.kind = KILN_KIND_STRUCT, .name = "Root", .members = members, .member_count = 2}};
    static const struct {
        unsigned char payload[24];
        kiln_status status;
    } rows[] = {
        {{0x10, 0, 0, 0, 3, 0, 0, 0, 0xc, 0, 0, 0, 1, 0, 0, 0, 'a', 'b', 'c', 0, 7, 0, 0, 0},
         KILN_C_CANONICAL},
        {{0x14, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 'a', 'b', 'c', 0},
         KILN_OK}};
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, described, TYPES, &types, NULL), KILN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        patched blob = patched_blob(types, ROOT, 0, rows[i].payload, sizeof rows[i].payload);
        flag_canonical(&blob);
        assert_int_equal(kiln_canonical_check(&(kiln_canonical_args){.types = types,
                                                                     .type = ROOT,
                                                                     .blob = {blob.data, blob.size},
                                                                     .allocator = NULL},
                                              NULL),
                         rows[i].status);
        patched_fini(&blob);
    }
    kiln_types_destroy(types);
}

/* Root { a: Item?, b: Item?, c: union of Item }: the position of the union determines the order
 * like any other field. */
static void rule_c1_the_target_of_a_union_has_a_position_in_the_order(void **state)
{
    (void)state;
    enum { U32, ITEM, ITEM_OPTIONAL, ITEM_UNION, ROOT, TYPES };
    static const kiln_member item[] = {{.name = "number", .type = U32}};
    static const kiln_member alternatives[] = {{.name = "item", .type = ITEM, .value = 1}};
    static const kiln_member members[] = {{.name = "a", .type = ITEM_OPTIONAL},
                                          {.name = "b", .type = ITEM_OPTIONAL},
                                          {.name = "c", .type = ITEM_UNION}};
    static const kiln_type described[TYPES] = {
        [U32] = {.kind = KILN_KIND_U32},
        [ITEM] = {.kind = KILN_KIND_STRUCT, .name = "Item", .members = item, .member_count = 1},
        [ITEM_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = ITEM},
        [ITEM_UNION] = {.kind = KILN_KIND_UNION,
                        .name = "Union",
                        .members = alternatives,
                        .member_count = 1},
        [ROOT] = {.kind = KILN_KIND_STRUCT, .name = "Root", .members = members, .member_count = 3}};
    /* a and c refer to one item and b to another. The target of c comes last. */
    static const struct {
        unsigned char payload[24];
        kiln_status status;
    } rows[] = {
        {{20, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0}, KILN_OK},
        {{16, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0},
         KILN_C_CANONICAL}};
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, described, TYPES, &types, NULL), KILN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        patched blob = patched_blob(types, ROOT, 0, rows[i].payload, sizeof rows[i].payload);
        flag_canonical(&blob);
        kiln_verify_def def = kiln_verify_def_default();
        def.types = types;
        def.type = ROOT;
        def.check_canonical = false;
        assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_OK);
        assert_int_equal(kiln_canonical_check(&(kiln_canonical_args){.types = types,
                                                                     .type = ROOT,
                                                                     .blob = {blob.data, blob.size},
                                                                     .allocator = NULL},
                                              NULL),
                         rows[i].status);
        patched_fini(&blob);
    }
    kiln_types_destroy(types);
}

static void rule_c1_is_not_decided_if_memory_runs_out(void **state)
{
    (void)state;
    patched blob = patched_blob(verdict_types, T_TWO_STRINGS, 0,
                                "\x12\0\0\0\1\0\0\0"
                                "\x8\0\0\0\1\0\0\0"
                                "a\0b\0",
                                20);
    flag_canonical(&blob);
    kiln_status status = KILN_NO_MEMORY;
    for (size_t fail_at = 1; status == KILN_NO_MEMORY; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        kiln_allocator allocator = counting_allocator_of(&counter);
        kiln_error error = {KILN_OK, 0, 0, ""};
        status = kiln_canonical_check(&(kiln_canonical_args){.types = verdict_types,
                                                             .type = T_TWO_STRINGS,
                                                             .blob = {blob.data, blob.size},
                                                             .allocator = &allocator},
                                      &error);
        assert_int_equal(error.status, status);
        assert_int_equal(status, counter.calls < fail_at ? KILN_C_CANONICAL : KILN_NO_MEMORY);
        assert_int_equal(counter.live_blocks, 0);
        assert_false(counter.wrong_free);
    }
    patched_fini(&blob);
}

static void a_root_larger_than_the_payload_is_not_read(void **state)
{
    (void)state;
    patched blob = patched_blob(verdict_types, T_ONE_BOOL, 0, "\1", 1);
    flag_canonical(&blob);
    guarded exact = guarded_copy(blob.data, blob.size);
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(kiln_canonical_check(&(kiln_canonical_args){.types = verdict_types,
                                                                 .type = T_TWO_STRINGS,
                                                                 .blob = {exact.data, exact.size},
                                                                 .allocator = NULL},
                                          &error),
                     KILN_BAD_ARGUMENT);
    assert_error(&error, KILN_BAD_ARGUMENT, 0, "");
    guarded_fini(&exact);
    patched_fini(&blob);
}

/* Errors of the header that are reported first when a blob is verified. */
static void rule_c1_covers_flag_gap_and_end(void **state)
{
    (void)state;
    static const struct {
        uint32_t at;
        unsigned char flip;
        size_t more; /* bytes */
        uint64_t differs_at;
    } rows[] = {{6, KILN_FLAG_CANONICAL, 0, 6}, {40, 1, 0, 40}, {0, 0, 1, 64 + 64 + 80}};
    unsigned char bytes[64 + 64 + 80 + 1] = {0};
    unsigned char payload[64 + 80] = {0x40, 0, 0, 0, 20};
    patched blob = patched_blob(verdict_types, T_ONE_U32_ARRAY_64, 6, payload, sizeof payload);
    flag_canonical(&blob);
    assert_blob_accepted(blob.data, blob.size, T_ONE_U32_ARRAY_64);
    assert_int_equal(blob.size, sizeof bytes - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_error error = {KILN_OK, 0, 0, ""};
        memcpy(bytes, blob.data, blob.size);
        bytes[rows[i].at] ^= rows[i].flip;
        assert_int_equal(
            kiln_canonical_check(&(kiln_canonical_args){.types = verdict_types,
                                                        .type = T_ONE_U32_ARRAY_64,
                                                        .blob = {bytes, blob.size + rows[i].more},
                                                        .allocator = NULL},
                                 &error),
            KILN_C_CANONICAL);
        assert_error(&error, KILN_C_CANONICAL, rows[i].differs_at, "");
    }
    patched_fini(&blob);
}

static void rule_c1_is_not_checked_if_disabled(void **state)
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

/* The order of FORMAT.md section 8. */
static void canonical_order_is_parents_first_in_field_order(void **state)
{
    (void)state;
    /* Root { a: Node?, b: Node[] }. a -> node 1 with next -> node 3; b -> [node 2]. In order: root,
     * 1, 3, 2. */
    CANONICAL(T_NODE_AND_ARRAY, "\xc\0\0\0\x28\0\0\0\1\0\0\0"
                                "\1\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                                "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    /* Node 2 also refers to node 3, which therefore comes after both. In order: root, 1, 2, 3. */
    CANONICAL(T_NODE_AND_ARRAY, "\xc\0\0\0\x18\0\0\0\1\0\0\0"
                                "\1\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0"
                                "\2\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0"
                                "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

static void a_blob_of_another_type_has_no_canonical_form(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        size_t size;
        kiln_status status;
    } rows[] = {{T_ONE_BOOL, 33, KILN_OK},
                {T_ONE_BOOL, 32, KILN_H_TRUNCATED},
                {T_ONE_BOOL, 0, KILN_H_TRUNCATED},
                {T_BOOL, 33, KILN_BAD_ARGUMENT},
                {TEST_TYPE_COUNT, 33, KILN_BAD_ARGUMENT},
                {T_ONE_U64, 33, KILN_BAD_ARGUMENT}};
    patched blob = patched_blob(verdict_types, T_ONE_BOOL, 0, "\1", 1);
    flag_canonical(&blob);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer rewritten = {0};
        patched exact = patched_copy(blob.data, rows[i].size);
        assert_int_equal(kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                                  .type = rows[i].type,
                                                                  .blob = {exact.data, exact.size},
                                                                  .allocator = NULL},
                                           &rewritten, NULL),
                         rows[i].status);
        assert_int_equal(
            kiln_canonical_check(&(kiln_canonical_args){.types = verdict_types,
                                                        .type = rows[i].type,
                                                        .blob = {exact.data, exact.size},
                                                        .allocator = NULL},
                                 NULL),
            rows[i].status);
        kiln_buffer_fini(&rewritten);
        patched_fini(&exact);
    }
    patched_fini(&blob);
}

/* Root { wide: Wide?, again: Wide?, words: string[], row: string[40], pads: Pad[40] }: values
 * larger than the unit of comparison, and types that repeat more often than the precomputed plan
 * covers. */
enum {
    R_U8,
    R_U32,
    R_STRING,
    R_NUMBERS,
    R_WIDE,
    R_WIDE_OPTIONAL,
    R_WORDS,
    R_ROW,
    R_PAD,
    R_PADS,
    R_ROOT,
    R_TYPES,
    R_TIMES = 40,
    R_WIDTH = 600
};

typedef struct repeating {
    kiln_ptr wide, again;
    kiln_array words;
    kiln_string row[R_TIMES];
    uint32_t pads[R_TIMES][2];
} repeating;

static kiln_types *repeating_types(void)
{
    static const kiln_member wide[] = {{.name = "numbers", .type = R_NUMBERS},
                                       {.name = "text", .type = R_STRING}};
    static const kiln_member pad[] = {{.name = "small", .type = R_U8},
                                      {.name = "large", .type = R_U32}};
    static const kiln_member members[] = {{.name = "wide", .type = R_WIDE_OPTIONAL},
                                          {.name = "again", .type = R_WIDE_OPTIONAL},
                                          {.name = "words", .type = R_WORDS},
                                          {.name = "row", .type = R_ROW},
                                          {.name = "pads", .type = R_PADS}};
    static const kiln_type described[R_TYPES] = {
        [R_U8] = {.kind = KILN_KIND_U8},
        [R_U32] = {.kind = KILN_KIND_U32},
        [R_STRING] = {.kind = KILN_KIND_STRING},
        [R_NUMBERS] = {.kind = KILN_KIND_FIXED, .element = R_U32, .count = R_WIDTH},
        [R_WIDE] = {.kind = KILN_KIND_STRUCT, .name = "Wide", .members = wide, .member_count = 2},
        [R_WIDE_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = R_WIDE},
        [R_WORDS] = {.kind = KILN_KIND_ARRAY, .element = R_STRING},
        [R_ROW] = {.kind = KILN_KIND_FIXED, .element = R_STRING, .count = R_TIMES},
        [R_PAD] = {.kind = KILN_KIND_STRUCT, .name = "Pad", .members = pad, .member_count = 2},
        [R_PADS] = {.kind = KILN_KIND_FIXED, .element = R_PAD, .count = R_TIMES},
        [R_ROOT] = {
            .kind = KILN_KIND_STRUCT, .name = "Root", .members = members, .member_count = 5}};
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, described, R_TYPES, &types, NULL), KILN_OK);
    assert_int_equal(kiln_types_get(types, R_ROOT)->size, sizeof(repeating));
    return types;
}

/* The last numbers of `wide` and `again` are 1 and `second`. `swapped` exchanges the positions of
 * the last two strings in `row`. */
static void check_repeating(uint32_t second, bool swapped, kiln_status status)
{
    typedef struct wide {
        uint32_t numbers[R_WIDTH];
        kiln_string text;
    } wide;
    kiln_types *types = repeating_types();
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    kiln_buffer blob;
    def.types = types;
    assert_int_equal(kiln_builder_create(&def, &b), KILN_OK);
    repeating *r = kiln_builder_root(b, sizeof *r, _Alignof(repeating));
    for (uint32_t i = 0; i < 2; i++) {
        wide *w = kiln_builder_pointer(b, i ? &r->again : &r->wide, sizeof *w, 4);
        w->numbers[R_WIDTH - 1] = i ? second : 1;
    }
    kiln_string *words = kiln_builder_array(b, &r->words, 1, sizeof *words, 4);
    kiln_builder_string(b, words, "word", 4);
    kiln_builder_string(b, &r->row[R_TIMES - 2], "a", 1);
    kiln_builder_string(b, &r->row[R_TIMES - 1], "b", 1);
    assert_int_equal(kiln_builder_finish(b, R_ROOT, 0, &blob, NULL), KILN_OK);
    blob.data[6] |= KILN_FLAG_CANONICAL;
    repeating *made = (repeating *)(void *)(blob.data + 32);
    if (swapped) {
        kiln_string *a = &made->row[R_TIMES - 2];
        a[0].offset += 2;
        a[1].offset -= 2;
    }
    patched_rehash(blob.data);
    assert_int_equal(kiln_canonical_check(&(kiln_canonical_args){.types = types,
                                                                 .type = R_ROOT,
                                                                 .blob = {blob.data, blob.size},
                                                                 .allocator = NULL},
                                          NULL),
                     status);
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(b);
    kiln_types_destroy(types);
}

static void rule_c1_covers_values_that_are_large_or_repeat_often(void **state)
{
    (void)state;
    check_repeating(2, false, KILN_OK);
    check_repeating(1, false, KILN_C_CANONICAL);
    check_repeating(2, true, KILN_C_CANONICAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_c1_flagged_canonical_but_not_in_that_form_is_refused),
        cmocka_unit_test(rule_c1_alignment_larger_than_needed_is_refused),
        cmocka_unit_test(rule_c1_gaps_between_objects_are_refused),
        cmocka_unit_test(rule_c1_equal_objects_that_name_others_are_refused),
        cmocka_unit_test(rule_c1_equal_objects_with_the_same_child_are_refused),
        cmocka_unit_test(rule_c1_text_before_aligned_objects_is_refused),
        cmocka_unit_test(rule_c1_the_target_of_a_union_has_a_position_in_the_order),
        cmocka_unit_test(rule_c1_is_not_decided_if_memory_runs_out),
        cmocka_unit_test(a_root_larger_than_the_payload_is_not_read),
        cmocka_unit_test(rule_c1_covers_flag_gap_and_end),
        cmocka_unit_test(rule_c1_is_not_checked_if_disabled),
        cmocka_unit_test(rule_c1_covers_values_that_are_large_or_repeat_often),
        cmocka_unit_test(a_blob_of_another_type_has_no_canonical_form),
        cmocka_unit_test(canonical_order_is_parents_first_in_field_order),
    };
    return cmocka_run_group_tests_name("canonical form rule", tests, verdict_set_up,
                                       verdict_tear_down);
}
