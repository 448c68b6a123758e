/* The rules T1 to T8 and T10 of FORMAT.md section 9, on descriptions that a list is made from. */
#include "type_macros.h"
#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof *(list)))
#define NUMBER(number_name, number)                                                                \
    {                                                                                              \
        .name = (number_name), .value = (number)                                                   \
    }
#define MEMBERS(...)                                                                               \
    .members = (const kiln_member[]){__VA_ARGS__},                                                 \
    .member_count = COUNT(((const kiln_member[]){__VA_ARGS__}))
#define U32                                                                                        \
    {                                                                                              \
        .kind = KILN_KIND_U32                                                                      \
    }
#define EMPTY                                                                                      \
    {                                                                                              \
        .name = "S", .kind = KILN_KIND_STRUCT                                                      \
    }
#define ARRAY_OF(part)                                                                             \
    {                                                                                              \
        .kind = KILN_KIND_ARRAY, .element = (part)                                                 \
    }

static void made(const kiln_type *list, uint32_t count)
{
    kiln_types *types = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = kiln_types_create(NULL, list, count, &types, &error);
    assert_error(&error, KILN_OK, 0, "");
    assert_int_equal(status, KILN_OK);
    assert_int_equal(kiln_types_count(types), count);
    kiln_types_destroy(types);
}

static void refused(const kiln_type *list, uint32_t count, kiln_status expected, const char *path)
{
    kiln_types *types = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = kiln_types_create(NULL, list, count, &types, &error);
    assert_error(&error, expected, 0, path);
    assert_int_equal(status, expected);
    assert_null(types);
}

/* Lists of types as arguments. */
#define MADE(...) made((const kiln_type[]){__VA_ARGS__}, COUNT(((const kiln_type[]){__VA_ARGS__})))
#define REFUSED(status, path, ...)                                                                 \
    refused((const kiln_type[]){__VA_ARGS__}, COUNT(((const kiln_type[]){__VA_ARGS__})), (status), \
            (path))

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

static void rule_t3_entities_and_data_that_stand_in_no_component_are_refused(void **state)
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
    /* An entity, data, fixed arrays of them, and structs that have them at any depth. */
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
    /* A named type is where nesting ends, and does not count. */
    MADE(EMPTY, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5),
         ARRAY_OF(6), ARRAY_OF(7));
    REFUSED(KILN_T_ANONYMOUS, "S[][][][][][][][][]", EMPTY, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2),
            ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7), ARRAY_OF(8));
    /* Refs are where it ends, too, and do not count. */
    MADE(EMPTY, {.kind = KILN_KIND_REF, .element = 0}, ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3),
         ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7), ARRAY_OF(8));
    REFUSED(KILN_T_ANONYMOUS, "ref<?>[][][][][][][][][]", EMPTY,
            {.kind = KILN_KIND_REF, .element = 0}, ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3),
            ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7), ARRAY_OF(8), ARRAY_OF(9));
    /* Data counts: seven arrays in it, and no eighth. */
    MADE(U32, ARRAY_OF(0), ARRAY_OF(1), ARRAY_OF(2), ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5),
         ARRAY_OF(6), {.kind = KILN_KIND_DATA, .element = 7});
    REFUSED(KILN_T_ANONYMOUS, "data<u32[][][][][][][][]>", U32, ARRAY_OF(0), ARRAY_OF(1),
            ARRAY_OF(2), ARRAY_OF(3), ARRAY_OF(4), ARRAY_OF(5), ARRAY_OF(6), ARRAY_OF(7),
            {.kind = KILN_KIND_DATA, .element = 8});
    /* Named types may stand anywhere. */
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
    /* Of a struct it may be less than its fields ask for anyway. */
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

/* A u32 and `count` structs, each with the type before it as its only field; listed in either
 * order. */
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

/* Which of them are compared is a matter of hashes, and these of where a list lies in memory. */
static void rule_t4_types_that_differ_by_alignment_alone_are_not_one(void **state)
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

/* So many that some come to be compared wherever the list lies. */
static void rule_t4_maps_that_differ_by_their_keys_alone_are_not_one(void **state)
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

static void what_is_no_kind_has_no_size(void **state)
{
    (void)state;
    enum { KINDS = 4096 };
    for (int kind = KILN_KIND_DATA + 1; kind < KINDS; kind++)
        assert_int_equal(kiln_kind_size((kiln_kind)kind), 0);
}

static void texts_that_are_missing_are_empty(void **state)
{
    (void)state;
    static const char *const was[] = {"before", NULL};
    const kiln_type list[] = {U32,
                              {.name = "S",
                               .kind = KILN_KIND_STRUCT,
                               .was = was,
                               .was_count = 2,
                               MEMBERS({.name = "a", .type = 0, .was = was, .was_count = 2})}};
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, 2, &types, NULL), KILN_OK);
    const kiln_type *made = kiln_types_get(types, 1);
    assert_string_equal(made->doc, "");
    assert_string_equal(made->was[0], "before");
    assert_string_equal(made->was[1], "");
    assert_string_equal(made->members[0].doc, "");
    assert_string_equal(made->members[0].was[1], "");
    kiln_types_destroy(types);
}

static void what_does_not_apply_to_a_kind_is_left_out(void **state)
{
    (void)state;
    static const char *const was[] = {"before"};
    static const kiln_member members[] = {FIELD("a", 0)};
    const kiln_type list[] = {{.kind = KILN_KIND_U32,
                               .name = "N",
                               .doc = "Doc.",
                               .was = was,
                               .was_count = 1,
                               .base = KILN_KIND_U8,
                               .element = 0,
                               .key = 0,
                               .count = 3,
                               .align_at = 64,
                               .members = members,
                               .member_count = 1}};
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, 1, &types, NULL), KILN_OK);
    const kiln_type *made = kiln_types_get(types, 0);
    assert_string_equal(made->name, "");
    assert_string_equal(made->doc, "");
    assert_int_equal(made->was_count, 0);
    assert_int_equal(made->base, KILN_KIND_NONE);
    assert_int_equal(made->element, KILN_TYPE_NONE);
    assert_int_equal(made->key, KILN_TYPE_NONE);
    assert_int_equal(made->count, 0);
    assert_int_equal(made->align_at, 0);
    assert_int_equal(made->member_count, 0);
    assert_int_equal(kiln_types_find(types, "N"), KILN_TYPE_NONE);
    kiln_types_destroy(types);
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

/* Alignments of an image count from its first byte, wherever that lies. */
static void rule_t10_objects_of_a_default_lie_aligned_in_its_image(void **state)
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

static void rule_t10_default_that_is_no_value_of_its_field_is_refused(void **state)
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
    /* Of data it is a value of the element. */
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
    /* What is no field. */
    assert_int_equal(kiln_types_set_default(types, T_COLOR, 0, (kiln_span){"\1", 1}, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_types_set_default(types, T_ITEM, 4, (kiln_span){"\1", 1}, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(
        kiln_types_set_default(types, TEST_TYPE_COUNT, 0, (kiln_span){"\1", 1}, &error),
        KILN_BAD_ARGUMENT);
    kiln_types_destroy(types);
}

static void *zeroed_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    return align <= _Alignof(max_align_t) ? calloc(1, size) : NULL;
}

static void zeroed_free(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)size;
    free(block);
}

/* In memory where each name is followed by more than one NUL. */
static void names_that_go_on_behind_a_nul_are_other_names(void **state)
{
    (void)state;
    const kiln_type list[] = {U32, {.name = "S", .kind = KILN_KIND_STRUCT, MEMBERS(FIELD("a", 0))}};
    kiln_allocator allocator = {zeroed_alloc, zeroed_free, NULL};
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(&allocator, list, 2, &types, NULL), KILN_OK);
    const kiln_type *made = kiln_types_get(types, 1);
    assert_ptr_equal(kiln_type_member(made, "a", 1), made->members);
    assert_null(kiln_type_member(made, "a\0", 2));
    assert_null(kiln_type_member(made, "a\0\0", 3));
    kiln_types_destroy(types);
}

static void lists_of_too_many_types_are_refused(void **state)
{
    (void)state;
    static const uint32_t counts[] = {INT32_MAX / 4 + 1, UINT32_MAX};
    for (size_t i = 0; i < COUNT(counts); i++)
        refused(NULL, counts[i], KILN_TOO_LARGE, "");
}

static void found_by_name_and_by_value(void **state)
{
    (void)state;
    kiln_types *types = test_types_create(NULL);
    for (uint32_t i = 0; i < TEST_TYPE_COUNT; i++) {
        const kiln_type *type = kiln_types_get(types, i);
        if (*type->name)
            assert_int_equal(kiln_types_find(types, type->name), i);
        for (uint32_t m = 0; m < type->member_count; m++) {
            const kiln_member *member = &type->members[m];
            assert_ptr_equal(kiln_type_member(type, member->name, strlen(member->name)), member);
            if (type->kind != KILN_KIND_STRUCT)
                assert_ptr_equal(kiln_type_value(type, member->value), member);
        }
    }
    const kiln_type *item = kiln_types_get(types, T_ITEM);
    assert_int_equal(kiln_types_find(types, ""), KILN_TYPE_NONE);
    assert_int_equal(kiln_types_find(types, "test.Nothing"), KILN_TYPE_NONE);
    assert_null(kiln_types_get(types, TEST_TYPE_COUNT));
    assert_null(kiln_types_get(types, KILN_TYPE_NONE));
    assert_null(kiln_type_member(item, "nam", 3));
    assert_null(kiln_type_member(item, "names", 5));
    assert_null(kiln_type_member(item, "name\0aaaaaaaaaaaaaaaaaaaaaaaa", 24));
    assert_null(kiln_type_member(item, "", 0));
    assert_null(kiln_type_value(kiln_types_get(types, T_COLOR), 3));
    assert_null(kiln_type_value(kiln_types_get(types, T_COLOR), UINT64_MAX));
    kiln_types_destroy(types);
}

/* Expressions are cut like snprintf cuts, whatever room there is. */
static void expression_is_cut_to_its_room(void **state)
{
    (void)state;
    kiln_types *types = test_types_create(NULL);
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++) {
        char whole[128], cut[128];
        size_t length = kiln_type_expression(types, type, whole, sizeof whole);
        assert_int_equal(strlen(whole), length);
        assert_int_equal(kiln_type_expression(types, type, NULL, 0), length);
        for (size_t size = 1; size <= length + 1; size++) {
            memset(cut, 'x', sizeof cut);
            assert_int_equal(kiln_type_expression(types, type, cut, size), length);
            assert_int_equal(strlen(cut), size - 1);
            assert_memory_equal(cut, whole, size - 1);
            assert_int_equal(cut[size], 'x');
        }
    }
    kiln_types_destroy(types);
}

static void what_no_list_has_is_not_found(void **state)
{
    (void)state;
    static const kiln_type one = {.kind = KILN_KIND_U8};
    kiln_types *types = test_types_create(NULL), *none = NULL;
    assert_int_equal(kiln_types_find(types, NULL), KILN_TYPE_NONE);
    assert_int_equal(kiln_types_find(types, ""), KILN_TYPE_NONE);
    assert_int_equal(kiln_types_find(types, "test"), KILN_TYPE_NONE);
    assert_int_not_equal(kiln_types_set_default(types, T_ITEM, 3, (kiln_span){"", 0}, NULL),
                         KILN_OK);
    assert_int_not_equal(
        kiln_types_set_default(types, T_ITEM, 3, (kiln_span){"", (size_t)0x7fffffff + 1}, NULL),
        KILN_OK);
    assert_int_not_equal(
        kiln_types_set_default(types, TEST_TYPE_COUNT, 0, (kiln_span){"", 1}, NULL), KILN_OK);
    assert_int_not_equal(kiln_types_set_default(types, T_ITEM, 99, (kiln_span){"", 1}, NULL),
                         KILN_OK);
    assert_int_not_equal(kiln_types_create(NULL, &one, UINT32_MAX / 2, &none, NULL), KILN_OK);
    kiln_types_destroy(types);
}

static void kinds_have_names_and_sizes_and_no_others_have(void **state)
{
    (void)state;
    static const struct {
        kiln_kind kind;
        const char *name;
        uint32_t size;
    } cases[] = {
        {KILN_KIND_BOOL, "bool", 1},     {KILN_KIND_F64, "f64", 8},
        {KILN_KIND_STRING, "string", 0}, {KILN_KIND_REF, "ref", 8},
        {KILN_KIND_ENTITY, "entity", 8}, {KILN_KIND_DATA, "data", 8},
        {(kiln_kind)25, "unknown", 0},   {(kiln_kind)255, "unknown", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(cases[i].name, kiln_kind_name(cases[i].kind));
        assert_int_equal(cases[i].size, kiln_kind_size(cases[i].kind));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_names_and_sizes_and_no_others_have),
        cmocka_unit_test(expression_is_cut_to_its_room),
        cmocka_unit_test(what_no_list_has_is_not_found),
        cmocka_unit_test(rule_t1_unknown_kind_base_or_flag_is_refused),
        cmocka_unit_test(rule_t1_flags_that_do_not_apply_are_refused),
        cmocka_unit_test(rule_t2_malformed_names_are_refused),
        cmocka_unit_test(rule_t2_names_given_twice_are_refused),
        cmocka_unit_test(rule_t3_numbers_of_no_type_are_refused),
        cmocka_unit_test(rule_t3_entities_and_data_that_stand_in_no_component_are_refused),
        cmocka_unit_test(rule_t4_unnamed_types_repeated_deep_or_early_are_refused),
        cmocka_unit_test(rule_t5_impossible_alignment_is_refused),
        cmocka_unit_test(rule_t6_types_inside_themselves_are_refused),
        cmocka_unit_test(rule_t6_more_than_16_types_by_value_are_refused),
        cmocka_unit_test(rule_t4_types_that_differ_by_alignment_alone_are_not_one),
        cmocka_unit_test(rule_t4_maps_that_differ_by_their_keys_alone_are_not_one),
        cmocka_unit_test(what_does_not_apply_to_a_kind_is_left_out),
        cmocka_unit_test(what_is_no_kind_has_no_size),
        cmocka_unit_test(texts_that_are_missing_are_empty),
        cmocka_unit_test(rule_l2_types_larger_than_a_payload_are_refused),
        cmocka_unit_test(rule_t7_values_out_of_range_are_refused),
        cmocka_unit_test(rule_t7_values_given_twice_or_not_at_all_are_refused),
        cmocka_unit_test(rule_t8_types_that_cannot_be_keys_are_refused),
        cmocka_unit_test(rule_t10_objects_of_a_default_lie_aligned_in_its_image),
        cmocka_unit_test(rule_t10_default_that_is_no_value_of_its_field_is_refused),
        cmocka_unit_test(found_by_name_and_by_value),
        cmocka_unit_test(names_that_go_on_behind_a_nul_are_other_names),
        cmocka_unit_test(lists_of_too_many_types_are_refused),
    };
    return cmocka_run_group_tests_name("rules about types", tests, NULL, NULL);
}
