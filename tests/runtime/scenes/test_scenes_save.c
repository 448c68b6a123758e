/* Saves worlds as scenes and loads them. */
#include "town.h"

#include <kiln/batch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The saved scene, mounted and opened. */
typedef struct saved {
    kiln_buffer file;
    kiln_mount mount;
    kiln_scene_source *source;
} saved;

static kiln_scene_save_args all_of(const town *t)
{
    kiln_scene_save_args args = {.world = t->world, .assets = t->assets, .name = "Scene/saved"};
    return args;
}

static kiln_buffer save(town *t, const kiln_scene_save_args *args)
{
    kiln_buffer file = {0};
    t->error.path[0] = 0;
    kiln_status status = kiln_scene_save(args, &file, &t->error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), t->error.path);
    return file;
}

static saved mount_saved(town *t, kiln_buffer file)
{
    saved s = {.file = file};
    kiln_mount_def mount = kiln_mount_def_default();
    mount.file.data = s.file.data;
    mount.file.size = s.file.size;
    mount.file.level = KILN_VERIFY_DEEP;
    kiln_status status = kiln_assets_mount(t->assets, &mount, &s.mount, &t->error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), t->error.path);
    s.source = town_open(t, "Scene/saved");
    return s;
}

static void unmount_saved(town *t, saved *s)
{
    kiln_scene_source_close(s->source);
    EXPECT_STATUS(KILN_OK,
                  kiln_assets_unmount(t->assets, s->mount, KILN_UNMOUNT_REFUSE, &t->error));
    kiln_buffer_fini(&s->file);
}

static void assert_same_files(const kiln_buffer *a, const kiln_buffer *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static const town_def towns[] = {
    {.count = 1}, {.count = 7, .empty = 3}, {.count = 4000, .empty = 100}, {.count = 50000}};
enum { TOWNS = sizeof towns / sizeof *towns };

static void a_saved_scene_is_loaded(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOWNS; i++) {
        town t;
        town_begin(&t, &towns[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *instance = town_load(&t, source);
        kiln_scene_save_args args = all_of(&t);
        kiln_buffer first = save(&t, &args), again = save(&t, &args);
        assert_same_files(&first, &again);
        kiln_buffer_fini(&again);
        kiln_scene_unload(instance);
        saved s = mount_saved(&t, first);
        instance = town_load(&t, s.source);
        town_check(&t, instance, t.count, t.empty);
        again = save(&t, &args);
        assert_same_files(&s.file, &again);
        kiln_buffer_fini(&again);
        kiln_scene_unload(instance);
        unmount_saved(&t, &s);
        kiln_scene_source_close(source);
        town_end(&t);
    }
}

/* Loads the saved scene into the town's otherwise empty world. */
static kiln_scene_instance *reload(town *t, saved *s, kiln_buffer file)
{
    *s = mount_saved(t, file);
    return town_load(t, s->source);
}

/* ---- names ---- */

/* Names entities of two instances, saves all entities, and looks up names in the saved scene. */
static void names_come_from_the_world_or_else_from_the_scene(void **state)
{
    (void)state;
    for (int omits = 0; omits < 2; omits++) {
        town t;
        saved s;
        const town_def def = {.count = 8};
        town_begin(&t, &def);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *a = town_load(&t, source), *b = town_load(&t, source);
        kiln_entity two = kiln_scene_find(a, "entity 2"), three = kiln_scene_find(a, "entity 3");
        EXPECT_STATUS(KILN_OK, kiln_entity_set_name(t.world, two, "twin"));
        EXPECT_STATUS(KILN_OK, kiln_entity_set_name(t.world, three, "twin"));
        EXPECT_STATUS(KILN_OK, kiln_entity_set_name(t.world, kiln_scene_find(a, "entity 4"), "4"));
        EXPECT_STATUS(KILN_OK,
                      kiln_entity_set_name(t.world, kiln_scene_find(b, "entity 5"), "entity 6"));
        kiln_scene_save_args how = all_of(&t);
        how.omit_names = omits;
        kiln_buffer file = save(&t, &how);
        kiln_scene_unload(a);
        kiln_scene_unload(b);
        kiln_scene_instance *c = reload(&t, &s, file);
        static const struct {
            const char *name;
            uint32_t number; /* UINT32_MAX for a name without an entity */
        } names[] = {{"twin", 3},     {"4", 4},        {"entity 2", 2}, {"entity 4", 4},
                     {"entity 3", 3}, {"entity 5", 5}, {"entity 6", 5}, {"one", 1},
                     {"entity 7", 7}, {"", UINT32_MAX}};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            kiln_entity entity = kiln_scene_find(c, names[i].name);
            bool is_there = names[i].number != UINT32_MAX && !omits;
            assert_int_equal(!is_there, kiln_entity_is_null(entity));
            if (is_there)
                assert_int_equal(names[i].number,
                                 *(const uint32_t *)kiln_entity_read(t.world, entity, t.number));
        }
        kiln_scene_unload(c);
        unmount_saved(&t, &s);
        kiln_scene_source_close(source);
        town_end(&t);
    }
}

static void a_name_that_is_too_long_is_reported(void **state)
{
    (void)state;
    town t;
    char name[KILN_SCENE_TEXT_MAX + 2];
    const town_def def = {.count = 2};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_instance *instance = town_load(&t, source);
    for (size_t length = KILN_SCENE_TEXT_MAX; length <= KILN_SCENE_TEXT_MAX + 1; length++) {
        memset(name, 'n', length);
        name[length] = 0;
        EXPECT_STATUS(KILN_OK, kiln_entity_set_name(t.world, kiln_scene_entity(instance, 0), name));
        kiln_scene_save_args how = all_of(&t);
        kiln_buffer file = {0};
        EXPECT_STATUS(length > KILN_SCENE_TEXT_MAX ? KILN_L_TEXT : KILN_OK,
                      kiln_scene_save(&how, &file, &t.error));
        kiln_buffer_fini(&file);
    }
    assert_int_equal('n', t.error.path[0]);
    kiln_scene_source_close(source);
    town_end(&t);
}

/* ---- entities that are not saved ---- */

static const kiln_entity *next_of(const town *t, kiln_entity entity)
{
    const town_link *link = kiln_entity_read(t->world, entity, t->link);
    return &link->next;
}

/* Saves one of two instances of a scene. Its entities refer to those of the other instance. */
static void named_entities_that_are_not_saved_are_imported(void **state)
{
    (void)state;
    for (int is_unloaded = 0; is_unloaded < 2; is_unloaded++) {
        town t;
        saved s;
        kiln_entity entities[400];
        const town_def def = {.count = 400};
        town_begin(&t, &def);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *a = town_load(&t, source), *b = town_load(&t, source);
        for (uint32_t i = 0; i < 400; i++)
            entities[i] = kiln_scene_entity(b, i);
        /* Links to an entity with a name, to one without, and to a dead one. */
        town_link *first = kiln_entity_write(t.world, kiln_scene_find(b, "one"), t.link);
        town_link *second = kiln_entity_write(t.world, kiln_scene_find(b, "entity 2"), t.link);
        town_link *third = kiln_entity_write(t.world, kiln_scene_find(b, "entity 5"), t.link);
        first->next = kiln_scene_find(a, "entity 77");
        second->next = kiln_entity_null();
        for (uint32_t i = 0; kiln_entity_is_null(second->next); i++) {
            kiln_entity entity = kiln_scene_entity(a, i);
            if (*(const uint32_t *)kiln_entity_read(t.world, entity, t.number) == 300)
                second->next = entity;
        }
        third->next = kiln_scene_find(a, "entity 78");
        EXPECT_STATUS(KILN_OK, kiln_entity_destroy(t.world, third->next));
        kiln_scene_save_args how = all_of(&t);
        how.entities = entities;
        how.count = 400;
        kiln_buffer file = save(&t, &how);
        kiln_scene_unload(b);
        if (is_unloaded)
            kiln_scene_unload(a);
        kiln_scene_instance *c = reload(&t, &s, file);
        kiln_entity found = *next_of(&t, kiln_scene_find(c, "one"));
        if (is_unloaded)
            assert_true(kiln_entity_is_null(found));
        else
            assert_true(kiln_entity_same(found, kiln_scene_find(a, "entity 77")));
        assert_true(kiln_entity_is_null(*next_of(&t, kiln_scene_find(c, "entity 2"))));
        assert_true(kiln_entity_is_null(*next_of(&t, kiln_scene_find(c, "entity 5"))));
        kiln_scene_unload(c);
        if (!is_unloaded)
            kiln_scene_unload(a);
        unmount_saved(&t, &s);
        kiln_scene_source_close(source);
        town_end(&t);
    }
}

static void saving_no_entities_gives_an_empty_scene(void **state)
{
    (void)state;
    town t;
    saved s;
    kiln_entity none = {3, 1};
    const town_def def = {.count = 9};
    town_begin(&t, &def);
    for (uint32_t count = 0; count < 2; count++) {
        kiln_scene_save_args how = all_of(&t);
        how.entities = &none;
        how.count = count;
        kiln_scene_instance *instance = reload(&t, &s, save(&t, &how));
        assert_int_equal(0, kiln_scene_get_info(instance).entities);
        kiln_scene_unload(instance);
        unmount_saved(&t, &s);
    }
    town_end(&t);
}

/* ---- assets ---- */

typedef enum word { NO_ASSETS, NAMELESS, FORGED, GARBAGE, STALE, EMPTY, GOOD, WORDS } word;

/* An asset that was made in memory without a name. */
static kiln_ref add_nameless(town *t)
{
    const kiln_member fields[] = {{.name = "value", .type = 0}};
    const kiln_type list[] = {{.kind = KILN_KIND_U32},
                              {.kind = KILN_KIND_STRUCT,
                               .name = "town.Other",
                               .flags = KILN_TYPE_ASSET,
                               .members = fields,
                               .member_count = 1}};
    kiln_types *types = NULL;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    kiln_ref ref = {0};
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, list, 2, &types, NULL));
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    kiln_builder_root(builder, 4, 4);
    EXPECT_STATUS(KILN_OK, kiln_builder_finish(builder, 1, KILN_FLAG_CANONICAL, &blob, &t->error));
    const kiln_root_type type = {"town.Other", kiln_types_get(types, 1)->layout};
    const kiln_add_args add = {
        .type = &type, .blob = blob.data, .size = blob.size, .is_trusted = true, .by = KILN_HERE};
    EXPECT_STATUS(KILN_OK, kiln_assets_add(t->assets, &add, &ref, &t->error));
    kiln_buffer_fini(&blob);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    return ref;
}

static kiln_ref load_thing(town *t)
{
    const kiln_load_args load = {.name = "Thing/a", .by = KILN_HERE};
    kiln_ref ref = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(t->assets, &load, &ref, &t->error));
    return ref;
}

static kiln_ref make_word(town *t, word which, kiln_ref *ret_held)
{
    kiln_ref ref = {0};
    bool is_added = which == NAMELESS || which == STALE || which == EMPTY;
    *ret_held = is_added ? add_nameless(t) : load_thing(t);
    switch (which) {
    case FORGED:
        return kiln_ref_from_handle(kiln_ref_slot_number(*ret_held) + 1000, 1, false);
    case GARBAGE:
        ref.bits = UINT64_C(0x123456789ab8);
        return ref;
    case STALE:
        ref = kiln_ref_from_handle(kiln_ref_slot_number(*ret_held), kiln_ref_version(*ret_held),
                                   false);
        break;
    case EMPTY:
        EXPECT_STATUS(KILN_OK,
                      kiln_assets_take(t->assets, *ret_held, KILN_REF_INDIRECT, KILN_HERE, &ref));
        break;
    default:
        return *ret_held;
    }
    EXPECT_STATUS(KILN_OK, kiln_assets_dispose(t->assets, *ret_held, &t->error));
    ret_held->bits = 0;
    return ref;
}

static void words_to_assets_are_saved_by_name_or_reported(void **state)
{
    (void)state;
    static const struct {
        kiln_status status;
        uint32_t assets; /* to which the scene refers */
    } expected[WORDS] = {[NO_ASSETS] = {KILN_BAD_ARGUMENT, 0},
                         [NAMELESS] = {KILN_NOT_FOUND, 0},
                         [FORGED] = {KILN_DEAD, 0},
                         [GARBAGE] = {KILN_DEAD, 0},
                         [STALE] = {KILN_OK, 0},
                         [EMPTY] = {KILN_OK, 0},
                         [GOOD] = {KILN_OK, 1}};
    for (word which = 0; which < WORDS; which++) {
        town t;
        kiln_archetype archetype;
        kiln_entity entities[3];
        kiln_ref held = {0};
        kiln_buffer file = {0};
        const town_def def = {.count = 1};
        town_begin(&t, &def);
        EXPECT_STATUS(KILN_OK, kiln_archetype_register(t.world, &t.link, 1, &archetype));
        for (int i = 0; i < 3; i++)
            EXPECT_STATUS(KILN_OK, kiln_entity_create(t.world, archetype, &entities[i], NULL));
        town_link *link = kiln_entity_write(t.world, entities[1], t.link);
        link->thing = make_word(&t, which, &held);
        kiln_scene_save_args how = all_of(&t);
        how.assets = which == NO_ASSETS ? NULL : t.assets;
        t.error.path[0] = 0;
        EXPECT_STATUS(expected[which].status, kiln_scene_save(&how, &file, &t.error));
        char path[64];
        snprintf(path, sizeof path, "entity %u.town.Link", (unsigned)entities[1].index);
        assert_string_equal(expected[which].status ? path : "", t.error.path);
        if (expected[which].status == KILN_OK) {
            saved s = mount_saved(&t, file);
            const kiln_scene *scene = kiln_scene_source_view(s.source)->scene;
            assert_int_equal(expected[which].assets, scene->assets.count);
            unmount_saved(&t, &s);
        }
        kiln_assets_clear(t.assets, &held);
        town_end(&t);
    }
}

/* ---- invalid arguments ---- */

static void invalid_arguments_are_rejected(void **state)
{
    (void)state;
    town t;
    kiln_buffer file = {0};
    const town_def def = {.count = 1};
    town_begin(&t, &def);
    kiln_scene_save_args no_world = all_of(&t), no_name = all_of(&t), no_list = all_of(&t);
    kiln_scene_save_args bad_name = all_of(&t), bad_level = all_of(&t);
    no_world.world = NULL;
    no_name.name = NULL;
    no_list.count = 1;
    bad_name.name = "saved";
    bad_level.compression = 23;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_save(NULL, &file, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_save(&no_world, &file, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_save(&no_name, &file, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_save(&no_list, &file, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_save(&bad_level, &file, &t.error));
    EXPECT_STATUS(KILN_I_NAME, kiln_scene_save(&bad_name, &file, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_save(&no_world, NULL, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_save_to(&bad_name, NULL, NULL, &t.error));
    assert_null(file.data);
    town_end(&t);
}

/* ---- unsupported cases ---- */

static void entities_of_an_open_batch_are_not_saved(void **state)
{
    (void)state;
    town t;
    saved s;
    kiln_archetype archetype;
    kiln_batch *batch;
    kiln_entity made[50];
    const town_def def = {.count = 40, .empty = 2};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_instance *instance = town_load(&t, source);
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(t.world, &t.number, 1, &archetype));
    EXPECT_STATUS(KILN_OK, kiln_batch_reserve(t.world, archetype, 50, &batch));
    const kiln_fill_args fill = {.is_zeroed = true};
    for (uint32_t i = 0; i < kiln_batch_part_count(batch); i++)
        EXPECT_STATUS(KILN_OK, kiln_batch_fill(batch, i, &fill, made));
    for (int some = 0; some < 2; some++) {
        kiln_scene_save_args how = all_of(&t);
        how.entities = some ? made : NULL;
        how.count = some ? 1 : 0;
        s = mount_saved(&t, save(&t, &how));
        assert_int_equal(some ? 0 : 42, kiln_scene_source_view(s.source)->entities);
        unmount_saved(&t, &s);
    }
    kiln_batch_discard(batch);
    kiln_scene_unload(instance);
    kiln_scene_source_close(source);
    town_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_scene_is_loaded),
        cmocka_unit_test(names_come_from_the_world_or_else_from_the_scene),
        cmocka_unit_test(a_name_that_is_too_long_is_reported),
        cmocka_unit_test(named_entities_that_are_not_saved_are_imported),
        cmocka_unit_test(saving_no_entities_gives_an_empty_scene),
        cmocka_unit_test(words_to_assets_are_saved_by_name_or_reported),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(entities_of_an_open_batch_are_not_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
