/* The entities that placeholders represent, and where placeholders are refused. */
#include "commands_fixture.h"

static const fix_spot here = {1, 2, 3}, there = {4, 5, 6};

static void a_placeholder_reads_as_dead(void **state)
{
    (void)state;
    kiln_entity placeholder = fixture_spawn(buffers[0], SPOT);
    assert_int_equal(0, placeholder.version % 2);
    assert_false(kiln_entity_is_null(placeholder));
    for (int played = 0; played < 2; played++) {
        assert_false(kiln_entity_exists(stage.world, placeholder));
        assert_null(kiln_entity_read(stage.world, placeholder, stage.components[FIX_SPOT]));
        assert_int_equal(KILN_DEAD, kiln_entity_destroy(stage.world, placeholder));
        assert_int_equal(KILN_DEAD, kiln_entity_add(stage.world, placeholder,
                                                    stage.components[FIX_SPOT], &here));
        fixture_play();
    }
}

static void placeholders_become_entities_of_their_buffer(void **state)
{
    (void)state;
    kiln_entity first = fixture_spawn(buffers[0], SPOT), second = fixture_spawn(buffers[0], AGE);
    kiln_commands_set_key(buffers[1], 1);
    kiln_entity other = fixture_spawn(buffers[1], LINK);
    assert_true(kiln_entity_is_null(kiln_commands_entity(buffers[0], first)));
    fixture_play();
    assert_int_equal(SPOT, fixture_mask(&stage, kiln_commands_entity(buffers[0], first)));
    assert_int_equal(AGE, fixture_mask(&stage, kiln_commands_entity(buffers[0], second)));
    assert_int_equal(LINK, fixture_mask(&stage, kiln_commands_entity(buffers[1], other)));
    kiln_entity none[] = {other, {2, first.version}, {0, 0}, {0, first.version + 1}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(kiln_entity_is_null(kiln_commands_entity(buffers[0], none[i])));
    fixture_spawn(buffers[0], SPOT);
    assert_true(kiln_entity_is_null(kiln_commands_entity(buffers[0], first)));
    kiln_commands_reset(buffers[1]);
    assert_true(kiln_entity_is_null(kiln_commands_entity(buffers[1], other)));
}

static void placeholders_in_values_become_entities(void **state)
{
    (void)state;
    kiln_entity old = fixture_entity(&stage, 0);
    kiln_entity first = fixture_spawn(buffers[0], 0), second = fixture_spawn(buffers[0], 0);
    fix_link forth = {1, second, 2, first}, back = {3, first, 4, old};
    fixture_add(buffers[0], first, FIX_LINK, &forth); /* refers to a later one, and to itself */
    fixture_add(buffers[0], second, FIX_LINK, &back);
    fixture_add(buffers[0], old, FIX_LINK, &forth);
    fixture_play();
    first = kiln_commands_entity(buffers[0], first);
    second = kiln_commands_entity(buffers[0], second);
    fix_link expected_forth = {1, second, 2, first}, expected_back = {3, first, 4, old};
    assert_memory_equal(&expected_forth, fixture_link(first), sizeof(fix_link));
    assert_memory_equal(&expected_back, fixture_link(second), sizeof(fix_link));
    assert_memory_equal(&expected_forth, fixture_link(old), sizeof(fix_link));
}

static void the_last_value_with_placeholders_is_written(void **state)
{
    (void)state;
    kiln_entity first = fixture_spawn(buffers[0], LINK), second = fixture_spawn(buffers[0], 0);
    fix_link forth = {1, second, 2, first}, plain = {5, kiln_entity_null(), 6, {7, 0}};
    kiln_entity third = fixture_spawn(buffers[0], 0);
    fixture_set(buffers[0], first, FIX_LINK, &forth);
    fixture_set(buffers[0], first, FIX_LINK, &plain);
    fixture_add(buffers[0], third, FIX_LINK, &plain);
    fixture_add(buffers[0], third, FIX_LINK, &forth);
    fixture_add(buffers[0], second, FIX_LINK, &forth);
    fixture_take(buffers[0], second, FIX_LINK);
    fixture_play();
    forth.to = kiln_commands_entity(buffers[0], second);
    forth.from = kiln_commands_entity(buffers[0], first);
    assert_memory_equal(&plain, fixture_link(forth.from), sizeof plain);
    assert_memory_equal(&forth, fixture_link(kiln_commands_entity(buffers[0], third)),
                        sizeof forth);
    assert_int_equal(0, fixture_mask(&stage, forth.to));
}

static void a_value_may_refer_to_a_killed_entity(void **state)
{
    (void)state;
    kiln_entity short_lived = fixture_spawn(buffers[0], SPOT), heir = fixture_spawn(buffers[0], 0);
    fixture_slay(buffers[0], short_lived);
    fix_link value = {1, short_lived, 2, heir};
    fixture_add(buffers[0], heir, FIX_LINK, &value);
    fixture_play();
    const fix_link *link = fixture_link(kiln_commands_entity(buffers[0], heir));
    assert_true(kiln_entity_same(link->to, kiln_commands_entity(buffers[0], short_lived)));
    assert_int_equal(1, link->to.version % 2);
    assert_false(kiln_entity_exists(stage.world, link->to));
}

/* Bits that are not a placeholder of buffer 0 with key 1, which spawned numbers 1 and 2. */
typedef enum stranger {
    OF_ANOTHER_KEY,
    OF_A_LATER_KEY,
    OF_ANOTHER_BUFFER,
    OF_BEFORE_THE_RESET,
    OF_BEFORE_THE_PLAYBACK,
    NOT_SPAWNED_YET,
    FORGED,
    STRANGERS
} stranger;

static kiln_entity make_stranger(stranger which)
{
    kiln_entity before = fixture_spawn(buffers[0], SPOT);
    if (which == OF_BEFORE_THE_PLAYBACK)
        fixture_play();
    else
        kiln_commands_reset(buffers[0]);
    kiln_entity other = fixture_spawn(buffers[0], 0);
    kiln_commands_set_key(buffers[0], 2);
    kiln_entity later = fixture_spawn(buffers[0], 0);
    kiln_commands_set_key(buffers[1], 1);
    fixture_spawn(buffers[1], 0);
    fixture_spawn(buffers[1], 0);
    kiln_entity foreign = fixture_spawn(buffers[1], 0);
    kiln_commands_set_key(buffers[0], 1);
    kiln_entity own = fixture_spawn(buffers[0], 0);
    switch (which) {
    case OF_ANOTHER_KEY:
        return other;
    case OF_A_LATER_KEY:
        return later;
    case OF_ANOTHER_BUFFER:
        return foreign;
    case NOT_SPAWNED_YET:
        return (kiln_entity){own.index + 1, own.version};
    case FORGED:
        return (kiln_entity){own.index, own.version ^ 0x80000000u};
    default:
        return before;
    }
}

static void foreign_placeholders_are_rejected(void **state)
{
    (void)state;
    for (stranger which = 0; which < STRANGERS; which++) {
        kiln_entity entity = make_stranger(which);
        kiln_entity old = fixture_entity(&stage, LINK);
        kiln_component spot = stage.components[FIX_SPOT], link = stage.components[FIX_LINK];
        fix_link to = {.to = entity}, from = {.from = entity};
        uint64_t before = kiln_commands_count(buffers[0]);
        kiln_status got[] = {
            kiln_commands_kill(buffers[0], entity),
            kiln_commands_add(buffers[0], entity, spot, &here),
            kiln_commands_add(buffers[0], entity, spot, NULL),
            kiln_commands_set(buffers[0], entity, spot, &here),
            kiln_commands_remove(buffers[0], entity, spot),
            kiln_commands_add(buffers[0], old, link, &to),
            kiln_commands_set(buffers[0], old, link, &from),
        };
        for (size_t i = 0; i < sizeof got / sizeof *got; i++)
            if (got[i] != KILN_DEAD)
                fail_msg("stranger %d, command %d: %s", (int)which, (int)i,
                         kiln_status_name(got[i]));
        assert_int_equal(before, kiln_commands_count(buffers[0]));
        kiln_commands_reset(buffers[0]);
        kiln_commands_reset(buffers[1]);
    }
}

static void before_the_first_spawn_every_placeholder_is_foreign(void **state)
{
    (void)state;
    kiln_entity placeholder = fixture_spawn(buffers[0], SPOT);
    fixture_play();
    for (uint32_t ahead = 0; ahead < 64; ahead += 2) {
        kiln_entity guess = {placeholder.index, placeholder.version + ahead};
        assert_int_equal(KILN_DEAD, kiln_commands_kill(buffers[0], guess));
    }
}

static void other_bits_in_values_stay_unchanged(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, 0);
    kiln_entity placeholder = fixture_spawn(buffers[0], 0);
    fix_link value = {placeholder.version, {9, 1}, placeholder.index, {8, 0}};
    fixture_add(buffers[0], entity, FIX_LINK, &value);
    fix_spot spot = {placeholder.index, placeholder.version, 0}; /* not in an entity field */
    fixture_add(buffers[0], entity, FIX_SPOT, &spot);
    fixture_play();
    assert_memory_equal(&value, fixture_link(entity), sizeof value);
    assert_memory_equal(&spot, fixture_spot(entity), sizeof spot);
}

static void a_placeholder_is_valid_when_its_key_is_set_again(void **state)
{
    (void)state;
    kiln_commands_set_key(buffers[0], 1);
    kiln_entity first = fixture_spawn(buffers[0], 0);
    kiln_commands_set_key(buffers[0], 2);
    kiln_entity second = fixture_spawn(buffers[0], 0);
    kiln_commands_set_key(buffers[0], 1);
    fixture_add(buffers[0], first, FIX_SPOT, &here);
    kiln_commands_set_key(buffers[0], 2);
    fixture_add(buffers[0], second, FIX_SPOT, &there);
    fixture_play();
    assert_int_equal(1, fixture_spot(kiln_commands_entity(buffers[0], first))->x);
    assert_int_equal(4, fixture_spot(kiln_commands_entity(buffers[0], second))->x);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_placeholder_reads_as_dead),
        CASE(placeholders_become_entities_of_their_buffer),
        CASE(placeholders_in_values_become_entities),
        CASE(the_last_value_with_placeholders_is_written),
        CASE(a_value_may_refer_to_a_killed_entity),
        CASE(foreign_placeholders_are_rejected),
        CASE(before_the_first_spawn_every_placeholder_is_foreign),
        CASE(other_bits_in_values_stay_unchanged),
        CASE(a_placeholder_is_valid_when_its_key_is_set_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
