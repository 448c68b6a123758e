/* An index whose last version has died is retired: it is counted and never reused, and its handles
 * stay dead, however its entity was destroyed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <kiln/appender.h>
#include <kiln/batch.h>
#include <kiln/query.h>
#include <kiln/world.h>

#include "world_object.h"

enum { PLACES = KILN_BLOCK_ENTITIES };

typedef struct scene {
    kiln_world *world;
    kiln_component light;
    kiln_archetype lit;
    kiln_query *query;
    kiln_batch *batch;
    kiln_appender appender;
} scene;

static scene begin_blocks(uint32_t blocks)
{
    scene s = {0};
    kiln_world_def def = kiln_world_def_default();
    def.max_blocks = blocks;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s.world));
    const kiln_component_desc light = {"light", 0, 4, 4, NULL, NULL, 0, 0};
    assert_int_equal(KILN_OK, kiln_component_register(s.world, &light, &s.light));
    assert_int_equal(KILN_OK, kiln_archetype_register(s.world, &s.light, 1, &s.lit));
    const kiln_query_term query = {s.light, KILN_TERM_WITH};
    assert_int_equal(KILN_OK, kiln_query_create(s.world, &query, 1, &s.query));
    return s;
}

static scene begin(void)
{
    return begin_blocks(1);
}

static void end(scene *s)
{
    assert_true(kiln_world_is_valid(s->world));
    kiln_query_destroy(s->query);
    kiln_world_destroy(s->world);
}

/* Gives the entity with this index a version after which only `left` more entities can use the
 * index. Returns its handle. */
static kiln_entity age(scene *s, uint32_t index, uint32_t left)
{
    kiln_record *records = atomic_load(&kiln_world_get_tables(s->world)->blocks[0]);
    atomic_store(&atomic_load(&s->world->ids.blocks[0])->rounds, ID_ROUNDS_MAX);
    kiln_entity entity = {index, UINT32_MAX - 2 * left};
    atomic_store(&records[index].version, entity.version);
    assert_true(kiln_entity_exists(s->world, entity));
    return entity;
}

static void check_retired(const scene *s, const kiln_entity *retired, uint32_t count)
{
    kiln_world_stats stats;
    kiln_world_get_stats(s->world, &stats);
    assert_int_equal(count, stats.retired);
    assert_int_equal(PLACES, stats.live + stats.free + stats.retired);
    for (uint32_t i = 0; i < count; i++) {
        kiln_entity first = {retired[i].index, 1}, null = {retired[i].index, 0};
        assert_false(kiln_entity_exists(s->world, retired[i]));
        assert_false(kiln_entity_exists(s->world, first));
        assert_false(kiln_entity_exists(s->world, null));
        assert_true(kiln_entity_is_null(kiln_entity_at(s->world, retired[i].index)));
        assert_int_equal(KILN_DEAD, kiln_entity_destroy(s->world, retired[i]));
    }
    assert_true(kiln_world_is_valid(s->world));
}

/* All indices are available, one at a time and in bulk, except the retired ones. */
static void check_never_again(scene *s, const kiln_entity *retired, uint32_t count)
{
    static kiln_entity entities[PLACES];
    bool is_retired[PLACES] = {false};
    for (uint32_t i = 0; i < count; i++)
        is_retired[retired[i].index] = true;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
        uint32_t left = PLACES - count;
        kiln_create_args args = {.archetype = s->lit, .count = left};
        if (round == 0)
            assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, left, entities));
        else if (round == 1)
            assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
        for (uint32_t i = 0; round == 2 && i < left; i++)
            assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->lit, &entities[i], NULL));
        for (uint32_t i = 0; i < left; i++)
            assert_false(is_retired[entities[i].index]);
        kiln_entity more;
        assert_int_equal(KILN_LIMIT, kiln_entity_create_empty(s->world, 1, &more));
        check_retired(s, retired, count);
    }
}

static void destroy(scene *s, const kiln_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[i]));
}

static void destroy_many(scene *s, const kiln_entity *entities, uint32_t count)
{
    assert_int_equal(count, kiln_entity_destroy_many(s->world, entities, count));
}

static void clear_archetype(scene *s, const kiln_entity *entities, uint32_t count)
{
    (void)entities, (void)count;
    assert_int_equal(KILN_OK, kiln_archetype_clear(s->world, s->lit));
}

static void clear_query(scene *s, const kiln_entity *entities, uint32_t count)
{
    (void)entities, (void)count;
    assert_int_equal(KILN_OK, kiln_query_clear(s->query));
}

static void clear_world(scene *s, const kiln_entity *entities, uint32_t count)
{
    (void)entities, (void)count;
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
}

static void discard_batch(scene *s, const kiln_entity *entities, uint32_t count)
{
    (void)entities, (void)count;
    kiln_batch_discard(s->batch);
}

static void discard_appender(scene *s, const kiln_entity *entities, uint32_t count)
{
    (void)entities, (void)count;
    kiln_appender_discard(&s->appender);
}

static void create_bare(scene *s, kiln_entity *entities, uint32_t count)
{
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, count, entities));
}

static void create_rows(scene *s, kiln_entity *entities, uint32_t count)
{
    kiln_create_args args = {.archetype = s->lit, .count = count};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
}

static void create_scattered_rows(scene *s, kiln_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kiln_entity between;
        assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->lit, &entities[i], NULL));
        assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, 1, &between));
    }
}

static void create_in_batch(scene *s, kiln_entity *entities, uint32_t count)
{
    kiln_fill_args fill = {NULL, 0, true};
    assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, s->lit, count, &s->batch));
    assert_int_equal(1, kiln_batch_part_count(s->batch));
    assert_int_equal(KILN_OK, kiln_batch_fill(s->batch, 0, &fill, entities));
}

static void append(scene *s, kiln_entity *entities, uint32_t count)
{
    uint32_t row;
    assert_int_equal(KILN_OK, kiln_appender_open(s->world, s->lit, NULL, 0, &s->appender));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(KILN_OK, kiln_appender_next(&s->appender, &entities[i], &row));
}

static void append_and_close(scene *s, kiln_entity *entities, uint32_t count)
{
    append(s, entities, count);
    kiln_appender_close(&s->appender);
}

static void an_id_that_used_its_last_version_is_never_reused(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    static const struct {
        const char *what;
        void (*create)(scene *s, kiln_entity *entities, uint32_t count);
        void (*end)(scene *s, const kiln_entity *entities, uint32_t count);
    } table[] = {
        {"empty entities", create_bare, destroy},
        {"empty entities, in one call", create_bare, destroy_many},
        {"empty entities, by clearing the world", create_bare, clear_world},
        {"rows", create_rows, destroy},
        {"rows, in one call", create_rows, destroy_many},
        {"rows, by clearing the archetype", create_rows, clear_archetype},
        {"rows, by clearing the query", create_rows, clear_query},
        {"rows, by clearing the world", create_rows, clear_world},
        {"scattered rows", create_scattered_rows, destroy},
        {"scattered rows, by clearing the archetype", create_scattered_rows, clear_archetype},
        {"scattered rows, by clearing the world", create_scattered_rows, clear_world},
        {"a discarded batch", create_in_batch, discard_batch},
        {"a discarded appender", append, discard_appender},
        {"appended rows", append_and_close, destroy},
        {"appended rows, by clearing the world", append_and_close, clear_world},
    };
    /* The entities in their last version: one, every seventh, all. */
    static const uint32_t steps[] = {COUNT, 7, 1};
    for (size_t i = 0; i < 3 * (sizeof table / sizeof *table); i++) {
        print_message("%s, each %u\n", table[i / 3].what, steps[i % 3]);
        scene s = begin();
        kiln_entity entities[COUNT], retired[COUNT];
        uint32_t count = 0;
        table[i / 3].create(&s, entities, COUNT);
        for (uint32_t at = 0; at < COUNT; at += steps[i % 3]) {
            retired[count++] = age(&s, entities[at].index, 0);
            entities[at] = retired[count - 1];
        }
        table[i / 3].end(&s, entities, COUNT);
        check_retired(&s, retired, count);
        check_never_again(&s, retired, count);
        end(&s);
    }
}

static void the_last_version_works_like_any_other(void **state)
{
    (void)state;
    scene s = begin();
    kiln_entity entity, last = {0, UINT32_MAX};
    create_bare(&s, &entity, 1);
    entity = age(&s, entity.index, 1);
    last.index = entity.index;
    assert_int_equal(KILN_OK, kiln_entity_destroy(s.world, entity));
    assert_false(kiln_entity_exists(s.world, last));
    check_retired(&s, NULL, 0);
    static kiln_entity entities[PLACES];
    create_rows(&s, entities, PLACES);
    assert_false(kiln_entity_exists(s.world, entity));
    assert_true(kiln_entity_exists(s.world, last));
    const uint32_t value = 7;
    assert_int_equal(KILN_OK, kiln_entity_add(s.world, last, s.light, &value));
    assert_int_equal(7, *(const uint32_t *)kiln_entity_read(s.world, last, s.light));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s.world, last));
    check_retired(&s, &last, 1);
    check_never_again(&s, &last, 1);
    end(&s);
}

static void unused_reserved_ids_keep_their_versions(void **state)
{
    (void)state;
    scene s = begin();
    kiln_entity entity;
    create_bare(&s, &entity, 1);
    entity = age(&s, entity.index, 1);
    assert_int_equal(KILN_OK, kiln_entity_destroy(s.world, entity));
    /* The index is among those reserved, and is returned unused. */
    for (int round = 0; round < 3; round++) {
        assert_int_equal(KILN_OK, kiln_batch_reserve(s.world, s.lit, PLACES, &s.batch));
        kiln_batch_discard(s.batch);
        check_retired(&s, NULL, 0);
    }
    static kiln_entity entities[PLACES];
    create_bare(&s, entities, PLACES);
    kiln_entity last = {entity.index, UINT32_MAX};
    assert_true(kiln_entity_exists(s.world, last));
    end(&s);
}

/* ---- versions that skip ---- */

enum { BLOCKS = 3, ROUNDS = 60 };

/* By index: the last version seen alive. */
static uint32_t seen[BLOCKS * PLACES];

static void see(const kiln_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(entities[i].version % 2 == 1);
        assert_true(entities[i].version > seen[entities[i].index]);
        seen[entities[i].index] = entities[i].version;
    }
}

static void check_seen(const scene *s, uint32_t live)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < BLOCKS * PLACES; i++) {
        kiln_entity entity = {i, seen[i]};
        found += kiln_entity_exists(s->world, entity);
        kiln_entity at = kiln_entity_at(s->world, i);
        assert_true(kiln_entity_is_null(at) || kiln_entity_same(at, entity));
    }
    assert_int_equal(live, found);
    assert_true(kiln_world_is_valid(s->world));
}

static uint32_t next_random(uint32_t *random, uint32_t below)
{
    *random = *random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*random * below >> 32);
}

/* Fills cleared blocks completely, partly or index by index, after different numbers of entities
 * were destroyed one by one. */
static void no_version_is_repeated_in_cleared_worlds(void **state)
{
    (void)state;
    static kiln_entity entities[BLOCKS * PLACES];
    uint32_t random = 1;
    scene s = begin_blocks(BLOCKS);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t count = 0, most = BLOCKS * PLACES - 64;
        while (count < most) {
            uint32_t kind = next_random(&random, 4);
            uint32_t want = 1 + next_random(&random, kind == 0 ? 300 : 2 * PLACES);
            want = want < most - count ? want : most - count;
            if (kind == 0)
                create_rows(&s, entities + count, want);
            else if (kind == 1)
                create_bare(&s, entities + count, want);
            else if (kind == 2)
                append_and_close(&s, entities + count, want);
            else
                create_rows(&s, entities + count, want);
            see(entities + count, want);
            count += want;
            if (next_random(&random, 3) == 0) {
                uint32_t gone = next_random(&random, count + 1);
                assert_int_equal(gone,
                                 kiln_entity_destroy_many(s.world, entities + count - gone, gone));
                count -= gone;
            }
            if (next_random(&random, 6) == 0)
                break;
        }
        check_seen(&s, count);
        assert_int_equal(KILN_OK, kiln_world_clear(s.world));
        check_seen(&s, 0);
    }
    end(&s);
}

/* One index is reused repeatedly while all others are in use. Failed searches in between must not
 * use up versions. */
static void a_cleared_block_continues_from_its_highest_version(void **state)
{
    (void)state;
    static kiln_entity entities[PLACES];
    scene s = begin();
    create_bare(&s, entities, PLACES);
    for (uint32_t i = 0; i < 100; i++) {
        kiln_entity none;
        destroy(&s, &entities[77], 1);
        create_bare(&s, &entities[77], 1);
        assert_int_equal(KILN_LIMIT, kiln_entity_create_empty(s.world, 1, &none));
    }
    uint32_t oldest = entities[77].version;
    assert_int_equal(KILN_OK, kiln_world_clear(s.world));
    create_bare(&s, entities, PLACES);
    for (uint32_t i = 0; i < PLACES; i++)
        assert_int_equal(oldest + 2, entities[i].version);
    end(&s);
}

static void an_id_skips_at_most_half_of_its_versions(void **state)
{
    (void)state;
    static const struct {
        uint32_t rounds,
            version; /* rounds started; version of indices that had one entity before */
    } table[] = {{1, 3}, {500, 1001}, {ID_ROUNDS_MAX - 1, UINT32_MAX / 2 - 2}, {ID_ROUNDS_MAX, 3}};
    for (size_t i = 0; i < 2 * (sizeof table / sizeof *table); i++) {
        static kiln_entity entities[PLACES];
        scene s = begin();
        void (*create)(scene *, kiln_entity *, uint32_t) = i % 2 ? create_rows : create_bare;
        create(&s, entities, PLACES);
        atomic_store(&atomic_load(&s.world->ids.blocks[0])->rounds, table[i / 2].rounds);
        assert_int_equal(KILN_OK, kiln_world_clear(s.world));
        create(&s, entities, PLACES);
        for (uint32_t at = 0; at < PLACES; at++)
            assert_int_equal(table[i / 2].version, entities[at].version);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_that_used_its_last_version_is_never_reused),
        cmocka_unit_test(the_last_version_works_like_any_other),
        cmocka_unit_test(unused_reserved_ids_keep_their_versions),
        cmocka_unit_test(no_version_is_repeated_in_cleared_worlds),
        cmocka_unit_test(a_cleared_block_continues_from_its_highest_version),
        cmocka_unit_test(an_id_skips_at_most_half_of_its_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
