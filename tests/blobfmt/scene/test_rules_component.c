/* Rule S10 and the rules of FORMAT.md sections 6 and 14 about components and their types: tags,
 * structs that can be components, and components without a type. */
#include <kiln/index.h>
#include <kiln/scene.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

enum {
    P_U8,
    P_U32,
    P_STRING,
    P_ENTITY,
    P_TEXT, /* data<string> */
    P_MOST, /* u8[16384] */
    P_MORE, /* u8[16385] */
    P_TAG,
    P_WIDE_TAG, /* aligned to 64 */
    P_FAR_TAG,  /* aligned to 128, too much for a component */
    P_HOLDER,   /* a field whose struct has no fields */
    P_PLAIN,    /* not flagged as a component */
    P_MEANT,    /* flagged as a component */
    P_NAMED,    /* contains a string */
    P_NEAR,     /* aligned to 64 */
    P_FAR,      /* aligned to 128 */
    P_LARGEST,
    P_TOO_LARGE,
    P_NOTE, /* data<string> */
    P_COUNT
};

#define FIELD(field_type)                                                                          \
    {                                                                                              \
        .name = "value", .type = field_type                                                        \
    }
#define STRUCT(struct_name, list, ...)                                                             \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = struct_name, .members = list, .member_count = 1,         \
        __VA_ARGS__                                                                                \
    }

static kiln_types *types_create(void)
{
    static const kiln_member tag[] = {FIELD(P_TAG)}, number[] = {FIELD(P_U32)},
                             text[] = {FIELD(P_STRING)}, most[] = {FIELD(P_MOST)},
                             more[] = {FIELD(P_MORE)}, note[] = {FIELD(P_TEXT)};
    static const kiln_type list[P_COUNT] = {
        [P_U8] = {.kind = KILN_KIND_U8},
        [P_U32] = {.kind = KILN_KIND_U32},
        [P_STRING] = {.kind = KILN_KIND_STRING},
        [P_ENTITY] = {.kind = KILN_KIND_ENTITY},
        [P_TEXT] = {.kind = KILN_KIND_DATA, .element = P_STRING},
        [P_MOST] = {.kind = KILN_KIND_FIXED, .element = P_U8, .count = 16384},
        [P_MORE] = {.kind = KILN_KIND_FIXED, .element = P_U8, .count = 16385},
        [P_TAG] = {.kind = KILN_KIND_STRUCT, .name = "Tag"},
        [P_WIDE_TAG] = {.kind = KILN_KIND_STRUCT, .name = "WideTag", .align_at = 64},
        [P_FAR_TAG] = {.kind = KILN_KIND_STRUCT, .name = "FarTag", .align_at = 128},
        [P_HOLDER] = STRUCT("Holder", tag, .flags = KILN_TYPE_COMPONENT),
        [P_PLAIN] = STRUCT("Plain", number, .flags = 0),
        [P_MEANT] = STRUCT("Meant", number, .flags = KILN_TYPE_COMPONENT),
        [P_NAMED] = STRUCT("Named", text, .flags = 0),
        [P_NEAR] = STRUCT("Near", number, .align_at = 64),
        [P_FAR] = STRUCT("Far", number, .align_at = 128),
        [P_LARGEST] = STRUCT("Largest", most, .flags = 0),
        [P_TOO_LARGE] = STRUCT("TooLarge", more, .flags = 0),
        [P_NOTE] = STRUCT("Note", note, .flags = KILN_TYPE_COMPONENT),
    };
    kiln_types *types = NULL, *joined = NULL;
    assert_int_equal(kiln_types_create(NULL, list, P_COUNT, &types, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_scene(types, NULL, &joined, NULL), KILN_OK);
    kiln_types_destroy(types);
    return joined;
}

static kiln_component_desc desc_of(const kiln_types *types, uint32_t number)
{
    const kiln_type *type = kiln_types_get(types, number);
    kiln_component_desc desc = {
        .name = type->name, .layout = type->layout, .size = type->size, .alignment = type->align};
    return desc;
}

/* A scene of one row with one component. */
typedef struct scene {
    kiln_types *types;
    kiln_buffer file;
    kiln_scene_view view;
} scene;

/* The blob of an asset of the file; NULL if there is none. */
static unsigned char *root_of(const kiln_buffer *file, const char *name, uint64_t *ret_hash)
{
    const kiln_index *index = (const void *)(file->data + KILN_HEADER_SIZE);
    uint32_t number = kiln_index_find_name(index, name, strlen(name));
    if (number == KILN_ASSET_NONE)
        return NULL;
    unsigned char *blob =
        file->data + kiln_index_member_at(index, kiln_index_asset_at(index, number)->member)->place;
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    *ret_hash = header.hash;
    return blob + kiln_header_payload_at(&header);
}

static kiln_status finish(scene *s, kiln_scene_writer *writer, kiln_error *reterr)
{
    kiln_file_writer_def file_def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    file_def.types = s->types;
    assert_int_equal(kiln_file_writer_create(&file_def, &file, NULL), KILN_OK);
    kiln_scene_finish_args args = {.name = "Scene/test", .file = file, .types = s->types};
    kiln_status status = kiln_scene_writer_finish(writer, &args, reterr);
    if (!status) {
        assert_int_equal(kiln_file_writer_finish_buffer(file, &s->file, NULL), KILN_OK);
        kiln_scene_view_args view = {0};
        uint64_t hash;
        view.scene = (const void *)root_of(&s->file, "Scene/test", &hash);
        view.chunks = (const void *)root_of(&s->file, "SceneChunks/test", &view.chunks_hash);
        assert_int_equal(kiln_scene_view_init(&view, &s->view, NULL), KILN_OK);
    }
    kiln_file_writer_destroy(file);
    return status;
}

static kiln_status make(scene *s, const kiln_component_desc *component, kiln_error *reterr)
{
    static const uint32_t places[] = {0};
    static const char *const names[] = {"Note.value"};
    bool is_note = strcmp(component->name, "Note") == 0;
    kiln_scene_component_desc desc = {*component, places, names, is_note};
    kiln_scene_writer *writer = NULL;
    uint32_t number, archetype, first;
    memset(s, 0, sizeof *s);
    s->types = types_create();
    assert_int_equal(kiln_scene_writer_create(NULL, &writer), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_component(writer, &desc, &number), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_archetype(writer, &number, 1, &archetype), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(writer, archetype, 1, &first), KILN_OK);
    kiln_status status = finish(s, writer, reterr);
    kiln_scene_writer_destroy(writer);
    return status;
}

static void fini(scene *s)
{
    kiln_scene_view_fini(&s->view);
    kiln_buffer_fini(&s->file);
    kiln_types_destroy(s->types);
}

static void assert_made(const kiln_component_desc *component, kiln_status status)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    scene s;
    assert_string_equal(kiln_status_name(make(&s, component, &error)), kiln_status_name(status));
    assert_string_equal(error.path, status ? "components[0]" : "");
    assert_int_equal(error.offset, 0);
    fini(&s);
}

/* Section 6: by value such a struct has bytes, but as a component it has none. */
static void a_struct_without_fields_is_a_tag(void **state)
{
    (void)state;
    static const uint32_t tags[] = {P_TAG, P_WIDE_TAG};
    kiln_types *types = types_create();
    assert_int_equal(kiln_types_get(types, P_TAG)->size, 1);
    assert_int_equal(kiln_types_get(types, P_WIDE_TAG)->size, 64);
    for (int i = 0; i < 2; i++) {
        kiln_component_desc desc = desc_of(types, tags[i]);
        assert_made(&desc, KILN_S_TYPE);
        desc.size = 0;
        desc.alignment = 1;
        assert_made(&desc, KILN_OK);
    }
    kiln_component_desc far = {.name = "FarTag", .alignment = 1};
    far.layout = kiln_types_get(types, P_FAR_TAG)->layout;
    assert_made(&far, KILN_S_TYPE);
    /* Inside a component, a struct without fields occupies a byte. */
    kiln_component_desc holder = desc_of(types, P_HOLDER);
    assert_int_equal(holder.size, 1);
    assert_made(&holder, KILN_OK);
    holder.size = 0;
    assert_made(&holder, KILN_S_TYPE);
    kiln_types_destroy(types);
}

/* Type flag bit 2 is not required. Relative fields, size and alignment matter. */
static void rule_s10_structs_that_can_be_components(void **state)
{
    (void)state;
    static const struct {
        uint32_t type, size, alignment; /* 0 means those of the type */
        kiln_status status;
    } rows[] = {{P_PLAIN, 0, 0, KILN_OK},
                {P_MEANT, 0, 0, KILN_OK},
                {P_NAMED, 0, 0, KILN_S_TYPE},
                {P_NEAR, 0, 0, KILN_OK},
                {P_FAR, 128, 64, KILN_S_TYPE},
                {P_LARGEST, 0, 0, KILN_OK},
                {P_TOO_LARGE, 16384, 1, KILN_S_TYPE},
                {P_PLAIN, 8, 4, KILN_S_TYPE},
                {P_PLAIN, 4, 2, KILN_S_TYPE}};
    kiln_types *types = types_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_component_desc desc = desc_of(types, rows[i].type);
        desc.size = rows[i].size ? rows[i].size : desc.size;
        desc.alignment = rows[i].alignment ? rows[i].alignment : desc.alignment;
        assert_made(&desc, rows[i].status);
        /* With a wrong layout hash, or without one, the component has no type. */
        desc.layout++;
        assert_made(&desc, KILN_OK);
        desc.layout = 0;
        assert_made(&desc, KILN_OK);
    }
    kiln_types_destroy(types);
}

/* The writer refuses a component of the wrong size, so the size is changed in the view. */
static void rule_s10_components_that_no_archetype_has_are_checked(void **state)
{
    (void)state;
    scene s;
    kiln_types *types = types_create();
    kiln_component_desc desc = desc_of(types, P_PLAIN);
    assert_int_equal(make(&s, &desc, NULL), KILN_OK);
    kiln_types_destroy(types);
    kiln_scene_view view = s.view;
    view.archetype_count = 0;
    view.entities = 0;
    kiln_scene_check_args check = {.view = &view, .types = s.types};
    kiln_error error = {KILN_OK, 0, 0, ""};
    assert_int_equal(kiln_scene_check(&check, &error), KILN_OK);
    kiln_component_desc *of = (kiln_component_desc *)(uintptr_t)view.components;
    of->size = 8;
    assert_int_equal(kiln_scene_check(&check, &error), KILN_S_TYPE);
    assert_string_equal(error.path, "components[0]");
    of->size = 4;
    fini(&s);
}

/* Without data, every word of a data field must be 0, with or without types. */
static void rule_s8_words_are_zero_without_data(void **state)
{
    (void)state;
    scene s;
    kiln_types *types = types_create();
    kiln_component_desc desc = desc_of(types, P_NOTE);
    assert_int_equal(make(&s, &desc, NULL), KILN_OK);
    kiln_types_destroy(types);
    unsigned char *word = s.file.data + (s.view.tails - s.file.data);
    for (int i = 0; i < 3; i++) {
        kiln_scene_check_args check = {
            .view = &s.view, .types = i ? s.types : NULL, .skip_data = i == 2};
        kiln_error error = {KILN_OK, 0, 0, ""};
        assert_int_equal(kiln_scene_check(&check, &error), KILN_OK);
        *word = 1;
        assert_int_equal(kiln_scene_check(&check, &error), KILN_S_DATA);
        assert_int_equal(error.offset, (uint64_t)(word - (const unsigned char *)s.view.root));
        assert_string_equal(error.path, i ? "entity 0.Note.value" : "entity 0.Note");
        *word = 0;
    }
    fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_struct_without_fields_is_a_tag),
        cmocka_unit_test(rule_s10_structs_that_can_be_components),
        cmocka_unit_test(rule_s10_components_that_no_archetype_has_are_checked),
        cmocka_unit_test(rule_s8_words_are_zero_without_data),
    };
    return cmocka_run_group_tests_name("component rules", tests, NULL, NULL);
}
