/* Values of every kind in the rows of one component. Each offset is checked as its type requires.
 */
#include "scene_fixture.h"
#include "type_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/file_writer.h>
#include <stdio.h>
#include <string.h>

enum {
    T_U32,
    T_U64,
    T_ENTITY,
    T_RANK, /* 3, 5; four bytes */
    T_AGE,  /* 3, 5; eight bytes */
    T_PEOPLE,
    T_RANKS,
    T_CROWD,
    T_COUNT
};

enum { PEOPLE = 3, RANKS = 700, ROWS = 5 };

typedef struct crowd {
    uint32_t count;
    uint32_t people[PEOPLE][2];
    KILN_ALIGNAS(8) uint64_t age;
    uint32_t ranks[RANKS];
} crowd;

static kiln_types *types_create(void)
{
    static const kiln_member numbers[] = {{.name = "low", .value = 3},
                                          {.name = "high", .value = 5}};
    static const kiln_member members[] = {{.name = "count", .type = T_U32},
                                          {.name = "people", .type = T_PEOPLE},
                                          {.name = "age", .type = T_AGE},
                                          {.name = "ranks", .type = T_RANKS}};
    static const kiln_type list[T_COUNT] = {
        [T_U32] = {.kind = KILN_KIND_U32},
        [T_U64] = {.kind = KILN_KIND_U64},
        [T_ENTITY] = {.kind = KILN_KIND_ENTITY},
        [T_RANK] = {.kind = KILN_KIND_ENUM,
                    .name = "Rank",
                    .base = KILN_KIND_U32,
                    .members = numbers,
                    .member_count = 2},
        [T_AGE] = {.kind = KILN_KIND_ENUM,
                   .name = "Age",
                   .base = KILN_KIND_U64,
                   .members = numbers,
                   .member_count = 2},
        [T_PEOPLE] = {.kind = KILN_KIND_FIXED, .element = T_ENTITY, .count = PEOPLE},
        [T_RANKS] = {.kind = KILN_KIND_FIXED, .element = T_RANK, .count = RANKS},
        [T_CROWD] = {.kind = KILN_KIND_STRUCT,
                     .name = "Crowd",
                     .members = members,
                     .member_count = 4},
    };
    kiln_types *types = NULL, *joined = NULL;
    assert_int_equal(kiln_types_create(NULL, list, T_COUNT, &types, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_scene(types, NULL, &joined, NULL), KILN_OK);
    kiln_types_destroy(types);
    return joined;
}

/* A scene that only has crowds. */
static kiln_buffer write_crowds(const kiln_types *types)
{
    kiln_scene_writer *writer = NULL;
    kiln_component_type type;
    kiln_buffer file = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    uint32_t component, archetype, first;
    assert_int_equal(kiln_component_type_init(types, T_CROWD, KILN_TYPE_NONE, NULL, &type),
                     KILN_OK);
    assert_int_equal(type.desc.size, sizeof(crowd));
    assert_int_equal(type.desc.entity_count, PEOPLE);
    const kiln_scene_component_desc desc = {.component = type.desc};
    assert_int_equal(kiln_scene_writer_create(NULL, &writer), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_component(writer, &desc, &component), KILN_OK);
    kiln_component_type_fini(&type);
    assert_int_equal(kiln_scene_writer_add_archetype(writer, &component, 1, &archetype), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(writer, archetype, ROWS, &first), KILN_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        crowd *row = (void *)kiln_scene_writer_at(writer, first + i, component, NULL);
        row->count = UINT32_MAX;
        row->age = 5;
        for (uint32_t k = 0; k < PEOPLE; k++)
            row->people[k][0] = i, row->people[k][1] = KILN_SCENE_LOCAL;
        for (uint32_t k = 0; k < RANKS; k++)
            row->ranks[k] = k % 2 ? 3 : 5;
    }
    kiln_file_writer_def out_def = kiln_file_writer_def_default();
    kiln_file_writer *out = NULL;
    out_def.types = types;
    assert_int_equal(kiln_file_writer_create(&out_def, &out, NULL), KILN_OK);
    kiln_scene_finish_args finish = {.name = "Scene/test", .file = out, .types = types};
    assert_int_equal(kiln_scene_writer_finish(writer, &finish, &error), KILN_OK);
    assert_int_equal(kiln_file_writer_finish_buffer(out, &file, &error), KILN_OK);
    kiln_file_writer_destroy(out);
    kiln_scene_writer_destroy(writer);
    return file;
}

static void every_value_of_every_row_is_checked(void **state)
{
    (void)state;
    static const struct {
        size_t place;
        uint32_t size;
        uint64_t number;
        kiln_status status;
        const char *path;
    } cases[] = {
        {offsetof(crowd, count), 4, 0, KILN_OK, ""},
        {offsetof(crowd, people[0][0]), 4, ROWS, KILN_S_ENTITY, "Crowd.people[0]"},
        {offsetof(crowd, people[2][0]), 4, ROWS, KILN_S_ENTITY, "Crowd.people[2]"},
        {offsetof(crowd, people[0][0]), 4, 0, KILN_OK, ""},
        {offsetof(crowd, people[1][0]), 4, ROWS - 1, KILN_OK, ""},
        {offsetof(crowd, people[2][0]), 4, ROWS - 1, KILN_OK, ""},
        {offsetof(crowd, age), 8, 3, KILN_OK, ""},
        {offsetof(crowd, age), 8, 4, KILN_V_ENUM, "Crowd.age"},
        {offsetof(crowd, age), 8, UINT64_C(5) << 32, KILN_V_ENUM, "Crowd.age"},
        {offsetof(crowd, ranks[0]), 4, 3, KILN_OK, ""},
        {offsetof(crowd, ranks[0]), 4, 4, KILN_V_ENUM, "Crowd.ranks[0]"},
        {offsetof(crowd, ranks[RANKS - 1]), 4, 2, KILN_V_ENUM, "Crowd.ranks[699]"},
        {offsetof(crowd, ranks[RANKS - 1]), 4, 67, KILN_V_ENUM, "Crowd.ranks[699]"},
    };
    kiln_types *types = types_create();
    kiln_buffer file = write_crowds(types);
    scene_parts parts = scene_parts_of(types, &file);
    kiln_scene_view view;
    assert_int_equal(scene_view_of(&parts, NULL, &view, NULL), KILN_OK);
    const kiln_scene_check_args args = {.view = &view, .types = types, .data_type = KILN_TYPE_NONE};
    assert_int_equal(kiln_scene_check(&args, NULL), KILN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint32_t entity = 0; entity < ROWS; entity++) {
            uint32_t row;
            const kiln_scene_rows *rows = kiln_scene_find_row(&view, entity, &row);
            const unsigned char *column =
                kiln_scene_column(&view, rows, row / rows->rows_per_chunk, 0);
            unsigned char *at = file.data + (column - file.data) +
                                row % rows->rows_per_chunk * sizeof(crowd) + cases[i].place;
            unsigned char kept[8];
            char path[KILN_PATH_SIZE] = "";
            kiln_error error = {KILN_OK, 0, 0, ""};
            if (cases[i].status)
                snprintf(path, sizeof path, "entity %u.%s", (unsigned)entity, cases[i].path);
            memcpy(kept, at, cases[i].size);
            memcpy(at, &cases[i].number, cases[i].size);
            (void)kiln_scene_check(&args, &error);
            assert_string_equal(kiln_status_name(error.status), kiln_status_name(cases[i].status));
            assert_string_equal(error.path, path);
            memcpy(at, kept, cases[i].size);
        }
    }
    kiln_scene_view_fini(&view);
    kiln_buffer_fini(&file);
    kiln_types_destroy(types);
}

/* A list with too many types has no plans. */
static void without_plans_no_value_is_considered_valid(void **state)
{
    (void)state;
    kiln_types *types = types_create();
    kiln_buffer file = write_crowds(types);
    scene_parts parts = scene_parts_of(types, &file);
    kiln_types unplanned = *types;
    kiln_scene_view view;
    unplanned.plans = NULL;
    assert_int_equal(scene_view_of(&parts, NULL, &view, NULL), KILN_OK);
    const kiln_scene_check_args args = {
        .view = &view, .types = &unplanned, .data_type = KILN_TYPE_NONE};
    assert_int_equal(kiln_scene_check(&args, NULL), KILN_S_TYPE);
    kiln_scene_view_fini(&view);
    kiln_buffer_fini(&file);
    kiln_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_plans_no_value_is_considered_valid),
        cmocka_unit_test(every_value_of_every_row_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
