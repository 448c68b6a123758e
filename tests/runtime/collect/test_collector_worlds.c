/* References in components as roots: words that a program writes, words of loaded scenes, and the
 * chunks that the collector reads. */
#include "asset_fixture.h"

#include <kiln/collector.h>
#include <kiln/scenes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct holder {
    KILN_ALIGNAS(8) uint64_t number;
    KILN_ALIGNAS(8) kiln_ref asset;
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

/* An entity whose component refers to the asset with a word of form `form`. */
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

static void weak_words_in_components_are_not_roots(void **state)
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

/* At every third step of a cycle, swaps the only words to two assets between two components. */
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

/* Every chunk is read, although each step has time for only a few chunks. */
static void steps_without_time_read_every_chunk(void **state)
{
    enum { CHUNKS = 24 };
    (void)state;
    program p;
    begin(&p);
    kiln_archetype_info info;
    assert_true(kiln_archetype_get(p.world, p.holders, &info));
    kiln_create_args args = {.archetype = p.holders, .count = CHUNKS * info.rows_per_chunk};
    kiln_entity *entities = calloc(args.count, sizeof *entities);
    assert_non_null(entities);
    EXPECT_STATUS(KILN_OK, kiln_entity_create_many(p.world, &args, entities));
    kiln_ref strong = scene_load(&p.s, "A/a"), word = scene_take(&p.s, strong, KILN_REF_INDIRECT);
    scene_clear(&p.s, &strong);
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        kiln_collector_state now = KILN_COLLECTOR_MARKING;
        uint32_t steps = 0;
        holder *row = write_holder(&p, entities[chunk * info.rows_per_chunk]);
        row->asset = word;
        /* After two cycles, the write no longer makes the collector read the chunk again. */
        run(&p, 2);
        kiln_collector_start(p.collector);
        for (; now != KILN_COLLECTOR_IDLE; steps++)
            EXPECT_STATUS(KILN_OK, kiln_collector_step(p.collector, 0, &now));
        assert_true(steps > CHUNKS / 8);
        assert_int_equal(2, scene_stats(&p.s).loaded);
        if (chunk + 1 < CHUNKS)
            write_holder(&p, entities[(chunk + 1) * info.rows_per_chunk])->asset = word;
        row->asset.bits = 0;
    }
    free(entities);
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

/* ---- slots ---- */

static kiln_collector_stats stats_of(program *p)
{
    kiln_collector_stats stats;
    kiln_collector_get_stats(p->collector, &stats);
    return stats;
}

static void report_word(void *ctx, kiln_tracer *tracer)
{
    kiln_trace(tracer, *(kiln_ref *)ctx, "word");
}

/* The program takes an indirect word to an added asset, and disposes of the asset. */
static kiln_ref make_stale_word(program *p, kiln_ref *ret_copy)
{
    kiln_ref strong = scene_add(&p->s, NULL, 7);
    kiln_ref word = scene_take(&p->s, strong, KILN_REF_INDIRECT);
    *ret_copy = word;
    EXPECT_STATUS(KILN_OK, kiln_assets_dispose(p->s.assets, strong, NULL));
    assert_int_equal(1, scene_stats(&p->s).stale_slots);
    return word;
}

static void a_word_of_the_program_pins_its_slot(void **state)
{
    (void)state;
    program p;
    kiln_ref copy;
    begin(&p);
    kiln_ref word = make_stale_word(&p, &copy);
    for (int i = 0; i < 3; i++)
        run(&p, 0);
    assert_int_equal(1, scene_stats(&p.s).stale_slots);
    assert_null(kiln_ref_get(kiln_assets_get_slots(p.s.assets), word));
    end(&p);
}

static void a_slot_is_reused_after_the_program_drops_its_words(void **state)
{
    (void)state;
    program p;
    kiln_ref copy;
    begin(&p);
    kiln_ref word = make_stale_word(&p, &copy);
    kiln_collector_drop(p.collector, (kiln_ref){0});
    kiln_collector_drop(p.collector, (kiln_ref){word.bits + 64 * 4096});
    run(&p, 0);
    assert_int_equal(1, scene_stats(&p.s).stale_slots);
    kiln_collector_drop(p.collector, word);
    for (int i = 0; i < 2; i++)
        run(&p, 0);
    assert_int_equal(0, scene_stats(&p.s).stale_slots);
    assert_int_equal(1, stats_of(&p).recycled_slots);
    end(&p);
}

static void a_slot_is_reused_when_no_reported_word_is_left(void **state)
{
    (void)state;
    program p;
    kiln_ref word;
    begin(&p);
    make_stale_word(&p, &word);
    EXPECT_STATUS(KILN_OK, kiln_collector_add_roots(p.collector, report_word, &word, "the test"));
    for (int i = 0; i < 3; i++)
        run(&p, 0);
    assert_int_equal(1, scene_stats(&p.s).stale_slots);
    word.bits = 0;
    for (int i = 0; i < 2; i++)
        run(&p, 0);
    assert_int_equal(0, scene_stats(&p.s).stale_slots);
    assert_int_equal(1, stats_of(&p).recycled_slots);
    end(&p);
}

/* A stale word in a component prevents reuse of its slot, even if the word moves between
 * components. */
static void stale_words_in_components_keep_their_slots(void **state)
{
    (void)state;
    program p;
    kiln_ref word;
    begin(&p);
    kiln_entity from = hold(&p, "A/a", KILN_REF_INDIRECT), to = hold(&p, "A/c", KILN_REF_INDIRECT);
    make_stale_word(&p, &word);
    kiln_ref reported = word;
    EXPECT_STATUS(KILN_OK,
                  kiln_collector_add_roots(p.collector, report_word, &reported, "the test"));
    write_holder(&p, from)->asset = word;
    write_holder(&p, to)->asset.bits = 0;
    run(&p, 0);
    reported.bits = 0;
    for (int round = 0; round < 12; round++) {
        kiln_collector_state state_now = KILN_COLLECTOR_MARKING;
        kiln_collector_start(p.collector);
        while (state_now != KILN_COLLECTOR_IDLE) {
            EXPECT_STATUS(KILN_OK, kiln_collector_step(p.collector, 0, &state_now));
            kiln_ref moved = write_holder(&p, from)->asset;
            write_holder(&p, from)->asset = write_holder(&p, to)->asset;
            write_holder(&p, to)->asset = moved;
        }
        assert_int_equal(0, stats_of(&p).recycled_slots);
    }
    write_holder(&p, from)->asset.bits = write_holder(&p, to)->asset.bits = 0;
    run(&p, 0);
    run(&p, 0);
    /* The words that `hold` took prevent the reuse of two other slots. */
    assert_int_equal(1, stats_of(&p).recycled_slots);
    assert_int_equal(2, scene_stats(&p.s).stale_slots);
    end(&p);
}

static void removed_worlds_pin_the_slots_of_their_words(void **state)
{
    (void)state;
    program p;
    kiln_ref word;
    begin(&p);
    kiln_entity holder_of = hold(&p, "A/a", KILN_REF_INDIRECT);
    make_stale_word(&p, &word);
    kiln_ref reported = word;
    EXPECT_STATUS(KILN_OK,
                  kiln_collector_add_roots(p.collector, report_word, &reported, "the test"));
    write_holder(&p, holder_of)->asset = word;
    run(&p, 0);
    reported.bits = 0;
    kiln_collector_remove_world(p.collector, p.world);
    for (int i = 0; i < 3; i++)
        run(&p, 0);
    assert_true(scene_stats(&p.s).stale_slots >= 1);
    assert_int_equal(0, stats_of(&p).recycled_slots);
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
        cmocka_unit_test(weak_words_in_components_are_not_roots),
        cmocka_unit_test(words_that_move_during_marking_are_found),
        cmocka_unit_test(steps_without_time_read_every_chunk),
        cmocka_unit_test(removed_worlds_hold_nothing),
        cmocka_unit_test(a_word_of_the_program_pins_its_slot),
        cmocka_unit_test(a_slot_is_reused_after_the_program_drops_its_words),
        cmocka_unit_test(a_slot_is_reused_when_no_reported_word_is_left),
        cmocka_unit_test(stale_words_in_components_keep_their_slots),
        cmocka_unit_test(removed_worlds_pin_the_slots_of_their_words),
        cmocka_unit_test(why_names_components_and_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
