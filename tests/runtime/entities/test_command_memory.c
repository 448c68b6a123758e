/* Command buffers that run out of memory, and their memory usage. */
#include "command_buffer.h"
#include "command_script.h"

#include <stdlib.h>
#include <string.h>

enum { SEED_SHORT = 5, SEED_TIGHT = 8 };

/* Everything needed to record a script in two buffers. */
typedef struct trial {
    script of;
    fix_world fix;
    kiln_entity *entities, *placeholders;
    uint8_t *buffer_of_key;
    kiln_commands *parts[2];
} trial;

static void begin_trial(trial *t, uint32_t seed, const kiln_allocator *world_memory)
{
    memset(t, 0, sizeof *t);
    t->of = script_make(seed);
    t->entities = calloc(t->of.entity_count, sizeof *t->entities);
    t->placeholders = calloc(t->of.line_count, sizeof *t->placeholders);
    t->buffer_of_key = calloc(t->of.key_count, 1);
    assert_true(t->entities && t->placeholders && t->buffer_of_key);
    for (uint32_t i = 0; i < t->of.key_count; i++)
        t->buffer_of_key[i] = i % 2;
    t->fix = script_world(&t->of, world_memory, t->entities);
}

static kiln_status record_trial(trial *t, uint8_t buffer)
{
    script_part part = {&t->fix, t->entities, t->placeholders, t->buffer_of_key, buffer, true};
    return script_record(&t->of, &part, t->parts[buffer]);
}

static void end_trial(trial *t)
{
    assert_true(kiln_world_is_valid(t->fix.world));
    kiln_commands_destroy(t->parts[0]);
    kiln_commands_destroy(t->parts[1]);
    kiln_world_destroy(t->fix.world);
    free(t->entities);
    free(t->placeholders);
    free(t->buffer_of_key);
    script_fini(&t->of);
}

static void creating_a_buffer_without_memory_fails(void **state)
{
    (void)state;
    counting_allocator counting;
    counting_allocator_init(&counting);
    counting.fail_at = 1;
    fix_world fix = fixture_world(NULL, 1);
    kiln_commands *commands = NULL;
    assert_int_equal(KILN_NO_MEMORY,
                     kiln_commands_create(fix.world, &counting.allocator, &commands));
    assert_null(commands);
    kiln_commands_destroy(commands);
    kiln_world_destroy(fix.world);
}

/* Each allocation of a buffer fails once. Recorded commands stay, and recording continues after
 * them. */
static void recording_continues_after_a_failed_allocation(void **state)
{
    (void)state;
    size_t failed = 0;
    for (size_t fail_at = 2;; fail_at++) {
        counting_allocator counting;
        counting_allocator_init(&counting);
        counting.fail_at = fail_at;
        fix_world fix = fixture_world(NULL, 1);
        kiln_commands *commands = NULL;
        assert_int_equal(KILN_OK, kiln_commands_create(fix.world, &counting.allocator, &commands));
        kiln_archetype wide = fixture_archetype(&fix, WIDE);
        unsigned char value[WIDE_SIZE] = {1};
        kiln_entity placeholder = kiln_entity_null();
        uint64_t recorded = 0;
        for (uint32_t i = 0; i < 40; i++) {
            kiln_commands_set_key(commands, i);
            while (kiln_commands_spawn(commands, wide, &placeholder) != KILN_OK)
                assert_int_equal(recorded, kiln_commands_count(commands));
            recorded++;
            while (kiln_commands_set(commands, placeholder, fix.components[FIX_WIDE], value) !=
                   KILN_OK)
                assert_int_equal(recorded, kiln_commands_count(commands));
            recorded++;
        }
        failed = counting.calls;
        kiln_played played;
        while (kiln_commands_play(fix.world, &commands, 1, &played) != KILN_OK)
            assert_int_equal(recorded, kiln_commands_count(commands));
        assert_int_equal(recorded, played.commands);
        assert_int_equal(0, played.dropped);
        bool is_over = counting.calls < fail_at;
        kiln_commands_destroy(commands);
        kiln_world_destroy(fix.world);
        assert_int_equal(0, counting.bytes);
        if (is_over)
            break;
    }
    assert_true(failed > 8);
}

/* Memory for playing is reserved before anything changes. */
static void playing_without_its_own_memory_changes_nothing(void **state)
{
    (void)state;
    trial t, same;
    counting_allocator counting;
    counting_allocator_init(&counting);
    begin_trial(&t, SEED_SHORT, NULL);
    begin_trial(&same, SEED_SHORT, NULL);
    for (uint8_t i = 0; i < 2; i++) {
        assert_int_equal(KILN_OK,
                         kiln_commands_create(t.fix.world, &counting.allocator, &t.parts[i]));
        assert_int_equal(KILN_OK, record_trial(&t, i));
    }
    uint64_t all = kiln_commands_count(t.parts[0]) + kiln_commands_count(t.parts[1]);
    counting.fail_at = counting.calls + 1;
    kiln_played played = {1, 1};
    assert_int_equal(KILN_NO_MEMORY, kiln_commands_play(t.fix.world, t.parts, 2, &played));
    assert_int_equal(0, played.commands + played.dropped);
    assert_int_equal(all, kiln_commands_count(t.parts[0]) + kiln_commands_count(t.parts[1]));
    fixture_compare(&same.fix, &t.fix, true);
    assert_int_equal(KILN_OK, kiln_commands_play(t.fix.world, t.parts, 2, &played));
    assert_int_equal(all, played.commands);
    script_obey(&same.of, &same.fix, same.entities);
    fixture_compare(&same.fix, &t.fix, false);
    end_trial(&t);
    end_trial(&same);
    assert_int_equal(0, counting.bytes);
}

/* The world's allocation `fail_at` during playing fails; with `rest`, so do all later ones. Returns
 * true if playing needs fewer allocations. */
static bool fail_in_the_world(uint32_t seed, size_t fail_at, bool rest)
{
    trial t;
    counting_allocator counting;
    counting_allocator_init(&counting);
    begin_trial(&t, seed, &counting.allocator);
    for (uint8_t i = 0; i < 2; i++) {
        t.parts[i] = fixture_commands(&t.fix);
        assert_int_equal(KILN_OK, record_trial(&t, i));
    }
    uint64_t all = kiln_commands_count(t.parts[0]) + kiln_commands_count(t.parts[1]);
    counting.fail_at = counting.calls + fail_at;
    counting.fail_rest = rest;
    kiln_played played;
    kiln_status status = kiln_commands_play(t.fix.world, t.parts, 2, &played);
    bool is_over = counting.calls < counting.fail_at;
    counting.fail_at = 0;
    assert_int_equal(is_over ? KILN_OK : KILN_NO_MEMORY, status);
    assert_true(is_over ? played.commands == all : played.commands < all);
    uint64_t left = kiln_commands_count(t.parts[0]) + kiln_commands_count(t.parts[1]);
    assert_int_equal(played.commands ? 0 : all, left);
    for (uint32_t i = 0; i < t.of.line_count; i++) {
        kiln_entity placeholder = t.placeholders[i];
        for (int part = 0; t.of.lines[i].kind == 'n' && part < 2; part++) {
            kiln_entity became = kiln_commands_entity(t.parts[part], placeholder);
            assert_true(kiln_entity_is_null(became) || became.version % 2 == 1);
        }
    }
    end_trial(&t);
    assert_int_equal(0, counting.bytes);
    return is_over;
}

static void a_world_without_memory_stays_valid(void **state)
{
    (void)state;
    static const uint32_t seeds[] = {SEED_SHORT, SEED_TIGHT};
    for (int i = 0; i < 4; i++) {
        size_t fail_at = 1;
        while (!fail_in_the_world(seeds[i / 2], fail_at, i % 2))
            fail_at++;
        assert_true(fail_at > 3);
    }
}

/* The world has one data block, which is full before the last entity is spawned. */
static void a_full_world_stops_playing(void **state)
{
    (void)state;
    fix_world fix = fixture_world(NULL, 1);
    kiln_commands *commands = fixture_commands(&fix);
    kiln_archetype age = fixture_archetype(&fix, AGE);
    kiln_entity placeholders[KILN_BLOCK_ENTITIES + 1];
    for (uint32_t i = 0; i <= KILN_BLOCK_ENTITIES; i++) {
        assert_int_equal(KILN_OK, kiln_commands_spawn(commands, age, &placeholders[i]));
        assert_int_equal(
            KILN_OK, kiln_commands_add(commands, placeholders[i], fix.components[FIX_SPOT], NULL));
    }
    kiln_played played;
    assert_int_equal(KILN_LIMIT, kiln_commands_play(fix.world, &commands, 1, &played));
    assert_int_equal(2 * KILN_BLOCK_ENTITIES, played.commands);
    assert_int_equal(0, kiln_commands_count(commands));
    for (uint32_t i = 0; i <= KILN_BLOCK_ENTITIES; i++)
        assert_int_equal(
            i < KILN_BLOCK_ENTITIES,
            kiln_entity_exists(fix.world, kiln_commands_entity(commands, placeholders[i])));
    kiln_commands_destroy(commands);
    kiln_world_destroy(fix.world);
}

/* As if 32 GiB had been recorded. */
static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    fix_world fix = fixture_world(NULL, 1);
    kiln_commands *commands = fixture_commands(&fix);
    kiln_entity entity = fixture_entity(&fix, SPOT), placeholder = kiln_entity_null();
    assert_int_equal(KILN_OK, kiln_commands_kill(commands, entity));
    uint32_t used = commands->used, left = commands->left;
    commands->used = COMMAND_BLOCK_MAX;
    commands->left = COMMAND_HEAD_UNITS - 1;
    assert_int_equal(KILN_LIMIT, kiln_commands_kill(commands, entity));
    assert_int_equal(KILN_LIMIT, kiln_commands_spawn(commands, fix.archetypes[0], &placeholder));
    assert_int_equal(KILN_LIMIT,
                     kiln_commands_add(commands, entity, fix.components[FIX_SPOT], NULL));
    assert_int_equal(1, kiln_commands_count(commands));
    commands->used = used;
    commands->left = left;
    assert_int_equal(KILN_OK, kiln_commands_play(fix.world, &commands, 1, NULL));
    assert_false(kiln_entity_exists(fix.world, entity));
    kiln_commands_destroy(commands);
    kiln_world_destroy(fix.world);
}

/* A buffer keeps its memory, and needs little: 48 bytes of commands per iteration of the inner
 * loop, and records of segments and spawns. */
static void a_reset_keeps_the_memory(void **state)
{
    (void)state;
    counting_allocator counting;
    counting_allocator_init(&counting);
    fix_world fix = fixture_world(NULL, 1);
    kiln_commands *commands = NULL;
    assert_int_equal(KILN_OK, kiln_commands_create(fix.world, &counting.allocator, &commands));
    kiln_archetype none = {0};
    size_t calls = 0;
    for (int round = 0; round < 6; round++) {
        for (uint32_t i = 0; i < 6000; i++) {
            kiln_entity placeholder = kiln_entity_null();
            kiln_commands_set_key(commands, i % 50);
            assert_int_equal(KILN_OK, kiln_commands_spawn(commands, none, &placeholder));
            assert_int_equal(
                KILN_OK, kiln_commands_add(commands, placeholder, fix.components[FIX_SPOT], NULL));
            assert_int_equal(KILN_OK, kiln_commands_kill(commands, placeholder));
        }
        if (round % 2)
            kiln_commands_reset(commands);
        else
            assert_int_equal(KILN_OK, kiln_commands_play(fix.world, &commands, 1, NULL));
        if (round == 0)
            calls = counting.calls;
        assert_int_equal(calls, counting.calls);
        assert_true(counting.bytes < 6000 * 256);
    }
    kiln_commands_destroy(commands);
    kiln_world_destroy(fix.world);
    assert_int_equal(0, counting.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_a_buffer_without_memory_fails),
        cmocka_unit_test(recording_continues_after_a_failed_allocation),
        cmocka_unit_test(playing_without_its_own_memory_changes_nothing),
        cmocka_unit_test(a_world_without_memory_stays_valid),
        cmocka_unit_test(a_full_world_stops_playing),
        cmocka_unit_test(a_full_buffer_is_reported),
        cmocka_unit_test(a_reset_keeps_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
