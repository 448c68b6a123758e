/* Components whose layout in the program changed after the scene was baked, and the data of their
 * fields. */
#include "signs.h"

#include <kiln/builder.h>
#include <string.h>

/* The types in a file, and in programs. */
typedef enum version {
    OLD,     /* t.Sign {size: u16, text: string} */
    NEW,     /* t.Sign {text: string = "no text", size: u32, note: string = "none"} */
    RENAMED, /* t.Board with the earlier name t.Sign, otherwise like NEW */
    OTHER    /* t.Sign {size: string} */
} version;

typedef struct old_sign {
    uint16_t size;
    KILN_ALIGNAS(8) uint64_t text;
} old_sign;

typedef struct new_sign {
    KILN_ALIGNAS(8) uint64_t text;
    uint32_t size;
    KILN_ALIGNAS(8) uint64_t note;
} new_sign;

static const char *const texts[] = {"text 0", "text 1", "text 2", "text 3", "text 4"};
enum { TEXTS = sizeof texts / sizeof *texts };

enum { U16 = 0, U32, STRING, STRINGS, TEXT, SIGN, DATA };

static void set_default(kiln_types *types, uint32_t type, const char *member, const char *text)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer image = {0};
    const kiln_type *of = kiln_types_get(types, type);
    const kiln_member *at = kiln_type_member(of, member, strlen(member));
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    kiln_string *root = kiln_builder_root(builder, 8, 4);
    assert_true(kiln_builder_string(builder, root, text, strlen(text)));
    EXPECT_STATUS(KILN_OK, kiln_builder_finish_image(
                               builder, kiln_types_default_type(types, at->type), &image, NULL));
    EXPECT_STATUS(KILN_OK, kiln_types_set_default(types, type, (uint32_t)(at - of->members),
                                                  (kiln_span){image.data, image.size}, NULL));
    kiln_buffer_fini(&image);
    kiln_builder_destroy(builder);
}

static kiln_types *make_types(version v)
{
    static const char *const was[] = {"t.Sign"}, *const text_was[] = {"t.Sign.text"};
    const kiln_member old_fields[] = {{.name = "size", .type = U16},
                                      {.name = "text", .type = TEXT}};
    const kiln_member new_fields[] = {{.name = "text", .type = TEXT},
                                      {.name = "size", .type = U32},
                                      {.name = "note", .type = TEXT}};
    const kiln_member other_fields[] = {{.name = "size", .type = TEXT}};
    const kiln_member old_lists[] = {{.name = "t.Sign.text", .type = STRINGS}};
    const kiln_member new_lists[] = {{.name = "t.Sign.note", .type = STRINGS},
                                     {.name = "t.Sign.text", .type = STRINGS}};
    const kiln_member board_lists[] = {
        {.name = "t.Board.note", .type = STRINGS},
        {.name = "t.Board.text", .type = STRINGS, .was = text_was, .was_count = 1}};
    const kiln_member other_lists[] = {{.name = "t.Sign.size", .type = STRINGS}};
    kiln_type types[] = {
        [U16] = {.kind = KILN_KIND_U16},
        [U32] = {.kind = KILN_KIND_U32},
        [STRING] = {.kind = KILN_KIND_STRING},
        [STRINGS] = {.kind = KILN_KIND_ARRAY, .element = STRING},
        [TEXT] = {.kind = KILN_KIND_DATA, .element = STRING},
        [SIGN] = {.kind = KILN_KIND_STRUCT,
                  .name = v == RENAMED ? "t.Board" : "t.Sign",
                  .flags = KILN_TYPE_COMPONENT,
                  .members = v == OLD     ? old_fields
                             : v == OTHER ? other_fields
                                          : new_fields,
                  .member_count = v == OLD     ? 2
                                  : v == OTHER ? 1
                                               : 3},
        [DATA] = {.kind = KILN_KIND_STRUCT,
                  .name = "t.SceneData",
                  .flags = KILN_TYPE_ASSET,
                  .members = v == OLD       ? old_lists
                             : v == OTHER   ? other_lists
                             : v == RENAMED ? board_lists
                                            : new_lists,
                  .member_count = v == OLD || v == OTHER ? 1 : 2},
    };
    if (v == RENAMED) {
        types[SIGN].was = was;
        types[SIGN].was_count = 1;
    }
    kiln_types *all = signs_with_scene(types, DATA + 1);
    uint32_t sign = kiln_types_find(all, types[SIGN].name);
    if (v == NEW || v == RENAMED) {
        set_default(all, sign, "note", "none");
        /* Rows with a value keep it. */
        set_default(all, sign, "text", "no text");
    }
    return all;
}

/* Sign i has size i and text i % 6; text 0 is empty. */
static kiln_buffer make_file(uint32_t count)
{
    signs_making m;
    kiln_component_type type;
    uint32_t component = 0;
    signs_begin(&m, make_types(OLD));
    EXPECT_STATUS(KILN_OK,
                  kiln_component_type_init(m.types, kiln_types_find(m.types, "t.Sign"),
                                           kiln_types_find(m.types, "t.SceneData"), NULL, &type));
    const kiln_scene_component_desc desc = {type.desc, type.field_places, sign_text_list,
                                            type.field_count};
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_component(m.writer, &desc, &component));
    uint32_t first = signs_add(&m, &component, 1, count);
    for (uint32_t i = 0; i < count; i++) {
        old_sign *at = kiln_scene_writer_at(m.writer, first + i, component, NULL);
        at->size = (uint16_t)i;
        at->text = i % (TEXTS + 1);
    }
    kiln_buffer image = signs_end(&m, texts, TEXTS);
    kiln_component_type_fini(&type);
    return image;
}

/* ---- a program with some version of the types ---- */

/* If `v` is NULL, the program has no types. */
static void begin(signs_program *p, const version *v, const kiln_buffer *image)
{
    signs_program_begin(p, v ? make_types(*v) : NULL);
    signs_program_mount(p, image, KILN_VERIFY_DEEP);
}

static void expect_text(uint64_t word, const char *expected)
{
    const kiln_string *text = (const kiln_string *)(uintptr_t)word;
    if (!expected) {
        assert_int_equal(0, word);
        return;
    }
    assert_non_null(text);
    assert_string_equal(expected, kiln_string_get(text));
}

static const char *text_of(uint32_t i)
{
    uint32_t number = i % (TEXTS + 1);
    return number ? texts[number - 1] : NULL;
}

static const uint32_t counts[] = {13, 40000};

static void rows_of_the_same_layout_are_loaded_unchanged(void **state)
{
    (void)state;
    const version same = OLD;
    for (size_t i = 0; i < 4; i++) {
        signs_program p;
        kiln_scene_instance *instance = NULL;
        kiln_buffer image = make_file(counts[i % 2]);
        /* The program has the type, or it keeps data that only the file describes. */
        begin(&p, i < 2 ? &same : NULL, &image);
        EXPECT_STATUS(KILN_OK, signs_program_load(&p, KILN_UNKNOWN_KEEP, &instance));
        kiln_component type = kiln_component_find(p.world, "t.Sign");
        for (uint32_t n = 0; n < counts[i % 2]; n++) {
            const old_sign *at = kiln_entity_read(p.world, kiln_scene_entity(instance, n), type);
            assert_int_equal((uint16_t)n, at->size);
            expect_text(at->text, text_of(n));
        }
        kiln_scene_unload(instance);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

static void rows_of_an_older_layout_are_converted(void **state)
{
    (void)state;
    const version versions[] = {NEW, RENAMED};
    for (size_t i = 0; i < 4; i++) {
        signs_program p;
        kiln_scene_instance *instance = NULL;
        kiln_buffer image = make_file(counts[i / 2]);
        begin(&p, &versions[i % 2], &image);
        EXPECT_STATUS(KILN_OK, signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
        kiln_component type = kiln_component_find(p.world, i % 2 ? "t.Board" : "t.Sign");
        assert_int_equal(sizeof(new_sign), kiln_component_get(p.world, type)->size);
        for (uint32_t n = 0; n < counts[i / 2]; n++) {
            const new_sign *at = kiln_entity_read(p.world, kiln_scene_entity(instance, n), type);
            assert_int_equal((uint16_t)n, at->size);
            expect_text(at->text, text_of(n));
            expect_text(at->note, "none");
        }
        assert_true(kiln_world_is_valid(p.world));
        kiln_scene_unload(instance);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

static void inconvertible_components_are_rejected_with_the_reason(void **state)
{
    (void)state;
    const version other = OTHER;
    signs_program p;
    kiln_scene_instance *instance = NULL;
    kiln_buffer image = make_file(3);
    begin(&p, &other, &image);
    EXPECT_STATUS(KILN_TYPE_MISMATCH, signs_program_load(&p, KILN_UNKNOWN_KEEP, &instance));
    assert_non_null(strstr(p.error.path, "t.Sign"));
    assert_non_null(strstr(p.error.path, "size"));
    signs_program_end(&p);
    kiln_buffer_fini(&image);
}

static void data_lives_as_long_as_an_entity_needs_it(void **state)
{
    (void)state;
    signs_program p;
    kiln_scene_instance *instance = NULL;
    kiln_buffer image = make_file(12);
    begin(&p, NULL, &image);
    EXPECT_STATUS(KILN_OK, signs_program_load(&p, KILN_UNKNOWN_KEEP, &instance));
    kiln_component type = kiln_component_find(p.world, "t.Sign");
    kiln_entity last = kiln_scene_entity(instance, 11);
    for (uint32_t n = 0; n < 11; n++)
        assert_int_equal(KILN_OK, kiln_entity_destroy(p.world, kiln_scene_entity(instance, n)));
    kiln_scene_detach(instance);
    assert_int_equal(1, kiln_scenes_collect(p.world));
    const old_sign *at = kiln_entity_read(p.world, last, type);
    expect_text(at->text, "text 4");
    assert_int_equal(KILN_OK, kiln_entity_destroy(p.world, last));
    assert_int_equal(0, kiln_scenes_collect(p.world));
    town_expect_nothing_held(p.assets);
    signs_program_end(&p);
    kiln_buffer_fini(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_same_layout_are_loaded_unchanged),
        cmocka_unit_test(rows_of_an_older_layout_are_converted),
        cmocka_unit_test(inconvertible_components_are_rejected_with_the_reason),
        cmocka_unit_test(data_lives_as_long_as_an_entity_needs_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
