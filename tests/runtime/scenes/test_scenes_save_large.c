/* Loads, saves, verifies and reloads scenes with many entities, and with many archetypes of few
 * rows. The arguments are the numbers of entities and archetypes:
 *
 *  build/tests/runtime/test_scenes_save_large 1000000 2000 */
#include "expect_status.h"

#include <kiln/assets.h>
#include <kiln/scenes.h>
#include <kiln/world.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint32_t many_entities = 100000, many_archetypes = 300;

typedef struct body {
    float x, y, z;
    uint32_t number;
} body;

typedef struct friend_of {
    kiln_entity next;
    uint64_t mood;
} friend_of;

enum { TAGS = 11 }; /* archetypes are sets of these */

typedef struct place {
    kiln_world *world;
    kiln_component body, friend_of, tags[TAGS];
} place;

static void begin(place *p)
{
    static const uint32_t places[] = {offsetof(friend_of, next)};
    const kiln_component_desc body_def = {"large.Body", 1, sizeof(body), 4, NULL, NULL, 0, 0};
    const kiln_component_desc friend_def = {
        "large.Friend", 2, sizeof(friend_of), 8, places, NULL, 1, 0};
    kiln_world_def def = kiln_world_def_default();
    EXPECT_STATUS(KILN_OK, kiln_world_create(&def, &p->world));
    EXPECT_STATUS(KILN_OK, kiln_component_register(p->world, &body_def, &p->body));
    EXPECT_STATUS(KILN_OK, kiln_component_register(p->world, &friend_def, &p->friend_of));
    for (uint32_t i = 0; i < TAGS; i++) {
        char name[32];
        snprintf(name, sizeof name, "large.Tag%u", (unsigned)i);
        const kiln_component_desc tag = {name, 3 + i, i % 2 ? 0 : 4, i % 2 ? 1 : 4, NULL, NULL,
                                         0,    0};
        EXPECT_STATUS(KILN_OK, kiln_component_register(p->world, &tag, &p->tags[i]));
    }
}

static kiln_archetype archetype_of(place *p, uint32_t number)
{
    kiln_component set[TAGS + 2] = {p->body, p->friend_of};
    kiln_archetype archetype;
    uint32_t count = 2;
    for (uint32_t i = 0; i < TAGS; i++)
        if (number >> i & 1)
            set[count++] = p->tags[i];
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(p->world, set, count, &archetype));
    return archetype;
}

static uint32_t next_of(uint32_t number, uint32_t count)
{
    return (uint32_t)(((uint64_t)number * 7919 + 1) % count);
}

/* Entity i has archetype i % `archetypes` and refers to next_of(i). */
static void fill(place *p, uint32_t entities, uint32_t archetypes)
{
    kiln_entity *all = calloc(entities, sizeof *all);
    assert_non_null(all);
    for (uint32_t a = 0; a < archetypes; a++) {
        kiln_archetype archetype = archetype_of(p, a);
        for (uint32_t i = a; i < entities; i += archetypes) {
            kiln_row row;
            EXPECT_STATUS(KILN_OK, kiln_entity_create(p->world, archetype, &all[i], &row));
            kiln_archetype_info info;
            assert_true(kiln_archetype_get(p->world, archetype, &info));
            for (uint32_t k = 0; k < info.component_count; k++) {
                uint32_t size = kiln_component_get(p->world, info.components[k])->size;
                memset(kiln_row_at(row, info.components[k]), 0, size);
            }
            ((body *)kiln_row_at(row, p->body))->number = i;
        }
    }
    for (uint32_t i = 0; i < entities; i++) {
        friend_of *of = kiln_entity_write(p->world, all[i], p->friend_of);
        of->next = all[next_of(i, entities)];
        of->mood = i * UINT64_C(0x9e3779b97f4a7c15);
    }
    free(all);
}

static void check(place *p, const kiln_scene_instance *instance, uint32_t entities)
{
    assert_int_equal(entities, kiln_scene_get_info(instance).living);
    for (uint32_t n = 0; n < entities; n++) {
        kiln_entity entity = kiln_scene_entity(instance, n);
        const body *at = kiln_entity_read(p->world, entity, p->body);
        const friend_of *of = kiln_entity_read(p->world, entity, p->friend_of);
        assert_true(at && of);
        const body *other = kiln_entity_read(p->world, of->next, p->body);
        if (!other || other->number != next_of(at->number, entities) ||
            of->mood != at->number * UINT64_C(0x9e3779b97f4a7c15))
            fail_msg("entity %u differs from the saved one", (unsigned)n);
    }
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Prints how long each step took. */
static void tell(const char *what, double *since)
{
    double now = seconds();
    print_message("    %-16s %.3f s\n", what, now - *since);
    *since = seconds();
}

static kiln_buffer save(const place *p)
{
    kiln_scene_save_args args = {.world = p->world, .name = "Scene/large"};
    kiln_buffer file = {0};
    kiln_error error = {0};
    EXPECT_STATUS(KILN_OK, kiln_scene_save(&args, &file, &error));
    return file;
}

static void write_file(const kiln_buffer *file, const char *path)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(file->size, fwrite(file->data, 1, file->size, out));
    assert_int_equal(0, fclose(out));
}

static void verify(const char *path)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_error error = {0};
    def.path = path;
    EXPECT_STATUS(KILN_OK, kiln_file_open(&def, &file, &error));
    EXPECT_STATUS(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
    kiln_file_close(file);
}

/* Loads the file into a separate world and saves it again. */
static kiln_buffer load_and_save(const char *path, uint32_t entities, double *since)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_assets *assets = NULL;
    kiln_error error = {0};
    kiln_mount mount;
    kiln_mount_def mount_def = kiln_mount_def_default();
    mount_def.file.path = path;
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&assets_def, &assets, &error));
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(assets, &mount_def, &mount, &error));
    kiln_scene_source *source = NULL;
    kiln_scene_instance *instance = NULL;
    kiln_scene_source_args source_args = {.assets = assets, .name = "Scene/large", .by = KILN_HERE};
    EXPECT_STATUS(KILN_OK, kiln_scene_source_open(&source_args, &source, &error));
    place p;
    begin(&p);
    kiln_scene_load_args load = {.world = p.world, .source = source};
    EXPECT_STATUS(KILN_OK, kiln_scene_load(&load, &instance, &error));
    tell("load", since);
    check(&p, instance, entities);
    tell("read everything", since);
    kiln_buffer file = save(&p);
    tell("save", since);
    kiln_scene_unload(instance);
    tell("unload", since);
    kiln_scene_source_close(source);
    kiln_world_destroy(p.world);
    kiln_assets_destroy(assets);
    return file;
}

static void save_and_load(uint32_t entities, uint32_t archetypes)
{
    static const char path[] = "scenes_save_large.kiln";
    place p;
    print_message("  %u entities of %u archetypes\n", (unsigned)entities, (unsigned)archetypes);
    begin(&p);
    fill(&p, entities, archetypes);
    double since = seconds();
    kiln_buffer first = save(&p);
    tell("save", &since);
    kiln_world_destroy(p.world);
    write_file(&first, path);
    since = seconds();
    verify(path);
    tell("verify", &since);
    kiln_buffer second = load_and_save(path, entities, &since);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    kiln_buffer_fini(&first);
    kiln_buffer_fini(&second);
    unlink(path);
}

static void many_entities_are_loaded_as_they_were_saved(void **state)
{
    (void)state;
    save_and_load(many_entities, 4);
}

static void many_archetypes_are_loaded_as_they_were_saved(void **state)
{
    (void)state;
    save_and_load(many_archetypes * 5 / 2, many_archetypes);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        many_entities = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        many_archetypes = (uint32_t)strtoul(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_entities_are_loaded_as_they_were_saved),
        cmocka_unit_test(many_archetypes_are_loaded_as_they_were_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
