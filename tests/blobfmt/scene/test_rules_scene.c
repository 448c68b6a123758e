/* Breaks each S rule in an otherwise valid small scene. The reader must report that rule at that
 * offset. */
#include "scene_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/index.h>
#include <stdio.h>
#include <string.h>

static kiln_types *types;
static kiln_buffer file;
static scene_parts parts;

/* Sorted by name. */
enum { AT_POSITION, AT_LABEL, AT_LINK, AT_LIT, AT_MIXED, AT_COUNT };
static const uint32_t used[AT_COUNT] = {C_POSITION, C_LABEL, C_LINK, C_LIT, C_MIXED};

/* Archetypes: none, Position and Link, Position and Lit, Lit. */
static void add_entities(kiln_scene_writer *writer, const uint32_t *components)
{
    const uint32_t both[] = {components[AT_POSITION], components[AT_LINK]};
    const uint32_t seen[] = {components[AT_POSITION], components[AT_LIT]};
    static const uint32_t rows[] = {2, 600, 3, 5};
    uint32_t first, archetype, import;
    uint64_t word;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t *set = i == 1 ? both : i == 2 ? seen : &components[AT_LIT];
        assert_int_equal(kiln_scene_writer_add_archetype(writer, set,
                                                         i == 0   ? 0
                                                         : i == 3 ? 1
                                                                  : 2,
                                                         &archetype),
                         KILN_OK);
        assert_int_equal(kiln_scene_writer_add_rows(writer, archetype, rows[i], &first), KILN_OK);
        assert_int_equal(kiln_scene_writer_add_asset(writer, scene_item(i), &word), KILN_OK);
        assert_int_equal(kiln_scene_writer_name(writer, first, &"abcd"[i], 1), KILN_OK);
        assert_int_equal(kiln_scene_writer_add_import(writer, i < 2 ? "Scene/a" : "Scene/b",
                                                      i % 2 ? "x" : "y", &import),
                         KILN_OK);
    }
}

static int set_up(void **state)
{
    (void)state;
    kiln_scene_writer *writer = NULL;
    uint32_t components[AT_COUNT];
    types = scene_types_create(NULL);
    if (kiln_scene_writer_create(NULL, &writer))
        return 1;
    for (uint32_t i = 0; i < AT_COUNT; i++)
        if (kiln_scene_writer_add_component(writer, &scene_components[used[i]], &components[i]))
            return 1;
    add_entities(writer, components);
    kiln_status status = scene_finish(writer, types, NULL, &file, NULL);
    kiln_scene_writer_destroy(writer);
    parts = scene_parts_of(types, &file);
    return status != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_buffer_fini(&file);
    kiln_types_destroy(types);
    return 0;
}

/* ---- the scene's description ---- */

/* A scene's parts. A test changes their bytes and restores them. */
typedef struct broken {
    kiln_scene *scene;
    kiln_scene_component *components;
    kiln_scene_archetype *archetypes;
    kiln_scene_name *names;
    kiln_scene_import *imports;
    kiln_id *assets;
    kiln_scene_chunks *chunks;
    scene_parts *parts;
} broken;

static void *items(const kiln_array *array)
{
    return (void *)(uintptr_t)kiln_relative_get(array, array->offset);
}

static uint32_t *numbers(const kiln_array *array)
{
    return items(array);
}

static char *text(const kiln_string *string)
{
    return (char *)(uintptr_t)kiln_string_get(string);
}

static kiln_scene_field *fields(const broken *b)
{
    return items(&b->components[AT_LABEL].fields);
}

/* A name that is valid except for its length. It is stored in the chunks, which are not checked
 * here. */
static void import_of_long_scene(const broken *b)
{
    kiln_string *name = &b->imports[0].scene;
    char *at = items(&b->chunks->images);
    memset(at, 'a', KILN_SCENE_TEXT_MAX + 1);
    memcpy(at, "Scene/", 6);
    name->offset = (uint32_t)((uintptr_t)at - (uintptr_t)name);
    name->length = KILN_SCENE_TEXT_MAX + 1;
    assert_ptr_equal(kiln_string_get(name), at);
}

#define SCENE_WITH(name, change)                                                                   \
    static void name(const broken *b)                                                              \
    {                                                                                              \
        change;                                                                                    \
    }
SCENE_WITH(nothing_changed, (void)b)
SCENE_WITH(alignment_of_three, b->components[AT_POSITION].alignment = 3)
SCENE_WITH(no_alignment, b->components[AT_POSITION].alignment = 0)
SCENE_WITH(alignment_above_64, b->components[AT_MIXED].alignment = 128)
SCENE_WITH(size_of_no_rows, b->components[AT_POSITION].size = 13)
SCENE_WITH(size_above_a_chunk, b->components[AT_POSITION].size = 16388)
SCENE_WITH(tag_that_is_aligned, b->components[AT_LIT].alignment = 4)
SCENE_WITH(names_out_of_order, *text(&b->components[AT_LABEL].name) = 'z')
SCENE_WITH(component_without_name, b->components[AT_POSITION].name.length = 0;
           b->components[AT_POSITION].name.offset = 0)
SCENE_WITH(entity_past_the_end, *numbers(&b->components[AT_LINK].entity_places) = 8)
SCENE_WITH(entity_misaligned, *numbers(&b->components[AT_LINK].entity_places) = 2)
SCENE_WITH(entities_over_one_another, numbers (&b->components[AT_MIXED].entity_places)[1] = 12)
SCENE_WITH(entity_over_asset, *numbers(&b->components[AT_MIXED].asset_places) = 8)
SCENE_WITH(asset_misaligned, *numbers(&b->components[AT_MIXED].asset_places) = 4)
SCENE_WITH(asset_past_the_end, *numbers(&b->components[AT_MIXED].asset_places) = 32)
SCENE_WITH(field_past_the_end, fields(b)[1].place = 24)
SCENE_WITH(field_far_past_the_end, fields(b)[1].place = 0xfffffff8u)
SCENE_WITH(field_misaligned, fields(b)[1].place = 12)
SCENE_WITH(fields_out_of_order, fields(b)[0].place = 16)
SCENE_WITH(field_over_entity,
           ((kiln_scene_field *)items(&b->components[AT_MIXED].fields))->place = 16)
SCENE_WITH(field_over_asset,
           ((kiln_scene_field *)items(&b->components[AT_MIXED].fields))->place = 0)
SCENE_WITH(fields_of_small_alignment, b->components[AT_LABEL].alignment = 4)

SCENE_WITH(no_rows, b->archetypes[1].rows = 0)
SCENE_WITH(component_that_is_none, numbers (&b->archetypes[1].components)[1] = AT_COUNT)
SCENE_WITH(components_descending, numbers (&b->archetypes[1].components)[0] = AT_MIXED)
SCENE_WITH(component_twice, numbers (&b->archetypes[1].components)[0] = AT_LINK)
SCENE_WITH(archetype_twice, numbers (&b->archetypes[2].components)[1] = AT_LINK)
SCENE_WITH(archetypes_descending, numbers (&b->archetypes[3].components)[0] = AT_POSITION)
SCENE_WITH(archetypes_out_of_order, numbers (&b->archetypes[2].components)[1] = AT_LABEL)
SCENE_WITH(row_above_a_chunk, b->components[AT_POSITION].size = 16384)

SCENE_WITH(fewer_entities, b->scene->entities--)
SCENE_WITH(more_entities_than_may_be, b->archetypes[0].rows += KILN_ENTITY_MAX;
           b->scene->entities += KILN_ENTITY_MAX)
SCENE_WITH(entities_that_wrap, b->archetypes[0].rows = UINT32_MAX; b->scene->entities -= 3)
SCENE_WITH(name_of_no_entity, b->names[2].entity = 610)
SCENE_WITH(two_names_of_no_entity, b->names[1].entity = b->names[3].entity = 610)
SCENE_WITH(entity_with_two_names, b->names[2].entity = b->names[1].entity)
SCENE_WITH(empty_name, b->names[0].name.length = 0; b->names[0].name.offset = 0)

SCENE_WITH(asset_twice, b->assets[1] = b->assets[0])
SCENE_WITH(assets_descending, b->assets[3] = 1)
SCENE_WITH(import_twice, *text(&b->imports[1].entity) = 'x')
SCENE_WITH(imports_descending, text (&b->imports[0].scene)[6] = 'c')
SCENE_WITH(import_of_no_asset, text (&b->imports[3].scene)[5] = ':')
SCENE_WITH(import_of_nobody, b->imports[0].entity.length = 0)
SCENE_WITH(import_of_long_name, b->imports[0].entity.length = 1025)
SCENE_WITH(two_chunks, b->scene->chunks.count = 2)
SCENE_WITH(hash_without_chunks, b->scene->chunks.count = 0)
SCENE_WITH(two_data, b->scene->data.count = 2)
SCENE_WITH(hash_without_data, b->scene->data.count = 0)
SCENE_WITH(reserved_not_zero, b->scene->reserved = 1)

SCENE_WITH(no_chunks_for_rows, b->scene->chunks.count = 0; b->scene->chunks_hash = 0)
SCENE_WITH(chunks_of_another_for_no_rows, b->scene->archetypes.count = 1; b->scene->entities = 2;
           b->scene->names.count = 1; b->scene->chunks.count = 0; b->scene->chunks_hash = 0;
           b->parts->chunks_hash = 0)
SCENE_WITH(other_chunks, b->parts->chunks_hash++)
SCENE_WITH(other_data, b->parts->data_hash++)
SCENE_WITH(images_too_short, b->chunks->images.count -= 64)
SCENE_WITH(images_too_long, b->chunks->images.count += KILN_CHUNK_SIZE)
SCENE_WITH(tails_too_short, b->chunks->tails.count--)
SCENE_WITH(tails_too_long, b->chunks->tails.count += 64)

typedef struct scene_case {
    void (*change)(const broken *b);
    const char *path;
} scene_case;

/* Opens the scene with this change, which is then undone, and returns the verdict. */
static void check_change(const scene_case *c, kiln_status status)
{
    unsigned char *kept = test_malloc(file.size);
    memcpy(kept, file.data, file.size);
    scene_parts changed = parts;
    broken b = {(kiln_scene *)(uintptr_t)parts.scene,
                items(&parts.scene->components),
                items(&parts.scene->archetypes),
                items(&parts.scene->names),
                items(&parts.scene->imports),
                items(&parts.scene->assets),
                (kiln_scene_chunks *)(uintptr_t)parts.chunks,
                &changed};
    kiln_scene_view view;
    memset(&view, 0xa5, sizeof view);
    kiln_scene_view untouched = view;
    kiln_error error = {KILN_OK, 0, 0, ""};
    c->change(&b);
    kiln_status found = scene_view_of(&changed, NULL, &view, &error);
    assert_string_equal(kiln_status_name(found), kiln_status_name(status));
    assert_string_equal(error.path, c->path);
    assert_int_equal(error.offset, 0);
    if (found)
        assert_memory_equal(&view, &untouched, sizeof view);
    else
        kiln_scene_view_fini(&view);
    memcpy(file.data, kept, file.size);
    test_free(kept);
}

#define CHECK_CASES(cases, status)                                                                 \
    for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++)                                   \
    check_change(&(cases)[i], (status))

static void valid_scene_is_opened(void **state)
{
    (void)state;
    static const scene_case cases[] = {{nothing_changed, ""}};
    CHECK_CASES(cases, KILN_OK);
}

static void rule_s1_components_are_possible_and_in_order(void **state)
{
    (void)state;
    static const scene_case cases[] = {
        {alignment_of_three, "components[0]"},       {no_alignment, "components[0]"},
        {alignment_above_64, "components[4]"},       {size_of_no_rows, "components[0]"},
        {size_above_a_chunk, "components[0]"},       {tag_that_is_aligned, "components[3]"},
        {names_out_of_order, "components[2]"},       {component_without_name, "components[0]"},
        {entity_past_the_end, "components[2]"},      {entity_misaligned, "components[2]"},
        {entity_over_asset, "components[4]"},        {entities_over_one_another, "components[4]"},
        {asset_misaligned, "components[4]"},         {asset_past_the_end, "components[4]"},
        {field_past_the_end, "components[1]"},       {field_misaligned, "components[1]"},
        {field_far_past_the_end, "components[1]"},   {fields_out_of_order, "components[1]"},
        {field_over_entity, "components[4]"},        {field_over_asset, "components[4]"},
        {fields_of_small_alignment, "components[1]"}};
    CHECK_CASES(cases, KILN_S_COMPONENT);
}

static void rule_s2_archetypes_are_possible_and_in_order(void **state)
{
    (void)state;
    static const scene_case cases[] = {
        {no_rows, "archetypes[1]"},           {component_that_is_none, "archetypes[1]"},
        {component_twice, "archetypes[1]"},   {components_descending, "archetypes[1]"},
        {archetype_twice, "archetypes[2]"},   {archetypes_descending, "archetypes[3]"},
        {row_above_a_chunk, "archetypes[1]"}, {archetypes_out_of_order, "archetypes[2]"}};
    CHECK_CASES(cases, KILN_S_ARCHETYPE);
}

static void rule_s3_entities_are_counted_and_named(void **state)
{
    (void)state;
    static const scene_case cases[] = {{fewer_entities, "entities"},
                                       {more_entities_than_may_be, "entities"},
                                       {entities_that_wrap, "entities"},
                                       {name_of_no_entity, "names[2]"},
                                       {empty_name, "names[0]"},
                                       {entity_with_two_names, "names[2]"},
                                       {two_names_of_no_entity, "names[1]"}};
    CHECK_CASES(cases, KILN_S_ENTITIES);
}

static void rule_s4_references_are_possible_and_in_order(void **state)
{
    (void)state;
    static const scene_case cases[] = {{asset_twice, "assets[1]"},
                                       {assets_descending, "assets[3]"},
                                       {import_twice, "imports[1]"},
                                       {imports_descending, "imports[2]"},
                                       {import_of_no_asset, "imports[2]"},
                                       {import_of_nobody, "imports[0]"},
                                       {import_of_long_scene, "imports[0]"},
                                       {import_of_long_name, "imports[0]"},
                                       {two_chunks, "chunks"},
                                       {hash_without_chunks, "chunks"},
                                       {two_data, "data"},
                                       {hash_without_data, "data"},
                                       {reserved_not_zero, "reserved"}};
    CHECK_CASES(cases, KILN_S_REFERENCES);
}

static void rule_s5_parts_belong_to_the_scene(void **state)
{
    (void)state;
    static const scene_case cases[] = {
        {no_chunks_for_rows, "chunks"}, {other_chunks, "chunks_hash"},
        {other_data, "data_hash"},      {images_too_short, "chunks"},
        {images_too_long, "chunks"},    {tails_too_short, "chunks"},
        {tails_too_long, "chunks"},     {chunks_of_another_for_no_rows, "chunks_hash"}};
    CHECK_CASES(cases, KILN_S_PARTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_scene_is_opened),
        cmocka_unit_test(rule_s1_components_are_possible_and_in_order),
        cmocka_unit_test(rule_s2_archetypes_are_possible_and_in_order),
        cmocka_unit_test(rule_s3_entities_are_counted_and_named),
        cmocka_unit_test(rule_s4_references_are_possible_and_in_order),
        cmocka_unit_test(rule_s5_parts_belong_to_the_scene),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
