/* What <kiln/world.h> and <kiln/query.h> say of single calls, each by itself: edges, and how rows
 * and indices lie, which random histories do not look at. */
#include "world_memory.h"

#include <kiln/batch.h>
#include <kiln/query.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 100000 };

typedef struct scene {
    world_memory memory;
    kiln_world *world;
    kiln_component position, light, lit; /* 12 bytes, 4 bytes, a tag */
    kiln_archetype both;                 /* position and light */
    kiln_query *query;                   /* light */
} scene;

static kiln_component register_plain(kiln_world *world, const char *name, uint32_t size)
{
    const kiln_component_def def = {name, 0, size, size ? 4 : 1, NULL, NULL, 0, 0};
    kiln_component component;
    assert_int_equal(KILN_OK, kiln_component_register(world, &def, &component));
    return component;
}

static int begin(void **state)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    world_memory_init(&s->memory);
    kiln_world_def def = world_memory_def(&s->memory);
    def.max_blocks = 20;
    def.max_mega_chunks = 8;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s->world));
    s->position = register_plain(s->world, "position", 12);
    s->light = register_plain(s->world, "light", 4);
    s->lit = register_plain(s->world, "lit", 0);
    const kiln_component both[] = {s->position, s->light};
    assert_int_equal(KILN_OK, kiln_archetype_of(s->world, both, 2, &s->both));
    kiln_query_def query = {.all = &s->light, .all_count = 1};
    assert_int_equal(KILN_OK, kiln_query_create(s->world, &query, &s->query));
    *state = s;
    return 0;
}

static int end(void **state)
{
    scene *s = *state;
    assert_true(kiln_world_is_valid(s->world));
    kiln_query_destroy(s->query);
    kiln_world_destroy(s->world);
    assert_int_equal(0, s->memory.heap_bytes);
    assert_int_equal(0, s->memory.page_bytes);
    free(s);
    return 0;
}

static kiln_archetype_info info_of(const scene *s, kiln_archetype archetype)
{
    kiln_archetype_info info;
    assert_true(kiln_archetype_get(s->world, archetype, &info));
    return info;
}

static kiln_world_stats stats_of(const scene *s)
{
    kiln_world_stats stats;
    kiln_world_get_stats(s->world, &stats);
    return stats;
}

/* ---- nothing, and too much ---- */

static void nothing_asked_for_is_nothing_done(void **state)
{
    scene *s = *state;
    kiln_create_def many = {.archetype = s->both};
    kiln_batch *batch = NULL;
    assert_int_equal(KILN_OK, kiln_entity_create_bare(s->world, 0, NULL));
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &many, NULL));
    assert_int_equal(0, kiln_entity_destroy_many(s->world, NULL, 0));
    assert_int_equal(KILN_OK, kiln_archetype_clear(s->world, s->both));
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->lit, NULL));
    assert_int_equal(KILN_OK, kiln_archetype_remove(s->world, s->both, s->lit));
    assert_int_equal(KILN_OK, kiln_archetype_move(s->world, s->both, s->both));
    assert_int_equal(KILN_OK, kiln_query_clear(s->query));
    assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, s->both, 0, &batch));
    assert_int_equal(0, kiln_batch_part_count(batch));
    assert_null(kiln_batch_get_part(batch, 0).first.chunk);
    assert_int_equal(KILN_OK, kiln_batch_publish(batch));
    kiln_walk walk = kiln_query_walk(s->query);
    assert_false(kiln_walk_next(&walk));
    assert_int_equal(KILN_OK, walk.status);
    kiln_world_destroy(NULL);
    kiln_query_destroy(NULL);
    kiln_batch_discard(NULL);
    assert_int_equal(0, stats_of(s).live);
    assert_int_equal(0, stats_of(s).blocks);
    assert_int_equal(0, stats_of(s).mega_chunks);
}

static void more_than_a_world_holds_is_refused_before_anything_is_made(void **state)
{
    scene *s = *state;
    static const uint32_t counts[] = {20 * KILN_BLOCK_ENTITIES + 1, KILN_ENTITY_MAX, UINT32_MAX};
    kiln_batch *batch = NULL;
    for (size_t i = 0; i < 3; i++) {
        kiln_create_def many = {.archetype = s->both, .count = counts[i]};
        size_t calls = s->memory.calls;
        assert_int_equal(KILN_LIMIT, kiln_entity_create_many(s->world, &many, NULL));
        assert_int_equal(KILN_LIMIT, kiln_entity_create_bare(s->world, counts[i], NULL));
        assert_int_equal(KILN_LIMIT, kiln_batch_reserve(s->world, s->both, counts[i], &batch));
        assert_int_equal(calls, s->memory.calls);
    }
    assert_null(batch);
    assert_int_equal(0, stats_of(s).blocks);
}

static void handles_of_nobody_read_as_nothing(void **state)
{
    scene *s = *state;
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    const kiln_entity nobodies[] = {{0, 0},
                                    {entity.index, 0},
                                    {entity.index, 2},
                                    {entity.index, 3},
                                    {entity.index, UINT32_MAX},
                                    {entity.index + 1, 1},
                                    {KILN_ENTITY_MAX - 1, 1},
                                    {KILN_ENTITY_MAX, 1},
                                    {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < sizeof nobodies / sizeof *nobodies; i++) {
        assert_false(kiln_entity_exists(s->world, nobodies[i]));
        assert_null(kiln_entity_read(s->world, nobodies[i], s->light));
        assert_null(kiln_entity_write(s->world, nobodies[i], s->light));
        assert_null(kiln_entity_row(s->world, nobodies[i]).chunk);
        assert_int_equal(KILN_DEAD, kiln_entity_destroy(s->world, nobodies[i]));
    }
    const kiln_component foreign = {99}, null = {0};
    assert_null(kiln_entity_read(s->world, entity, foreign));
    assert_null(kiln_entity_write(s->world, entity, foreign));
    assert_null(kiln_entity_read(s->world, entity, null));
    assert_true(kiln_entity_has(s->world, entity, s->light));
    assert_false(kiln_entity_has(s->world, entity, s->lit));
    assert_true(kiln_entity_is_null(kiln_entity_at(s->world, KILN_ENTITY_MAX)));
    assert_true(kiln_entity_is_null(kiln_entity_at(s->world, UINT32_MAX)));
}

/* ---- components ---- */

static void the_same_name_is_the_same_component_or_refused(void **state)
{
    scene *s = *state;
    static const uint32_t places[] = {0};
    const struct {
        kiln_component_def def;
        kiln_status status;
    } table[] = {
        {{"light", 0, 4, 4, NULL, NULL, 0, 0}, KILN_OK},
        {{"light", 1, 4, 4, NULL, NULL, 0, 0}, KILN_DUPLICATE},
        {{"light", 0, 8, 4, NULL, NULL, 0, 0}, KILN_DUPLICATE},
        {{"light", 0, 4, 2, NULL, NULL, 0, 0}, KILN_DUPLICATE},
        {{"light", 0, 0, 1, NULL, NULL, 0, 0}, KILN_DUPLICATE},
        {{"Light", 0, 8, 4, places, NULL, 1, 0}, KILN_OK},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kiln_component component = {0};
        assert_int_equal(table[i].status,
                         kiln_component_register(s->world, &table[i].def, &component));
        assert_true((component.number == s->light.number) == (i == 0));
    }
    const kiln_component foreign = {99}, null = {0};
    assert_int_equal(0, kiln_component_find(s->world, "nothing").number);
    assert_int_equal(0, kiln_component_find(s->world, "").number);
    assert_null(kiln_component_get(s->world, foreign));
    assert_null(kiln_component_get(s->world, null));
}

static void components_may_come_after_archetypes(void **state)
{
    enum { LATE = 150 };
    scene *s = *state;
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, entity, s->lit, NULL));
    assert_int_equal(KILN_OK, kiln_entity_remove(s->world, entity, s->lit));
    for (uint32_t i = 0; i < LATE; i++) {
        char name[16] = "late";
        name[4] = (char)('a' + i % 26);
        name[5] = (char)('a' + i / 26);
        kiln_component late = register_plain(s->world, name, i % 7 ? 4 : 0);
        assert_false(kiln_entity_has(s->world, entity, late));
        assert_int_equal(KILN_OK, kiln_entity_add(s->world, entity, late, &i));
        assert_true(kiln_entity_has(s->world, entity, late));
        if (i % 7)
            assert_int_equal(i, *(const uint32_t *)kiln_entity_read(s->world, entity, late));
        if (i % 3)
            assert_int_equal(KILN_OK, kiln_entity_remove(s->world, entity, late));
    }
    /* One archetype each time where the entity was, and one where it went. */
    assert_true(kiln_world_is_valid(s->world));
    assert_true(kiln_entity_has(s->world, entity, s->position));
}

static void a_row_larger_than_a_chunk_is_too_large(void **state)
{
    scene *s = *state;
    kiln_component whole = register_plain(s->world, "whole", KILN_CHUNK_SIZE);
    const kiln_component set[] = {whole, s->lit}, more[] = {whole, s->light};
    kiln_archetype archetype, unmade;
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_archetype_of(s->world, set, 2, &archetype));
    assert_int_equal(1, info_of(s, archetype).rows_per_chunk);
    uint32_t archetypes = kiln_archetype_count(s->world);
    assert_int_equal(KILN_TOO_LARGE, kiln_archetype_of(s->world, more, 2, &unmade));
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, archetype, &entity, NULL));
    assert_int_equal(KILN_TOO_LARGE, kiln_entity_add(s->world, entity, s->light, NULL));
    assert_int_equal(KILN_TOO_LARGE, kiln_archetype_add(s->world, archetype, s->light, NULL));
    assert_int_equal(archetypes, kiln_archetype_count(s->world));
    assert_true(kiln_entity_has(s->world, entity, whole));
}

/* ---- how they lie ---- */

static void check_runs(const scene *s, const kiln_entity *entities, uint32_t count)
{
    uint32_t breaks = 0, lists = 0;
    for (uint32_t i = 1; i < count; i++)
        breaks += entities[i].index != entities[i - 1].index + 1;
    for (kiln_walk walk = kiln_query_walk(s->query); kiln_walk_next(&walk);)
        lists += !walk.chunk->is_run;
    assert_int_equal(0, breaks);
    assert_int_equal(0, lists);
}

static void many_created_at_once_have_consecutive_indices(void **state)
{
    scene *s = *state;
    kiln_entity *entities = calloc(MANY, sizeof *entities);
    assert_non_null(entities);
    kiln_create_def def = {.archetype = s->both, .count = MANY};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, entities));
        check_runs(s, entities, MANY);
        uint32_t capacity = info_of(s, s->both).rows_per_chunk;
        assert_int_equal((MANY + capacity - 1) / capacity, info_of(s, s->both).chunks);
        assert_int_equal((MANY + 8191) / 8192, stats_of(s).blocks);
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    }
    free(entities);
}

static void whoever_is_destroyed_is_replaced_by_the_last_row(void **state)
{
    scene *s = *state;
    kiln_entity entities[5];
    kiln_create_def def = {.archetype = s->both, .count = 5};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, entities));
    kiln_row hole = kiln_entity_row(s->world, entities[1]);
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[1]));
    kiln_row filled = kiln_entity_row(s->world, entities[4]);
    assert_true(filled.chunk == hole.chunk && filled.row == hole.row);
    assert_int_equal(4, hole.chunk->count);
    assert_int_equal(3, kiln_entity_row(s->world, entities[3]).row);
}

static void emptied_chunks_are_used_again_before_new_ones(void **state)
{
    scene *s = *state;
    kiln_create_def def = {.archetype = s->both, .count = MANY};
    uint32_t megas = 0;
    for (int round = 0; round < 4; round++) {
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, NULL));
        megas = megas ? megas : stats_of(s).mega_chunks;
        assert_int_equal(megas, stats_of(s).mega_chunks);
        assert_int_equal(KILN_OK, round % 2 ? kiln_query_clear(s->query)
                                            : kiln_archetype_clear(s->world, s->both));
        assert_int_equal(megas, stats_of(s).free_mega_chunks);
        assert_int_equal(0, stats_of(s).chunks);
    }
    assert_int_equal((size_t)megas * KILN_MEGA_SIZE, kiln_world_trim(s->world));
    assert_int_equal((size_t)megas * KILN_MEGA_SIZE, s->memory.discards);
    /* What a discarded page holds does not matter: rows that nobody wrote are zero. */
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_int_equal(0, *(const uint32_t *)kiln_entity_read(s->world, entity, s->light));
}

static void pages_above_what_is_kept_are_given_back(void **state)
{
    (void)state;
    static const size_t kept[] = {0, 1, 2 * KILN_MEGA_SIZE, 2 * KILN_MEGA_SIZE + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        world_memory memory;
        world_memory_init(&memory);
        kiln_world_def def = world_memory_def(&memory);
        def.keep_free = kept[i];
        kiln_world *world = NULL;
        kiln_archetype archetype;
        assert_int_equal(KILN_OK, kiln_world_create(&def, &world));
        kiln_component light = register_plain(world, "light", 64);
        assert_int_equal(KILN_OK, kiln_archetype_of(world, &light, 1, &archetype));
        kiln_create_def many = {.archetype = archetype, .count = 5 * 64 * 256};
        size_t expected = kept[i] / KILN_MEGA_SIZE < 5 ? 5 - kept[i] / KILN_MEGA_SIZE : 0;
        for (size_t round = 1; round <= 3; round++) {
            assert_int_equal(KILN_OK, kiln_entity_create_many(world, &many, NULL));
            assert_int_equal(KILN_OK, kiln_archetype_clear(world, archetype));
            assert_int_equal(round * expected * KILN_MEGA_SIZE, memory.discards);
        }
        kiln_world_destroy(world);
    }
}

/* ---- marks ---- */

static uint32_t count_changed(const scene *s, uint64_t since)
{
    uint32_t chunks = 0;
    for (kiln_walk walk = kiln_query_walk_changed(s->query, since); kiln_walk_next(&walk);)
        chunks++;
    return chunks;
}

static void only_what_was_written_has_changed(void **state)
{
    scene *s = *state;
    static kiln_entity entities[MANY];
    kiln_create_def def = {.archetype = s->both, .count = MANY};
    uint64_t before = kiln_world_mark(s->world);
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, entities));
    uint32_t all = kiln_query_chunks(s->query);
    assert_int_equal(all, count_changed(s, 0));
    assert_int_equal(all, count_changed(s, before));
    uint64_t since = kiln_world_mark(s->world);
    assert_int_equal(0, count_changed(s, since));
    kiln_entity_read(s->world, entities[7], s->light);
    kiln_entity_write(s->world, entities[7], s->position);
    assert_int_equal(0, count_changed(s, since)); /* the query does not ask for it */
    kiln_entity_write(s->world, entities[MANY / 2], s->light);
    kiln_entity_write(s->world, entities[MANY / 2], s->light);
    assert_int_equal(1, count_changed(s, since));
    kiln_entity_write(s->world, entities[MANY - 1], s->light);
    assert_int_equal(2, count_changed(s, since));
    assert_int_equal(0, count_changed(s, kiln_world_mark(s->world)));
    since = kiln_world_mark(s->world);
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[3]));
    assert_int_equal(1, count_changed(s, since)); /* where the last row went */
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->position, NULL));
    assert_int_equal(1, count_changed(s, since));
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->light, NULL));
    assert_int_equal(all, count_changed(s, since));
}

/* ---- names ---- */

static void a_name_is_that_of_whoever_got_it_last(void **state)
{
    scene *s = *state;
    kiln_entity e[3];
    assert_int_equal(KILN_OK, kiln_entity_create_bare(s->world, 3, e));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, e[i], "lamp"));
    assert_true(kiln_entity_same(e[2], kiln_entity_find(s->world, "lamp")));
    assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, e[0], "lamp"));
    assert_true(kiln_entity_same(e[0], kiln_entity_find(s->world, "lamp")));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, e[0]));
    assert_true(kiln_entity_same(e[2], kiln_entity_find(s->world, "lamp")));
    assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, e[2], NULL));
    assert_null(kiln_entity_name(s->world, e[2]));
    assert_true(kiln_entity_same(e[1], kiln_entity_find(s->world, "lamp")));
    assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, e[1], ""));
    assert_true(kiln_entity_is_null(kiln_entity_find(s->world, "lamp")));
    assert_true(kiln_entity_is_null(kiln_entity_find(s->world, "")));
}

static void names_of_the_dead_make_room_for_others(void **state)
{
    enum { ALIVE = 100, ROUNDS = 200 };
    scene *s = *state;
    size_t bytes = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        kiln_entity entities[ALIVE];
        assert_int_equal(KILN_OK, kiln_entity_create_bare(s->world, ALIVE, entities));
        for (uint32_t i = 0; i < ALIVE; i++) {
            char name[8] = {(char)('a' + i % 26), (char)('a' + i / 26), 0};
            assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, entities[i], name));
            assert_true(kiln_entity_same(entities[i], kiln_entity_find(s->world, name)));
        }
        assert_int_equal(ALIVE, kiln_entity_destroy_many(s->world, entities, ALIVE));
        if (round == ROUNDS / 2)
            bytes = s->memory.heap_bytes;
    }
    assert_true(s->memory.heap_bytes <= 2 * bytes);
}

/* ---- lent memory ---- */

static void lent_memory_is_used_and_left_alone(void **state)
{
    scene *s = *state;
    enum { LENT = 3 };
    void *memory = s->memory.pages.map(&s->memory, LENT * KILN_MEGA_SIZE, KILN_CHUNK_ALIGN, false);
    assert_non_null(memory);
    assert_int_equal(KILN_LIMIT, kiln_world_lend(s->world, memory, 9));
    assert_int_equal(0, stats_of(s).mega_chunks);
    assert_int_equal(KILN_OK, kiln_world_lend(s->world, memory, LENT));
    assert_int_equal(LENT, stats_of(s).mega_chunks);
    size_t mappings = s->memory.mapping_count;
    kiln_create_def def = {.archetype = s->both, .count = MANY};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, NULL));
    assert_int_equal(mappings, s->memory.mapping_count - (stats_of(s).blocks > 2 ? 3 : 0));
    for (kiln_walk walk = kiln_query_walk(s->query); kiln_walk_next(&walk);)
        assert_true(walk.chunk->data >= (unsigned char *)memory &&
                    walk.chunk->data < (unsigned char *)memory + LENT * KILN_MEGA_SIZE);
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    assert_int_equal(0, kiln_world_trim(s->world)); /* it is not the world's to discard */
    assert_true(kiln_world_is_valid(s->world));
    kiln_query_destroy(s->query);
    kiln_world_destroy(s->world);
    assert_int_equal(1, s->memory.mapping_count);
    s->memory.pages.unmap(&s->memory, memory, LENT * KILN_MEGA_SIZE);
    free(s);
    assert_int_equal(0, begin(state));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_asked_for_is_nothing_done),
        TEST(more_than_a_world_holds_is_refused_before_anything_is_made),
        TEST(handles_of_nobody_read_as_nothing),
        TEST(the_same_name_is_the_same_component_or_refused),
        TEST(components_may_come_after_archetypes),
        TEST(a_row_larger_than_a_chunk_is_too_large),
        TEST(many_created_at_once_have_consecutive_indices),
        TEST(whoever_is_destroyed_is_replaced_by_the_last_row),
        TEST(emptied_chunks_are_used_again_before_new_ones),
        TEST(pages_above_what_is_kept_are_given_back),
        TEST(only_what_was_written_has_changed),
        TEST(a_name_is_that_of_whoever_got_it_last),
        TEST(names_of_the_dead_make_room_for_others),
        TEST(lent_memory_is_used_and_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
