/* Batches that several threads fill at once, and iterations that they share. */
#include "thread_scene.h"

static void *fill_parts(void *arg)
{
    worker *w = arg;
    kiln_entity entities[2048];
    uint32_t parts = kiln_batch_part_count(w->s->batch);
    for (uint32_t i; (i = atomic_fetch_add(&w->s->next_part, 1)) < parts;) {
        kiln_batch_part part = kiln_batch_get_part(w->s->batch, i);
        float *position = kiln_row_at(part.first, w->s->position);
        for (uint32_t r = 0; r < 3 * part.count; r++)
            position[r] = (float)(part.start + r / 3);
        kiln_column_values light = {w->s->light, w->s->values};
        kiln_fill_args args = {&light, 1, false};
        scene_expect(w->s, part.count <= 2048);
        scene_expect(w->s, kiln_batch_fill(w->s->batch, i, &args, entities) == KILN_OK);
        for (uint32_t r = 0; r < part.count; r++)
            scene_expect(w->s, kiln_entity_exists(w->s->world, entities[r]));
        for (uint32_t r = 0; r < part.count; r++)
            scene_own(w, entities[r]);
    }
    return NULL;
}

static void parts_of_a_batch_are_filled_at_once(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    scene *s = scene_begin();
    s->values = calloc(COUNT, sizeof *s->values);
    assert_non_null(s->values);
    for (uint32_t i = 0; i < COUNT; i++)
        s->values[i] = i;
    assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, s->lit, COUNT, &s->batch));
    const scene_work works[] = {fill_parts};
    scene_run(s, works, 1);
    assert_int_equal(0, kiln_query_rows(s->query));
    assert_int_equal(KILN_OK, kiln_batch_publish(s->batch));
    assert_int_equal(COUNT, kiln_query_rows(s->query));
    unsigned char *seen = calloc(COUNT, 1);
    assert_non_null(seen);
    for (kiln_iterator walk = kiln_query_iterate(s->query); kiln_iterator_next(&walk);) {
        const float *position = kiln_iterator_read(&walk, s->position);
        const uint32_t *light = kiln_iterator_read(&walk, s->light);
        for (uint32_t i = 0; i < walk.count; i++) {
            assert_true(light[i] < COUNT && !seen[light[i]]++);
            assert_true(position[3 * i + 2] == (float)light[i]);
        }
    }
    free(seen);
    scene_end(s);
}

/* ---- in blocks that were cleared ---- */

enum { CLEARED = 2 * KILN_BLOCK_ENTITIES + 500 };

static bool is_looked_at; /* whether living entities are read while the parts are filled */

/* The entity with that index, if it exists, has the value of that row. */
static bool lives_at(const scene *s, uint32_t index)
{
    kiln_entity entity = kiln_entity_at(s->world, index);
    if (kiln_entity_is_null(entity))
        return false;
    const uint32_t *light = kiln_entity_read(s->world, entity, s->light);
    return light && *light == s->values[index] && !kiln_entity_exists(s->world, s->entities[index]);
}

static void *fill_cleared_parts(void *arg)
{
    worker *w = arg;
    scene *s = w->s;
    kiln_entity entities[2048];
    uint32_t parts = kiln_batch_part_count(s->batch);
    for (uint32_t i; (i = atomic_fetch_add(&s->next_part, 1)) < parts;) {
        kiln_batch_part part = kiln_batch_get_part(s->batch, i);
        kiln_column_values light = {s->light, s->values};
        kiln_fill_args args = {&light, 1, true};
        uint32_t turn = is_looked_at ? scene_random(w, 6) : 2;
        scene_expect(s, part.count <= 2048);
        scene_expect(s, kiln_batch_fill(s->batch, i, &args, turn ? NULL : entities) == KILN_OK);
        for (uint32_t r = 0; r < part.count && turn < 2; r++) {
            scene_expect(s, lives_at(s, part.start + r));
            scene_expect(s, turn || kiln_entity_exists(s->world, entities[r]));
        }
    }
    return NULL;
}

static void parts_in_cleared_blocks_are_filled_at_once(void **state)
{
    (void)state;
    scene *s = scene_begin();
    s->values = calloc(CLEARED, sizeof *s->values);
    s->entities = calloc(CLEARED, sizeof *s->entities);
    assert_true(s->values && s->entities);
    for (uint32_t i = 0; i < CLEARED; i++)
        s->values[i] = i * 3;
    kiln_create_args args = {.archetype = s->lit, .count = CLEARED};
    for (int round = 0; round < 40; round++) {
        is_looked_at = round % 2;
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, s->entities));
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
        assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, s->lit, CLEARED, &s->batch));
        atomic_store(&s->next_part, 0);
        const scene_work works[] = {fill_cleared_parts};
        scene_run(s, works, 1);
        assert_int_equal(CLEARED, scene_stats(s).live);
        for (uint32_t i = 0; i < CLEARED; i++)
            assert_true(lives_at(s, i));
        if (round % 4 < 2)
            assert_int_equal(KILN_OK, kiln_batch_publish(s->batch));
        else
            kiln_batch_discard(s->batch);
        assert_true(kiln_world_is_valid(s->world));
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    }
    scene_end(s);
}

/* ---- iterations ---- */

static void *walk_part(void *arg)
{
    worker *w = arg;
    for (int round = 0; round < 20; round++) {
        kiln_iterator walk = kiln_query_iterate_part(w->s->query, w->number, THREADS);
        while (kiln_iterator_next(&walk)) {
            uint32_t *light = kiln_iterator_write(&walk, w->s->light);
            for (uint32_t i = 0; i < walk.count; i++)
                light[i]++;
        }
        scene_expect(w->s, walk.status == KILN_OK);
        kiln_world_tick(w->s->world);
        /* Another column of any chunk is read at the same time. */
        for (int i = 0; i < 50; i++) {
            uint32_t at = scene_random(w, w->s->entity_count);
            const float *position =
                kiln_entity_read(w->s->world, w->s->entities[at], w->s->position);
            scene_expect(w->s, position && position[0] == 0);
        }
    }
    return NULL;
}

static void parts_of_an_iteration_write_at_once(void **state)
{
    (void)state;
    enum { COUNT = 15000 };
    scene *s = scene_begin();
    s->entity_count = COUNT;
    s->entities = calloc(COUNT, sizeof *s->entities);
    assert_non_null(s->entities);
    kiln_create_args args = {.archetype = s->lit, .count = COUNT};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, s->entities));
    const scene_work works[] = {walk_part};
    scene_run(s, works, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(20,
                         *(const uint32_t *)kiln_entity_read(s->world, s->entities[i], s->light));
    scene_end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_batch_are_filled_at_once),
        cmocka_unit_test(parts_in_cleared_blocks_are_filled_at_once),
        cmocka_unit_test(parts_of_an_iteration_write_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
