/* A file's descriptions of the program's components and of the scene's data are accepted only if
 * they are correct. */
#include "signs.h"

#include <kiln/convert.h>
#include <string.h>

/* ---- components ---- */

static const uint32_t place_0[] = {0};

/* Files whose types lack the component, so that nothing in the file contradicts its description. */
static const struct {
    kiln_status status;
    uint32_t size, alignment, entities, assets, fields;
} told[] = {{KILN_OK, 16, 8, 0, 0, 1},
            {KILN_TYPE_MISMATCH, 24, 8, 0, 0, 1},
            {KILN_TYPE_MISMATCH, 16, 16, 0, 0, 1},
            {KILN_TYPE_MISMATCH, 16, 8, 1, 0, 1},
            {KILN_TYPE_MISMATCH, 16, 8, 0, 1, 1},
            {KILN_TYPE_MISMATCH, 16, 8, 0, 0, 0},
            {KILN_TYPE_MISMATCH, 4096, 8, 0, 0, 0}};

static void a_component_must_match_the_programs_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof told / sizeof *told; i++) {
        signs_program p;
        signs_making m;
        kiln_scene_instance *instance;
        uint32_t component = 0;
        size_t n = i / 2;
        signs_program_begin(&p, signs_types(&(sign_types){.has_data = i % 2}));
        kiln_types *types = signs_types(&(sign_types){0});
        uint64_t layout = kiln_types_get(types, SIGN_TYPE)->layout;
        kiln_types_destroy(types);
        signs_begin(&m, signs_with_scene(NULL, 0));
        const kiln_scene_component_desc desc = {{"t.Sign", layout, told[n].size, told[n].alignment,
                                                 place_0, place_0, told[n].entities,
                                                 told[n].assets},
                                                sign_text_place,
                                                sign_text_list,
                                                told[n].fields};
        EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_component(m.writer, &desc, &component));
        signs_add(&m, &component, 1, SIGNS);
        kiln_buffer image = signs_end(&m, NULL, 0);
        signs_program_mount(&p, &image, KILN_VERIFY_DEEP);
        EXPECT_STATUS(told[n].status, signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
        if (told[n].status)
            assert_string_equal("t.Sign", p.error.path);
        kiln_scene_unload(instance);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

/* t.Board, formerly t.Sign, in a file with both types. */
static kiln_types *board_types(bool has_both)
{
    static const char *const was[] = {"t.Sign"};
    const kiln_member fields[] = {{.name = "size", .type = 0}};
    kiln_type types[] = {{.kind = KILN_KIND_U32},
                         {.kind = KILN_KIND_STRUCT,
                          .name = "t.Board",
                          .flags = KILN_TYPE_COMPONENT,
                          .members = fields,
                          .member_count = 1},
                         {.kind = KILN_KIND_STRUCT,
                          .name = "t.Sign",
                          .flags = KILN_TYPE_COMPONENT,
                          .members = fields,
                          .member_count = 1}};
    if (!has_both) {
        types[1].was = was;
        types[1].was_count = 1;
    }
    return signs_with_scene(types, has_both ? 3 : 2);
}

static void two_names_of_a_component_meet_in_one_archetype(void **state)
{
    (void)state;
    for (int together = 0; together < 2; together++) {
        signs_program p;
        signs_making m;
        kiln_scene_instance *instance;
        uint32_t numbers[2];
        signs_begin(&m, board_types(true));
        for (uint32_t i = 0; i < 2; i++) {
            const kiln_type *type = kiln_types_get(m.types, 1 + i);
            const kiln_scene_component_desc desc = {
                {type->name, type->layout, 4, 4, NULL, NULL, 0, 0}, NULL, NULL, 0};
            EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_component(m.writer, &desc, &numbers[i]));
        }
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t first = signs_add(&m, &numbers[i], 1, 4000);
            for (uint32_t n = 0; n < 4000; n++)
                *(uint32_t *)kiln_scene_writer_at(m.writer, first + n, numbers[i], NULL) =
                    4000 * i + n;
        }
        if (together)
            signs_add(&m, numbers, 2, 1);
        kiln_buffer image = signs_end(&m, NULL, 0);
        signs_program_begin(&p, board_types(false));
        signs_program_mount(&p, &image, KILN_VERIFY_DEEP);
        EXPECT_STATUS(together ? KILN_DUPLICATE : KILN_OK,
                      signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
        kiln_component board = kiln_component_find(p.world, "t.Board");
        for (uint32_t n = 0; n < 8000 && !together; n++)
            assert_int_equal(n, *(const uint32_t *)kiln_entity_read(
                                    p.world, kiln_scene_entity(instance, n), board));
        assert_true(kiln_world_is_valid(p.world));
        kiln_scene_unload(instance);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

/* ---- data ---- */

/* Replaces the word of the first row's text. */
static void patch_word(kiln_buffer *image, uint64_t word)
{
    const sign_row row = {.size = SIGN_MARK};
    for (unsigned char *at = image->data; at + sizeof row <= image->data + image->size; at += 4) {
        if (memcmp(at, &row.size, sizeof row.size) != 0)
            continue;
        memcpy(at + offsetof(sign_row, text), &word, sizeof word);
        return;
    }
    fail();
}

static void without_data_every_text_is_empty(void **state)
{
    (void)state;
    /* There is no fifth value, and the word for a default has no default here. */
    static const uint64_t words[] = {0, 5, KILN_DATA_DEFAULT};
    for (unsigned i = 0; i < 12; i++) {
        signs_program p;
        kiln_scene_instance *instance;
        kiln_buffer image = signs_file(NULL);
        patch_word(&image, words[i / 4]);
        signs_program_begin(&p, signs_types(&(sign_types){.is_newer = i & 1, .has_data = i & 2}));
        signs_program_mount(&p, &image, KILN_VERIFY_NONE);
        EXPECT_STATUS(i / 4 ? KILN_S_DATA : KILN_OK,
                      signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
        for (uint32_t n = 0; instance && n < SIGNS; n++) {
            kiln_component component = kiln_component_find(p.world, "t.Sign");
            const sign_row *row =
                kiln_entity_read(p.world, kiln_scene_entity(instance, n), component);
            assert_int_equal(SIGN_MARK, row->size);
            assert_int_equal(0, row->text);
        }
        kiln_scene_unload(instance);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

/* The scene claims that the texts of its signs are in a member of its data that is a string. */
static void a_field_without_a_list_is_rejected(void **state)
{
    (void)state;
    const sign_types with_note = {.has_data = true, .has_note = true};
    const char *text = "hello";
    for (int is_known = 0; is_known < 2; is_known++) {
        signs_program p;
        signs_making m;
        kiln_scene_source *source = NULL;
        kiln_scene_instance *instance;
        signs_begin(&m, signs_types(&with_note));
        signs_write(&m, 1);
        kiln_buffer image = signs_end(&m, &text, 1);
        signs_program_begin(&p, signs_types(is_known ? &with_note : &(sign_types){0}));
        signs_program_mount(&p, &image, KILN_VERIFY_NONE);
        const kiln_scene_source_args args = {
            .assets = p.assets, .name = "Scene/signs", .by = KILN_HERE};
        EXPECT_STATUS(KILN_OK, kiln_scene_source_open(&args, &source, &p.error));
        const kiln_array *components = &kiln_scene_source_view(source)->scene->components;
        const kiln_scene_component *component = kiln_relative_get(components, components->offset);
        const kiln_scene_field *field =
            kiln_relative_get(&component->fields, component->fields.offset);
        const char *name = kiln_string_get(&field->name);
        memcpy(image.data + (name - (const char *)image.data), "t.Sign.note", strlen(name));
        kiln_scene_source_close(source);
        EXPECT_STATUS(KILN_TYPE_MISMATCH, signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
        assert_string_equal("t.Sign", p.error.path);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

static void data_unknown_to_the_program_stays_unchanged(void **state)
{
    (void)state;
    for (int is_newer = 0; is_newer < 2; is_newer++) {
        signs_program p;
        kiln_scene_instance *instance;
        kiln_buffer image = signs_file("hello");
        signs_program_begin(&p, signs_types(&(sign_types){.is_newer = is_newer}));
        signs_program_mount(&p, &image, KILN_VERIFY_DEEP);
        EXPECT_STATUS(is_newer ? KILN_NO_TYPES : KILN_OK,
                      signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
        if (!is_newer) {
            kiln_component component = kiln_component_find(p.world, "t.Sign");
            const sign_row *row =
                kiln_entity_read(p.world, kiln_scene_entity(instance, 0), component);
            assert_string_equal("hello",
                                kiln_string_get((const kiln_string *)(uintptr_t)row->text));
        }
        kiln_scene_unload(instance);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

/* Another mounted file has data with the same name. */
static void data_of_another_scene_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"hello", "other"};
    for (int is_newer = 0; is_newer < 2; is_newer++) {
        for (size_t i = 0; i < 2; i++) {
            signs_program p;
            kiln_scene_instance *instance;
            kiln_buffer image = signs_file("hello"), patch = {0};
            kiln_types *types = signs_types(&(sign_types){.has_data = true});
            kiln_buffer data = signs_data(types, &texts[i], 1);
            kiln_file_writer_def def = kiln_file_writer_def_default();
            kiln_file_writer *file = NULL;
            def.types = types;
            EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &file, NULL));
            EXPECT_STATUS(KILN_OK, kiln_file_writer_add(file, "SceneData/signs",
                                                        kiln_types_find(types, "t.SceneData"),
                                                        (kiln_span){data.data, data.size}, NULL));
            EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(file, &patch, NULL));
            signs_program_begin(&p,
                                signs_types(&(sign_types){.is_newer = is_newer, .has_data = true}));
            signs_program_mount(&p, &image, KILN_VERIFY_DEEP);
            signs_program_mount(&p, &patch, KILN_VERIFY_DEEP);
            EXPECT_STATUS(i ? KILN_S_PARTS : KILN_OK,
                          signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
            kiln_scene_unload(instance);
            signs_program_end(&p);
            kiln_file_writer_destroy(file);
            kiln_types_destroy(types);
            kiln_buffer_fini(&data);
            kiln_buffer_fini(&image);
            kiln_buffer_fini(&patch);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_component_must_match_the_programs_type),
        cmocka_unit_test(two_names_of_a_component_meet_in_one_archetype),
        cmocka_unit_test(without_data_every_text_is_empty),
        cmocka_unit_test(a_field_without_a_list_is_rejected),
        cmocka_unit_test(data_unknown_to_the_program_stays_unchanged),
        cmocka_unit_test(data_of_another_scene_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
