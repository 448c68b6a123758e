/* Scenes that describe the program's components wrongly: every layout hash is right, but words have
 * wrong offsets or refer to values of a wrong type. */
#include "hamlet.h"

#include <kiln/file_writer.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 3, FIELDS = 2 };

typedef struct claim {
    const char *about;
    const char *component;
    bool is_true;
    uint32_t entities[PLACES], entity_count, assets[PLACES], asset_count;
    uint32_t places[FIELDS];
    const char *fields[FIELDS];
    uint32_t field_count;
    bool has_no_words; /* no data words, which the world cannot check */
} claim;

#define LINK_AT(field) offsetof(hamlet_link, field)
#define LABEL_AT(field) offsetof(hamlet_label, field)

static const claim claims[] = {
    {.about = "a link",
     .component = "hamlet.Link",
     .is_true = true,
     .entities = {LINK_AT(a), LINK_AT(b)},
     .entity_count = 2,
     .assets = {LINK_AT(thing), LINK_AT(other)},
     .asset_count = 2},
    {.about = "a link without references",
     .component = "hamlet.Link",
     .entities = {LINK_AT(a), LINK_AT(b)},
     .entity_count = 2},
    {.about = "a link with one reference",
     .component = "hamlet.Link",
     .entities = {LINK_AT(a), LINK_AT(b)},
     .entity_count = 2,
     .assets = {LINK_AT(thing)},
     .asset_count = 1},
    {.about = "a link whose reference is an entity",
     .component = "hamlet.Link",
     .entities = {LINK_AT(a), LINK_AT(b), LINK_AT(other)},
     .entity_count = 3,
     .assets = {LINK_AT(thing)},
     .asset_count = 1},
    {.about = "a link with an entity at a wrong offset",
     .component = "hamlet.Link",
     .entities = {LINK_AT(a), LINK_AT(flag)},
     .entity_count = 2,
     .assets = {LINK_AT(thing), LINK_AT(other)},
     .asset_count = 2},
    {.about = "a link without entities",
     .component = "hamlet.Link",
     .assets = {LINK_AT(thing), LINK_AT(other)},
     .asset_count = 2},
    {.about = "a place with an entity",
     .component = "hamlet.Place",
     .entities = {4},
     .entity_count = 1},
    {.about = "a label",
     .component = "hamlet.Label",
     .is_true = true,
     .places = {LABEL_AT(text), LABEL_AT(leaves)},
     .fields = {"hamlet.Label.text", "hamlet.Label.leaves"},
     .field_count = 2},
    {.about = "a label with a wrong list of texts",
     .component = "hamlet.Label",
     .is_true = true,
     .places = {LABEL_AT(text), LABEL_AT(leaves)},
     .fields = {"hamlet.Look.names", "hamlet.Label.leaves"},
     .field_count = 2},
    {.about = "a label whose text is a union",
     .component = "hamlet.Label",
     .places = {LABEL_AT(text), LABEL_AT(leaves)},
     .fields = {"hamlet.Look.look", "hamlet.Label.leaves"},
     .field_count = 2,
     .has_no_words = true},
    {.about = "a label whose lists are exchanged",
     .component = "hamlet.Label",
     .places = {LABEL_AT(text), LABEL_AT(leaves)},
     .fields = {"hamlet.Label.leaves", "hamlet.Label.text"},
     .field_count = 2,
     .has_no_words = true},
    {.about = "a label with one word",
     .component = "hamlet.Label",
     .places = {LABEL_AT(leaves)},
     .fields = {"hamlet.Label.leaves"},
     .field_count = 1,
     .has_no_words = true},
    {.about = "a label without words", .component = "hamlet.Label", .has_no_words = true},
    {.about = "a label whose text is a reference",
     .component = "hamlet.Label",
     .assets = {LABEL_AT(text)},
     .asset_count = 1,
     .places = {LABEL_AT(leaves)},
     .fields = {"hamlet.Label.leaves"},
     .field_count = 1},
};
enum { CLAIMS = sizeof claims / sizeof *claims };

/* A scene of two entities with this component. */
static kiln_buffer write_scene(const hamlet *h, const claim *c, const char *name)
{
    kiln_types *types = NULL;
    kiln_file_writer *file = NULL;
    kiln_scene_writer *writer = NULL;
    kiln_buffer image = {0}, data = h->values;
    kiln_file_writer_def file_def = kiln_file_writer_def_default();
    kiln_types *unknowing = hamlet_unknowing_types();
    EXPECT_STATUS(KILN_OK, kiln_types_with_scene(unknowing, NULL, &types, NULL));
    kiln_types_destroy(unknowing);
    const kiln_type *type = kiln_types_get(h->types, kiln_types_find(h->types, c->component));
    uint32_t data_type = kiln_types_find(types, "hamlet.SceneData"), number, first;
    file_def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&file_def, &file, NULL));
    for (uint32_t i = 0; i < HAMLET_THINGS; i++) {
        char thing[32];
        snprintf(thing, sizeof thing, "Thing/%u", (unsigned)i);
        EXPECT_STATUS(KILN_OK, kiln_file_writer_import(file, thing));
    }
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_create(NULL, &writer));
    const kiln_scene_component_desc desc = {{c->component, type->layout, type->size, type->align,
                                             c->entities, c->assets, c->entity_count,
                                             c->asset_count},
                                            c->places,
                                            c->fields,
                                            c->field_count};
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_component(writer, &desc, &number));
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_archetype(writer, &number, 1, &number));
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_rows(writer, number, 2, &first));
    data.data = data.allocator.alloc(data.allocator.ctx, data.size, 4096);
    assert_non_null(data.data);
    memcpy(data.data, h->values.data, data.size);
    const kiln_scene_finish_args finish = {
        .name = name, .file = file, .types = types, .data = &data, .data_type = data_type};
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_finish(writer, &finish, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(file, &image, NULL));
    kiln_scene_writer_destroy(writer);
    kiln_file_writer_destroy(file);
    kiln_types_destroy(types);
    return image;
}

static kiln_status load(hamlet *h, kiln_assets *assets, const kiln_buffer *image, bool knows)
{
    kiln_mount mount;
    kiln_mount_def mount_def = kiln_mount_def_default();
    kiln_scene_source *source = NULL;
    kiln_scene_instance *instance = NULL;
    hamlet_world w;
    mount_def.file.data = image->data;
    mount_def.file.size = image->size;
    mount_def.file.level = KILN_VERIFY_HASH;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(assets, &mount_def, &mount, &h->error));
    kiln_scene_source_args source_args = {.assets = assets, .name = "Scene/claim", .by = KILN_HERE};
    EXPECT_STATUS(KILN_OK, kiln_scene_source_open(&source_args, &source, &h->error));
    hamlet_world_begin(h, &w, knows);
    kiln_scene_load_args args = {.world = w.world, .source = source, .unknown = KILN_UNKNOWN_KEEP};
    kiln_status status = kiln_scene_load(&args, &instance, &h->error);
    assert_true(kiln_world_is_valid(w.world));
    kiln_scene_unload(instance);
    hamlet_world_end(&w);
    kiln_scene_source_close(source);
    EXPECT_STATUS(KILN_OK, kiln_assets_unmount(assets, mount, KILN_UNMOUNT_REFUSE, &h->error));
    return status;
}

static void a_scene_with_false_descriptions_is_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLAIMS; i++) {
        static hamlet h;
        const claim *c = &claims[i];
        hamlet_begin(&h, 1);
        kiln_buffer image = write_scene(&h, c, "Scene/claim");
        for (int knows = 0; knows < 2; knows++) {
            kiln_status status = load(&h, h.assets, &image, knows);
            if (status != (c->is_true ? KILN_OK : KILN_TYPE_MISMATCH))
                fail_msg("%s: %s", c->about, kiln_status_text(status));
            assert_true(c->is_true || strcmp(h.error.path, c->component) == 0);
        }
        kiln_buffer_fini(&image);
        hamlet_end(&h);
    }
}

/* Without types, the definitions with which the world's components were registered are used. */
static void a_world_uses_the_descriptions_of_its_components(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLAIMS; i++) {
        static hamlet h;
        const claim *c = &claims[i];
        hamlet_begin(&h, 1);
        kiln_buffer image = write_scene(&h, c, "Scene/claim");
        kiln_assets *assets = hamlet_other_assets(&h, NULL);
        bool is_known = c->is_true || c->has_no_words;
        EXPECT_STATUS(is_known ? KILN_OK : KILN_TYPE_MISMATCH, load(&h, assets, &image, true));
        EXPECT_STATUS(KILN_OK, load(&h, assets, &image, false));
        kiln_assets_destroy(assets);
        kiln_buffer_fini(&image);
        hamlet_end(&h);
    }
}

/* A scene in a table without types, which keeps its own description. */
typedef struct kept {
    kiln_buffer image;
    kiln_mount mount;
    kiln_scene_source *source;
} kept;

static kept keep(hamlet *h, kiln_assets *assets, const hamlet_world *w, const claim *c,
                 const char *name)
{
    kept k = {.image = write_scene(h, c, name)};
    kiln_mount_def mount = kiln_mount_def_default();
    kiln_scene_instance *instance;
    mount.file.data = k.image.data;
    mount.file.size = k.image.size;
    mount.file.level = KILN_VERIFY_HASH;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(assets, &mount, &k.mount, &h->error));
    kiln_scene_source_args args = {.assets = assets, .name = name, .by = KILN_HERE};
    EXPECT_STATUS(KILN_OK, kiln_scene_source_open(&args, &k.source, &h->error));
    kiln_scene_load_args load_args = {
        .world = w->world, .source = k.source, .unknown = KILN_UNKNOWN_KEEP};
    EXPECT_STATUS(KILN_OK, kiln_scene_load(&load_args, &instance, &h->error));
    return k;
}

static bool is_label(const claim *c)
{
    return strcmp(c->component, "hamlet.Label") == 0 && c->asset_count == 0;
}

static kiln_status keep_two_and_save(const claim *one, const claim *two)
{
    static hamlet h;
    hamlet_world w;
    kiln_buffer file = {0};
    hamlet_begin(&h, 1);
    kiln_assets *assets = hamlet_other_assets(&h, NULL);
    hamlet_world_begin(&h, &w, false);
    kept a = keep(&h, assets, &w, one, "Scene/one"), b = keep(&h, assets, &w, two, "Scene/two");
    kiln_scene_save_args save = {.world = w.world, .assets = assets, .name = "Scene/both"};
    kiln_status status = kiln_scene_save(&save, &file, &h.error);
    kiln_buffer_fini(&file);
    hamlet_world_end(&w);
    kiln_scene_source_close(a.source);
    kiln_scene_source_close(b.source);
    kiln_assets_destroy(assets);
    kiln_buffer_fini(&a.image);
    kiln_buffer_fini(&b.image);
    assert_true(!status || strcmp(h.error.path, one->component) == 0);
    hamlet_end(&h);
    return status;
}

/* All true claims are equal for saving, because lists of the same type are interchangeable. */
static void components_that_scenes_describe_differently_are_not_saved(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLAIMS; i++) {
        for (size_t k = 0; k < CLAIMS; k++) {
            if (!is_label(&claims[i]) || !is_label(&claims[k]))
                continue;
            bool is_same = i == k || (claims[i].is_true && claims[k].is_true);
            kiln_status status = keep_two_and_save(&claims[i], &claims[k]);
            if (status != (is_same ? KILN_OK : KILN_TYPE_MISMATCH))
                fail_msg("%s, %s: %s", claims[i].about, claims[k].about, kiln_status_text(status));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_with_false_descriptions_is_rejected),
        cmocka_unit_test(a_world_uses_the_descriptions_of_its_components),
        cmocka_unit_test(components_that_scenes_describe_differently_are_not_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
