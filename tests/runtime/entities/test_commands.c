/* The effect of each command when it is played, and the order of commands. */
#include "commands_fixture.h"

#include <kiln/batch.h>
#include <string.h>

static const fix_spot here = {1, 2, 3}, there = {4, 5, 6}, nowhere = {0, 0, 0};

/* One command on an existing entity, or on one spawned with the same components. */
typedef struct one_command {
    const char *what;
    uint32_t mask; /* components before the command */
    char kind;     /* the command: add, remove, set, kill */
    uint32_t component;
    const void *value;
    uint32_t expected; /* components after it */
    const fix_spot *expected_spot;
    unsigned dropped;
} one_command;

static const one_command single[] = {
    {"adds", AGE, 'a', FIX_SPOT, &here, AGE | SPOT, &here, 0},
    {"adds to an empty entity", 0, 'a', FIX_SPOT, &here, SPOT, &here, 0},
    {"adds zeros", AGE, 'a', FIX_SPOT, NULL, AGE | SPOT, &nowhere, 0},
    {"adds an existing component", SPOT, 'a', FIX_SPOT, &here, SPOT, &here, 0},
    {"adds a tag", SPOT, 'a', FIX_HOT, NULL, SPOT | HOT, &nowhere, 0},
    {"adds a tag with a value", SPOT, 'a', FIX_HOT, &here, SPOT | HOT, &nowhere, 0},
    {"adds more than a chunk holds", WIDE | SPOT, 'a', FIX_BROAD, NULL, WIDE | SPOT, &nowhere, 1},
    {"removes", SPOT | AGE, 'r', FIX_AGE, NULL, SPOT, &nowhere, 0},
    {"removes the last component", AGE, 'r', FIX_AGE, NULL, 0, NULL, 0},
    {"removes a missing component", SPOT, 'r', FIX_AGE, NULL, SPOT, &nowhere, 0},
    {"removes from an empty entity", 0, 'r', FIX_AGE, NULL, 0, NULL, 0},
    {"sets", SPOT | AGE, 's', FIX_SPOT, &there, SPOT | AGE, &there, 0},
    {"sets zeros", SPOT, 's', FIX_SPOT, NULL, SPOT, &nowhere, 0},
    {"sets a tag", SPOT | HOT, 's', FIX_HOT, NULL, SPOT | HOT, &nowhere, 0},
    {"sets a missing component", AGE, 's', FIX_SPOT, &there, AGE, NULL, 1},
    {"sets on an empty entity", 0, 's', FIX_SPOT, &there, 0, NULL, 1},
};

static void record_row(const one_command *row, kiln_entity entity)
{
    if (row->kind == 'a')
        fixture_add(buffers[0], entity, row->component, row->value);
    else if (row->kind == 'r')
        fixture_take(buffers[0], entity, row->component);
    else
        fixture_set(buffers[0], entity, row->component, row->value);
}

static void check_row(const one_command *row, kiln_entity entity, kiln_played played, uint64_t all)
{
    if (!kiln_entity_exists(stage.world, entity) || fixture_mask(&stage, entity) != row->expected)
        fail_msg("%s: components 0x%x", row->what, fixture_mask(&stage, entity));
    if (row->expected_spot)
        assert_memory_equal(row->expected_spot, fixture_spot(entity), sizeof(fix_spot));
    if (played.commands != all || played.dropped != row->dropped)
        fail_msg("%s: %u dropped", row->what, (unsigned)played.dropped);
}

static void a_command_changes_an_existing_entity(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        kiln_entity entity = fixture_entity(&stage, single[i].mask);
        record_row(&single[i], entity);
        assert_int_equal(single[i].mask, fixture_mask(&stage, entity));
        kiln_played played = fixture_play();
        check_row(&single[i], entity, played, 1);
    }
}

static void a_command_changes_a_spawned_entity(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        kiln_entity placeholder = fixture_spawn(buffers[0], single[i].mask);
        record_row(&single[i], placeholder);
        kiln_played played = fixture_play();
        check_row(&single[i], kiln_commands_entity(buffers[0], placeholder), played, 2);
    }
}

/* Several commands on one entity are played as one change, which must not change the result. */
static void a_command_has_the_same_effect_after_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        kiln_entity entity = fixture_entity(&stage, single[i].mask);
        for (int k = 0; k < 3; k++)
            fixture_take(buffers[0], entity, FIX_LINK);
        record_row(&single[i], entity);
        kiln_played played = fixture_play();
        check_row(&single[i], entity, played, 4);
    }
}

static void commands_for_dead_entities_are_dropped(void **state)
{
    (void)state;
    kiln_entity dead = fixture_entity(&stage, SPOT);
    assert_int_equal(KILN_OK, kiln_entity_destroy(stage.world, dead));
    kiln_entity none[] = {dead, kiln_entity_null(), {KILN_ENTITY_MAX, 1}, {7, 0}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        fixture_add(buffers[0], none[i], FIX_SPOT, &here);
        fixture_slay(buffers[0], none[i]);
        fixture_take(buffers[0], none[i], FIX_SPOT);
        fixture_set(buffers[0], none[i], FIX_SPOT, &here);
        fixture_add(buffers[0], none[i], FIX_AGE, NULL);
        fixture_slay(buffers[0], none[i]);
        kiln_played played = fixture_play();
        assert_int_equal(6, played.commands);
        assert_int_equal(6, played.dropped);
        assert_int_equal(0, fixture_living());
    }
}

static void killing_destroys_existing_and_spawned_entities(void **state)
{
    (void)state;
    kiln_entity old = fixture_entity(&stage, SPOT);
    kiln_entity young = fixture_spawn(buffers[0], AGE);
    fixture_add(buffers[0], young, FIX_SPOT, &here);
    fixture_slay(buffers[0], old);
    fixture_slay(buffers[0], young);
    fixture_add(buffers[0], young, FIX_SPOT, &there);
    fixture_slay(buffers[0], old);
    kiln_played played = fixture_play();
    assert_int_equal(6, played.commands);
    assert_int_equal(2, played.dropped);
    assert_int_equal(0, fixture_living());
    assert_false(kiln_entity_exists(stage.world, kiln_commands_entity(buffers[0], young)));
}

static void recording_leaves_the_world_unchanged(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, SPOT);
    uint32_t archetypes = kiln_archetype_count(stage.world);
    kiln_entity placeholder = fixture_spawn(buffers[0], SPOT);
    archetypes = kiln_archetype_count(stage.world);
    fixture_add(buffers[0], placeholder, FIX_LINK, NULL);
    fixture_add(buffers[0], entity, FIX_AGE, NULL);
    fixture_slay(buffers[0], entity);
    assert_int_equal(4, kiln_commands_count(buffers[0]));
    assert_int_equal(archetypes, kiln_archetype_count(stage.world));
    assert_int_equal(SPOT, fixture_mask(&stage, entity));
    assert_int_equal(1, fixture_living());
}

static void values_are_copied_when_recorded(void **state)
{
    (void)state;
    fix_spot value = here;
    kiln_entity entity = fixture_entity(&stage, 0);
    fixture_add(buffers[0], entity, FIX_SPOT, &value);
    value = there;
    fixture_play();
    assert_memory_equal(&here, fixture_spot(entity), sizeof here);
}

static void writing_marks_the_chunk_as_changed(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, SPOT);
    const kiln_query_term def = {stage.components[FIX_SPOT], KILN_TERM_WITH};
    kiln_query *query = NULL;
    assert_int_equal(KILN_OK, kiln_query_create(stage.world, &def, 1, &query));
    uint64_t since = kiln_world_tick(stage.world);
    kiln_iterator walk = kiln_query_iterate_changed(query, since);
    assert_false(kiln_iterator_next(&walk));
    fixture_set(buffers[0], entity, FIX_SPOT, &here);
    fixture_play();
    walk = kiln_query_iterate_changed(query, since);
    assert_true(kiln_iterator_next(&walk));
    kiln_query_destroy(query);
}

/* ---- keys ---- */

static void record_order(kiln_commands *commands, kiln_entity entity, uint64_t key, uint32_t x)
{
    fix_spot value = {x, 0, 0};
    kiln_commands_set_key(commands, key);
    fixture_set(commands, entity, FIX_SPOT, &value);
}

static void keys_determine_the_order(void **state)
{
    (void)state;
    static const uint64_t keys[][3] = {
        {1, 2, 3},
        {3, 2, 1},
        {2, 3, 1},
        {0, UINT64_MAX, 1},
        {1ull << 32, 1ull << 33, 1},
        {0xff00, 0x00ff, 0x0ff0},
        {1ull << 63, 1ull << 62, (1ull << 63) + 1},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        kiln_entity entity = fixture_entity(&stage, SPOT);
        uint32_t last = 0;
        for (uint32_t k = 0; k < 3; k++) {
            record_order(buffers[k == 1], entity, keys[i][k], k);
            last = keys[i][k] > keys[i][last] ? k : last;
        }
        fixture_play();
        assert_int_equal(last, fixture_spot(entity)->x);
    }
}

static void a_key_that_is_set_again_keeps_its_order(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, SPOT);
    record_order(buffers[0], entity, 5, 1);
    record_order(buffers[0], entity, 9, 2);
    record_order(buffers[0], entity, 5, 3);
    record_order(buffers[0], entity, 3, 4);
    record_order(buffers[0], entity, 9, 5);
    record_order(buffers[0], entity, 5, 6);
    fixture_play();
    assert_int_equal(5, fixture_spot(entity)->x);
}

static void the_same_key_in_two_buffers_is_refused(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, SPOT);
    record_order(buffers[0], entity, 5, 1);
    record_order(buffers[0], entity, 7, 1);
    record_order(buffers[1], entity, 8, 1);
    record_order(buffers[1], entity, 5, 1);
    kiln_played played = {1, 1};
    assert_int_equal(KILN_DUPLICATE, kiln_commands_play(stage.world, buffers, 2, &played));
    assert_int_equal(0, played.commands + played.dropped);
    assert_int_equal(0, fixture_spot(entity)->x);
    assert_int_equal(2, kiln_commands_count(buffers[1]));
    kiln_commands *twice[] = {buffers[0], buffers[0]};
    assert_int_equal(KILN_DUPLICATE, kiln_commands_play(stage.world, twice, 2, NULL));
    assert_int_equal(KILN_OK, kiln_commands_play(stage.world, buffers, 1, &played));
    assert_int_equal(2, played.commands);
    assert_int_equal(1, fixture_spot(entity)->x);
}

static void keys_without_commands_do_not_count(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, SPOT);
    kiln_commands_set_key(buffers[0], 6);
    kiln_commands_set_key(buffers[1], 6);
    kiln_commands_set_key(buffers[1], 7);
    record_order(buffers[0], entity, 5, 1);
    record_order(buffers[1], entity, 8, 2);
    kiln_commands_set_key(buffers[1], 5);
    assert_int_equal(2, fixture_play().commands);
    assert_int_equal(2, fixture_spot(entity)->x);
}

static void no_command_is_played_when_it_is_recorded(void **state)
{
    (void)state;
    kiln_played played = fixture_play();
    assert_int_equal(0, played.commands);
    assert_int_equal(KILN_OK, kiln_commands_play(stage.world, NULL, 0, &played));
    assert_int_equal(KILN_OK, kiln_commands_play(stage.world, NULL, 0, NULL));
}

static void a_buffer_without_commands_may_come_first(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, SPOT);
    record_order(buffers[1], entity, 5, 1);
    assert_int_equal(1, fixture_play().commands);
    assert_int_equal(1, fixture_spot(entity)->x);
}

static void resetting_removes_commands_and_key(void **state)
{
    (void)state;
    kiln_entity entity = fixture_entity(&stage, SPOT);
    record_order(buffers[0], entity, 5, 1);
    fixture_spawn(buffers[0], SPOT);
    kiln_commands_reset(buffers[0]);
    assert_int_equal(0, kiln_commands_count(buffers[0]));
    assert_int_equal(0, fixture_play().commands);
    record_order(buffers[1], entity, 5, 2);
    kiln_commands_reset(buffers[0]);
    fixture_set(buffers[0], entity, FIX_SPOT, &here); /* under key 0 */
    fixture_play();
    assert_int_equal(2, fixture_spot(entity)->x);
    kiln_commands_set_key(buffers[0], 9);
    kiln_commands_reset(buffers[0]);
    fixture_set(buffers[0], entity, FIX_SPOT, &here);
    record_order(buffers[1], entity, 5, 2);
    fixture_play();
    assert_int_equal(2, fixture_spot(entity)->x);
}

#ifdef NDEBUG
/* A debug build asserts on mistakes of the program. */
static void mistakes_of_the_program_are_reported(void **state)
{
    (void)state;
    kiln_component none[] = {{0}, {FIX_COMPONENTS + 1}, {UINT32_MAX}};
    kiln_entity placeholder = {77, 77}, entity = fixture_entity(&stage, SPOT);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(KILN_BAD_ARGUMENT, kiln_commands_add(buffers[0], entity, none[i], &here));
        assert_int_equal(KILN_BAD_ARGUMENT, kiln_commands_remove(buffers[0], entity, none[i]));
        assert_int_equal(KILN_BAD_ARGUMENT, kiln_commands_set(buffers[0], entity, none[i], &here));
    }
    kiln_archetype unknown = {kiln_archetype_count(stage.world) + 1};
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_commands_spawn(buffers[0], unknown, &placeholder));
    assert_int_equal(77, placeholder.index);
    assert_int_equal(0, kiln_commands_count(buffers[0]));
    fix_world other = fixture_world(NULL, 1);
    fixture_set(buffers[0], entity, FIX_SPOT, &here);
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_commands_play(other.world, buffers, 2, NULL));
    assert_int_equal(1, kiln_commands_count(buffers[0]));
    kiln_world_destroy(other.world);
}

static void a_row_of_an_open_batch_stops_playing(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++)
        fixture_entity(&stage, WIDE); /* large enough for lookahead */
    kiln_batch *batch = NULL;
    kiln_fill_args zeroed = {.is_zeroed = true};
    kiln_entity entity = kiln_entity_null(), other = fixture_entity(&stage, AGE);
    assert_int_equal(KILN_OK,
                     kiln_batch_reserve(stage.world, fixture_archetype(&stage, SPOT), 1, &batch));
    assert_int_equal(KILN_OK, kiln_batch_fill(batch, 0, &zeroed, &entity));
    fixture_set(buffers[0], entity, FIX_SPOT, &here);
    fixture_slay(buffers[0], other);
    fixture_slay(buffers[0], entity);
    fixture_add(buffers[0], other, FIX_SPOT, &here);
    kiln_played played;
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_commands_play(stage.world, buffers, 2, &played));
    assert_int_equal(2, played.commands);
    assert_int_equal(0, kiln_commands_count(buffers[0]));
    assert_int_equal(KILN_OK, kiln_batch_publish(batch));
    assert_int_equal(1, fixture_spot(entity)->x);
}
#endif

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_command_changes_an_existing_entity),
        CASE(a_command_changes_a_spawned_entity),
        CASE(a_command_has_the_same_effect_after_another),
        CASE(commands_for_dead_entities_are_dropped),
        CASE(killing_destroys_existing_and_spawned_entities),
        CASE(recording_leaves_the_world_unchanged),
        CASE(values_are_copied_when_recorded),
        CASE(writing_marks_the_chunk_as_changed),
        CASE(keys_determine_the_order),
        CASE(a_key_that_is_set_again_keeps_its_order),
        CASE(the_same_key_in_two_buffers_is_refused),
        CASE(keys_without_commands_do_not_count),
        CASE(no_command_is_played_when_it_is_recorded),
        CASE(a_buffer_without_commands_may_come_first),
        CASE(resetting_removes_commands_and_key),
#ifdef NDEBUG
        CASE(mistakes_of_the_program_are_reported),
        CASE(a_row_of_an_open_batch_stops_playing),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
