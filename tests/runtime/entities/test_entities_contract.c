/* The contract of <kiln/world.h> for single calls, one statement at a time, including edge cases.
 */
#include "plain_scene.h"

#include <string.h>

/* ---- empty input, and too much ---- */

static void empty_requests_do_nothing(void **state)
{
    plain_scene *s = *state;
    kiln_create_args many = {.archetype = s->both};
    kiln_batch *batch = NULL;
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, 0, NULL));
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
    kiln_iterator walk = kiln_query_iterate(s->query);
    assert_false(kiln_iterator_next(&walk));
    assert_int_equal(KILN_OK, walk.status);
    kiln_world_destroy(NULL);
    kiln_query_destroy(NULL);
    kiln_batch_discard(NULL);
    assert_int_equal(0, plain_scene_stats(s).live);
    assert_int_equal(0, plain_scene_stats(s).blocks);
    assert_int_equal(0, plain_scene_stats(s).mega_chunks);
}

static void requests_above_the_limits_are_rejected_before_any_change(void **state)
{
    plain_scene *s = *state;
    static const uint32_t counts[] = {PLAIN_BLOCKS * KILN_BLOCK_ENTITIES + 1, KILN_ENTITY_MAX,
                                      UINT32_MAX};
    kiln_batch *batch = NULL;
    for (size_t i = 0; i < 3; i++) {
        kiln_create_args many = {.archetype = s->both, .count = counts[i]};
        size_t calls = s->memory.calls;
        assert_int_equal(KILN_LIMIT, kiln_entity_create_many(s->world, &many, NULL));
        assert_int_equal(KILN_LIMIT, kiln_entity_create_empty(s->world, counts[i], NULL));
        assert_int_equal(KILN_LIMIT, kiln_batch_reserve(s->world, s->both, counts[i], &batch));
        assert_int_equal(calls, s->memory.calls);
    }
    /* There are enough ids, but not enough chunks. */
    const kiln_component wide = plain_scene_register(s->world, "wide", KILN_CHUNK_SIZE);
    kiln_create_args rows = {.count = PLAIN_MEGAS * KILN_MEGA_CHUNKS + 1};
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, &wide, 1, &rows.archetype));
    size_t calls = s->memory.calls;
    assert_int_equal(KILN_LIMIT, kiln_entity_create_many(s->world, &rows, NULL));
    assert_int_equal(KILN_LIMIT, kiln_batch_reserve(s->world, rows.archetype, rows.count, &batch));
    assert_int_equal(calls, s->memory.calls);
    assert_null(batch);
    assert_int_equal(0, plain_scene_stats(s).blocks);
    rows.count--;
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &rows, NULL));
}

static void values_of_a_tag_are_ignored(void **state)
{
    plain_scene *s = *state;
    const kiln_component set[] = {s->position, s->lit};
    const kiln_column_values values = {s->lit, NULL};
    kiln_create_args args = {.count = 3, .columns = &values, .column_count = 1};
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, set, 2, &args.archetype));
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, NULL));
    assert_int_equal(3, plain_scene_info(s, args.archetype).rows);
}

/* Ids run out when most of the entities already exist. */
static void creating_many_creates_all_or_none(void **state)
{
    enum { TAKEN = KILN_BLOCK_ENTITIES / 2 + 3, FEW = 100 };
    plain_scene *s = *state;
    uint32_t count = PLAIN_BLOCKS * KILN_BLOCK_ENTITIES - TAKEN;
    kiln_entity *entities = calloc(count + 1, sizeof *entities);
    assert_non_null(entities);
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, TAKEN, entities));
    kiln_create_args few = {.archetype = s->both, .count = FEW};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &few, NULL));
    uint32_t chunks = plain_scene_stats(s).chunks;
    uint64_t since = kiln_world_tick(s->world);
    kiln_create_args many = {.archetype = s->both, .count = count - FEW + 1};
    assert_int_equal(KILN_LIMIT, kiln_entity_create_many(s->world, &many, entities));
    assert_int_equal(TAKEN + FEW, plain_scene_stats(s).live);
    assert_int_equal(chunks, plain_scene_stats(s).chunks);
    assert_int_equal(FEW, plain_scene_info(s, s->both).rows);
    kiln_iterator walk = kiln_query_iterate_changed(s->query, since);
    assert_false(kiln_iterator_next(&walk));
    assert_true(kiln_world_is_valid(s->world));
    many.count--;
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &many, entities));
    assert_int_equal(TAKEN + count, plain_scene_stats(s).live);
    assert_true(kiln_world_is_valid(s->world));
    free(entities);
}

static void invalid_handles_read_as_null(void **state)
{
    plain_scene *s = *state;
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

/* The version in the record of a free index does not belong to any entity. */
static void the_version_of_a_free_record_reads_as_null(void **state)
{
    plain_scene *s = *state;
    kiln_entity entity, bare;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, 1, &bare));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entity));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, bare));
    const kiln_entity free_places[] = {{entity.index, entity.version + 1},
                                       {bare.index, bare.version + 1}};
    for (size_t i = 0; i < 2; i++) {
        assert_false(kiln_entity_exists(s->world, free_places[i]));
        assert_null(kiln_entity_read(s->world, free_places[i], s->light));
        assert_null(kiln_entity_write(s->world, free_places[i], s->light));
        assert_null(kiln_entity_row(s->world, free_places[i]).chunk);
    }
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    assert_null(kiln_entity_read(s->world, free_places[0], s->light));
}

/* Of several free blocks, the first is used first, as in a new world. A world that is still empty
 * may be cleared, too. */
static void after_a_clear_the_first_indices_are_used_again(void **state)
{
    plain_scene *s = *state;
    kiln_create_args args = {.archetype = s->both, .count = 2 * KILN_BLOCK_ENTITIES};
    kiln_entity before, after;
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &before, NULL));
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, NULL));
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &after, NULL));
    assert_int_equal(before.index, after.index);
}

static void reading_many_gives_the_same_as_reading_each(void **state)
{
    enum { COUNT = 100 };
    plain_scene *s = *state;
    kiln_entity entities[COUNT + 3];
    const void *values[COUNT + 4];
    for (uint32_t i = 0; i < COUNT; i++) {
        kiln_archetype archetype = i % 3 ? s->both : (kiln_archetype){0};
        assert_int_equal(KILN_OK, kiln_entity_create(s->world, archetype, &entities[i], NULL));
    }
    for (uint32_t i = 0; i < COUNT; i += 7)
        assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[i]));
    entities[COUNT] = kiln_entity_null();
    entities[COUNT + 1] = (kiln_entity){KILN_ENTITY_MAX - 1, 1};
    entities[COUNT + 2] = (kiln_entity){UINT32_MAX, UINT32_MAX};
    for (uint32_t count = 0; count <= COUNT + 3; count++) {
        values[count] = s;
        kiln_entity_read_many(s->world, entities, count, s->light, values);
        for (uint32_t i = 0; i < count; i++)
            assert_ptr_equal(values[i], kiln_entity_read(s->world, entities[i], s->light));
        assert_ptr_equal(values[count], s);
    }
    assert_non_null(values[1]);
    assert_null(values[7]);
}

/* ---- components ---- */

static void one_name_is_one_component(void **state)
{
    plain_scene *s = *state;
    static const uint32_t places[] = {0};
    const struct {
        kiln_component_desc desc;
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
                         kiln_component_register(s->world, &table[i].desc, &component));
        assert_true((component.number == s->light.number) == (i == 0));
    }
    const kiln_component foreign = {99}, null = {0};
    assert_int_equal(0, kiln_component_find(s->world, "nothing").number);
    assert_int_equal(0, kiln_component_find(s->world, "").number);
    assert_null(kiln_component_get(s->world, foreign));
    assert_null(kiln_component_get(s->world, null));
}

static void components_may_be_registered_after_archetypes(void **state)
{
    enum { LATE = 150 };
    plain_scene *s = *state;
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, entity, s->lit, NULL));
    assert_int_equal(KILN_OK, kiln_entity_remove(s->world, entity, s->lit));
    for (uint32_t i = 0; i < LATE; i++) {
        char name[16] = "late";
        name[4] = (char)('a' + i % 26);
        name[5] = (char)('a' + i / 26);
        kiln_component late = plain_scene_register(s->world, name, i % 7 ? 4 : 0);
        assert_false(kiln_entity_has(s->world, entity, late));
        assert_int_equal(KILN_OK, kiln_entity_add(s->world, entity, late, &i));
        assert_true(kiln_entity_has(s->world, entity, late));
        if (i % 7)
            assert_int_equal(i, *(const uint32_t *)kiln_entity_read(s->world, entity, late));
        if (i % 3)
            assert_int_equal(KILN_OK, kiln_entity_remove(s->world, entity, late));
    }
    assert_true(kiln_world_is_valid(s->world));
    assert_true(kiln_entity_has(s->world, entity, s->position));
}

static void a_row_larger_than_a_chunk_is_too_large(void **state)
{
    plain_scene *s = *state;
    kiln_component whole = plain_scene_register(s->world, "whole", KILN_CHUNK_SIZE);
    const kiln_component set[] = {whole, s->lit}, more[] = {whole, s->light};
    kiln_archetype archetype, unmade;
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, set, 2, &archetype));
    assert_int_equal(1, plain_scene_info(s, archetype).rows_per_chunk);
    uint32_t archetypes = kiln_archetype_count(s->world);
    assert_int_equal(KILN_L_ROW, kiln_archetype_register(s->world, more, 2, &unmade));
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, archetype, &entity, NULL));
    assert_int_equal(KILN_L_ROW, kiln_entity_add(s->world, entity, s->light, NULL));
    assert_int_equal(KILN_L_ROW, kiln_archetype_add(s->world, archetype, s->light, NULL));
    assert_int_equal(archetypes, kiln_archetype_count(s->world));
    assert_true(kiln_entity_has(s->world, entity, whole));
}

static uint32_t light_of(const plain_scene *s, kiln_entity entity, kiln_component component)
{
    uint32_t light = 0;
    const void *bytes = kiln_entity_read(s->world, entity, component);
    assert_non_null(bytes);
    memcpy(&light, bytes, sizeof light);
    return light;
}

static void a_value_may_be_stored_in_another_component(void **state)
{
    enum { COUNT = 3 };
    plain_scene *s = *state;
    const kiln_component shade = plain_scene_register(s->world, "shade", 4);
    const uint32_t lights[COUNT] = {10, 11, 12};
    const kiln_column_values values = {s->light, lights};
    const kiln_create_args args = {s->both, COUNT, &values, 1};
    kiln_entity e[COUNT];
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, e));
    /* The first value is in the entity's own row, which the last row replaces. The second is in the
     * last row, which moves. The third is the component that the call changes in place. */
    const void *own = kiln_entity_read(s->world, e[0], s->light);
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, e[0], shade, own));
    assert_int_equal(10, light_of(s, e[0], shade));
    const void *last = kiln_entity_read(s->world, e[1], s->light);
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, e[2], shade, last));
    assert_int_equal(11, light_of(s, e[2], shade));
    own = kiln_entity_read(s->world, e[2], shade);
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, e[2], shade, own));
    assert_int_equal(11, light_of(s, e[2], shade));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(lights[i], light_of(s, e[i], s->light));
}

static void the_components_of_an_entity_are_found(void **state)
{
    plain_scene *s = *state;
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_int_equal(s->both.number, kiln_entity_archetype(s->world, entity).number);
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, entity, s->lit, NULL));
    kiln_archetype_info info = plain_scene_info(s, kiln_entity_archetype(s->world, entity));
    assert_int_equal(3, info.component_count);
    assert_int_equal(s->light.number, info.components[0].number); /* sorted by name */
    assert_int_equal(s->lit.number, info.components[1].number);
    assert_int_equal(s->position.number, info.components[2].number);
    const kiln_archetype bare = {0};
    assert_int_equal(KILN_OK, kiln_entity_move(s->world, entity, bare));
    assert_int_equal(0, kiln_entity_archetype(s->world, entity).number);
    assert_int_equal(KILN_OK, kiln_entity_move(s->world, entity, s->both));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entity));
    assert_int_equal(0, kiln_entity_archetype(s->world, entity).number);
    assert_int_equal(0, kiln_entity_archetype(s->world, kiln_entity_null()).number);
}

/* ---- names ---- */

static void a_name_belongs_to_the_entity_that_got_it_last(void **state)
{
    plain_scene *s = *state;
    kiln_entity e[3];
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, 3, e));
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

static void an_entity_may_be_named_by_its_own_name(void **state)
{
    plain_scene *s = *state;
    kiln_entity e;
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, 1, &e));
    assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, e, "the lamp in the hall"));
    const char *name = kiln_entity_name(s->world, e);
    assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, e, name));
    assert_true(kiln_entity_same(e, kiln_entity_find(s->world, "the lamp in the hall")));
    name = kiln_entity_name(s->world, e);
    assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, e, name + 4));
    assert_string_equal("lamp in the hall", kiln_entity_name(s->world, e));
    assert_true(kiln_entity_same(e, kiln_entity_find(s->world, "lamp in the hall")));
}

static void names_of_dead_entities_make_room_for_others(void **state)
{
    enum { ALIVE = 100, ROUNDS = 200 };
    plain_scene *s = *state;
    size_t bytes = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        kiln_entity entities[ALIVE];
        assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, ALIVE, entities));
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

/* This would take minutes if each search were linear. */
static void very_many_entities_may_have_one_name(void **state)
{
    enum { COUNT = 100000 };
    plain_scene *s = *state;
    kiln_entity *entities = calloc(COUNT, sizeof *entities);
    assert_non_null(entities);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, COUNT, entities));
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, entities[i], "spark"));
        assert_true(kiln_entity_same(entities[COUNT - 1], kiln_entity_find(s->world, "spark")));
        for (uint32_t i = 0; i < COUNT; i += 2)
            assert_int_equal(KILN_OK, kiln_entity_set_name(s->world, entities[i], NULL));
        assert_int_equal(COUNT, kiln_entity_destroy_many(s->world, entities, COUNT));
        assert_true(kiln_world_is_valid(s->world));
    }
    free(entities);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(empty_requests_do_nothing),
        PLAIN_TEST(requests_above_the_limits_are_rejected_before_any_change),
        PLAIN_TEST(creating_many_creates_all_or_none),
        PLAIN_TEST(invalid_handles_read_as_null),
        PLAIN_TEST(the_version_of_a_free_record_reads_as_null),
        PLAIN_TEST(after_a_clear_the_first_indices_are_used_again),
        PLAIN_TEST(reading_many_gives_the_same_as_reading_each),
        PLAIN_TEST(one_name_is_one_component),
        PLAIN_TEST(components_may_be_registered_after_archetypes),
        PLAIN_TEST(a_row_larger_than_a_chunk_is_too_large),
        PLAIN_TEST(a_value_may_be_stored_in_another_component),
        PLAIN_TEST(the_components_of_an_entity_are_found),
        PLAIN_TEST(a_name_belongs_to_the_entity_that_got_it_last),
        PLAIN_TEST(names_of_dead_entities_make_room_for_others),
        PLAIN_TEST(an_entity_may_be_named_by_its_own_name),
        PLAIN_TEST(very_many_entities_may_have_one_name),
        PLAIN_TEST(values_of_a_tag_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
