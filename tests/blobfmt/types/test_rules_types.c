/* The rules T1 to T6 and L2 of FORMAT.md section 9, on descriptions of type lists. */
#include "type_refusals.h"

#include <stdio.h>
#include <string.h>

static void rule_t1_unknown_kind_base_or_flag_is_refused(void **state)
{
    (void)state;
    MADE({.kind = KILN_KIND_BOOL});
    REFUSED(KILN_T_KIND, "none", {.kind = KILN_KIND_NONE});
    REFUSED(KILN_T_KIND, "unknown", {.kind = (kiln_kind)25});
    MADE({.name = "E", .kind = KILN_KIND_ENUM, .base = KILN_KIND_I64, MEMBERS(NUMBER("a", 1))});
    REFUSED(KILN_T_KIND, "E",
            {.name = "E", .kind = KILN_KIND_ENUM, .base = KILN_KIND_F32, MEMBERS(NUMBER("a", 1))});
    REFUSED(KILN_T_KIND, "E", {.name = "E", .kind = KILN_KIND_ENUM, MEMBERS(NUMBER("a", 1))});
    MADE({.name = "E", .kind = KILN_KIND_FLAGS, .base = KILN_KIND_U64, MEMBERS(NUMBER("a", 1))});
    REFUSED(KILN_T_KIND, "E",
            {.name = "E", .kind = KILN_KIND_FLAGS, .base = KILN_KIND_I8, MEMBERS(NUMBER("a", 1))});
}

static void rule_t1_flags_that_do_not_apply_are_refused(void **state)
{
    (void)state;
    MADE(U32, {.name = "S", .kind = KILN_KIND_STRUCT, .flags = 3, MEMBERS(FIELD("a", 0))},
         {.name = "T", .kind = KILN_KIND_STRUCT, .flags = 6, MEMBERS(FIELD("a", 0))});
    REFUSED(KILN_T_KIND, "S", U32,
            {.name = "S", .kind = KILN_KIND_STRUCT, .flags = 5, MEMBERS(FIELD("a", 0))});
    REFUSED(KILN_T_KIND, "S", U32,
            {.name = "S", .kind = KILN_KIND_STRUCT, .flags = 8, MEMBERS(FIELD("a", 0))});
    REFUSED(KILN_T_KIND, "S", U32,
            {.name = "S",
             .kind = KILN_KIND_STRUCT,
             .flags = KILN_TYPE_TRANSPARENT,
             MEMBERS(FIELD("a", 0), FIELD("b", 0))});
    REFUSED(KILN_T_KIND, "u32", {.kind = KILN_KIND_U32, .flags = KILN_TYPE_ASSET});
    REFUSED(KILN_T_KIND, "E",
            {.name = "E",
             .kind = KILN_KIND_ENUM,
             .base = KILN_KIND_U8,
             .flags = KILN_TYPE_ASSET,
             MEMBERS(NUMBER("a", 1))});
    REFUSED(
        KILN_T_KIND, "S.a", U32,
        {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS({.name = "a", .type = 0, .flags = 64})});
    MADE({.name = "E",
          .kind = KILN_KIND_ENUM,
          .base = KILN_KIND_U8,
          MEMBERS({.name = "a", .flags = KILN_MEMBER_DEPRECATED})});
    REFUSED(KILN_T_KIND, "E.a",
            {.name = "E",
             .kind = KILN_KIND_ENUM,
             .base = KILN_KIND_U8,
             MEMBERS({.name = "a", .flags = KILN_MEMBER_REQUIRED})});
}

static void struct_named(const char *type_name, const char *field_name, kiln_status expected,
                         const char *path)
{
    const kiln_member fields[] = {FIELD(field_name, 0)};
    const kiln_type list[] = {
        U32, {.name = type_name, .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 1}};
    if (expected)
        refused(list, 2, expected, path);
    else
        made(list, 2);
}

static void rule_t2_malformed_names_are_refused(void **state)
{
    (void)state;
    static const char *const good_types[] = {"a", "_", "A9", "a.b", "game.sub.Item_2"};
    static const char *const bad_types[] = {"",   ".",    "a.",  ".a",  "a..b",
                                            "9",  "a.9",  "a b", "a-b", "\xc3\xa4",
                                            "9a", "a.9b", "a:",  "a[",  "a{"};
    for (size_t i = 0; i < COUNT(good_types); i++)
        struct_named(good_types[i], "x", KILN_OK, "");
    for (size_t i = 0; i < COUNT(bad_types); i++)
        struct_named(bad_types[i], "x", KILN_T_NAME, bad_types[i]);
    static const char *const good_fields[] = {"a", "9", "a b", "SF64:ANIM", "\xc3\xa4", "\""};
    for (size_t i = 0; i < COUNT(good_fields); i++)
        struct_named("S", good_fields[i], KILN_OK, "");
    struct_named("S", "", KILN_T_NAME, "S.");
    struct_named("S", "a\n", KILN_T_NAME, "S.a\\x0a");
    struct_named("S", "a\x7f", KILN_T_NAME, "S.a\\x7f");
    struct_named("S", "a\xff", KILN_T_NAME, "S.a\xff");
    char name[258];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    struct_named(name, name, KILN_OK, "");
    name[255] = 'n';
    name[256] = '\0';
    kiln_error error;
    kiln_types *types;
    const kiln_member fields[] = {FIELD(name, 0)};
    const kiln_type long_type[] = {U32, {.name = name, .kind = KILN_KIND_STRUCT}};
    const kiln_type long_field[] = {
        U32, {.name = "S", .kind = KILN_KIND_STRUCT, .members = fields, .member_count = 1}};
    assert_int_equal(kiln_types_create(NULL, long_type, 2, &types, &error), KILN_T_NAME);
    assert_int_equal(kiln_types_create(NULL, long_field, 2, &types, &error), KILN_T_NAME);
}

static void rule_t2_names_given_twice_are_refused(void **state)
{
    (void)state;
    REFUSED(KILN_T_NAME, "S.a", U32,
            {.name = "S",
             .kind = KILN_KIND_STRUCT,
             MEMBERS(FIELD("a", 0), FIELD("b", 0), FIELD("a", 0))});
    REFUSED(KILN_T_NAME, "S", U32, {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 0))},
            {.name = "S", .kind = KILN_KIND_ENUM, .base = KILN_KIND_U8, MEMBERS(NUMBER("a", 1))});
    MADE(U32, {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 0), FIELD("A", 0))},
         {.name = "s", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 0))});
}

static void rule_t3_numbers_of_no_type_are_refused(void **state)
{
    (void)state;
    static const uint32_t none[] = {2, 1000, KILN_TYPE_NONE, UINT32_MAX - 1};
    for (size_t i = 0; i < COUNT(none); i++) {
        REFUSED(KILN_T_INDEX, "S.a", U32,
                {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", none[i]))});
        REFUSED(KILN_T_INDEX, "?[]", U32, ARRAY_OF(none[i]));
        REFUSED(KILN_T_INDEX, "??", U32, {.kind = KILN_KIND_OPTIONAL, .element = none[i]});
        REFUSED(KILN_T_INDEX, "map<?, u32>", U32, {.kind = KILN_KIND_MAP, .key = none[i]});
        REFUSED(KILN_T_INDEX, "map<u32, ?>", U32, {.kind = KILN_KIND_MAP, .element = none[i]});
        REFUSED(KILN_T_INDEX, "?[3]", U32,
                {.kind = KILN_KIND_FIXED, .element = none[i], .count = 3});
        if (none[i] != KILN_TYPE_NONE) {
            REFUSED(KILN_T_INDEX, "ref<?>", U32, {.kind = KILN_KIND_REF, .element = none[i]});
            REFUSED(KILN_T_INDEX, "U.a", U32,
                    {.name = "U",
                     .kind = KILN_KIND_UNION,
                     MEMBERS({.name = "a", .value = 1, .type = none[i]})});
        }
    }
    MADE({.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE});
    REFUSED(KILN_T_INDEX, "ref<u32>", U32, {.kind = KILN_KIND_REF, .element = 0});
    REFUSED(KILN_T_INDEX, "u32[0]", U32, {.kind = KILN_KIND_FIXED, .element = 0, .count = 0});
}

#define ENTITY                                                                                     \
    {                                                                                              \
        .kind = KILN_KIND_ENTITY                                                                   \
    }
#define DATA_OF(number)                                                                            \
    {                                                                                              \
        .kind = KILN_KIND_DATA, .element = (number)                                                \
    }

static void rule_t3_entities_and_data_outside_components_are_refused(void **state)
{
    (void)state;
    MADE(ENTITY, U32, DATA_OF(1), {.kind = KILN_KIND_FIXED, .element = 0, .count = 2},
         {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 0), FIELD("b", 2))},
         {.kind = KILN_KIND_FIXED, .element = 4, .count = 2},
         {.name = "T", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 3), FIELD("b", 5))},
         {.kind = KILN_KIND_REF, .element = 6});
    REFUSED(KILN_T_INDEX, "data<?>", U32, DATA_OF(KILN_TYPE_NONE));
    REFUSED(KILN_T_INDEX, "data<?>", U32, DATA_OF(2));
    REFUSED(
        KILN_T_INDEX, "S", ENTITY,
        {.name = "S", .kind = KILN_KIND_STRUCT, .flags = KILN_TYPE_ASSET, MEMBERS(FIELD("a", 0))});
    REFUSED(KILN_T_INDEX, "S", U32, ARRAY_OF(0),
            {.name = "S",
             .kind = KILN_KIND_STRUCT,
             .flags = KILN_TYPE_COMPONENT,
             MEMBERS(FIELD("a", 1))});
    /* An entity, data, fixed arrays of them, and structs that contain them at any depth. */
    const kiln_type list[] = {
        ENTITY,
        U32,
        DATA_OF(1),
        {.kind = KILN_KIND_FIXED, .element = 0, .count = 2},
        {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 2))},
        {.name = "T", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 4))},
        {.kind = KILN_KIND_FIXED, .element = 5, .count = 3},
    };
    static const uint32_t only_components[] = {0, 2, 3, 4, 5, 6};
    static const char *const names[] = {"entity", "data<u32>", "entity[2]", "S", "T", "T[3]"};
    for (size_t i = 0; i < COUNT(only_components); i++) {
        uint32_t of = only_components[i];
        const kiln_member choice[] = {{.name = "x", .value = 1, .type = of}};
        const struct {
            kiln_type type;
            kiln_status status;
            const char *expression;
        } rows[] = {
            {ARRAY_OF(of), KILN_T_INDEX, "%s[]"},
            {{.kind = KILN_KIND_OPTIONAL, .element = of}, KILN_T_INDEX, "%s?"},
            {DATA_OF(of), KILN_T_INDEX, "data<%s>"},
            {{.kind = KILN_KIND_MAP, .key = 1, .element = of}, KILN_T_INDEX, "map<u32, %s>"},
            {{.kind = KILN_KIND_MAP, .key = of, .element = 1}, KILN_T_KEY, "map<%s, u32>"},
            {{.name = "U", .kind = KILN_KIND_UNION, .members = choice, .member_count = 1},
             KILN_T_INDEX,
             "U.x"}};
        for (size_t k = 0; k < COUNT(rows); k++) {
            kiln_type all[COUNT(list) + 1];
            char expression[64];
            memcpy(all, list, sizeof list);
            all[COUNT(list)] = rows[k].type;
            (void)snprintf(expression, sizeof expression, rows[k].expression, names[i]);
            refused(all, COUNT(list) + 1, rows[k].status, expression);
        }
    }
}

static void rule_t4_unnamed_types_repeated_deep_or_early_are_refused(void **state)
{
    (void)state;
    REFUSED(KILN_T_ANONYMOUS, "u32", U32, U32);
    REFUSED(KILN_T_ANONYMOUS, "u32[]", U32, ARRAY_OF(0), ARRAY_OF(0));
    MADE(U32, ARRAY_OF(0), {.kind = KILN_KIND_ARRAY, .element = 0, .align_at = 8});
    REFUSED(KILN_T_ANONYMOUS, "u32[]", ARRAY_OF(1), U32);
    REFUSED(KILN_T_ANONYMOUS, "?[][][][][][][][][][]", ARRAY_OF(0));
    MADE(U32, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5),
         ARRAY_OF(6), ARRAY_OF(7));
    REFUSED(KILN_T_ANONYMOUS, "u32[][][][][][][][][]", U32, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2),
            ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7), ARRAY_OF(8));
    /* Nesting ends at a named type, which does not count. */
    MADE(EMPTY, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5),
         ARRAY_OF(6), ARRAY_OF(7));
    REFUSED(KILN_T_ANONYMOUS, "S[][][][][][][][][]", EMPTY, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2),
            ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7), ARRAY_OF(8));
    /* Nesting also ends at a ref, which does not count. */
    MADE(EMPTY, {.kind = KILN_KIND_REF, .element = 0}, ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3),
         ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7), ARRAY_OF(8));
    REFUSED(KILN_T_ANONYMOUS, "ref<?>[][][][][][][][][]", EMPTY,
            {.kind = KILN_KIND_REF, .element = 0}, ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3),
            ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7), ARRAY_OF(8), ARRAY_OF(9));
    /* Data counts: seven arrays inside it are allowed, eight are not. */
    MADE(U32, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5),
         ARRAY_OF(6), {.kind = KILN_KIND_DATA, .element = 7});
    REFUSED(KILN_T_ANONYMOUS, "data<u32[][][][][][][][]>", U32, ARRAY_OF(0), ARRAY_OF(1),
            ARRAY_OF(2), ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7),
            {.kind = KILN_KIND_DATA, .element = 8});
    /* Named types are allowed in any order. */
    MADE(ARRAY_OF(1), {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 0))});
}

static void rule_t5_impossible_alignment_is_refused(void **state)
{
    (void)state;
    static const uint32_t bad[] = {3, 5, 8192, 0x80000000u, UINT32_MAX};
    for (size_t i = 0; i < COUNT(bad); i++) {
        REFUSED(
            KILN_T_LAYOUT, "S", U32,
            {.name = "S", .kind = KILN_KIND_STRUCT, .align_at = bad[i], MEMBERS(FIELD("a", 0))});
        kiln_error error;
        kiln_types *types;
        const kiln_type bytes = {.kind = KILN_KIND_BYTES, .align_at = bad[i]};
        assert_int_equal(kiln_types_create(NULL, &bytes, 1, &types, &error), KILN_T_LAYOUT);
    }
    MADE(U32, {.kind = KILN_KIND_ARRAY, .element = 0, .align_at = 4096},
         {.kind = KILN_KIND_BYTES, .align_at = 2});
    REFUSED(KILN_T_LAYOUT, "u32[]@4", U32, {.kind = KILN_KIND_ARRAY, .element = 0, .align_at = 4});
    REFUSED(KILN_T_LAYOUT, "bytes@1", {.kind = KILN_KIND_BYTES, .align_at = 1});
    /* The alignment of a struct may be smaller than its fields require. */
    MADE(U32, {.name = "S", .kind = KILN_KIND_STRUCT, .align_at = 2, MEMBERS(FIELD("a", 0))});
}

static void rule_t6_types_inside_themselves_are_refused(void **state)
{
    (void)state;
    REFUSED(KILN_T_RECURSION, "S", {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 0))});
    kiln_error error;
    kiln_types *types;
    const kiln_type ring[] = {{.name = "A", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("b", 1))},
                              {.name = "B", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 2))},
                              {.kind = KILN_KIND_FIXED, .element = 0, .count = 2}};
    assert_int_equal(kiln_types_create(NULL, ring, 3, &types, &error), KILN_T_RECURSION);
    MADE({.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 1))}, ARRAY_OF(0));
    MADE({.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 1))},
         {.kind = KILN_KIND_OPTIONAL, .element = 0});
    MADE({.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 1))},
         {.name = "U", .kind = KILN_KIND_UNION, MEMBERS({.name = "s", .value = 1, .type = 0})});
}

/* A u32 and `count` structs, each with the previous type as its only field, in either order. */
static kiln_status nest(uint32_t count, bool backwards)
{
    kiln_type list[32] = {U32};
    kiln_member fields[32];
    char names[32][8];
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t at = backwards ? count + 1 - i : i, below = backwards ? at + 1 : at - 1;
        kiln_member field = FIELD("f", i == 1 ? 0 : below);
        kiln_type type = {.kind = KILN_KIND_STRUCT, .members = &fields[at], .member_count = 1};
        fields[at] = field;
        snprintf(names[at], sizeof names[at], "S%u", i);
        list[at] = type;
        list[at].name = names[at];
    }
    kiln_types *types;
    kiln_status status = kiln_types_create(NULL, list, count + 1, &types, NULL);
    if (!status)
        kiln_types_destroy(types);
    return status;
}

static void rule_t6_more_than_16_types_by_value_are_refused(void **state)
{
    (void)state;
    for (int backwards = 0; backwards <= 1; backwards++) {
        assert_int_equal(nest(KILN_INLINE_DEPTH_MAX - 1, backwards), KILN_OK);
        assert_int_equal(nest(KILN_INLINE_DEPTH_MAX, backwards), KILN_T_RECURSION);
        assert_int_equal(nest(30, backwards), KILN_T_RECURSION);
    }
}

/* Only types whose hashes collide are compared. Hashes depend on the address of the list, so the
 * test creates many lists. */
static void rule_t4_types_that_differ_only_by_alignment_are_distinct(void **state)
{
    (void)state;
    enum { LISTS = 50, ALIGNED = 12 };
    kiln_type list[ALIGNED + 1] = {{.kind = KILN_KIND_BYTES}};
    kiln_types *types[LISTS];
    for (uint32_t i = 1; i <= ALIGNED; i++)
        list[i] = (kiln_type){.kind = KILN_KIND_BYTES, .align_at = UINT32_C(1) << i};
    for (size_t i = 0; i < LISTS; i++)
        assert_int_equal(kiln_types_create(NULL, list, ALIGNED + 1, &types[i], NULL), KILN_OK);
    for (size_t i = 0; i < LISTS; i++)
        kiln_types_destroy(types[i]);
    list[ALIGNED].align_at = 2;
    refused(list, ALIGNED + 1, KILN_T_ANONYMOUS, "bytes@2");
}

/* With so many types some hashes collide, whatever the address of the list. */
static void rule_t4_maps_that_differ_only_by_their_keys_are_distinct(void **state)
{
    (void)state;
    enum { KEYS = 300 };
    static char names[KEYS][8];
    static const kiln_member one = {.name = "One"};
    static kiln_type list[2 * KEYS + 1] = {{.kind = KILN_KIND_U32}};
    for (uint32_t i = 0; i < KEYS; i++) {
        snprintf(names[i], sizeof names[i], "K%u", (unsigned)i);
        list[1 + i] = (kiln_type){.kind = KILN_KIND_ENUM,
                                  .name = names[i],
                                  .base = KILN_KIND_U8,
                                  .members = &one,
                                  .member_count = 1};
        list[1 + KEYS + i] = (kiln_type){.kind = KILN_KIND_MAP, .key = 1 + i, .element = 0};
    }
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, 2 * KEYS + 1, &types, NULL), KILN_OK);
    kiln_types_destroy(types);
    list[2 * KEYS].key = 1;
    refused(list, 2 * KEYS + 1, KILN_T_ANONYMOUS, "map<K0, u32>");
}

static void rule_l2_types_larger_than_a_payload_are_refused(void **state)
{
    (void)state;
    MADE(U32, {.kind = KILN_KIND_FIXED, .element = 0, .count = 0x1fffffff});
    MADE({.kind = KILN_KIND_U8},
         {.kind = KILN_KIND_FIXED, .element = 0, .count = KILN_TYPE_SIZE_MAX});
    REFUSED(KILN_L_TYPE_SIZE, "u8[2147483648]", {.kind = KILN_KIND_U8},
            {.kind = KILN_KIND_FIXED, .element = 0, .count = KILN_TYPE_SIZE_MAX + 1});
    REFUSED(KILN_L_TYPE_SIZE, "u32[536870912]", U32,
            {.kind = KILN_KIND_FIXED, .element = 0, .count = 0x20000000});
    REFUSED(KILN_L_TYPE_SIZE, "S", {.kind = KILN_KIND_U8},
            {.kind = KILN_KIND_FIXED, .element = 0, .count = KILN_PAYLOAD_MAX},
            {.name = "S", .kind = KILN_KIND_STRUCT, .align_at = 4, MEMBERS(FIELD("a", 1))});
    REFUSED(KILN_L_TYPE_SIZE, "map<u32, u8[2147483647]>", {.kind = KILN_KIND_U8}, U32,
            {.kind = KILN_KIND_FIXED, .element = 0, .count = KILN_PAYLOAD_MAX},
            {.kind = KILN_KIND_MAP, .key = 1, .element = 2});
    REFUSED(KILN_L_TYPE_SIZE, "S.b", U32,
            {.kind = KILN_KIND_FIXED, .element = 0, .count = 0x10000000},
            {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 1), FIELD("b", 1))});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_t1_unknown_kind_base_or_flag_is_refused),
        cmocka_unit_test(rule_t1_flags_that_do_not_apply_are_refused),
        cmocka_unit_test(rule_t2_malformed_names_are_refused),
        cmocka_unit_test(rule_t2_names_given_twice_are_refused),
        cmocka_unit_test(rule_t3_numbers_of_no_type_are_refused),
        cmocka_unit_test(rule_t3_entities_and_data_outside_components_are_refused),
        cmocka_unit_test(rule_t4_unnamed_types_repeated_deep_or_early_are_refused),
        cmocka_unit_test(rule_t5_impossible_alignment_is_refused),
        cmocka_unit_test(rule_t6_types_inside_themselves_are_refused),
        cmocka_unit_test(rule_t6_more_than_16_types_by_value_are_refused),
        cmocka_unit_test(rule_t4_types_that_differ_only_by_alignment_are_distinct),
        cmocka_unit_test(rule_t4_maps_that_differ_only_by_their_keys_are_distinct),
        cmocka_unit_test(rule_l2_types_larger_than_a_payload_are_refused),
    };
    return cmocka_run_group_tests_name("rules about types", tests, NULL, NULL);
}
