/* References in components as roots: those that a program writes, those of loaded scenes, and which
 * chunks the collector reads. */
#include "asset_fixture.h"

#include <kiln/collector.h>
#include <kiln/scenes.h>
#include <stdio.h>
#include <string.h>

typedef struct holder {
    uint64_t number;
    kiln_ref asset;
} holder;

static const uint32_t holder_places[] = {offsetof(holder, asset)};

typedef struct program {
    scene s;
    kiln_collector *collector;
    kiln_world *world;
    kiln_component holder;
    kiln_archetype holders;
} program;

static void begin(program *p)
{
    scene_begin(&p->s);
    scene_mount(&p->s,
                SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING},
                           {"A/c", 3, NULL, SCENE_THING}),
                0);
    kiln_world_def world = world_memory_def(&p->s.memory);
    EXPECT_STATUS(KILN_OK, kiln_world_create(&world, &p->world));
    kiln_component_desc desc = KILN_COMPONENT(holder);
    desc.asset_places = holder_places;
    desc.asset_count = 1;
    EXPECT_STATUS(KILN_OK, kiln_component_register(p->world, &desc, &p->holder));
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(p->world, &p->holder, 1, &p->holders));
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = p->s.assets;
    def.start_bytes = 0;
    def.allocator = &p->s.memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &p->collector, NULL));
    EXPECT_STATUS(KILN_OK, kiln_collector_add_world(p->collector, p->world));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_collector_add_world(p->collector, p->world));
}

static void end(program *p)
{
    kiln_collector_destroy(p->collector);
    kiln_world_destroy(p->world);
    scene_end(&p->s);
}

static void run(program *p, uint64_t loaded)
{
    EXPECT_STATUS(KILN_OK, kiln_collector_run(p->collector));
    kiln_error error = {0};
    if (!kiln_collector_is_valid(p->collector, &error))
        fail_msg("%s", error.path);
    assert_int_equal(loaded, scene_stats(&p->s).loaded);
}

/* An entity whose component has a word of that form to the asset. */
static kiln_entity hold(program *p, const char *name, kiln_ref_form form)
{
    kiln_ref strong = scene_load(&p->s, name), word = scene_take(&p->s, strong, form);
    holder value = {1, word};
    kiln_entity entity;
    EXPECT_STATUS(KILN_OK, kiln_entity_create(p->world, p->holders, &entity, NULL));
    EXPECT_STATUS(KILN_OK, kiln_entity_add(p->world, entity, p->holder, &value));
    /* The word in the component is a copy, which is not counted. */
    if (form != KILN_REF_STRONG)
        scene_clear(&p->s, &word);
    else
        kiln_assets_clear(p->s.assets, &word);
    scene_clear(&p->s, &strong);
    return entity;
}

static void words_in_components_are_roots(void **state)
{
    static const kiln_ref_form forms[] = {KILN_REF_POINTER, KILN_REF_INDIRECT, KILN_REF_STRONG};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        program p;
        begin(&p);
        kiln_entity entity = hold(&p, "A/a", forms[i]);
        run(&p, 2);
        EXPECT_STATUS(KILN_OK, kiln_entity_destroy(p.world, entity));
        run(&p, 0);
        end(&p);
    }
}

static void weak_words_in_components_are_not(void **state)
{
    (void)state;
    program p;
    begin(&p);
    hold(&p, "A/a", KILN_REF_WEAK);
    run(&p, 0);
    end(&p);
}

static holder *write_holder(program *p, kiln_entity entity)
{
    return kiln_entity_write(p->world, entity, p->holder);
}

/* Moves the only word of an asset from one component to another after the first was read... */
static void words_that_move_during_marking_are_found(void **state)
{
    (void)state;
    program p;
    begin(&p);
    kiln_entity from = hold(&p, "A/a", KILN_REF_INDIRECT), to = hold(&p, "A/c", KILN_REF_INDIRECT);
    for (int round = 0; round < 50; round++) {
        kiln_collector_state state_now = KILN_COLLECTOR_MARKING;
        kiln_collector_start(p.collector);
        for (int steps = 0; state_now != KILN_COLLECTOR_IDLE; steps++) {
            EXPECT_STATUS(KILN_OK, kiln_collector_step(p.collector, 0, &state_now));
            if (steps % 3 != round % 3)
                continue;
            holder *a = write_holder(&p, from), *b = write_holder(&p, to);
            kiln_ref swapped = a->asset;
            a->asset = b->asset;
            b->asset = swapped;
            kiln_error error = {0};
            if (!kiln_collector_is_valid(p.collector, &error))
                fail_msg("%s", error.path);
        }
        assert_int_equal(3, scene_stats(&p.s).loaded);
    }
    write_holder(&p, from)->asset.bits = 0;
    write_holder(&p, to)->asset.bits = 0;
    run(&p, 0);
    end(&p);
}

static void removed_worlds_hold_nothing(void **state)
{
    (void)state;
    program p;
    begin(&p);
    hold(&p, "A/a", KILN_REF_INDIRECT);
    run(&p, 2);
    kiln_collector_remove_world(p.collector, p.world);
    run(&p, 0);
    end(&p);
}

/* ---- answers ---- */

static void copy_by(void *ctx, const kiln_why_step *step)
{
    char *text = ctx;
    if (text[0] == '\0')
        snprintf(text, 128, "%s", step->by);
}

static void trace_one(void *ctx, kiln_tracer *tracer)
{
    kiln_trace(tracer, *(kiln_ref *)ctx, "inventory");
}

static void why_names_components_and_callbacks(void **state)
{
    (void)state;
    program p;
    begin(&p);
    kiln_entity entity = hold(&p, "A/a", KILN_REF_INDIRECT);
    char text[128] = "", expected[128];
    kiln_ref weak = kiln_assets_find_root(p.s.assets, kiln_assets_get(p.s.assets, scene_id("A/b")));
    assert_int_equal(2, kiln_collector_why(p.collector, weak, copy_by, text));
    snprintf(expected, sizeof expected, "component holder of entity %lu",
             (unsigned long)entity.index);
    assert_string_equal(expected, text);
    kiln_ref word = write_holder(&p, entity)->asset;
    write_holder(&p, entity)->asset.bits = 0;
    EXPECT_STATUS(KILN_OK, kiln_collector_add_roots(p.collector, trace_one, &word, "the player"));
    text[0] = '\0';
    assert_int_equal(2, kiln_collector_why(p.collector, weak, copy_by, text));
    assert_string_equal("inventory of the player", text);
    run(&p, 2);
    kiln_collector_remove_roots(p.collector, trace_one, &word);
    run(&p, 0);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_in_components_are_roots),
        cmocka_unit_test(weak_words_in_components_are_not),
        cmocka_unit_test(words_that_move_during_marking_are_found),
        cmocka_unit_test(removed_worlds_hold_nothing),
        cmocka_unit_test(why_names_components_and_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
