/* The same commands with the same keys give the same world, however they are distributed over
 * buffers: the world that direct calls would produce. */
#include "command_script.h"
#include "test_share.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 160, SPREADS = 5 };

typedef struct outcome {
    fix_world fix;
    kiln_played played;
} outcome;

static outcome obey(const script *of)
{
    kiln_entity *entities = calloc(of->entity_count, sizeof *entities);
    assert_non_null(entities);
    outcome out = {.fix = script_world(of, NULL, entities)};
    out.played = script_obey(of, &out.fix, entities);
    free(entities);
    return out;
}

/* A `spread` of 0 means a single buffer; other values mean up to SCRIPT_BUFFERS. In every second
 * buffer the keys alternate. */
static outcome play(const script *of, uint32_t spread)
{
    kiln_commands *parts[SCRIPT_BUFFERS];
    uint32_t count = spread ? 1 + (spread * 3 + of->seed) % SCRIPT_BUFFERS : 1;
    kiln_entity *entities = calloc(of->entity_count, sizeof *entities);
    kiln_entity *placeholders = calloc(of->line_count, sizeof *placeholders);
    uint8_t *buffer_of_key = calloc(of->key_count, 1);
    assert_true(entities && placeholders && buffer_of_key);
    for (uint32_t i = 0; i < of->key_count; i++)
        buffer_of_key[i] = (uint8_t)((i * 7 + spread * i * i) % count);
    outcome out = {.fix = script_world(of, NULL, entities)};
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = fixture_commands(&out.fix);
        script_part part = {&out.fix,      entities,   placeholders,
                            buffer_of_key, (uint8_t)i, (spread + i) % 2 == 0};
        assert_int_equal(KILN_OK, script_record(of, &part, parts[i]));
    }
    assert_int_equal(KILN_OK, kiln_commands_play(out.fix.world, parts, count, &out.played));
    for (uint32_t i = 0; i < count; i++)
        kiln_commands_destroy(parts[i]);
    free(entities);
    free(placeholders);
    free(buffer_of_key);
    return out;
}

static void check(const outcome *a, const outcome *b, bool rows)
{
    assert_true(kiln_world_is_valid(b->fix.world));
    assert_int_equal(a->played.commands, b->played.commands);
    assert_int_equal(a->played.dropped, b->played.dropped);
    fixture_compare(&a->fix, &b->fix, rows);
}

static void run_seed(uint32_t seed)
{
    script of = script_make(seed);
    outcome expected = obey(&of);
    outcome whole = play(&of, 0);
    check(&expected, &whole, false);
    for (uint32_t spread = 1; spread < SPREADS; spread++) {
        outcome part = play(&of, spread);
        check(&whole, &part, true);
        kiln_world_destroy(part.fix.world);
    }
    kiln_world_destroy(whole.fix.world);
    kiln_world_destroy(expected.fix.world);
    script_fini(&of);
}

/* KILN_SEED runs only that seed. */
static void random_commands_equal_direct_calls_for_every_distribution(void **state)
{
    (void)state;
    const char *only = getenv("KILN_SEED");
    uint32_t first = only ? (uint32_t)strtoul(only, NULL, 10) : 0;
    for (uint32_t seed = first; seed < (only ? first + 1 : test_share_of(SEEDS)); seed++) {
        print_message("seed %u\n", seed);
        run_seed(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_commands_equal_direct_calls_for_every_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
