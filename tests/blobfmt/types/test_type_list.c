/* A type list: what it copies from descriptions, and lookup. */
#include "type_refusals.h"

#include <stdlib.h>
#include <string.h>

static void an_unknown_kind_has_no_size(void **state)
{
    (void)state;
    enum { KINDS = 4096 };
    for (int kind = KILN_KIND_DATA + 1; kind < KINDS; kind++)
        assert_int_equal(kiln_kind_size((kiln_kind)kind), 0);
}

static void missing_strings_are_empty(void **state)
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

static void fields_that_do_not_apply_to_a_kind_are_cleared(void **state)
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

/* In memory, each name is followed by several NULs. */
static void names_that_continue_after_a_nul_differ(void **state)
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

static void types_and_members_are_found_by_name_and_value(void **state)
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

/* Expressions are truncated as by snprintf, for every buffer size. */
static void an_expression_is_truncated_to_its_buffer(void **state)
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

static void missing_items_are_not_found(void **state)
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

static void only_kinds_have_names_and_sizes(void **state)
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
        cmocka_unit_test(only_kinds_have_names_and_sizes),
        cmocka_unit_test(an_expression_is_truncated_to_its_buffer),
        cmocka_unit_test(missing_items_are_not_found),
        cmocka_unit_test(fields_that_do_not_apply_to_a_kind_are_cleared),
        cmocka_unit_test(an_unknown_kind_has_no_size),
        cmocka_unit_test(missing_strings_are_empty),
        cmocka_unit_test(types_and_members_are_found_by_name_and_value),
        cmocka_unit_test(names_that_continue_after_a_nul_differ),
        cmocka_unit_test(lists_of_too_many_types_are_refused),
    };
    return cmocka_run_group_tests_name("lists of types", tests, NULL, NULL);
}
