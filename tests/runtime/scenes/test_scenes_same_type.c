/* Which types of two lists count as equal, as required for the targets of data words. */
#include "scene_agree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    T_U32,
    T_U64,
    T_TWO,
    T_THREE,
    T_TWO_WIDE,
    T_LIST,
    T_WIDE_LIST,
    T_ALIGNED_LIST,
    T_OPTIONAL,
    T_OPTIONAL_WIDE,
    T_MAP,
    T_MAP_OF_WIDE,
    T_MAP_BY_WIDE,
    T_POINT,
    T_SPOT,
    T_POINTS,
    T_DATA,
    T_HOLDER,
    T_HOLDERS,
    T_COUNT
};

/* `wide` makes a point larger. */
static kiln_types *types_create(bool wide)
{
    kiln_member point[] = {{.name = "x", .type = wide ? T_U64 : T_U32}};
    static const kiln_member holder[] = {{.name = "number", .type = T_U32},
                                         {.name = "points", .type = T_DATA}};
    const kiln_type list[T_COUNT] = {
        [T_U32] = {.kind = KILN_KIND_U32},
        [T_U64] = {.kind = KILN_KIND_U64},
        [T_TWO] = {.kind = KILN_KIND_FIXED, .element = T_U32, .count = 2},
        [T_THREE] = {.kind = KILN_KIND_FIXED, .element = T_U32, .count = 3},
        [T_TWO_WIDE] = {.kind = KILN_KIND_FIXED, .element = T_U64, .count = 2},
        [T_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_U32},
        [T_WIDE_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_U64},
        [T_ALIGNED_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_U32, .align_at = 64},
        [T_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = T_U32},
        [T_OPTIONAL_WIDE] = {.kind = KILN_KIND_OPTIONAL, .element = T_U64},
        [T_MAP] = {.kind = KILN_KIND_MAP, .key = T_U32, .element = T_U32},
        [T_MAP_OF_WIDE] = {.kind = KILN_KIND_MAP, .key = T_U32, .element = T_U64},
        [T_MAP_BY_WIDE] = {.kind = KILN_KIND_MAP, .key = T_U64, .element = T_U32},
        [T_POINT] = {.kind = KILN_KIND_STRUCT,
                     .name = "Point",
                     .members = point,
                     .member_count = 1},
        [T_SPOT] = {.kind = KILN_KIND_STRUCT, .name = "Spot", .members = point, .member_count = 1},
        [T_POINTS] = {.kind = KILN_KIND_ARRAY, .element = T_POINT},
        [T_DATA] = {.kind = KILN_KIND_DATA, .element = T_POINTS},
        [T_HOLDER] = {.kind = KILN_KIND_STRUCT,
                      .name = "Holder",
                      .members = holder,
                      .member_count = 2},
        [T_HOLDERS] = {.kind = KILN_KIND_FIXED, .element = T_HOLDER, .count = 3},
    };
    kiln_types *types = NULL;
    assert_int_equal(kiln_types_create(NULL, list, T_COUNT, &types, NULL), KILN_OK);
    return types;
}

static void types_with_the_same_description_are_equal(void **state)
{
    (void)state;
    kiln_types *a = types_create(false), *b = types_create(false);
    for (uint32_t x = 0; x < T_COUNT; x++)
        for (uint32_t y = 0; y < T_COUNT; y++)
            if (kiln_scene_same_type(a, x, b, y) != (x == y))
                fail_msg("%u and %u", (unsigned)x, (unsigned)y);
    kiln_types_destroy(a);
    kiln_types_destroy(b);
}

static void types_of_one_name_differ_by_their_layout(void **state)
{
    (void)state;
    kiln_types *a = types_create(false), *b = types_create(true);
    for (uint32_t x = 0; x < T_COUNT; x++)
        assert_int_equal(kiln_scene_same_type(a, x, b, x), x < T_POINT || x > T_POINTS);
    kiln_types_destroy(a);
    kiln_types_destroy(b);
}

static void no_type_equals_only_no_type(void **state)
{
    (void)state;
    kiln_types *types = types_create(false);
    assert_true(kiln_scene_same_type(types, KILN_TYPE_NONE, types, KILN_TYPE_NONE));
    assert_false(kiln_scene_same_type(types, KILN_TYPE_NONE, types, T_U32));
    assert_false(kiln_scene_same_type(types, T_U32, types, KILN_TYPE_NONE));
    kiln_types_destroy(types);
}

static void fields_are_found_by_their_offset(void **state)
{
    (void)state;
    kiln_types *types = types_create(false);
    const kiln_member *member;
    assert_int_equal(kiln_scene_element_at(types, T_HOLDERS, 8, &member), T_POINTS);
    assert_int_equal(kiln_scene_element_at(types, T_HOLDERS, 40, &member), T_POINTS);
    assert_int_equal(kiln_scene_element_at(types, T_HOLDER, 0, &member), KILN_TYPE_NONE);
    assert_int_equal(kiln_scene_element_at(types, T_HOLDER, 4, &member), KILN_TYPE_NONE);
    assert_int_equal(kiln_scene_element_at(types, T_HOLDER, 16, &member), KILN_TYPE_NONE);
    kiln_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_with_the_same_description_are_equal),
        cmocka_unit_test(types_of_one_name_differ_by_their_layout),
        cmocka_unit_test(fields_are_found_by_their_offset),
        cmocka_unit_test(no_type_equals_only_no_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
