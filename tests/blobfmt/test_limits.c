/* Writers refuse input above a limit of FORMAT.md section 11, and readers accept input at the
 * limit.
 *
 * Limits that would need gigabytes are tested with an allocator that refuses large blocks. At the
 * limit the writer requests the memory and returns NO_MEMORY. One above the limit it reports the
 * limit without requesting memory. */
#include "file_writer_state.h"
#include "scene_fixture.h"
#include "whole_file.h"

#include <kiln/builder.h>
#include <kiln/type_table.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { LARGE_BLOCK = 1 << 28 };

static void *alloc_small(void *ctx, size_t size, size_t align)
{
    kiln_allocator heap = kiln_allocator_default();
    (void)ctx;
    return size < LARGE_BLOCK ? heap.alloc(heap.ctx, size, align) : NULL;
}

static void free_small(void *ctx, void *block, size_t size)
{
    kiln_allocator heap = kiln_allocator_default();
    (void)ctx;
    heap.free(heap.ctx, block, size);
}

static const kiln_allocator small_blocks = {alloc_small, free_small, NULL};

/* ---- scenes ---- */

static kiln_scene_writer *new_scene(void)
{
    kiln_scene_writer *w = NULL;
    assert_int_equal(kiln_scene_writer_create(NULL, &w), KILN_OK);
    return w;
}

static kiln_status archetype_of(uint32_t size, uint32_t other)
{
    kiln_scene_component_desc defs[2] = {0};
    uint32_t numbers[2], archetype;
    kiln_scene_writer *w = new_scene();
    const uint32_t sizes[2] = {size, other};
    for (int i = 0; i < 2; i++) {
        defs[i].component.name = i ? "b" : "a";
        defs[i].component.size = sizes[i];
        defs[i].component.alignment = 1;
        assert_int_equal(kiln_scene_writer_add_component(w, &defs[i], &numbers[i]), KILN_OK);
    }
    kiln_status status = kiln_scene_writer_add_archetype(w, numbers, 2, &archetype);
    kiln_scene_writer_destroy(w);
    return status;
}

static void rule_l4_a_row_takes_at_most_a_chunk(void **state)
{
    (void)state;
    assert_int_equal(archetype_of(KILN_CHUNK_SIZE - KILN_COLUMN_ALIGN, KILN_COLUMN_ALIGN), KILN_OK);
    assert_int_equal(archetype_of(KILN_CHUNK_SIZE - KILN_COLUMN_ALIGN, KILN_COLUMN_ALIGN + 1),
                     KILN_L_ROW);
}

/* Writes a file with this scene and reads it back. Returns the status of the writer. */
static kiln_status write_scene(kiln_scene_writer *w)
{
    kiln_types *types = scene_types_create(NULL), *builtin = NULL;
    kiln_buffer file = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(kiln_types_create_builtin(NULL, &builtin, NULL), KILN_OK);
    kiln_status status = scene_finish(w, types, NULL, &file, &error);
    if (!status) {
        scene_parts parts = scene_parts_of(types, &file);
        kiln_scene_view view;
        assert_int_equal(scene_view_of(&parts, NULL, &view, &error), KILN_OK);
        kiln_scene_view_fini(&view);
        status = whole_file_check(builtin, file.data, file.size, &error);
    }
    kiln_buffer_fini(&file);
    kiln_types_destroy(builtin);
    kiln_types_destroy(types);
    return status;
}

/* Entities without components need no bytes. */
static void rule_l5_a_scene_has_at_most_as_many_entities_as_a_world(void **state)
{
    (void)state;
    uint32_t archetype, first;
    kiln_scene_writer *w = new_scene();
    assert_int_equal(kiln_scene_writer_add_archetype(w, NULL, 0, &archetype), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(w, archetype, KILN_ENTITY_MAX + 1, &first),
                     KILN_L_ENTITIES);
    assert_int_equal(kiln_scene_writer_add_rows(w, archetype, KILN_ENTITY_MAX - 1, &first),
                     KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(w, archetype, 2, &first), KILN_L_ENTITIES);
    assert_int_equal(kiln_scene_writer_add_rows(w, archetype, 1, &first), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(w, archetype, 1, &first), KILN_L_ENTITIES);
    assert_int_equal(write_scene(w), KILN_OK);
    kiln_scene_writer_destroy(w);
}

static void rule_l6_a_name_in_a_scene_has_at_most_1024_bytes(void **state)
{
    (void)state;
    char text[KILN_SCENE_TEXT_MAX + 2], scene[KILN_SCENE_TEXT_MAX + 2];
    uint32_t archetype, first, number;
    kiln_scene_writer *w = new_scene();
    memset(text, 'x', sizeof text);
    memset(scene, 'x', sizeof scene);
    memcpy(scene, "Scene/", 6);
    text[KILN_SCENE_TEXT_MAX + 1] = scene[KILN_SCENE_TEXT_MAX + 1] = '\0';
    assert_int_equal(kiln_scene_writer_add_archetype(w, NULL, 0, &archetype), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(w, archetype, 1, &first), KILN_OK);
    assert_int_equal(kiln_scene_writer_name(w, 0, text, KILN_SCENE_TEXT_MAX + 1), KILN_L_TEXT);
    assert_int_equal(kiln_scene_writer_add_import(w, scene, "x", &number), KILN_L_TEXT);
    assert_int_equal(kiln_scene_writer_add_import(w, "Scene/x", text, &number), KILN_L_TEXT);
    text[KILN_SCENE_TEXT_MAX] = scene[KILN_SCENE_TEXT_MAX] = '\0';
    assert_int_equal(kiln_scene_writer_name(w, 0, text, KILN_SCENE_TEXT_MAX), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_import(w, scene, text, &number), KILN_OK);
    assert_int_equal(write_scene(w), KILN_OK);
    kiln_scene_writer_destroy(w);
}

/* ---- files ---- */

/* Adds an asset to a writer whose lists pretend to have `assets` and `refs` elements. Memory for
 * longer lists is refused. */
static kiln_status add_behind(size_t assets, size_t refs, kiln_error *reterr)
{
    kiln_types *types = scene_types_create(NULL);
    kiln_file_writer *writer = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    def.allocator = &small_blocks;
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    kiln_builder_def building = kiln_builder_def_default();
    building.types = types;
    kiln_builder *b = NULL;
    kiln_buffer blob = {0};
    assert_int_equal(kiln_builder_create(&building, &b), KILN_OK);
    assert_non_null(kiln_builder_root(b, 4, 4));
    assert_int_equal(kiln_builder_finish(b, S_ITEM, KILN_FLAG_CANONICAL, &blob, NULL), KILN_OK);
    writer->assets.count = writer->assets.capacity = assets;
    writer->refs.count = writer->refs.capacity = refs;
    kiln_status status =
        kiln_file_writer_add(writer, "Item/a", S_ITEM, (kiln_span){blob.data, blob.size}, reterr);
    /* A list without memory still has the pretended count, which must not be used to free it. */
    if (!writer->assets.items)
        writer->assets = (vector){0};
    if (!writer->refs.items)
        writer->refs = (vector){0};
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(b);
    kiln_buffer_fini(&blob);
    kiln_types_destroy(types);
    return status;
}

static void rule_l7_a_list_of_the_index_has_at_most_31_bits_of_entries(void **state)
{
    (void)state;
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(add_behind(0, KILN_FILE_ENTRIES_MAX, &error), KILN_OK);
    assert_int_equal(add_behind(0, (size_t)KILN_FILE_ENTRIES_MAX + 1, &error), KILN_L_ENTRIES);
    assert_string_equal(error.path, "edges");
    assert_int_equal(add_behind(KILN_FILE_ENTRIES_MAX - 1, 0, &error), KILN_NO_MEMORY);
    assert_int_equal(add_behind(KILN_FILE_ENTRIES_MAX, 0, &error), KILN_L_ENTRIES);
    assert_string_equal(error.path, "assets");
}

/* ---- messages ---- */

/* Words, texts and names are never empty, even for a number that is not a status. */
static void every_status_has_a_text(void **state)
{
    (void)state;
    for (int i = 0; i <= KILN_STATUS_COUNT; i++) {
        kiln_status status = (kiln_status)i;
        assert_true(kiln_status_word(status)[0] != '\0');
        assert_true(kiln_status_text(status)[0] != '\0');
        assert_true(kiln_status_name(status)[0] != '\0');
        if (kiln_status_rule(status)[0])
            assert_string_equal(kiln_status_word(status), kiln_status_rule(status));
        assert_int_equal(kiln_status_is_limit(status),
                         kiln_status_word(status)[0] == 'L' && kiln_status_rule(status)[0] == 'L');
    }
    assert_true(kiln_status_is_limit(KILN_TOO_LARGE) && !kiln_status_is_limit(KILN_LIMIT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_l4_a_row_takes_at_most_a_chunk),
        cmocka_unit_test(rule_l5_a_scene_has_at_most_as_many_entities_as_a_world),
        cmocka_unit_test(rule_l6_a_name_in_a_scene_has_at_most_1024_bytes),
        cmocka_unit_test(rule_l7_a_list_of_the_index_has_at_most_31_bits_of_entries),
        cmocka_unit_test(every_status_has_a_text),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
