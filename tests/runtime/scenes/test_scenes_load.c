/* Loads scenes, reads them and unloads them. */
#include "signs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const PATH = "scenes_load.kiln";

/* In memory and in a file, with few entities and with many. */
static const town_def towns[] = {
    {.count = 1},
    {.count = 7, .empty = 3},
    {.count = 4000, .empty = 1},
    {.count = 100000},
    {.count = 1, .path = "scenes_load.kiln"},
    {.count = 100000, .empty = 9000, .path = "scenes_load.kiln"},
    {.count = 100000, .path = "scenes_load.kiln", .is_compressed = true},
};
enum { TOWNS = sizeof towns / sizeof *towns };

static kiln_world_stats stats_of(const town *t)
{
    kiln_world_stats stats;
    kiln_world_get_stats(t->world, &stats);
    return stats;
}

static void a_written_scene_is_loaded(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOWNS; i++) {
        town t;
        town_begin(&t, &towns[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *instance = town_load(&t, source);
        town_check(&t, instance, t.count, t.empty);
        kiln_scene_info info = kiln_scene_get_info(instance);
        assert_string_equal("Scene/town", info.name);
        assert_int_equal(t.count + t.empty, info.entities);
        assert_int_equal(t.count + t.empty, info.living);
        bool maps = towns[i].path && t.count > 10000 && !towns[i].is_compressed;
        assert_int_equal(maps, info.mapped > 0);
        assert_int_equal(t.count + t.empty, stats_of(&t).live);
        assert_int_equal(t.empty, stats_of(&t).empty);
        kiln_scene_unload(instance);
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

/* Descriptor 0 can be any file of the program. It must not be mistaken for a file with chunks of a
 * scene in memory. */
static void scenes_in_memory_have_no_mapped_chunks(void **state)
{
    int before = dup(0);
    FILE *large = tmpfile();
    assert_non_null(large);
    assert_int_equal(0, ftruncate(fileno(large), 1 << 24));
    assert_int_equal(0, dup2(fileno(large), 0));
    a_written_scene_is_loaded(state);
    if (before >= 0)
        assert_int_equal(0, dup2(before, 0));
    close(before >= 0 ? before : 0);
    fclose(large);
}

static void the_forecast_equals_the_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOWNS; i++) {
        town t;
        town_begin(&t, &towns[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_forecast forecast = kiln_scene_get_forecast(kiln_scene_source_view(source));
        kiln_scene_instance *instance = town_load(&t, source);
        kiln_world_stats stats = stats_of(&t);
        assert_int_equal(stats.live, forecast.entities);
        assert_int_equal(stats.blocks, forecast.blocks);
        assert_int_equal(stats.chunks, forecast.chunks);
        assert_int_equal(stats.chunks, kiln_scene_get_info(instance).chunks);
        assert_int_equal(stats.mega_chunks, forecast.mega_chunks);
        assert_int_equal(stats.chunk_bytes, forecast.chunk_bytes);
        assert_int_equal(stats.block_bytes, forecast.block_bytes);
        kiln_scene_unload(instance);
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

/* Copied rows of several instances can share chunks. Each of these instances counts such a
 * chunk. */
static void chunks_of_copied_scenes_are_counted(void **state)
{
    (void)state;
    for (uint32_t count = 1; count < 3000; count = count * 3 + 1) {
        town t;
        const town_def def = {.count = count, .empty = 2};
        town_begin(&t, &def);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        uint32_t needed = kiln_scene_get_forecast(kiln_scene_source_view(source)).chunks;
        kiln_scene_instance *first = town_load(&t, source);
        uint32_t before = stats_of(&t).chunks;
        kiln_scene_instance *second = town_load(&t, source);
        uint32_t more = stats_of(&t).chunks - before;
        kiln_scene_info of_first = kiln_scene_get_info(first),
                        of_second = kiln_scene_get_info(second);
        assert_int_equal(0, of_first.mapped);
        assert_int_equal(needed, of_first.chunks);
        assert_true(of_second.chunks >= needed && of_second.chunks >= more);
        assert_true(of_second.chunks <= more + 4);
        assert_true(of_second.chunks > 0);
        kiln_scene_unload(first);
        kiln_scene_unload(second);
        kiln_scene_source_close(source);
        town_end(&t);
    }
}

static void unloading_restores_the_world(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOWNS; i++) {
        town t;
        town_begin(&t, &towns[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        for (int again = 0; again < 3; again++) {
            kiln_scene_instance *a = town_load(&t, source), *b = town_load(&t, source);
            kiln_entity first = kiln_scene_entity(a, 0), last = kiln_scene_entity(a, t.count - 1);
            town_check(&t, a, t.count, t.empty);
            kiln_scene_unload(a);
            assert_false(kiln_entity_exists(t.world, first));
            assert_false(kiln_entity_exists(t.world, last));
            town_check(&t, b, t.count, t.empty);
            kiln_scene_unload(b);
            assert_int_equal(0, stats_of(&t).live);
            assert_int_equal(0, stats_of(&t).chunks);
            assert_true(kiln_world_is_valid(t.world));
        }
        uint32_t megas = stats_of(&t).mega_chunks;
        kiln_scene_unload(town_load(&t, source));
        assert_int_equal(megas, stats_of(&t).mega_chunks);
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

/* Mixes the program's entities with those of a scene, and changes those of the scene. */
static void unloading_destroys_only_the_entities_of_the_scene(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOWNS; i++) {
        town t;
        kiln_entity own[500];
        kiln_archetype archetype;
        town_begin(&t, &towns[i]);
        kiln_component set[] = {t.number, t.place};
        assert_int_equal(KILN_OK, kiln_archetype_register(t.world, set, 2, &archetype));
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *instance = town_load(&t, source);
        uint32_t all = t.count + t.empty;
        for (uint32_t n = 0; n < all; n += 5)
            assert_int_equal(KILN_OK, kiln_entity_destroy(t.world, kiln_scene_entity(instance, n)));
        for (uint32_t n = 1; n < all; n += 7)
            if (n % 5 != 0)
                assert_int_equal(
                    KILN_OK, kiln_entity_add(t.world, kiln_scene_entity(instance, n), t.lit, NULL));
        for (uint32_t k = 0; k < 500; k++) {
            kiln_row row;
            assert_int_equal(KILN_OK, kiln_entity_create(t.world, archetype, &own[k], &row));
            *(uint32_t *)kiln_row_at(row, t.number) = k;
        }
        assert_int_equal(all - (all + 4) / 5, kiln_scene_get_info(instance).living);
        assert_true(kiln_world_is_valid(t.world));
        kiln_scene_unload(instance);
        assert_true(kiln_world_is_valid(t.world));
        assert_int_equal(500, stats_of(&t).live);
        for (uint32_t k = 0; k < 500; k++)
            assert_int_equal(k, *(const uint32_t *)kiln_entity_read(t.world, own[k], t.number));
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

static void writing_to_a_mapped_chunk_does_not_change_the_file(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 100000, .path = PATH};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_instance *a = town_load(&t, source), *b = town_load(&t, source);
    for (uint32_t n = 0; n < t.count; n++)
        *(uint32_t *)kiln_entity_write(t.world, kiln_scene_entity(a, n), t.number) = 12345;
    town_check(&t, b, t.count, 0);
    kiln_scene_instance *c = town_load(&t, source);
    town_check(&t, c, t.count, 0);
    assert_int_equal(
        12345, *(const uint32_t *)kiln_entity_read(t.world, kiln_scene_entity(a, 777), t.number));
    kiln_scene_unload(a);
    kiln_scene_unload(c);
    town_check(&t, b, t.count, 0);
    kiln_scene_unload(b);
    kiln_scene_source_close(source);
    town_end(&t);
    unlink(PATH);
}

/* Two mega chunks, one of which contains a chunk of the program. */
static void images_are_copied_if_no_mega_chunks_are_left(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 60000, .path = PATH};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_world *own = t.world;
    for (uint32_t megas = 2; megas <= 4; megas += 2) {
        kiln_world_def world_def = kiln_world_def_default();
        kiln_entity first;
        kiln_row row;
        kiln_archetype archetype;
        kiln_component unused;
        const kiln_component_desc unused_def = {"unused", 0, 4, 4, NULL, NULL, 0, 0};
        world_def.max_mega_chunks = megas;
        EXPECT_STATUS(KILN_OK, kiln_world_create(&world_def, &t.world));
        EXPECT_STATUS(KILN_OK, kiln_component_register(t.world, &unused_def, &unused));
        EXPECT_STATUS(KILN_OK, kiln_archetype_register(t.world, &unused, 1, &archetype));
        EXPECT_STATUS(KILN_OK, kiln_entity_create(t.world, archetype, &first, &row));
        kiln_scene_load_args load = {
            .world = t.world, .source = source, .unknown = KILN_UNKNOWN_KEEP};
        kiln_scene_instance *instance = NULL;
        EXPECT_STATUS(KILN_OK, kiln_scene_load(&load, &instance, &t.error));
        kiln_scene_info info = kiln_scene_get_info(instance);
        assert_int_equal(t.count, info.living);
        assert_int_equal(megas == 4, info.mapped > 0);
        kiln_component number = kiln_component_find(t.world, "town.Number");
        uint64_t sum = 0;
        for (uint32_t n = 0; n < t.count; n++)
            sum += *(const uint32_t *)kiln_entity_read(t.world, kiln_scene_entity(instance, n),
                                                       number);
        assert_int_equal((uint64_t)t.count * (t.count - 1) / 2, sum);
        assert_true(kiln_world_is_valid(t.world));
        kiln_scene_unload(instance);
        kiln_world_destroy(t.world);
    }
    t.world = own;
    kiln_scene_source_close(source);
    town_end(&t);
    unlink(PATH);
}

static void entities_are_found_by_name(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 200};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_load_args load = {.world = t.world, .source = source, .set_names = true};
    kiln_scene_instance *a = town_load(&t, source), *b = NULL;
    EXPECT_STATUS(KILN_OK, kiln_scene_load(&load, &b, &t.error));
    for (uint32_t i = 2; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "entity %u", (unsigned)i);
        kiln_entity of_a = kiln_scene_find(a, name), of_b = kiln_scene_find(b, name);
        assert_int_equal(i, *(const uint32_t *)kiln_entity_read(t.world, of_a, t.number));
        assert_int_equal(i, *(const uint32_t *)kiln_entity_read(t.world, of_b, t.number));
        assert_false(kiln_entity_same(of_a, of_b));
        assert_true(kiln_entity_same(of_b, kiln_entity_find(t.world, name)));
    }
    assert_true(kiln_entity_is_null(kiln_scene_find(a, "entity 100")));
    assert_true(kiln_entity_is_null(kiln_scene_find(a, "")));
    assert_true(kiln_entity_is_null(kiln_scene_find(a, NULL)));
    kiln_scene_unload(a);
    kiln_scene_unload(b);
    kiln_scene_source_close(source);
    town_end(&t);
}

/* A program keeps a component's word after the scene is unloaded and its file is unmounted and
 * mounted again. */
static void words_of_components_never_refer_to_another_asset(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 200};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_instance *instance = town_load(&t, source);
    const kiln_slots *slots = kiln_assets_get_slots(t.assets);
    kiln_ref words[TOWN_THINGS], held[TOWN_THINGS];
    for (uint32_t i = 0; i < TOWN_THINGS; i++) {
        const char *name = (const char *[]){"one", "entity 9", "entity 17"}[i];
        kiln_entity entity = kiln_scene_find(instance, name);
        words[i] = ((const town_link *)kiln_entity_read(t.world, entity, t.link))->thing;
        assert_int_equal(100 + i, *(const uint32_t *)kiln_ref_get(slots, words[i]));
        assert_int_equal(KILN_REF_IS_GOOD, kiln_ref_check(t.assets, words[i].bits));
    }
    kiln_scene_unload(instance);
    kiln_scene_source_close(source);
    EXPECT_STATUS(KILN_OK, kiln_assets_unmount(t.assets, t.mount, KILN_UNMOUNT_REFUSE, &t.error));
    kiln_buffer_fini(&t.image);
    town_mount(&t, &def, &t.image);
    for (uint32_t i = 0; i < TOWN_THINGS; i++) {
        const char name[] = {'T', 'h', 'i', 'n', 'g', '/', (char)('c' - (char)i), '\0'};
        const kiln_load_args load = {.name = name, .by = KILN_HERE};
        EXPECT_STATUS(KILN_OK, kiln_assets_load(t.assets, &load, &held[i], &t.error));
        for (uint32_t k = 0; k < TOWN_THINGS; k++) {
            assert_null(kiln_ref_get(slots, words[k]));
            assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(t.assets, words[k].bits));
        }
    }
    kiln_assets_stats stats;
    kiln_assets_get_stats(t.assets, &stats);
    assert_int_equal(TOWN_THINGS, stats.stale_slots);
    for (uint32_t i = 0; i < TOWN_THINGS; i++)
        kiln_assets_clear(t.assets, &held[i]);
    town_end(&t);
}

static void entities_of_other_scenes_are_found_while_loaded(void **state)
{
    (void)state;
    for (int is_loaded = 0; is_loaded < 2; is_loaded++) {
        town t;
        kiln_buffer image;
        const town_def def = {.count = 8},
                       next = {.count = 8, .name = "Scene/next", .neighbour = "Scene/town"};
        town_begin(&t, &def);
        /* The scene in the second file refers to the things of the first file. */
        town_mount(&t, &next, &image);
        kiln_scene_source *source = town_open(&t, "Scene/town"),
                          *other = town_open(&t, "Scene/next");
        kiln_scene_instance *a = is_loaded ? town_load(&t, source) : NULL;
        kiln_scene_instance *b = town_load(&t, other);
        const town_link *link = kiln_entity_read(t.world, kiln_scene_find(b, "one"), t.link);
        if (is_loaded)
            assert_true(kiln_entity_same(link->next, kiln_scene_find(a, "one")));
        else
            assert_true(kiln_entity_is_null(link->next));
        kiln_scene_unload(a);
        assert_false(kiln_entity_exists(t.world, link->next));
        kiln_scene_unload(b);
        kiln_scene_source_close(source);
        kiln_scene_source_close(other);
        town_end(&t);
        kiln_buffer_fini(&image);
    }
}

/* Blocks of 8,192 entities are freed at once if all of them are in untouched chunks. Here one
 * entity is in another chunk. */
static void a_block_with_one_moved_entity_is_unloaded(void **state)
{
    enum { ROWS = 4096, WIDE_ROWS = 4095, ENTITIES = ROWS + WIDE_ROWS + 1, ALL = 3 };
    static const kiln_scene_component_desc descs[ALL] = {
        {{"t.A", 1, 4, 4, NULL, NULL, 0, 0}, NULL, NULL, 0},
        {{"t.B", 2, 12, 4, NULL, NULL, 0, 0}, NULL, NULL, 0},
        {{"t.C", 3, 0, 1, NULL, NULL, 0, 0}, NULL, NULL, 0}};
    static const uint32_t counts[ALL] = {ROWS, WIDE_ROWS, 1};
    (void)state;
    signs_making m;
    signs_program p;
    kiln_scene_instance *instance;
    signs_begin(&m, signs_types(&(sign_types){0}));
    for (uint32_t i = 0; i < ALL; i++) {
        uint32_t component;
        EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_component(m.writer, &descs[i], &component));
        signs_add(&m, &component, 1, counts[i]);
    }
    kiln_buffer image = signs_end(&m, NULL, 0);
    signs_program_begin(&p, NULL);
    for (uint32_t i = 0; i < ALL; i++) {
        kiln_component known;
        EXPECT_STATUS(KILN_OK, kiln_component_register(p.world, &descs[i].component, &known));
    }
    signs_program_mount(&p, &image, KILN_VERIFY_DEEP);
    EXPECT_STATUS(KILN_OK, signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
    /* All are in one block, and its chunks are full except the last one. */
    assert_int_equal(kiln_scene_entity(instance, 0).index / ENTITIES,
                     kiln_scene_entity(instance, ENTITIES - 1).index / ENTITIES);
    assert_int_equal(1 + 3 + 1, kiln_scene_get_info(instance).chunks);
    kiln_scene_unload(instance);
    signs_program_end(&p);
    kiln_buffer_fini(&image);
}

static void a_world_may_be_destroyed_with_its_scenes(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 100000, .path = PATH};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    kiln_scene_detach(town_load(&t, source));
    kiln_scene_instance *instance = town_load(&t, source);
    kiln_scene_source_close(source);
    assert_int_equal(1, kiln_scenes_collect(t.world));
    EXPECT_STATUS(KILN_OK, kiln_world_clear(t.world));
    assert_int_equal(0, kiln_scenes_collect(t.world));
    assert_true(kiln_entity_is_null(kiln_scene_entity(instance, 0)));
    assert_ptr_equal(instance, kiln_scenes_next(t.world, NULL));
    assert_null(kiln_scenes_next(t.world, instance));
    town_end(&t);
    unlink(PATH);
}

typedef struct removed {
    uint32_t rows, calls;
    uint64_t sum;
} removed;

static void count_removed(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    removed *r = ctx;
    const uint32_t *numbers = removal->rows;
    r->calls++;
    r->rows += removal->count;
    for (uint32_t i = 0; i < removal->count; i++) {
        assert_true(kiln_entity_exists(world, removal->entities[i]));
        r->sum += numbers[i];
    }
}

/* In the second round, another instance of the scene is unloaded first, which moves rows in partly
 * filled chunks. */
static void unloading_reports_the_rows_to_components(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    for (int others = 0; others < 2; others++) {
        town t;
        const town_def def = {.count = COUNT, .empty = 5, .path = PATH};
        removed first = {0};
        town_begin(&t, &def);
        EXPECT_STATUS(KILN_OK,
                      kiln_component_set_on_remove(t.world, t.number, count_removed, &first));
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *before = others ? town_load(&t, source) : NULL;
        kiln_scene_instance *instance = town_load(&t, source);
        kiln_scene_unload(before);
        uint32_t earlier = others ? COUNT : 0;
        assert_int_equal(earlier, first.rows);
        kiln_scene_unload(instance);
        assert_int_equal(earlier + COUNT, first.rows);
        assert_true(first.sum == (uint64_t)(others + 1) * COUNT * (COUNT - 1) / 2);
        assert_in_range(first.calls, 1, first.rows / 100);
        /* Cancelling a load reports no rows. */
        const kiln_scene_load_args args = {.world = t.world, .source = source};
        kiln_scene_loading *loading = NULL;
        EXPECT_STATUS(KILN_OK, kiln_scene_load_begin(&args, &loading, &t.error));
        kiln_scene_load_cancel(loading);
        assert_int_equal(earlier + COUNT, first.rows);
        kiln_scene_source_close(source);
        town_end(&t);
        unlink(PATH);
    }
}

/* Each entity links to another one, in the same chunk or another one. */
static void look_at_next(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    const town *t = ctx;
    const uint32_t *numbers = removal->rows;
    for (uint32_t i = 0; i < removal->count; i++) {
        const town_link *link = kiln_entity_read(world, removal->entities[i], t->link);
        if (!link || !kiln_entity_exists(world, link->next))
            continue;
        const uint32_t *next = kiln_entity_read(world, link->next, t->number);
        assert_non_null(next);
        assert_int_equal(town_next(numbers[i], t->count), *next);
    }
}

/* Some chunks have changed and others have not. */
static void functions_for_removal_can_read_all_living_entities(void **state)
{
    (void)state;
    for (uint32_t touched = 0; touched < 3; touched++) {
        town t;
        const town_def def = {.count = 20000, .empty = 5, .path = PATH};
        town_begin(&t, &def);
        EXPECT_STATUS(KILN_OK, kiln_component_set_on_remove(t.world, t.number, look_at_next, &t));
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_instance *instance = town_load(&t, source);
        for (uint32_t i = 0; i < touched; i++)
            EXPECT_STATUS(KILN_OK,
                          kiln_entity_destroy(t.world, kiln_scene_entity(instance, i * 9000)));
        kiln_scene_unload(instance);
        kiln_world_stats stats;
        kiln_world_get_stats(t.world, &stats);
        assert_int_equal(0, stats.live);
        assert_true(kiln_world_is_valid(t.world));
        kiln_scene_source_close(source);
        town_end(&t);
        unlink(PATH);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_scene_is_loaded),
        cmocka_unit_test(scenes_in_memory_have_no_mapped_chunks),
        cmocka_unit_test(the_forecast_equals_the_counts),
        cmocka_unit_test(chunks_of_copied_scenes_are_counted),
        cmocka_unit_test(unloading_restores_the_world),
        cmocka_unit_test(unloading_destroys_only_the_entities_of_the_scene),
        cmocka_unit_test(a_block_with_one_moved_entity_is_unloaded),
        cmocka_unit_test(writing_to_a_mapped_chunk_does_not_change_the_file),
        cmocka_unit_test(images_are_copied_if_no_mega_chunks_are_left),
        cmocka_unit_test(entities_are_found_by_name),
        cmocka_unit_test(words_of_components_never_refer_to_another_asset),
        cmocka_unit_test(entities_of_other_scenes_are_found_while_loaded),
        cmocka_unit_test(a_world_may_be_destroyed_with_its_scenes),
        cmocka_unit_test(unloading_reports_the_rows_to_components),
        cmocka_unit_test(functions_for_removal_can_read_all_living_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
