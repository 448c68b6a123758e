/* Loaded scenes as roots: assets to which they refer stay, unchanged chunks are not read, and
 * assets to which only an unloaded scene referred are removed. */
#include "town.h"

#include <kiln/collector.h>

static kiln_collector *collect_on(town *t)
{
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = t->assets;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, NULL));
    EXPECT_STATUS(KILN_OK, kiln_collector_add_world(collector, t->world));
    return collector;
}

static kiln_collector_stats run(kiln_collector *collector)
{
    EXPECT_STATUS(KILN_OK, kiln_collector_run(collector));
    kiln_error error = {0};
    if (!kiln_collector_is_valid(collector, &error))
        fail_msg("%s", error.path);
    kiln_collector_stats stats;
    kiln_collector_get_stats(collector, &stats);
    return stats;
}

static uint64_t loaded(const town *t)
{
    kiln_assets_stats stats;
    kiln_assets_get_stats(t->assets, &stats);
    return stats.loaded;
}

static kiln_entity first_with_link(const town *t, const kiln_scene_instance *instance)
{
    for (uint32_t i = 0; i < t->count; i++) {
        kiln_entity entity = kiln_scene_entity(instance, i);
        const town_link *link = kiln_entity_read(t->world, entity, t->link);
        if (link && link->thing.bits)
            return entity;
    }
    fail_msg("no entity of the town refers to an asset");
    return kiln_entity_null();
}

static kiln_scene_instance *load_scene(town *t)
{
    kiln_scene_source *source = town_open(t, "Scene/town");
    kiln_scene_instance *instance = town_load(t, source);
    kiln_scene_source_close(source);
    return instance;
}

/* Creates an entity with these components, and copies a link of the scene into it. */
static kiln_entity create_keeper(town *t, const kiln_component *components, uint32_t count,
                                 const town_link *link)
{
    kiln_archetype archetype;
    kiln_entity keeper = kiln_entity_null();
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(t->world, components, count, &archetype));
    EXPECT_STATUS(KILN_OK, kiln_entity_create(t->world, archetype, &keeper, NULL));
    EXPECT_STATUS(KILN_OK, kiln_entity_add(t->world, keeper, t->link, link));
    return keeper;
}

/* No asset may be left after the scene and the keepers are removed. */
static void end(town *t, kiln_collector *collector)
{
    run(collector);
    assert_int_equal(0, loaded(t));
    kiln_collector_destroy(collector);
    town_end(t);
}

static void untouched_chunks_are_not_read(void **state)
{
    (void)state;
    town t;
    town_begin(&t, &(town_def){.count = 20000});
    kiln_collector *collector = collect_on(&t);
    kiln_scene_instance *instance = load_scene(&t);
    uint64_t all = loaded(&t);
    kiln_collector_stats before = run(collector);
    assert_int_equal(all, loaded(&t));
    kiln_scene_info info = kiln_scene_get_info(instance);
    assert_true(info.chunks > 20 && before.chunks < info.chunks / 4);
    /* After one write, one more chunk is read in this cycle and in all later ones. */
    kiln_entity entity = first_with_link(&t, instance);
    kiln_entity_write(t.world, entity, t.link);
    for (int i = 0; i < 2; i++) {
        kiln_collector_stats after = run(collector);
        assert_true(after.chunks > before.chunks && after.chunks <= before.chunks + 2);
    }
    kiln_scene_unload(instance);
    end(&t, collector);
}

static void words_copied_from_a_scene_keep_their_assets(void **state)
{
    (void)state;
    town t;
    town_begin(&t, &(town_def){.count = 2000});
    kiln_collector *collector = collect_on(&t);
    kiln_scene_instance *instance = load_scene(&t);
    const town_link *link = kiln_entity_read(t.world, first_with_link(&t, instance), t.link);
    town_link copy = *link;
    kiln_entity keeper = create_keeper(&t, &t.link, 1, &copy);
    kiln_collector_start(collector);
    EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
    kiln_scene_unload(instance);
    run(collector);
    assert_int_equal(1, loaded(&t));
    assert_non_null(kiln_ref_get(kiln_assets_get_slots(t.assets), copy.thing));
    EXPECT_STATUS(KILN_OK, kiln_entity_destroy(t.world, keeper));
    end(&t, collector);
}

/* After each possible number of steps of a cycle, unloading a scene changes the order of chunks in
 * the lists of archetypes. */
static void chunks_whose_order_changes_are_read(void **state)
{
    (void)state;
    town t;
    town_begin(&t, &(town_def){.count = 40000});
    kiln_collector *collector = collect_on(&t);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    for (int steps = 0; steps < 24; steps++) {
        kiln_scene_instance *instance = town_load(&t, source);
        kiln_entity with_link = first_with_link(&t, instance);
        town_link copy = *(const town_link *)kiln_entity_read(t.world, with_link, t.link);
        kiln_entity keeper =
            create_keeper(&t, (kiln_component[]){t.number, t.place, t.link}, 3, &copy);
        kiln_scene_source_close(source);
        run(collector);
        kiln_collector_state now = KILN_COLLECTOR_MARKING;
        kiln_collector_start(collector);
        for (int i = 0; i < steps; i++)
            EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, &now));
        kiln_scene_unload(instance);
        while (now != KILN_COLLECTOR_IDLE)
            EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, &now));
        assert_non_null(kiln_ref_get(kiln_assets_get_slots(t.assets), copy.thing));
        EXPECT_STATUS(KILN_OK, kiln_entity_destroy(t.world, keeper));
        source = town_open(&t, "Scene/town");
    }
    kiln_scene_source_close(source);
    end(&t, collector);
}

static void detached_scenes_keep_their_assets(void **state)
{
    (void)state;
    town t;
    town_begin(&t, &(town_def){.count = 2000});
    kiln_collector *collector = collect_on(&t);
    kiln_scene_instance *instance = load_scene(&t);
    uint64_t all = loaded(&t);
    kiln_scene_detach(instance);
    run(collector);
    assert_int_equal(all, loaded(&t));
    EXPECT_STATUS(KILN_OK, kiln_world_clear(t.world));
    assert_int_equal(0, kiln_scenes_collect(t.world));
    end(&t, collector);
}

/* While the scene is loaded in slices, its world leaves the collector. From then on, nothing reads
 * the words in its rows, so their slots must not be reused. */
static void slots_of_scenes_in_a_world_that_left_are_not_reused(void **state)
{
    (void)state;
    for (int leaves = 0; leaves < 2; leaves++) {
        town t;
        town_begin(&t, &(town_def){.count = 2000});
        kiln_collector *collector = collect_on(&t);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        const kiln_scene_load_args args = {.world = t.world, .source = source};
        kiln_scene_loading *loading = NULL;
        kiln_scene_instance *instance = NULL;
        bool is_done = false;
        EXPECT_STATUS(KILN_OK, kiln_scene_load_begin(&args, &loading, NULL));
        EXPECT_STATUS(KILN_OK, kiln_scene_load_step(loading, UINT64_MAX, &is_done, NULL));
        if (leaves)
            kiln_collector_remove_world(collector, t.world);
        EXPECT_STATUS(KILN_OK, kiln_scene_load_end(loading, &instance, NULL));
        kiln_scene_source_close(source);
        kiln_scene_unload(instance);
        for (int i = 0; i < 2; i++)
            run(collector);
        assert_int_equal(leaves ? 0 : TOWN_THINGS, run(collector).recycled_slots);
        end(&t, collector);
    }
}

/* In the new scene, words refer to the first asset only. Entity 9 keeps its word to the second one,
 * because the program has changed its link. */
static void apply_after(int steps, bool writes_first)
{
    enum { COUNT = 2000, CHANGED = 9 };
    town t;
    town_begin(&t, &(town_def){.count = COUNT});
    kiln_collector *collector = collect_on(&t);
    kiln_scene_instance *instance = load_scene(&t);
    kiln_entity entity = kiln_scene_find(instance, "entity 9");
    if (writes_first)
        ((town_link *)kiln_entity_write(t.world, entity, t.link))->next = entity;
    kiln_collector_start(collector);
    for (int i = 0; i < steps; i++)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
    if (!writes_first)
        ((town_link *)kiln_entity_write(t.world, entity, t.link))->next = entity;

    kiln_buffer image = town_file(&(town_def){.count = COUNT, .uses_first = true});
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = image.data;
    def.file.size = image.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(t.assets, t.mount, &def, &t.error));
    kiln_scene_applied applied = {0};
    const kiln_scene_apply_args args = {.instance = instance,
                                        .source = town_open(&t, "Scene/town")};
    EXPECT_STATUS(KILN_OK, kiln_scene_apply(&args, &applied, &t.error));
    kiln_scene_source_close(args.source);
    assert_int_equal(1, applied.kept);
    for (int i = 0; i < 2; i++) {
        run(collector);
        const kiln_ref kept = ((const town_link *)kiln_entity_read(t.world, entity, t.link))->thing;
        const uint32_t *thing = kiln_ref_get(kiln_assets_get_slots(t.assets), kept);
        assert_non_null(thing);
        assert_int_equal(101, *thing);
        assert_non_null(kiln_assets_get(t.assets, kiln_asset_id("Thing/a", 7)));
        assert_null(kiln_assets_get(t.assets, kiln_asset_id("Thing/c", 7)));
    }
    kiln_scene_unload(instance);
    end(&t, collector);
    kiln_buffer_fini(&image);
}

static void words_that_an_applied_scene_keeps_hold_their_assets(void **state)
{
    (void)state;
    for (int steps = 0; steps < 24; steps++) {
        apply_after(steps, false);
        apply_after(steps, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untouched_chunks_are_not_read),
        cmocka_unit_test(words_copied_from_a_scene_keep_their_assets),
        cmocka_unit_test(chunks_whose_order_changes_are_read),
        cmocka_unit_test(detached_scenes_keep_their_assets),
        cmocka_unit_test(slots_of_scenes_in_a_world_that_left_are_not_reused),
        cmocka_unit_test(words_that_an_applied_scene_keeps_hold_their_assets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
