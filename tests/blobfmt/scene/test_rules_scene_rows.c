/* Breaks each S rule about rows, and each V rule for values in rows, in one row of an otherwise
 * valid scene. */
#include "scene_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static kiln_types *types;
static kiln_buffer file;
static scene_parts parts;
static kiln_scene_view view;

/* Rows of the two archetypes. They are zero, except in the doors and nests. */
enum { WHOLE_ROWS = 500, TRIMMED_ROWS = 37 };

static void add_archetype(kiln_scene_writer *writer, const uint32_t *components,
                          const uint32_t *set, uint32_t count, uint32_t rows)
{
    uint32_t numbers[C_COUNT], archetype, first;
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = components[set[i]];
    assert_int_equal(kiln_scene_writer_add_archetype(writer, numbers, count, &archetype), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(writer, archetype, rows, &first), KILN_OK);
    for (uint32_t entity = first; entity < first + rows; entity++) {
        unsigned char *door = kiln_scene_writer_at(writer, entity, components[C_DOOR], NULL);
        unsigned char *nest = kiln_scene_writer_at(writer, entity, components[C_NEST], NULL);
        if (door)
            door[1] = 2;
        if (nest)
            nest[42] = 1, nest[44] = 7;
    }
}

static int set_up(void **state)
{
    (void)state;
    static const uint32_t all[] = {C_DOOR, C_MIXED, C_LABEL, C_LIT, C_BYTE};
    static const uint32_t few[] = {C_DOOR, C_LINK, C_NEST};
    kiln_scene_writer *writer = NULL;
    uint32_t components[C_COUNT], import;
    uint64_t word;
    types = scene_types_create(NULL);
    assert_int_equal(kiln_scene_writer_create(NULL, &writer), KILN_OK);
    for (uint32_t i = 0; i < C_COUNT; i++) {
        kiln_scene_component_desc desc = scene_component(types, i);
        assert_int_equal(kiln_scene_writer_add_component(writer, &desc, &components[i]), KILN_OK);
    }
    assert_int_equal(kiln_scene_writer_add_import(writer, "Scene/a", "x", &import), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_asset(writer, scene_item(0), &word), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_asset(writer, scene_item(1), &word), KILN_OK);
    add_archetype(writer, components, all, 5, WHOLE_ROWS);
    add_archetype(writer, components, few, 3, TRIMMED_ROWS);
    kiln_status status = scene_finish(writer, types, NULL, &file, NULL);
    kiln_scene_writer_destroy(writer);
    parts = scene_parts_of(types, &file);
    return status || scene_view_of(&parts, NULL, &view, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    kiln_scene_view_fini(&view);
    kiln_buffer_fini(&file);
    kiln_types_destroy(types);
    return 0;
}

static kiln_scene_check_args check_args(void)
{
    kiln_scene_check_args args = {
        .view = &view, .types = types, .data = parts.data, .data_type = S_DATA};
    return args;
}

/* The first archetype with the component. */
static uint32_t first_with(uint32_t component)
{
    for (uint32_t i = 0; i < view.archetype_count; i++)
        for (uint32_t k = 0; k < view.archetypes[i].component_count; k++)
            if (strcmp(view.components[view.archetypes[i].components[k]].name,
                       scene_components[component].component.name) == 0)
                return i;
    fail_msg("no archetype has component %u", (unsigned)component);
    return 0;
}

/* The address of an entity's component in `file`. */
static unsigned char *place_of(uint32_t entity, uint32_t number)
{
    uint32_t row, column = 0;
    const kiln_scene_rows *rows = kiln_scene_find_row(&view, entity, &row);
    const char *name = scene_components[number].component.name;
    while (strcmp(view.components[rows->components[column]].name, name) != 0)
        assert_true(++column < rows->component_count);
    const unsigned char *at =
        kiln_scene_column(&view, rows, row / rows->rows_per_chunk, column) +
        (size_t)(row % rows->rows_per_chunk) * scene_components[number].component.size;
    return file.data + (at - file.data);
}

static void assert_found(kiln_status status, uint64_t offset, const char *path)
{
    kiln_scene_check_args args = check_args();
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status found = kiln_scene_check(&args, &error);
    assert_string_equal(kiln_status_name(found), kiln_status_name(status));
    assert_string_equal(error.path, path);
    assert_int_equal(error.offset, offset);
    assert_int_equal(error.status, status);
}

/* Bytes in an entity's row, and the expected error. */
typedef struct row_case {
    uint32_t component, place, size;
    uint64_t number;
    bool is_right;
    const char *path; /* after the entity */
} row_case;

static void check_case(const row_case *c, kiln_status status, uint32_t entity)
{
    unsigned char kept[8], *at = place_of(entity, c->component) + c->place;
    char path[KILN_PATH_SIZE];
    memcpy(kept, at, c->size);
    memcpy(at, &c->number, c->size);
    snprintf(path, sizeof path, "entity %u.%s", (unsigned)entity, c->path);
    if (c->is_right)
        assert_found(KILN_OK, 0, "");
    else
        assert_found(status, (uint64_t)(at - (const unsigned char *)(const void *)parts.chunks),
                     path);
    memcpy(at, kept, c->size);
}

/* Tries each case in the first and the last row of the first chunk, the first row of the second
 * chunk, and the last row of the archetype. */
static void check_cases(const row_case *cases, size_t count, kiln_status status)
{
    for (size_t i = 0; i < count; i++) {
        const kiln_scene_rows *rows = &view.archetypes[first_with(cases[i].component)];
        const uint32_t places[] = {0, rows->rows_per_chunk - 1, rows->rows_per_chunk,
                                   rows->rows - 1};
        for (size_t p = 0; p < 4; p++)
            if (places[p] < rows->rows)
                check_case(&cases[i], status, rows->first_entity + places[p]);
    }
}

#define CHECK_CASES(cases, status) check_cases(cases, sizeof(cases) / sizeof *(cases), (status))
#define ENTITY(number, source) (uint64_t)(number) | (uint64_t)(source) << 32

static void valid_rows_pass(void **state)
{
    (void)state;
    assert_true(view.images_count > 1 && view.tails_size > 0);
    assert_found(KILN_OK, 0, "");
}

static void rule_s6_entities_exist(void **state)
{
    (void)state;
    static const row_case cases[] = {
        {C_MIXED, 8, 8, ENTITY(0, 1), true, ""},
        {C_MIXED, 8, 8, ENTITY(WHOLE_ROWS + TRIMMED_ROWS - 1, 1), true, ""},
        {C_MIXED, 8, 8, ENTITY(WHOLE_ROWS + TRIMMED_ROWS, 1), false, "mixed"},
        {C_MIXED, 8, 8, ENTITY(UINT32_MAX, 1), false, "mixed"},
        {C_MIXED, 16, 8, ENTITY(1, 0), false, "mixed"},
        {C_MIXED, 16, 8, ENTITY(0, 2), true, ""},
        {C_MIXED, 16, 8, ENTITY(1, 2), false, "mixed"},
        {C_MIXED, 16, 8, ENTITY(0, 3), false, "mixed"},
        {C_MIXED, 16, 8, ENTITY(0, UINT32_MAX), false, "mixed"},
        {C_LINK, 4, 8, ENTITY(3, 1), true, ""},
        {C_LINK, 4, 8, ENTITY(3, 0), false, "link"},
        {C_NEST, 4, 8, ENTITY(5, 1), true, ""},
        {C_NEST, 16, 8, ENTITY(0, 9), false, "Nest.holders[1].of"},
    };
    CHECK_CASES(cases, KILN_S_ENTITY);
}

static void rule_s7_assets_exist(void **state)
{
    (void)state;
    static const row_case cases[] = {
        {C_MIXED, 0, 8, 2, true, ""},
        {C_MIXED, 0, 8, 3, false, "mixed"},
        {C_MIXED, 0, 8, UINT64_MAX, false, "mixed"},
        {C_NEST, 24, 8, 1, true, ""},
        {C_NEST, 24, 8, UINT64_C(1) << 32, false, "Nest.item"},
    };
    CHECK_CASES(cases, KILN_S_ASSET);
}

static void rule_s8_values_exist(void **state)
{
    (void)state;
    static const row_case cases[] = {
        {C_LABEL, 0, 8, SCENE_STRINGS, true, ""},
        {C_LABEL, 0, 8, SCENE_STRINGS + 1, false, "label"},
        {C_LABEL, 16, 8, SCENE_NUMBERS, true, ""},
        {C_LABEL, 16, 8, SCENE_NUMBERS + 1, false, "label"},
        {C_MIXED, 24, 8, UINT64_C(1) << 63, false, "mixed"},
        {C_NEST, 32, 8, SCENE_TITLES, true, ""},
        {C_NEST, 32, 8, SCENE_TITLES + 1, false, "Nest.title"},
    };
    CHECK_CASES(cases, KILN_S_DATA);
}

static void rule_s9_unused_bytes_are_zero(void **state)
{
    (void)state;
    uint32_t wrong = 0;
    for (uint32_t a = 0; a < view.archetype_count; a++) {
        const kiln_scene_rows *rows = &view.archetypes[a];
        char path[32];
        snprintf(path, sizeof path, "archetypes[%u]", (unsigned)a);
        for (uint32_t chunk = 0; chunk < rows->chunks; chunk++) {
            bool is_whole = chunk < rows->whole;
            const unsigned char *begin =
                is_whole ? view.images + (size_t)(rows->first_image + chunk) * KILN_CHUNK_SIZE
                         : view.tails + rows->tail;
            size_t size = is_whole ? KILN_CHUNK_SIZE : (size_t)rows->tail_size;
            unsigned char used[KILN_CHUNK_SIZE] = {0};
            for (uint32_t i = 0; i < rows->component_count; i++) {
                const unsigned char *column = kiln_scene_column(&view, rows, chunk, i);
                if (column)
                    memset(used + (column - begin), 1,
                           (size_t)view.components[rows->components[i]].size *
                               kiln_scene_chunk_rows(rows, chunk));
            }
            for (size_t i = 0; i < size; i++) {
                if (used[i] || (i > 0 && !used[i - 1] && i + 1 < size && !used[i + 1] && i % 61))
                    continue;
                unsigned char *at = file.data + (begin + i - file.data);
                *at = 1;
                assert_found(KILN_S_UNUSED,
                             (uint64_t)(at - (const unsigned char *)(const void *)parts.chunks),
                             path);
                *at = 0;
                wrong++;
            }
        }
    }
    assert_true(wrong > 20);
}

/* FORMAT.md section 14: the sum of the columns, each rounded up to 64, and the start of each
 * column. */
static void columns_of_trimmed_chunks_begin_at_multiples_of_64(void **state)
{
    (void)state;
    uint64_t tail = 0;
    uint32_t between = 0;
    for (uint32_t a = 0; a < view.archetype_count; a++) {
        const kiln_scene_rows *rows = &view.archetypes[a];
        uint32_t left = rows->rows % rows->rows_per_chunk, at = 0;
        assert_true(left > 0 && rows->whole == rows->rows / rows->rows_per_chunk);
        for (uint32_t i = 0; i < rows->component_count; i++) {
            uint32_t size = view.components[rows->components[i]].size;
            const unsigned char *column = kiln_scene_column(&view, rows, rows->whole, i);
            if (size == 0) {
                assert_null(column);
                continue;
            }
            assert_int_equal(column - view.tails, tail + at);
            between += size * left % 64 != 0;
            at += (size * left + 63) / 64 * 64;
        }
        assert_int_equal(rows->tail, tail);
        assert_int_equal(rows->tail_size, at);
        tail += at;
    }
    assert_int_equal(view.tails_size, tail);
    assert_true(between > 2);
}

static void values_in_rows_follow_the_rules_of_values(void **state)
{
    (void)state;
    static const row_case bools[] = {{C_DOOR, 0, 1, 1, true, ""},
                                     {C_DOOR, 0, 1, 2, false, "Door.is_open"},
                                     {C_DOOR, 4, 1, 255, false, "Door.has_key"}};
    static const row_case enums[] = {{C_DOOR, 1, 1, 5, true, ""},
                                     {C_DOOR, 1, 1, 0, false, "Door.state"},
                                     {C_DOOR, 1, 1, 3, false, "Door.state"},
                                     {C_DOOR, 1, 1, 65, false, "Door.state"},
                                     {C_NEST, 42, 2, 0xffff, true, ""},
                                     {C_NEST, 42, 2, 1, true, ""},
                                     {C_NEST, 42, 2, 2, false, "Nest.sign"},
                                     {C_NEST, 42, 2, 0x8000, false, "Nest.sign"},
                                     {C_NEST, 44, 4, 4000000000u, true, ""},
                                     {C_NEST, 44, 4, 1, false, "Nest.far"}};
    static const row_case flags[] = {{C_DOOR, 2, 2, 11, true, ""},
                                     {C_DOOR, 2, 2, 4, false, "Door.locks"},
                                     {C_DOOR, 2, 2, 0x8000, false, "Door.locks"}};
    static const row_case padding[] = {{C_DOOR, 5, 1, 1, false, "Door"},
                                       {C_DOOR, 5, 3, 0x010101, false, "Door"},
                                       {C_DOOR, 6, 1, 1, false, "Door"},
                                       {C_DOOR, 7, 1, 0x80, false, "Door"},
                                       {C_NEST, 41, 1, 0x80, false, "Nest"}};
    CHECK_CASES(bools, KILN_V_BOOL);
    CHECK_CASES(enums, KILN_V_ENUM);
    CHECK_CASES(flags, KILN_V_FLAGS);
    CHECK_CASES(padding, KILN_V_PADDING);
}

/* ---- S10 ---- */

static uint32_t *numbers(const kiln_array *array)
{
    return (uint32_t *)(uintptr_t)kiln_relative_get(array, array->offset);
}

/* Makes the component's first field refer to the list `name`. */
static void name_a_list(kiln_scene_component *nest, const char *name)
{
    kiln_scene_field *field = (void *)numbers(&nest->fields);
    memcpy((char *)(uintptr_t)kiln_string_get(&field->name), name, strlen(name) + 1);
    field->name.length = (uint32_t)strlen(name);
}

#define NEST_WITH(name, change)                                                                    \
    static void name(kiln_scene_component *nest)                                                   \
    {                                                                                              \
        change;                                                                                    \
    }
NEST_WITH(size_differs, nest->size = 40)
NEST_WITH(alignment_differs, nest->alignment = 16)
NEST_WITH(entity_is_elsewhere, numbers (&nest->entity_places)[0] = 8)
NEST_WITH(entity_is_missing, nest->entity_places.count = 1)
NEST_WITH(entities_are_missing, nest->entity_places.count = 0)
NEST_WITH(asset_is_elsewhere, numbers (&nest->asset_places)[0] = 16)
NEST_WITH(asset_is_missing, nest->asset_places.count = 0)
NEST_WITH(field_is_elsewhere, ((kiln_scene_field *)(void *)numbers(&nest->fields))->place = 40)
NEST_WITH(field_is_missing, nest->fields.count = nest->fields.offset = 0)
NEST_WITH(list_is_of_other_elements, name_a_list(nest, "numbers"))
NEST_WITH(list_is_missing, name_a_list(nest, "nothing"))

static void rule_s10_components_agree_with_their_types(void **state)
{
    (void)state;
    static void (*const changes[])(kiln_scene_component *) = {
        size_differs,     alignment_differs,    entity_is_elsewhere, entity_is_missing,
        asset_is_missing, field_is_elsewhere,   field_is_missing,    list_is_of_other_elements,
        list_is_missing,  entities_are_missing, asset_is_elsewhere};
    const kiln_array *components = &parts.scene->components;
    kiln_scene_component *nest =
        (kiln_scene_component *)(uintptr_t)kiln_relative_get(components, components->offset);
    uint32_t number = 0;
    while (strcmp(kiln_string_get(&nest->name), "Nest") != 0)
        nest++, number++;
    unsigned char *kept = test_malloc(file.size);
    memcpy(kept, file.data, file.size);
    char path[32];
    snprintf(path, sizeof path, "components[%u]", (unsigned)number);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        kiln_component_desc *desc = (kiln_component_desc *)(uintptr_t)&view.components[number];
        kiln_component_desc old = *desc;
        changes[i](nest);
        /* The view copied these numbers from the scene, so they need the same change. */
        desc->size = nest->size;
        desc->alignment = nest->alignment;
        desc->entity_count = nest->entity_places.count;
        desc->asset_count = nest->asset_places.count;
        if (desc->entity_count == 0)
            desc->entity_places = NULL;
        assert_found(KILN_S_TYPE, 0, path);
        kiln_scene_check_args without_data = check_args();
        without_data.skip_data = true;
        assert_int_equal(kiln_scene_check(&without_data, NULL), KILN_S_TYPE);
        *desc = old;
        memcpy(file.data, kept, file.size);
    }
    test_free(kept);
}

/* A description with more words than its type, or with the name of a type that cannot be a
 * component. */
static void rule_s10_components_have_no_more_than_their_types(void **state)
{
    (void)state;
    static const uint32_t entities[] = {4, 16, 40}, assets[] = {24, 40};
    kiln_component_desc *defs = (kiln_component_desc *)(uintptr_t)view.components;
    kiln_scene_check_args check = check_args();
    const kiln_type *data = kiln_types_get(types, S_DATA);
    for (uint32_t i = 0; i < view.component_count; i++) {
        kiln_component_desc old = defs[i];
        if (strcmp(old.name, "Nest") == 0) {
            defs[i].entity_places = entities;
            defs[i].entity_count = 3;
            assert_int_equal(kiln_scene_check(&check, NULL), KILN_S_TYPE);
            defs[i] = old;
            defs[i].asset_places = assets;
            defs[i].asset_count = 2;
            assert_int_equal(kiln_scene_check(&check, NULL), KILN_S_TYPE);
            defs[i] = old;
            const kiln_array *components = &parts.scene->components;
            kiln_scene_component *nest = (kiln_scene_component *)(uintptr_t)kiln_relative_get(
                components, components->offset);
            kiln_scene_check_args without_data = check;
            without_data.skip_data = true;
            nest[i].fields.count++;
            assert_int_equal(kiln_scene_check(&without_data, NULL), KILN_S_TYPE);
            nest[i].fields.count--;
        } else if (strcmp(old.name, "lit") == 0) {
            defs[i].name = data->name;
            defs[i].layout = data->layout;
            defs[i].size = data->size;
            defs[i].alignment = data->align;
            assert_int_equal(kiln_scene_check(&check, NULL), KILN_S_TYPE);
        }
        defs[i] = old;
    }
    assert_int_equal(kiln_scene_check(&check, NULL), KILN_OK);
}

/* The fields of a component of unknown type still need lists in the scene's data. */
static void rule_s10_fields_have_lists(void **state)
{
    (void)state;
    const kiln_array *components = &parts.scene->components;
    kiln_scene_component *label =
        (kiln_scene_component *)(uintptr_t)kiln_relative_get(components, components->offset);
    uint32_t number = 0;
    while (strcmp(kiln_string_get(&label->name), "label") != 0)
        label++, number++;
    unsigned char *kept = test_malloc(file.size);
    memcpy(kept, file.data, file.size);
    char path[32];
    snprintf(path, sizeof path, "components[%u]", (unsigned)number);
    name_a_list(label, "nomen");
    assert_found(KILN_S_TYPE, 0, path);
    memcpy(file.data, kept, file.size);
    /* Data of a different type, in which this name is not a list. */
    kiln_scene_component *nest = label;
    while (strcmp(kiln_string_get(&nest->name), "Nest") != 0)
        nest--;
    const kiln_array nothing = {0};
    kiln_scene_check_args args = check_args();
    kiln_component_desc *nest_def =
        (kiln_component_desc *)(uintptr_t)&view.components[number - (uint32_t)(label - nest)];
    uint64_t layout = nest_def->layout;
    kiln_error error;
    nest_def->layout++;
    nest->fields.count = 0;
    label->fields.count = 1;
    name_a_list(label, "price");
    args.data = &nothing;
    args.data_type = S_ITEM;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_S_TYPE);
    assert_string_equal(error.path, path);
    nest_def->layout = layout;
    memcpy(file.data, kept, file.size);
    test_free(kept);
}

/* Without types, values of components and data words are not checked, because only types describe
 * them. Asset words are still checked. */
static void values_of_components_without_a_type_are_not_checked(void **state)
{
    (void)state;
    kiln_scene_check_args args = check_args();
    uint32_t entity = view.archetypes[first_with(C_MIXED)].first_entity;
    unsigned char *door = place_of(entity, C_DOOR), *mixed = place_of(entity, C_MIXED);
    unsigned char *label = place_of(entity, C_LABEL);
    char door_path[64], mixed_path[64];
    snprintf(door_path, sizeof door_path, "entity %u.Door.is_open", (unsigned)entity);
    snprintf(mixed_path, sizeof mixed_path, "entity %u.mixed", (unsigned)entity);
    kiln_error error;
    door[0] = 7;
    assert_found(KILN_V_BOOL, (uint64_t)(door - (const unsigned char *)(const void *)parts.chunks),
                 door_path);
    args.types = NULL;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_OK);
    label[0] = SCENE_STRINGS + 1;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_OK);
    mixed[0] = 9;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_S_ASSET);
    assert_string_equal(error.path, mixed_path);
    door[0] = mixed[0] = label[0] = 0;
}

static void checks_without_their_requirements_are_refused(void **state)
{
    (void)state;
    kiln_error error;
    kiln_scene_check_args args = check_args();
    args.data = NULL;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_BAD_ARGUMENT);
    args.skip_data = true;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_OK);
    args = check_args();
    args.data_type = S_STATE;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_BAD_ARGUMENT);
    args.data_type = KILN_TYPE_NONE;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_BAD_ARGUMENT);
    uint32_t *data_count = (uint32_t *)(uintptr_t)&parts.scene->data.count;
    *data_count = 0;
    args = check_args();
    assert_int_equal(kiln_scene_check(&args, &error), KILN_BAD_ARGUMENT);
    *data_count = 1;
    scene_parts alone = parts;
    kiln_scene_view without;
    alone.chunks = NULL;
    assert_int_equal(scene_view_of(&alone, NULL, &without, &error), KILN_OK);
    args = check_args();
    args.view = &without;
    assert_int_equal(kiln_scene_check(&args, &error), KILN_BAD_ARGUMENT);
    for (int i = 0; i < 2; i++) {
        kiln_scene_view part = without;
        if (i == 0)
            part.tails_size = 0;
        else
            part.images_count = 0;
        args.view = &part;
        assert_int_equal(kiln_scene_check(&args, &error), KILN_BAD_ARGUMENT);
    }
    kiln_scene_view_fini(&without);
}

static void assert_places(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (uint32_t i = 0; i < a_count; i++)
        assert_int_equal(a[i], b[i]);
}

static void components_are_described_by_their_types(void **state)
{
    (void)state;
    static const uint32_t cases[][2] = {
        {C_POSITION, S_POSITION}, {C_DOOR, S_DOOR}, {C_NEST, S_NEST}};
    kiln_component_type found;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_scene_component_desc expected = scene_component(types, cases[i][0]);
        const kiln_component_desc *a = &expected.component, *b = &found.desc;
        assert_int_equal(kiln_component_type_init(types, cases[i][1], S_DATA, NULL, &found),
                         KILN_OK);
        assert_string_equal(a->name, b->name);
        assert_true(a->layout == b->layout && a->size == b->size && a->alignment == b->alignment);
        assert_places(a->entity_places, a->entity_count, b->entity_places, b->entity_count);
        assert_places(a->asset_places, a->asset_count, b->asset_places, b->asset_count);
        assert_places(expected.field_places, expected.field_count, found.field_places,
                      found.field_count);
        for (uint32_t k = 0; k < found.field_count; k++)
            assert_string_equal(kiln_types_get(types, S_DATA)->members[found.field_members[k]].name,
                                expected.field_names[k]);
        kiln_component_type_fini(&found);
    }
    static const uint32_t none[][2] = {
        {S_DATA, KILN_TYPE_NONE}, {S_STATE, S_DATA}, {S_NEST, S_ITEM}, {S_DOOR, S_STATE}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(kiln_component_type_init(types, none[i][0], none[i][1], NULL, &found),
                         KILN_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_rows_pass),
        cmocka_unit_test(rule_s6_entities_exist),
        cmocka_unit_test(rule_s7_assets_exist),
        cmocka_unit_test(rule_s8_values_exist),
        cmocka_unit_test(rule_s9_unused_bytes_are_zero),
        cmocka_unit_test(columns_of_trimmed_chunks_begin_at_multiples_of_64),
        cmocka_unit_test(rule_s10_components_agree_with_their_types),
        cmocka_unit_test(rule_s10_components_have_no_more_than_their_types),
        cmocka_unit_test(rule_s10_fields_have_lists),
        cmocka_unit_test(values_in_rows_follow_the_rules_of_values),
        cmocka_unit_test(values_of_components_without_a_type_are_not_checked),
        cmocka_unit_test(checks_without_their_requirements_are_refused),
        cmocka_unit_test(components_are_described_by_their_types),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
