/* Assets that the collector found dead. While it removes them they count as not loaded, even if
 * another asset with the same bytes stays. Before that, they can be saved and join a cluster. */
#include "asset_fixture.h"
#include "collector_object.h"

#include <kiln/clusters.h>
#include <kiln/scenes.h>
#include <stdio.h>

static uint64_t stand_still(void *ctx)
{
    (void)ctx;
    return 0;
}

static void report(void *ctx, kiln_tracer *tracer)
{
    kiln_trace(tracer, *(const kiln_ref *)ctx, "the word");
}

/* Every step does one slice of work. */
static void step_until(kiln_collector *collector, collect_stage stage)
{
    kiln_collector_start(collector);
    while (collector->stage != stage)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
}

static kiln_collector *collect_on(scene *s, const kiln_ref *word)
{
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s->assets;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, NULL));
    collector->clock = stand_still;
    EXPECT_STATUS(KILN_OK,
                  kiln_collector_add_roots(collector, report, (void *)(uintptr_t)word, "a word"));
    return collector;
}

/* Loads two assets that share bytes, and clears the strong handle to one of them. */
static void doom_one_of_two(const char *doomed, const char *kept, bool is_loaded_first)
{
    scene s;
    kiln_ref word = {0}, taken = {0}, pointer = {0};
    kiln_asset_info info;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"A/a", 7, NULL, SCENE_THING}, {"A/b", 7, NULL, SCENE_THING}), 0);
    kiln_collector *collector = collect_on(&s, &word);
    kiln_ref second = is_loaded_first ? (kiln_ref){0} : scene_load(&s, kept);
    kiln_ref first = scene_load(&s, doomed);
    if (is_loaded_first)
        second = scene_load(&s, kept);
    kiln_ref weak = scene_take(&s, first, KILN_REF_WEAK);
    const void *root = kiln_assets_get(s.assets, scene_id(kept));
    assert_ptr_equal(root, kiln_assets_get(s.assets, scene_id(doomed)));
    scene_clear(&s, &first);

    step_until(collector, STAGE_FREE);
    EXPECT_STATUS(KILN_DEAD, kiln_assets_get_info(s.assets, weak, &info));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_take(s.assets, weak, KILN_REF_STRONG, "the test", &taken));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_take(s.assets, weak, KILN_REF_WEAK, "the test", &taken));
    EXPECT_STATUS(KILN_DEAD,
                  kiln_assets_take(s.assets, weak, KILN_REF_INDIRECT, "the test", &taken));
    assert_int_equal(second.bits & ~UINT64_C(1), kiln_assets_find_root(s.assets, root).bits);

    /* A pointer to the shared bytes refers only to the asset that stays. */
    pointer = scene_take(&s, second, KILN_REF_POINTER);
    word = pointer;
    taken = scene_take(&s, pointer, KILN_REF_STRONG);
    assert_int_equal(second.bits, taken.bits);
    scene_clear(&s, &taken);
    kiln_error error = {0};
    if (!kiln_collector_is_valid(collector, &error))
        fail_msg("%s", error.path);
    assert_int_equal(1, scene_stats(&s).weak);
    step_until(collector, STAGE_IDLE);
    assert_int_equal(1, scene_stats(&s).loaded);
    assert_int_equal(7, scene_value_named(&s, kept));

    scene_clear(&s, &pointer);
    word = pointer;
    scene_clear(&s, &weak);
    scene_clear(&s, &second);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void an_asset_with_the_same_bytes_is_found_instead(void **state)
{
    (void)state;
    doom_one_of_two("A/a", "A/b", true);
    doom_one_of_two("A/a", "A/b", false);
}

/* ---- words ---- */

typedef struct holder {
    KILN_ALIGNAS(8) kiln_ref asset;
} holder;

/* A world with one entity, whose component contains the word. */
static kiln_world *world_with(scene *s, kiln_ref word)
{
    static const uint32_t places[] = {0};
    kiln_world_def def = world_memory_def(&s->memory);
    kiln_component_desc desc = KILN_COMPONENT(holder);
    kiln_world *world = NULL;
    kiln_component component;
    kiln_archetype archetype;
    kiln_entity entity;
    desc.asset_places = places;
    desc.asset_count = 1;
    EXPECT_STATUS(KILN_OK, kiln_world_create(&def, &world));
    EXPECT_STATUS(KILN_OK, kiln_component_register(world, &desc, &component));
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(world, &component, 1, &archetype));
    EXPECT_STATUS(KILN_OK, kiln_entity_create(world, archetype, &entity, NULL));
    EXPECT_STATUS(KILN_OK, kiln_entity_add(world, entity, component, &word));
    return world;
}

static void words_to_an_asset_that_is_being_removed_are_stale(void **state)
{
    static const kiln_ref_form forms[] = {KILN_REF_WEAK, KILN_REF_INDIRECT};
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene s;
        kiln_ref none = {0};
        kiln_buffer file = {0};
        scene_begin(&s);
        kiln_collector *collector = collect_on(&s, &none);
        kiln_ref strong = scene_add(&s, "A/a", 7), word = scene_take(&s, strong, forms[i]);
        kiln_world *world = world_with(&s, word);
        const kiln_scene_save_args args = {.world = world, .assets = s.assets, .name = "Scene/s"};
        assert_int_equal(KILN_REF_IS_GOOD, kiln_ref_check(s.assets, word.bits));
        scene_clear(&s, &strong);
        step_until(collector, STAGE_FREE);
        assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(s.assets, word.bits));
        /* A stale word is saved as null. */
        EXPECT_STATUS(KILN_OK, kiln_scene_save(&args, &file, &s.error));
        kiln_buffer_fini(&file);
        scene_clear(&s, &word);
        kiln_collector_destroy(collector);
        kiln_world_destroy(world);
        scene_end(&s);
    }
}

/* ---- changing calls that wait ---- */

enum { LENGTH = 600 };

/* Each asset refers to the next one. */
static kiln_buffer chain_file(void)
{
    static char names[LENGTH + 1][16];
    static scene_asset assets[LENGTH];
    for (uint32_t i = 0; i <= LENGTH; i++)
        snprintf(names[i], sizeof names[i], "Thing/%03u", (unsigned)i);
    for (uint32_t i = 0; i < LENGTH; i++)
        assets[i] =
            (scene_asset){names[i], 1 + i, i + 1 < LENGTH ? names[i + 1] : NULL, SCENE_THING};
    return scene_file(assets, LENGTH);
}

static void allow_chain(kiln_assets_def *def)
{
    def->max_assets = LENGTH;
}

/* A changing call counts itself in `pause` while it waits for helpers. After they have left,
 * another call can get the lock first, and `pause` still contains the first call. */
static void a_cluster_of_dead_assets_is_marked_even_if_another_call_waits(void **state)
{
    (void)state;
    scene s;
    kiln_ref none = {0}, strong = {0};
    kiln_cluster cluster = {0};
    scene_begin_with(&s, allow_chain);
    scene_mount(&s, chain_file(), 0);
    kiln_collector *collector = collect_on(&s, &none);
    kiln_ref first = scene_load(&s, "Thing/000");
    kiln_ref weak = scene_take(&s, first, KILN_REF_WEAK);
    scene_clear(&s, &first);
    step_until(collector, STAGE_KILL);
    while (collector->sweep.number < LENGTH)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
    assert_int_equal(STAGE_KILL, collector->stage);
    EXPECT_STATUS(KILN_OK, kiln_assets_take(s.assets, weak, KILN_REF_STRONG, "the test", &strong));

    atomic_fetch_add(&s.assets->marks->pause, 1);
    EXPECT_STATUS(KILN_OK, kiln_cluster_create(collector, strong, &cluster, &s.error));
    atomic_fetch_sub(&s.assets->marks->pause, 1);
    step_until(collector, STAGE_IDLE);
    assert_int_equal(LENGTH, scene_stats(&s).loaded);

    scene_clear(&s, &weak);
    scene_clear(&s, &strong);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_asset_with_the_same_bytes_is_found_instead),
        cmocka_unit_test(words_to_an_asset_that_is_being_removed_are_stale),
        cmocka_unit_test(a_cluster_of_dead_assets_is_marked_even_if_another_call_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
