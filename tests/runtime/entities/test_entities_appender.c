/* The contract of <kiln/appender.h>, one statement at a time, including edge cases. */
#include "plain_scene.h"

#include <kiln/appender.h>
#include <string.h>

typedef struct position {
    uint32_t x, y, z;
} position;

static kiln_appender open(const plain_scene *s)
{
    kiln_appender appender;
    assert_int_equal(KILN_OK, kiln_appender_open(s->world, s->both, &s->position, 1, &appender));
    return appender;
}

/* Appends rows whose positions count up from `first`. */
static void append(kiln_appender *appender, uint32_t first, uint32_t count, kiln_entity *entities)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row;
        assert_int_equal(KILN_OK, kiln_appender_next(appender, &entities[i], &row));
        position at = {first + i, 2, 3};
        ((position *)appender->columns[0])[row] = at;
    }
}

/* Each entity is alive, and has its position and a light of zero. */
static void check(const plain_scene *s, uint32_t first, uint32_t count, const kiln_entity *entities)
{
    for (uint32_t i = 0; i < count; i++) {
        const position *at = kiln_entity_read(s->world, entities[i], s->position);
        const uint32_t *light = kiln_entity_read(s->world, entities[i], s->light);
        assert_true(at && at->x == first + i && at->y == 2 && at->z == 3);
        assert_true(light && *light == 0);
        assert_true(kiln_entity_same(entities[i], kiln_entity_at(s->world, entities[i].index)));
    }
}

static uint32_t rows_walked(const plain_scene *s)
{
    uint32_t rows = 0;
    kiln_iterator walk = kiln_query_iterate(s->query);
    while (kiln_iterator_next(&walk))
        rows += walk.count;
    assert_int_equal(KILN_OK, walk.status);
    return rows;
}

enum { MANY = 5000 };

/* Chunks used before contain nonzero bytes. */
static void soil_chunks(const plain_scene *s)
{
    static uint32_t lights[MANY];
    memset(lights, 0xee, sizeof lights);
    kiln_column_values column = {s->light, lights};
    kiln_create_args args = {s->both, MANY, &column, 1};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, NULL));
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
}

static void an_entity_is_alive_at_once_and_a_row_after_closing(void **state)
{
    plain_scene *s = *state;
    static kiln_entity entities[MANY];
    soil_chunks(s);
    kiln_appender appender = open(s);
    append(&appender, 100, MANY, entities);
    check(s, 100, MANY, entities);
    assert_int_equal(MANY, plain_scene_stats(s).live);
    assert_int_equal(0, plain_scene_stats(s).empty);
    assert_int_equal(0, plain_scene_info(s, s->both).rows);
    assert_int_equal(0, rows_walked(s));
    assert_true(kiln_world_is_valid(s->world));
    uint64_t before = kiln_world_tick(s->world);
    kiln_appender_close(&appender);
    check(s, 100, MANY, entities);
    assert_int_equal(MANY, rows_walked(s));
    kiln_archetype_info info = plain_scene_info(s, s->both);
    assert_int_equal(MANY, info.rows);
    assert_int_equal((MANY + info.rows_per_chunk - 1) / info.rows_per_chunk, info.chunks);
    /* The rows became visible when it was closed. */
    uint32_t changed = 0;
    kiln_iterator walk = kiln_query_iterate_changed(s->query, before);
    while (kiln_iterator_next(&walk))
        changed += walk.count;
    assert_int_equal(MANY, changed);
    /* Consecutive indices need no list in the chunk. */
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(entities[0].index + i, entities[i].index);
}

static void appending_is_allowed_during_an_iteration(void **state)
{
    plain_scene *s = *state;
    static kiln_entity old[MANY], new[3 * MANY];
    kiln_appender appender = open(s);
    append(&appender, 0, MANY, old);
    kiln_appender_close(&appender);
    appender = open(s);
    uint32_t rows = 0, appended = 0;
    kiln_iterator walk = kiln_query_iterate(s->query);
    while (kiln_iterator_next(&walk)) {
        rows += walk.count;
        append(&appender, appended, 2 * walk.count, new + appended);
        appended += 2 * walk.count;
    }
    assert_int_equal(KILN_OK, walk.status);
    assert_int_equal(MANY, rows);
    kiln_appender_close(&appender);
    check(s, 0, MANY, old);
    check(s, 0, 2 * MANY, new);
    assert_int_equal(3 * MANY, rows_walked(s));
}

static void unused_rows_and_ids_are_released(void **state)
{
    plain_scene *s = *state;
    kiln_entity first, next;
    kiln_appender appender = open(s);
    kiln_appender_close(&appender);
    assert_int_equal(0, plain_scene_stats(s).blocks);
    appender = open(s);
    append(&appender, 0, 1, &first);
    kiln_appender_close(&appender);
    assert_int_equal(KILN_BLOCK_ENTITIES - 1, plain_scene_stats(s).free);
    assert_int_equal(1, plain_scene_stats(s).chunks);
    /* All other indices are still available. */
    static kiln_entity rest[KILN_BLOCK_ENTITIES - 1];
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, KILN_BLOCK_ENTITIES - 1, rest));
    assert_int_equal(1, plain_scene_stats(s).blocks);
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, 1, &next));
    assert_int_equal(2, plain_scene_stats(s).blocks);
    /* Closed appenders, and a zeroed one. */
    kiln_appender none;
    memset(&none, 0, sizeof none);
    kiln_appender_close(&appender);
    kiln_appender_discard(&appender);
    kiln_appender_close(&none);
    kiln_appender_discard(&none);
}

static void many_short_loops_leave_no_more_chunks_than_one(void **state)
{
    plain_scene *s = *state;
    static kiln_entity entities[1000][7];
    for (uint32_t i = 0; i < 1000; i++) {
        kiln_appender appender = open(s);
        append(&appender, i, 7, entities[i]);
        kiln_appender_close(&appender);
        kiln_archetype_info info = plain_scene_info(s, s->both);
        assert_int_equal((7 * (i + 1) + info.rows_per_chunk - 1) / info.rows_per_chunk,
                         info.chunks);
        assert_int_equal(info.chunks, plain_scene_stats(s).chunks);
    }
    for (uint32_t i = 0; i < 1000; i++)
        check(s, i, 7, entities[i]);
    assert_int_equal(7000, rows_walked(s));
}

static void chunks_with_another_layout_take_rows_at_closing(void **state)
{
    plain_scene *s = *state;
    static kiln_entity old[10], new[10];
    kiln_component wide = plain_scene_register(s->world, "wide", 40);
    kiln_appender appender = open(s);
    append(&appender, 0, 10, old);
    kiln_appender_close(&appender);
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, wide, NULL));
    kiln_archetype widened = kiln_entity_archetype(s->world, old[0]);
    assert_int_equal(KILN_OK, kiln_archetype_remove(s->world, widened, wide));
    appender = open(s);
    append(&appender, 70, 10, new);
    kiln_appender_close(&appender);
    check(s, 0, 10, old);
    check(s, 70, 10, new);
    assert_int_equal(1, plain_scene_info(s, s->both).chunks);
}

static void other_changes_are_allowed_meanwhile(void **state)
{
    plain_scene *s = *state;
    static kiln_entity a[MANY], b[MANY], others[MANY];
    kiln_create_args args = {.archetype = s->both, .count = MANY};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, others));
    /* Scattered free indices, so that indices are not consecutive. */
    for (uint32_t i = 0; i < MANY; i += 3)
        assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, others[i]));
    kiln_appender first = open(s), second = open(s);
    for (uint32_t i = 0; i < MANY; i += 50) {
        append(&first, i, 50, a + i);
        append(&second, i, 50, b + i);
        uint32_t gone = i % 3 == 0 ? i + 1 : i;
        assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, others[gone]));
        kiln_entity one;
        assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &one, NULL));
        if (i == 2000)
            assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->lit, NULL));
        if (i == 3000)
            assert_int_equal(KILN_OK, kiln_archetype_clear(s->world, s->both));
    }
    kiln_appender moved = first;
    kiln_appender_close(&second);
    kiln_appender_close(&moved);
    check(s, 0, MANY, a);
    check(s, 0, MANY, b);
    assert_true(kiln_world_is_valid(s->world));
    assert_int_equal(MANY, kiln_entity_destroy_many(s->world, a, MANY));
    check(s, 0, MANY, b);
}

static void discarding_leaves_no_entity(void **state)
{
    plain_scene *s = *state;
    static kiln_entity entities[MANY];
    kiln_appender appender = open(s);
    append(&appender, 0, MANY, entities);
    kiln_appender_discard(&appender);
    for (uint32_t i = 0; i < MANY; i++)
        assert_false(kiln_entity_exists(s->world, entities[i]));
    assert_int_equal(0, plain_scene_stats(s).live);
    assert_int_equal(0, plain_scene_stats(s).chunks);
    assert_int_equal(0, rows_walked(s));
}

static void existing_entities_survive_a_limit(void **state)
{
    plain_scene *s = *state;
    static kiln_entity entities[PLAIN_MEGAS * KILN_MEGA_CHUNKS];
    const kiln_component wide = plain_scene_register(s->world, "wide", KILN_CHUNK_SIZE);
    kiln_archetype archetype;
    kiln_appender appender;
    kiln_entity more;
    uint32_t row, limit = PLAIN_MEGAS * KILN_MEGA_CHUNKS;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, &wide, 1, &archetype));
    assert_int_equal(KILN_OK, kiln_appender_open(s->world, archetype, &wide, 1, &appender));
    for (uint32_t i = 0; i < limit; i++) {
        assert_int_equal(KILN_OK, kiln_appender_next(&appender, &entities[i], &row));
        memset((unsigned char *)appender.columns[0] + (size_t)row * KILN_CHUNK_SIZE, (int)i, 8);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(KILN_LIMIT, kiln_appender_next(&appender, &more, &row));
    assert_true(kiln_entity_is_null(more));
    kiln_appender_close(&appender);
    assert_int_equal(limit, plain_scene_info(s, archetype).rows);
    for (uint32_t i = 0; i < limit; i++) {
        const unsigned char *value = kiln_entity_read(s->world, entities[i], wide);
        assert_true(value && *value == i % 256);
    }
    /* After one row is destroyed, one more fits. */
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[5]));
    assert_int_equal(KILN_OK, kiln_appender_open(s->world, archetype, &wide, 1, &appender));
    assert_int_equal(KILN_OK, kiln_appender_next(&appender, &more, &row));
    assert_int_equal(KILN_LIMIT, kiln_appender_next(&appender, &more, &row));
    kiln_appender_close(&appender);
    assert_int_equal(limit, plain_scene_info(s, archetype).rows);
}

static void appended_rows_stay_when_ids_run_out(void **state)
{
    plain_scene *s = *state;
    static kiln_entity bare[PLAIN_BLOCKS * KILN_BLOCK_ENTITIES];
    kiln_entity entities[3], more;
    uint32_t row;
    uint32_t all = PLAIN_BLOCKS * KILN_BLOCK_ENTITIES - 2;
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, all, bare));
    kiln_appender appender = open(s);
    append(&appender, 0, 2, entities);
    for (int i = 0; i < 3; i++)
        assert_int_equal(KILN_LIMIT, kiln_appender_next(&appender, &more, &row));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, bare[5]));
    append(&appender, 2, 1, entities + 2);
    check(s, 0, 3, entities);
    assert_int_equal(KILN_LIMIT, kiln_appender_next(&appender, &more, &row));
    kiln_appender_close(&appender);
    check(s, 0, 3, entities);
    /* A chunk that was claimed in vain is released. */
    for (int discards = 0; discards < 2; discards++) {
        appender = open(s);
        assert_int_equal(KILN_LIMIT, kiln_appender_next(&appender, &more, &row));
        if (discards)
            kiln_appender_discard(&appender);
        else
            kiln_appender_close(&appender);
        assert_int_equal(1, plain_scene_stats(s).chunks);
        check(s, 0, 3, entities);
    }
}

static void rows_of_only_tags_can_be_appended(void **state)
{
    plain_scene *s = *state;
    static kiln_entity entities[KILN_CHUNK_ROWS_MAX + 100];
    enum { COUNT = sizeof entities / sizeof *entities };
    kiln_archetype archetype;
    kiln_appender appender;
    uint32_t row;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, &s->lit, 1, &archetype));
    assert_int_equal(KILN_OK, kiln_appender_open(s->world, archetype, NULL, 0, &appender));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(KILN_OK, kiln_appender_next(&appender, &entities[i], &row));
    kiln_appender_close(&appender);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(kiln_entity_has(s->world, entities[i], s->lit));
    assert_int_equal(COUNT, plain_scene_info(s, archetype).rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(an_entity_is_alive_at_once_and_a_row_after_closing),
        PLAIN_TEST(appending_is_allowed_during_an_iteration),
        PLAIN_TEST(unused_rows_and_ids_are_released),
        PLAIN_TEST(many_short_loops_leave_no_more_chunks_than_one),
        PLAIN_TEST(chunks_with_another_layout_take_rows_at_closing),
        PLAIN_TEST(other_changes_are_allowed_meanwhile),
        PLAIN_TEST(discarding_leaves_no_entity),
        PLAIN_TEST(existing_entities_survive_a_limit),
        PLAIN_TEST(appended_rows_stay_when_ids_run_out),
        PLAIN_TEST(rows_of_only_tags_can_be_appended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
