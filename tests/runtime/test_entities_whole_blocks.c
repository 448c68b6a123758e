/* Creating so many that they take whole blocks which were cleared, whose records nobody looks at.
 */
#include "plain_scene.h"

#include <string.h>

/* After a clear, many are created block by block; each place has its row, its value, and a version
 * of its own. */
static void fill(plain_scene *s, kiln_archetype archetype)
{
    enum { MANY = 3 * KILN_BLOCK_ENTITIES + 100 };
    static uint32_t lights[MANY];
    static kiln_entity first[MANY], again[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        lights[i] = i * 3;
    kiln_column_values column = {s->light, lights};
    kiln_create_def def = {archetype, MANY, &column, 1};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, first));
    for (int round = 0; round < 3; round++) {
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, again));
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

/* So many bytes that they are copied past the cache, as are the records. */
static void blocks_that_were_cleared_are_filled_with_many_bytes(void **state)
{
    plain_scene *s = *state;
    kiln_component all[] = {s->light, plain_scene_register(s->world, "wide", 380)};
    kiln_archetype archetype;
    assert_int_equal(KILN_OK, kiln_archetype_of(s->world, all, 2, &archetype));
    fill(s, archetype);
}

static void a_whole_block_goes_back_where_memory_is_refused(void **state)
{
    plain_scene *s = *state;
    enum { MANY = 2 * KILN_BLOCK_ENTITIES };
    static kiln_entity first[MANY], again[MANY];
    kiln_create_def def = {.archetype = s->both, .count = MANY};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, first));
    for (int fails_all = 0; fails_all < 2; fails_all++) {
        kiln_status status = KILN_NO_MEMORY;
        for (size_t ahead = 1, failed = 1; failed; ahead++) {
            assert_int_equal(KILN_OK, kiln_world_clear(s->world));
            failed = s->memory.failed;
            s->memory.fail_at = s->memory.calls + ahead;
            s->memory.fail_rest = fails_all;
            status = kiln_entity_create_many(s->world, &def, again);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(blocks_that_were_cleared_are_filled_whole),
        PLAIN_TEST(blocks_that_were_cleared_are_filled_with_many_bytes),
        PLAIN_TEST(a_whole_block_goes_back_where_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
