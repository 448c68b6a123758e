/* Creating so many entities that they take whole cleared blocks, whose records are not read. */
#include "plain_scene.h"

#include <string.h>

/* After a clear, many entities are created block by block. Each index has its row, its value and a
 * new version. */
static void fill(plain_scene *s, kiln_archetype archetype)
{
    enum { MANY = 3 * KILN_BLOCK_ENTITIES + 100 };
    static uint32_t lights[MANY];
    static kiln_entity first[MANY], again[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        lights[i] = i * 3;
    kiln_column_values column = {s->light, lights};
    kiln_create_args args = {archetype, MANY, &column, 1};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, first));
    for (int round = 0; round < 3; round++) {
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, again));
        assert_true(kiln_world_is_valid(s->world));
        for (uint32_t i = 0; i < MANY; i++) {
            const uint32_t *light = kiln_entity_read(s->world, again[i], s->light);
            assert_true(light && *light == lights[i]);
            assert_int_equal(i, again[i].index);
            assert_true(again[i].version > first[i].version);
            assert_false(kiln_entity_exists(s->world, first[i]));
        }
        memcpy(first, again, sizeof first);
    }
    assert_int_equal(MANY, plain_scene_stats(s).live);
    assert_int_equal(4, plain_scene_stats(s).blocks);
}

static void blocks_that_were_cleared_are_filled_whole(void **state)
{
    plain_scene *s = *state;
    fill(s, s->both);
}

/* So many bytes that they and the records are copied with non-temporal stores. */
static void blocks_that_were_cleared_are_filled_with_many_bytes(void **state)
{
    plain_scene *s = *state;
    kiln_component all[] = {s->light, plain_scene_register(s->world, "wide", 380)};
    kiln_archetype archetype;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, all, 2, &archetype));
    fill(s, archetype);
}

static void a_whole_block_is_released_if_memory_runs_out(void **state)
{
    plain_scene *s = *state;
    enum { MANY = 2 * KILN_BLOCK_ENTITIES };
    static kiln_entity first[MANY], again[MANY];
    kiln_create_args args = {.archetype = s->both, .count = MANY};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, first));
    for (int fails_all = 0; fails_all < 2; fails_all++) {
        kiln_status status = KILN_NO_MEMORY;
        for (size_t ahead = 1, failed = 1; failed; ahead++) {
            assert_int_equal(KILN_OK, kiln_world_clear(s->world));
            failed = s->memory.failed;
            s->memory.fail_at = s->memory.calls + ahead;
            s->memory.fail_rest = fails_all;
            status = kiln_entity_create_many(s->world, &args, again);
            s->memory.fail_at = 0;
            failed = s->memory.failed - failed;
            assert_true(ahead > 1 || failed > 0);
            assert_true(kiln_world_is_valid(s->world));
            assert_int_equal(status ? 0 : MANY, plain_scene_stats(s).live);
            assert_true(status == KILN_OK || (status == KILN_NO_MEMORY && failed));
            for (uint32_t i = 0; i < MANY; i++)
                assert_false(kiln_entity_exists(s->world, first[i]));
        }
        assert_int_equal(KILN_OK, status);
    }
}

/* ---- batches ---- */

enum { BATCH = 3 * KILN_BLOCK_ENTITIES + 100 };

static uint32_t batch_lights[BATCH];
static kiln_entity batch_before[BATCH], batch_told[BATCH];

/* A batch that uses all indices of blocks in which other entities lived before a clear. */
static kiln_batch *reserve_after_a_clear(plain_scene *s, kiln_archetype archetype)
{
    kiln_create_args args = {.archetype = archetype, .count = BATCH};
    kiln_batch *batch;
    for (uint32_t i = 0; i < BATCH; i++)
        batch_lights[i] = i * 3;
    memset(batch_told, 0, sizeof batch_told);
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, batch_before));
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, archetype, BATCH, &batch));
    assert_int_equal(0, plain_scene_stats(s).live);
    return batch;
}

static void fill_part(plain_scene *s, kiln_batch *batch, uint32_t number, bool is_told)
{
    uint32_t start = kiln_batch_get_part(batch, number).start;
    kiln_column_values column = {s->light, batch_lights};
    kiln_fill_args args = {&column, 1, true};
    assert_int_equal(KILN_OK,
                     kiln_batch_fill(batch, number, &args, is_told ? batch_told + start : NULL));
}

/* Once a part is filled, its entities are found by their indices. Before that, the indices have no
 * entities. */
static void look_at_part(const plain_scene *s, const kiln_batch *batch, uint32_t number,
                         bool is_filled)
{
    kiln_batch_part part = kiln_batch_get_part(batch, number);
    for (uint32_t i = part.start; i < part.start + part.count; i++) {
        kiln_entity entity = kiln_entity_at(s->world, i);
        assert_false(kiln_entity_exists(s->world, batch_before[i]));
        assert_true(kiln_entity_is_null(entity) == !is_filled);
        if (!is_filled)
            continue;
        const uint32_t *light = kiln_entity_read(s->world, entity, s->light);
        assert_true(light && *light == batch_lights[i]);
        assert_true(entity.version > batch_before[i].version);
        batch_told[i] = entity;
    }
}

/* The information requested from a batch while it is filled, and the order of filling. */
typedef struct batch_case {
    bool is_backward;
    uint32_t told;   /* entities of every `told`-th part are requested; 0: of none */
    uint32_t looked; /* all parts are read after every `looked`-th part; 0: never */
} batch_case;

static const batch_case batch_cases[] = {{false, 0, 0}, {true, 0, 0}, {false, 1, 0}, {false, 7, 0},
                                         {false, 0, 9}, {true, 5, 3}, {true, 0, 1}};

static void fill_parts(plain_scene *s, kiln_batch *batch, const batch_case *at, uint32_t end)
{
    uint32_t parts = kiln_batch_part_count(batch), filled = 0;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t number = at->is_backward ? parts - 1 - i : i;
        bool is_told = at->told && i % at->told == at->told - 1;
        fill_part(s, batch, number, is_told);
        kiln_batch_part part = kiln_batch_get_part(batch, number);
        filled += part.count;
        assert_int_equal(filled, plain_scene_stats(s).live);
        assert_int_equal(0, plain_scene_stats(s).empty);
        assert_true(kiln_world_is_valid(s->world));
        for (uint32_t k = part.start; k < part.start + part.count; k++) {
            assert_false(kiln_entity_exists(s->world, batch_before[k]));
            assert_true(!is_told || kiln_entity_exists(s->world, batch_told[k]));
        }
        for (uint32_t k = 0; at->looked && i % at->looked == at->looked - 1 && k < parts; k++)
            look_at_part(s, batch, k, at->is_backward ? k >= number : k <= number);
    }
}

static void a_batch_fills_cleared_blocks_part_by_part(kiln_archetype archetype, plain_scene *s,
                                                      const batch_case *at)
{
    kiln_batch *batch = reserve_after_a_clear(s, archetype);
    fill_parts(s, batch, at, kiln_batch_part_count(batch));
    for (uint32_t i = 0; i < kiln_batch_part_count(batch); i++)
        look_at_part(s, batch, i, true);
    assert_int_equal(KILN_OK, kiln_batch_publish(batch));
    assert_true(kiln_world_is_valid(s->world));
    assert_int_equal(BATCH, kiln_entity_destroy_many(s->world, batch_told, BATCH));
}

static void entities_of_cleared_blocks_are_alive_once_their_part_is_filled(void **state)
{
    plain_scene *s = *state;
    for (size_t i = 0; i < sizeof batch_cases / sizeof *batch_cases; i++)
        a_batch_fills_cleared_blocks_part_by_part(s->both, s, &batch_cases[i]);
}

/* The records are written with non-temporal stores. */
static void entities_are_alive_after_streaming_copies_too(void **state)
{
    plain_scene *s = *state;
    kiln_component all[] = {s->light, plain_scene_register(s->world, "wide", 380)};
    kiln_archetype archetype;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, all, 2, &archetype));
    const batch_case at = {false, 199, 217};
    a_batch_fills_cleared_blocks_part_by_part(archetype, s, &at);
}

/* So many rows per chunk that some part begins in one block and ends in the next. */
static void a_part_in_two_blocks_returns_all_entities(void **state)
{
    plain_scene *s = *state;
    kiln_component all[] = {s->light, plain_scene_register(s->world, "twelve", 12),
                            plain_scene_register(s->world, "four", 4)};
    kiln_archetype archetype;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, all, 3, &archetype));
    assert_int_not_equal(0, KILN_BLOCK_ENTITIES % plain_scene_info(s, archetype).rows_per_chunk);
    const batch_case at = {false, 1, 0};
    a_batch_fills_cleared_blocks_part_by_part(archetype, s, &at);
}

static void a_discarded_batch_leaves_cleared_blocks_empty(void **state)
{
    plain_scene *s = *state;
    for (size_t i = 0; i < sizeof batch_cases / sizeof *batch_cases; i++) {
        for (uint32_t quarters = 0; quarters <= 4; quarters++) {
            kiln_batch *batch = reserve_after_a_clear(s, s->both);
            uint32_t parts = kiln_batch_part_count(batch);
            memset(batch_told, 0, sizeof batch_told);
            fill_parts(s, batch, &batch_cases[i], parts * quarters / 4);
            kiln_batch_discard(batch);
            assert_int_equal(0, plain_scene_stats(s).live);
            assert_true(kiln_world_is_valid(s->world));
            kiln_create_args args = {.archetype = s->both, .count = BATCH};
            assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, NULL));
            for (uint32_t k = 0; k < BATCH; k++) {
                assert_false(kiln_entity_exists(s->world, batch_before[k]));
                assert_false(kiln_entity_exists(s->world, batch_told[k]));
            }
            assert_int_equal(4, plain_scene_stats(s).blocks);
            assert_int_equal(KILN_OK, kiln_world_clear(s->world));
        }
    }
}

/* Entities from before a clear are dead, and there are none from index `from` on. */
static void expect_none(const plain_scene *s, uint32_t from)
{
    assert_int_equal(from, plain_scene_stats(s).live);
    assert_true(kiln_world_is_valid(s->world));
    for (uint32_t i = 0; i < BATCH; i++)
        assert_false(kiln_entity_exists(s->world, batch_before[i]));
    assert_true(kiln_entity_is_null(kiln_entity_next(s->world, from)));
}

static void a_batch_releases_whole_blocks_if_memory_runs_out(void **state)
{
    plain_scene *s = *state;
    kiln_create_args args = {.archetype = s->both, .count = BATCH};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, batch_before));
    size_t failed = 1;
    for (size_t ahead = 1; failed; ahead++) {
        kiln_batch *batch = NULL;
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
        failed = s->memory.failed;
        s->memory.fail_at = s->memory.calls + ahead;
        kiln_status status = kiln_batch_reserve(s->world, s->both, BATCH, &batch);
        s->memory.fail_at = 0;
        failed = s->memory.failed - failed;
        expect_none(s, 0);
        kiln_batch_discard(batch);
        assert_true(ahead > 1 || failed);
        assert_int_equal(batch ? KILN_OK : KILN_NO_MEMORY, status);
    }
}

static void a_batch_releases_whole_blocks_if_chunks_run_out(void **state)
{
    plain_scene *s = *state;
    kiln_component wide[] = {plain_scene_register(s->world, "wide", 500),
                             plain_scene_register(s->world, "whole", KILN_CHUNK_SIZE)};
    kiln_archetype many, whole;
    kiln_batch *batch;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, &wide[0], 1, &many));
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, &wide[1], 1, &whole));
    kiln_create_args args = {.archetype = many, .count = BATCH};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, batch_before));
    uint32_t chunks = plain_scene_info(s, many).chunks;
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    /* So many other entities that one chunk is missing. */
    kiln_create_args others = {.archetype = whole,
                               .count = PLAIN_MEGAS * KILN_MEGA_CHUNKS - chunks + 1};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &others, NULL));
    assert_int_equal(KILN_LIMIT, kiln_batch_reserve(s->world, many, BATCH, &batch));
    expect_none(s, others.count);
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, kiln_entity_at(s->world, 0)));
    assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, many, BATCH, &batch));
    const kiln_fill_args zeros = {NULL, 0, true};
    for (uint32_t i = 0; i < kiln_batch_part_count(batch); i++)
        assert_int_equal(KILN_OK, kiln_batch_fill(batch, i, &zeros, NULL));
    assert_int_equal(KILN_OK, kiln_batch_publish(batch));
    assert_int_equal(BATCH + others.count - 1, plain_scene_stats(s).live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(blocks_that_were_cleared_are_filled_whole),
        PLAIN_TEST(blocks_that_were_cleared_are_filled_with_many_bytes),
        PLAIN_TEST(a_whole_block_is_released_if_memory_runs_out),
        PLAIN_TEST(entities_of_cleared_blocks_are_alive_once_their_part_is_filled),
        PLAIN_TEST(entities_are_alive_after_streaming_copies_too),
        PLAIN_TEST(a_part_in_two_blocks_returns_all_entities),
        PLAIN_TEST(a_discarded_batch_leaves_cleared_blocks_empty),
        PLAIN_TEST(a_batch_releases_whole_blocks_if_memory_runs_out),
        PLAIN_TEST(a_batch_releases_whole_blocks_if_chunks_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
