/* Rule V18: which objects have the same element type (FORMAT.md section 4, "Same element type"),
 * for every pair of fields that could refer to the same object. */
#include <kiln/types.h>
#include <kiln/verify.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* Parts, followed by the types of fields, each of which refers to an object with one value or
 * entry. */
enum {
    U8,
    I8,
    U32,
    STRING,
    REF,
    REF_ROOT,
    ENUM,
    PAIR,  /* struct {key: u32, value: u32} */
    OTHER, /* the same fields, but a different name */
    U32S,
    U32S_16,
    PARTS,
    BYTES = PARTS,
    BYTES_4,
    U8_ARRAY,
    U8_OPTIONAL,
    I8_ARRAY,
    ENUM_ARRAY,
    REF_ARRAY,
    REF_ROOT_ARRAY,
    MAP,
    MAP_I8,
    PAIR_ARRAY,
    PAIR_OPTIONAL,
    OTHER_ARRAY,
    U32S_ARRAY,
    U32S_16_ARRAY,
    STRING_ARRAY,
    STRING_OPTIONAL,
    COUNT
};

static const kiln_member pair[] = {{.name = "key", .type = U32}, {.name = "value", .type = U32}};
static const kiln_member one[] = {{.name = "one", .value = 1}};
#define PAIR_STRUCT(struct_name)                                                                   \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = struct_name, .members = pair, .member_count = 2          \
    }
#define OF(of_kind, part)                                                                          \
    {                                                                                              \
        .kind = KILN_KIND_##of_kind, .element = part                                               \
    }

static const kiln_type parts[COUNT] = {
    [U8] = {.kind = KILN_KIND_U8},
    [I8] = {.kind = KILN_KIND_I8},
    [U32] = {.kind = KILN_KIND_U32},
    [STRING] = {.kind = KILN_KIND_STRING},
    [REF] = OF(REF, KILN_TYPE_NONE),
    [REF_ROOT] = OF(REF, PAIR),
    [ENUM] = {.kind = KILN_KIND_ENUM,
              .name = "Enum",
              .base = KILN_KIND_U8,
              .members = one,
              .member_count = 1},
    [PAIR] = PAIR_STRUCT("Pair"),
    [OTHER] = PAIR_STRUCT("Other"),
    [U32S] = OF(ARRAY, U32),
    [U32S_16] = {.kind = KILN_KIND_ARRAY, .element = U32, .align_at = 16},
    [BYTES] = {.kind = KILN_KIND_BYTES},
    [BYTES_4] = {.kind = KILN_KIND_BYTES, .align_at = 4},
    [U8_ARRAY] = OF(ARRAY, U8),
    [U8_OPTIONAL] = OF(OPTIONAL, U8),
    [I8_ARRAY] = OF(ARRAY, I8),
    [ENUM_ARRAY] = OF(ARRAY, ENUM),
    [REF_ARRAY] = OF(ARRAY, REF),
    [REF_ROOT_ARRAY] = OF(ARRAY, REF_ROOT),
    [MAP] = {.kind = KILN_KIND_MAP, .key = U32, .element = U32},
    [MAP_I8] = {.kind = KILN_KIND_MAP, .key = U32, .element = I8},
    [PAIR_ARRAY] = OF(ARRAY, PAIR),
    [PAIR_OPTIONAL] = OF(OPTIONAL, PAIR),
    [OTHER_ARRAY] = OF(ARRAY, OTHER),
    [U32S_ARRAY] = OF(ARRAY, U32S),
    [U32S_16_ARRAY] = OF(ARRAY, U32S_16),
    [STRING_ARRAY] = OF(ARRAY, STRING),
    [STRING_OPTIONAL] = OF(OPTIONAL, STRING),
};

/* Section 4: fields in the same row may share. */
static const uint32_t shared[][4] = {{BYTES, U8_ARRAY, U8_OPTIONAL, COUNT},
                                     {PAIR_ARRAY, PAIR_OPTIONAL, COUNT, COUNT},
                                     {STRING_ARRAY, STRING_OPTIONAL, COUNT, COUNT}};

static bool may_share(uint32_t a, uint32_t b)
{
    bool found = a == b;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        bool has_a = false, has_b = false;
        for (size_t k = 0; k < 4; k++) {
            has_a |= shared[i][k] == a;
            has_b |= shared[i][k] == b;
        }
        found |= has_a && has_b;
    }
    return found;
}

/* The root is {first: a, second: b}. Both refer to the object at 16, which is valid as the target
 * of a: its arrays and strings are empty, and its refs are not 0. */
static void check_pair(uint32_t a, uint32_t b)
{
    const kiln_member fields[] = {{.name = "first", .type = a}, {.name = "second", .type = b}};
    kiln_type list[COUNT + 1];
    kiln_types *types = NULL;
    memcpy(list, parts, sizeof parts);
    list[COUNT] =
        (kiln_type){.kind = KILN_KIND_STRUCT, .name = "Root", .members = fields, .member_count = 2};
    assert_int_equal(kiln_types_create(NULL, list, COUNT + 1, &types, NULL), KILN_OK);
    uint32_t second = kiln_types_get(types, COUNT)->members[1].offset;
    uint32_t to_a = 16, to_b = 16 - second, count = 1;
    _Alignas(16) unsigned char payload[32] = {0};
    memcpy(payload, &to_a, 4);
    memcpy(payload + second, &to_b, 4);
    if (kiln_types_get(types, a)->size == 8)
        memcpy(payload + 4, &count, 4);
    if (kiln_types_get(types, b)->size == 8)
        memcpy(payload + second + 4, &count, 4);
    payload[16] = a < U32S_ARRAY;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status =
        kiln_verify_image(types, COUNT, (kiln_span){payload, sizeof payload}, NULL, &error);
    kiln_status expected = may_share(a, b) ? KILN_OK : KILN_V_SHARE;
    if (status != expected)
        fail_msg("types %u and %u: %s", (unsigned)a, (unsigned)b, kiln_status_name(status));
    assert_int_equal(error.offset, expected ? second : 0);
    assert_string_equal(error.path, expected ? "second" : "");
    kiln_types_destroy(types);
}

static void rule_v18_only_fields_of_one_element_type_share_objects(void **state)
{
    (void)state;
    for (uint32_t a = BYTES; a < COUNT; a++)
        for (uint32_t b = BYTES; b < COUNT; b++)
            check_pair(a, b);
}

/* Strings only share with strings. The alternative of a union shares with any field that refers to
 * one such value. */
static void rule_v18_text_and_alternatives(void **state)
{
    (void)state;
    static const kiln_member alternatives[] = {{.name = "byte", .value = 1, .type = 0},
                                               {.name = "text", .value = 2, .type = 1}};
    static const kiln_member fields[] = {
        {.name = "what", .type = 2}, {.name = "bytes", .type = 3}, {.name = "text", .type = 1}};
    static const kiln_type list[] = {
        {.kind = KILN_KIND_U8},
        {.kind = KILN_KIND_STRING},
        {.kind = KILN_KIND_UNION, .name = "What", .members = alternatives, .member_count = 2},
        {.kind = KILN_KIND_BYTES},
        {.kind = KILN_KIND_STRUCT, .name = "Root", .members = fields, .member_count = 3}};
    /* `what` and `bytes` refer to the byte at 24, and `text` to the string at 25. */
    static const unsigned char root[24] = {1, 0, 0, 0, 20, 0, 0, 0, 16, 0, 0,
                                           0, 1, 0, 0, 0,  9, 0, 0, 0,  1};
    kiln_types *types = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    _Alignas(16) unsigned char payload[27] = {0};
    assert_int_equal(kiln_types_create(NULL, list, 5, &types, NULL), KILN_OK);
    memcpy(payload, root, sizeof root);
    payload[24] = 'x';
    payload[25] = 'a';
    assert_int_equal(
        kiln_verify_image(types, 4, (kiln_span){payload, sizeof payload}, NULL, &error), KILN_OK);
    /* `text` refers to the same byte. */
    payload[16] = 8;
    payload[25] = 0;
    assert_int_equal(
        kiln_verify_image(types, 4, (kiln_span){payload, sizeof payload}, NULL, &error),
        KILN_V_SHARE);
    kiln_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_v18_only_fields_of_one_element_type_share_objects),
        cmocka_unit_test(rule_v18_text_and_alternatives),
    };
    return cmocka_run_group_tests_name("sharing rules", tests, NULL, NULL);
}
