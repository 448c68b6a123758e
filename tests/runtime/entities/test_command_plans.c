/* Several commands on one entity are played as one change, with the same result as one change per
 * command. */
#include "commands_fixture.h"

#include <stdio.h>

static const fix_spot here = {1, 2, 3};

static void a_spawn_with_many_commands_gets_the_effect_of_all(void **state)
{
    (void)state;
    kiln_entity placeholder = fixture_spawn(buffers[0], AGE);
    for (uint32_t i = 0; i < 100; i++) {
        fix_spot value = {i, i, i};
        fixture_add(buffers[0], placeholder, FIX_SPOT, &value);
        if (i % 3 == 0)
            fixture_take(buffers[0], placeholder, FIX_AGE);
        if (i % 3 == 1)
            fixture_add(buffers[0], placeholder, FIX_AGE, NULL);
        if (i % 7 == 0)
            fixture_take(buffers[0], placeholder, FIX_SPOT);
    }
    fixture_play();
    kiln_entity entity = kiln_commands_entity(buffers[0], placeholder);
    assert_int_equal(SPOT, fixture_mask(&stage, entity));
    assert_int_equal(99, fixture_spot(entity)->y);
}

static void a_spawn_is_created_with_what_its_commands_add(void **state)
{
    (void)state;
    kiln_entity placeholder = fixture_spawn(buffers[0], 0);
    fixture_add(buffers[0], placeholder, FIX_SPOT, &here);
    fixture_add(buffers[0], placeholder, FIX_AGE, NULL);
    fixture_add(buffers[0], placeholder, FIX_LINK, NULL);
    fixture_take(buffers[0], placeholder, FIX_AGE);
    uint32_t before = kiln_archetype_count(stage.world);
    fixture_play();
    /* No archetype between the first and the last was created. */
    assert_int_equal(before + 1, kiln_archetype_count(stage.world));
    assert_int_equal(SPOT | LINK,
                     fixture_mask(&stage, kiln_commands_entity(buffers[0], placeholder)));
}

static void commands_for_one_entity_move_it_once(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, AGE);
    fixture_add(buffers[0], entity, FIX_SPOT, &here);
    fixture_add(buffers[0], entity, FIX_LINK, NULL);
    fixture_take(buffers[0], entity, FIX_AGE);
    uint32_t before = kiln_archetype_count(stage.world);
    fixture_play();
    assert_int_equal(before + 1, kiln_archetype_count(stage.world));
    assert_int_equal(SPOT | LINK, fixture_mask(&stage, entity));
    assert_memory_equal(&here, fixture_spot(entity), sizeof here);
}

static void room_made_by_a_later_command_comes_too_late(void **state)
{
    (void)state;
    kiln_entity old = fixture_entity(&stage, WIDE);
    kiln_entity both[] = {old, fixture_spawn(buffers[0], WIDE)};
    for (int i = 0; i < 2; i++) {
        fixture_add(buffers[0], both[i], FIX_BROAD, NULL); /* does not fit */
        fixture_take(buffers[0], both[i], FIX_WIDE);
        fixture_add(buffers[0], both[i], FIX_SPOT, &here);
        fixture_set(buffers[0], both[i], FIX_BROAD, NULL); /* missing */
    }
    assert_int_equal(4, fixture_play().dropped);
    both[1] = kiln_commands_entity(buffers[0], both[1]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(SPOT, fixture_mask(&stage, both[i]));
}

static void many_commands_for_one_entity_all_take_effect(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, AGE);
    for (uint32_t i = 0; i < 100; i++) {
        fix_spot value = {i, i, i};
        fixture_add(buffers[0], entity, FIX_SPOT, &value);
        if (i == 40)
            fixture_take(buffers[0], entity, FIX_AGE);
    }
    assert_int_equal(101, fixture_play().commands);
    assert_int_equal(SPOT, fixture_mask(&stage, entity));
    assert_int_equal(99, fixture_spot(entity)->y);
}

static void another_key_or_entity_ends_a_plan(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, 0), other = fixture_entity(&stage, 0);
    kiln_commands_set_key(buffers[0], 1);
    fixture_add(buffers[0], entity, FIX_AGE, NULL);
    fixture_add(buffers[0], entity, FIX_SPOT, NULL);
    fixture_add(buffers[0], other, FIX_HOT, NULL);
    fixture_add(buffers[0], entity, FIX_SPOT, &here);
    kiln_commands_set_key(buffers[1], 2);
    fixture_take(buffers[1], entity, FIX_AGE);
    fixture_add(buffers[1], entity, FIX_LINK, NULL);
    assert_int_equal(6, fixture_play().commands);
    assert_int_equal(SPOT | LINK, fixture_mask(&stage, entity));
    assert_int_equal(HOT, fixture_mask(&stage, other));
    assert_memory_equal(&here, fixture_spot(entity), sizeof here);
}

/* Together with FIX_WIDE, the first component fills a chunk to its last byte, and the second
 * exceeds it by one byte. */
static void a_component_that_just_fits_into_a_chunk_is_added(void **state)
{
    (void)state;
    enum { REST = KILN_CHUNK_SIZE - (WIDE_SIZE + 63) / 64 * 64 };
    const kiln_component_desc defs[] = {{.name = "rest", .size = REST, .alignment = 1},
                                        {.name = "more", .size = REST + 1, .alignment = 1}};
    for (unsigned i = 0; i < 2; i++) {
        kiln_component component;
        assert_int_equal(KILN_OK, kiln_component_register(stage.world, &defs[i], &component));
        kiln_entity both[] = {fixture_entity(&stage, WIDE), fixture_spawn(buffers[0], WIDE)};
        for (int k = 0; k < 2; k++) {
            assert_int_equal(KILN_OK, kiln_commands_add(buffers[0], both[k], component, NULL));
            fixture_take(buffers[0], both[k], FIX_AGE);
        }
        assert_int_equal(2 * i, fixture_play().dropped);
        both[1] = kiln_commands_entity(buffers[0], both[1]);
        for (int k = 0; k < 2; k++)
            assert_int_equal(i == 0, kiln_entity_has(stage.world, both[k], component));
    }
}

enum { MANY = 70 };

static void register_many(kiln_component *ret_many)
{
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "many_%02d", i);
        kiln_component_desc desc = {.name = name, .size = 4, .alignment = 4};
        assert_int_equal(KILN_OK, kiln_component_register(stage.world, &desc, &ret_many[i]));
    }
}

/* Entities with about as many components as a plan holds, and with more. */
static void more_components_than_a_plan_holds_give_the_same_result(void **state)
{
    (void)state;
    kiln_component many[MANY];
    register_many(many);
    for (uint32_t count = 60; count <= MANY; count++) {
        uint32_t value = 77, last = 78;
        kiln_archetype archetype;
        kiln_entity both[2];
        assert_int_equal(KILN_OK, kiln_archetype_register(stage.world, many, count, &archetype));
        assert_int_equal(KILN_OK, kiln_entity_create(stage.world, archetype, &both[0], NULL));
        assert_int_equal(KILN_OK, kiln_commands_spawn(buffers[0], archetype, &both[1]));
        for (int i = 0; i < 2; i++) {
            for (uint32_t k = 58; k < MANY; k++)
                assert_int_equal(KILN_OK, kiln_commands_add(buffers[0], both[i], many[k], &value));
            fixture_add(buffers[0], both[i], FIX_HOT, NULL);
            assert_int_equal(KILN_OK, kiln_commands_remove(buffers[0], both[i], many[59]));
            assert_int_equal(KILN_OK, kiln_commands_set(buffers[0], both[i], many[60], &last));
            assert_int_equal(KILN_OK, kiln_commands_set(buffers[0], both[i], many[59], &last));
        }
        assert_int_equal(2, fixture_play().dropped);
        both[1] = kiln_commands_entity(buffers[0], both[1]);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(HOT, fixture_mask(&stage, both[i]));
            for (uint32_t k = 0; k < MANY; k++) {
                const uint32_t *got = kiln_entity_read(stage.world, both[i], many[k]);
                assert_int_equal(k == 59, got == NULL);
                if (got)
                    assert_int_equal(k < 58 ? 0 : k == 60 ? last : value, *got);
            }
        }
    }
}

/* Uses more kinds of lists than are cached, in rotation. */
static void lists_of_many_kinds_do_not_mix(void **state)
{
    (void)state;
    enum { KINDS = WIDE * WIDE };
    kiln_entity entities[3 * KINDS];
    for (uint32_t i = 0; i < 3 * KINDS; i++) {
        uint32_t before = i % WIDE, behind = i / WIDE % WIDE;
        entities[i] = fixture_entity(&stage, before);
        for (uint32_t k = 0; k < FIX_WIDE; k++)
            if (behind >> k & 1)
                fixture_add(buffers[0], entities[i], k, NULL);
            else
                fixture_take(buffers[0], entities[i], k);
    }
    fixture_play();
    for (uint32_t i = 0; i < 3 * KINDS; i++)
        assert_int_equal(i / WIDE % WIDE, fixture_mask(&stage, entities[i]));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_spawn_with_many_commands_gets_the_effect_of_all),
        CASE(many_commands_for_one_entity_all_take_effect),
        CASE(a_spawn_is_created_with_what_its_commands_add),
        CASE(commands_for_one_entity_move_it_once),
        CASE(room_made_by_a_later_command_comes_too_late),
        CASE(a_component_that_just_fits_into_a_chunk_is_added),
        CASE(another_key_or_entity_ends_a_plan),
        CASE(more_components_than_a_plan_holds_give_the_same_result),
        CASE(lists_of_many_kinds_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
