/* Buffers filled by several threads at once while all of them read the world. A build with the
 * thread sanitizer detects races. */
#define _POSIX_C_SOURCE 200809L

#include "command_script.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 24 };

typedef struct recorder {
    const script *of;
    script_part part;
    kiln_query *query;
    uint32_t count; /* number of threads */
    pthread_barrier_t *start;
    kiln_commands *commands;
    uint64_t seen;
    kiln_status status;
} recorder;

/* What a system does at the same time: it reads rows and writes one component of its own chunks. */
static void use_world(recorder *r)
{
    const fix_world *fix = r->part.fix;
    kiln_iterator walk = kiln_query_iterate_part(r->query, r->part.buffer, r->count);
    while (kiln_iterator_next(&walk)) {
        fix_spot *spots = kiln_iterator_write(&walk, fix->components[FIX_SPOT]);
        for (uint32_t i = 0; i < walk.count; i++)
            spots[i].z++;
    }
    for (uint32_t i = 0; i < r->of->entity_count; i++)
        r->seen += kiln_entity_has(fix->world, r->part.entities[i], fix->components[FIX_AGE]);
}

static void *record(void *ctx)
{
    recorder *r = ctx;
    pthread_barrier_wait(r->start);
    r->status = kiln_commands_create(r->part.fix->world, NULL, &r->commands);
    for (int again = 0; again < 3 && r->status == KILN_OK; again++) {
        kiln_commands_reset(r->commands);
        r->status = script_record(r->of, &r->part, r->commands);
        use_world(r);
    }
    return NULL;
}

static void play_on_threads(const script *of, uint32_t count, fix_world *ret_fix)
{
    pthread_t threads[SCRIPT_BUFFERS];
    recorder recorders[SCRIPT_BUFFERS];
    kiln_commands *parts[SCRIPT_BUFFERS];
    pthread_barrier_t start;
    kiln_entity *entities = calloc(of->entity_count, sizeof *entities);
    kiln_entity *placeholders = calloc(of->line_count, sizeof *placeholders);
    uint8_t *buffer_of_key = calloc(of->key_count, 1);
    assert_true(entities && placeholders && buffer_of_key);
    for (uint32_t i = 0; i < of->key_count; i++)
        buffer_of_key[i] = (uint8_t)(i % count);
    *ret_fix = script_world(of, NULL, entities);
    const kiln_query_term def = {ret_fix->components[FIX_SPOT], KILN_TERM_WITH};
    kiln_query *query = NULL;
    assert_int_equal(KILN_OK, kiln_query_create(ret_fix->world, &def, 1, &query));
    assert_int_equal(0, pthread_barrier_init(&start, NULL, count));
    for (uint32_t i = 0; i < count; i++) {
        script_part part = {ret_fix, entities, placeholders, buffer_of_key, (uint8_t)i, true};
        recorders[i] = (recorder){of, part, query, count, &start, NULL, 0, KILN_OK};
        assert_int_equal(0, pthread_create(&threads[i], NULL, record, &recorders[i]));
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(KILN_OK, recorders[i].status);
        assert_int_equal(recorders[0].seen, recorders[i].seen);
        parts[i] = recorders[i].commands;
    }
    assert_int_equal(KILN_OK, kiln_commands_play(ret_fix->world, parts, count, NULL));
    for (uint32_t i = 0; i < count; i++)
        kiln_commands_destroy(parts[i]);
    kiln_query_destroy(query);
    pthread_barrier_destroy(&start);
    free(entities);
    free(placeholders);
    free(buffer_of_key);
}

static void recording_on_threads_equals_recording_on_one_thread(void **state)
{
    (void)state;
    for (uint32_t seed = 1000; seed < 1000 + ROUNDS; seed++) {
        script of = script_make(seed);
        fix_world alone, together;
        play_on_threads(&of, 1, &alone);
        play_on_threads(&of, 2 + seed % (SCRIPT_BUFFERS - 1), &together);
        assert_true(kiln_world_is_valid(together.world));
        fixture_compare(&alone, &together, true);
        kiln_world_destroy(alone.world);
        kiln_world_destroy(together.world);
        script_fini(&of);
    }
}

/* Worlds share nothing, and neither do their buffers. */
static void *live(void *ctx)
{
    const script *of = ctx;
    fix_world *fix = malloc(sizeof *fix);
    if (fix)
        play_on_threads(of, 2, fix);
    return fix;
}

static void worlds_may_be_played_concurrently(void **state)
{
    (void)state;
    script of = script_make(7);
    pthread_t threads[3];
    fix_world alone;
    play_on_threads(&of, 1, &alone);
    for (int i = 0; i < 3; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, live, &of));
    for (int i = 0; i < 3; i++) {
        void *fix = NULL;
        pthread_join(threads[i], &fix);
        assert_non_null(fix);
        fixture_compare(&alone, fix, true);
        kiln_world_destroy(((fix_world *)fix)->world);
        free(fix);
    }
    kiln_world_destroy(alone.world);
    script_fini(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recording_on_threads_equals_recording_on_one_thread),
        cmocka_unit_test(worlds_may_be_played_concurrently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
