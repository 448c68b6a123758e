/* The layout of indices and rows, which writes are recorded as changes, and where values are
 * copied. */
#include "plain_scene.h"

#include <string.h>

enum { MANY = 100000 };

static void check_runs(const plain_scene *s, const kiln_entity *entities, uint32_t count)
{
    uint32_t breaks = 0, lists = 0;
    for (uint32_t i = 1; i < count; i++)
        breaks += entities[i].index != entities[i - 1].index + 1;
    for (kiln_iterator walk = kiln_query_iterate(s->query); kiln_iterator_next(&walk);)
        lists += !walk.chunk->is_run;
    assert_int_equal(0, breaks);
    assert_int_equal(0, lists);
}

static void many_created_at_once_have_consecutive_indices(void **state)
{
    plain_scene *s = *state;
    kiln_entity *entities = calloc(MANY, sizeof *entities);
    assert_non_null(entities);
    kiln_create_args args = {.archetype = s->both, .count = MANY};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
        check_runs(s, entities, MANY);
        uint32_t capacity = plain_scene_info(s, s->both).rows_per_chunk;
        assert_int_equal((MANY + capacity - 1) / capacity, plain_scene_info(s, s->both).chunks);
        assert_int_equal((MANY + 8191) / 8192, plain_scene_stats(s).blocks);
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    }
    free(entities);
}

static void the_last_row_replaces_a_destroyed_entity(void **state)
{
    plain_scene *s = *state;
    kiln_entity entities[5];
    kiln_create_args args = {.archetype = s->both, .count = 5};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
    kiln_row hole = kiln_entity_row(s->world, entities[1]);
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[1]));
    kiln_row filled = kiln_entity_row(s->world, entities[4]);
    assert_true(filled.chunk == hole.chunk && filled.row == hole.row);
    assert_int_equal(4, hole.chunk->count);
    assert_int_equal(3, kiln_entity_row(s->world, entities[3]).row);
}

static void emptied_chunks_are_used_again_before_new_ones(void **state)
{
    plain_scene *s = *state;
    kiln_create_args args = {.archetype = s->both, .count = MANY};
    uint32_t megas = 0;
    for (int round = 0; round < 4; round++) {
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, NULL));
        megas = megas ? megas : plain_scene_stats(s).mega_chunks;
        assert_int_equal(megas, plain_scene_stats(s).mega_chunks);
        assert_int_equal(KILN_OK, round % 2 ? kiln_query_clear(s->query)
                                            : kiln_archetype_clear(s->world, s->both));
        assert_int_equal(megas, plain_scene_stats(s).free_mega_chunks);
        assert_int_equal(0, plain_scene_stats(s).chunks);
    }
    assert_int_equal((size_t)megas * KILN_MEGA_SIZE, kiln_world_trim(s->world));
    assert_int_equal((size_t)megas * KILN_MEGA_SIZE, s->memory.discards);
    /* A discarded page may contain anything, but unwritten rows are zero. */
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_int_equal(0, *(const uint32_t *)kiln_entity_read(s->world, entity, s->light));
}

static void pages_above_the_limit_are_released(void **state)
{
    (void)state;
    static const size_t kept[] = {0, 1, 2 * KILN_MEGA_SIZE, 2 * KILN_MEGA_SIZE + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        world_memory memory;
        world_memory_init(&memory);
        kiln_world_def def = world_memory_def(&memory);
        def.max_free_bytes = kept[i];
        kiln_world *world = NULL;
        kiln_archetype archetype;
        assert_int_equal(KILN_OK, kiln_world_create(&def, &world));
        kiln_component light = plain_scene_register(world, "light", 64);
        assert_int_equal(KILN_OK, kiln_archetype_register(world, &light, 1, &archetype));
        kiln_create_args many = {.archetype = archetype, .count = 5 * 64 * 256};
        size_t expected = kept[i] / KILN_MEGA_SIZE < 5 ? 5 - kept[i] / KILN_MEGA_SIZE : 0;
        for (size_t round = 1; round <= 3; round++) {
            assert_int_equal(KILN_OK, kiln_entity_create_many(world, &many, NULL));
            assert_int_equal(KILN_OK, kiln_archetype_clear(world, archetype));
            assert_int_equal(round * expected * KILN_MEGA_SIZE, memory.discards);
        }
        kiln_world_destroy(world);
    }
}

/* ---- ticks ---- */

static uint32_t count_changed(const plain_scene *s, uint64_t since)
{
    uint32_t chunks = 0;
    for (kiln_iterator walk = kiln_query_iterate_changed(s->query, since);
         kiln_iterator_next(&walk);)
        chunks++;
    return chunks;
}

static void only_written_columns_have_changed(void **state)
{
    plain_scene *s = *state;
    static kiln_entity entities[MANY];
    kiln_create_args args = {.archetype = s->both, .count = MANY};
    uint64_t before = kiln_world_tick(s->world);
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
    uint32_t all = kiln_query_chunks(s->query);
    assert_int_equal(all, count_changed(s, 0));
    assert_int_equal(all, count_changed(s, before));
    uint64_t since = kiln_world_tick(s->world);
    assert_int_equal(0, count_changed(s, since));
    kiln_entity_read(s->world, entities[7], s->light);
    kiln_entity_write(s->world, entities[7], s->position);
    assert_int_equal(0, count_changed(s, since)); /* the query does not include it */
    kiln_entity_write(s->world, entities[MANY / 2], s->light);
    kiln_entity_write(s->world, entities[MANY / 2], s->light);
    assert_int_equal(1, count_changed(s, since));
    kiln_entity_write(s->world, entities[MANY - 1], s->light);
    assert_int_equal(2, count_changed(s, since));
    assert_int_equal(0, count_changed(s, kiln_world_tick(s->world)));
    since = kiln_world_tick(s->world);
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[3]));
    assert_int_equal(1, count_changed(s, since)); /* the chunk to which the last row moved */
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->position, NULL));
    assert_int_equal(1, count_changed(s, since));
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->light, NULL));
    assert_int_equal(all, count_changed(s, since));
}

/* ---- lent memory ---- */

static void a_part_of_an_iteration_may_visit_only_changes(void **state)
{
    enum { PARTS = 3 };
    plain_scene *s = *state;
    static kiln_entity entities[MANY];
    kiln_create_args args = {.archetype = s->both, .count = MANY};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
    uint64_t since = kiln_world_tick(s->world);
    const kiln_entity written[] = {entities[0], entities[MANY / 2], entities[MANY - 1]};
    for (uint32_t i = 0; i < 3; i++)
        assert_non_null(kiln_entity_write(s->world, written[i], s->light));
    uint32_t found = 0;
    for (uint32_t part = 0; part < PARTS; part++) {
        kiln_iterator walk = kiln_query_iterate_part(s->query, part, PARTS);
        assert_int_equal(0, walk.since);
        walk.since = since;
        for (; kiln_iterator_next(&walk); found++)
            assert_ptr_equal(kiln_entity_row(s->world, written[found]).chunk, walk.chunk);
    }
    assert_int_equal(3, found);
}

static void added_memory_is_used_but_never_unmapped(void **state)
{
    plain_scene *s = *state;
    enum { LENT = 3 };
    void *memory = s->memory.pages.map(&s->memory, LENT * KILN_MEGA_SIZE, KILN_CHUNK_ALIGN, false);
    assert_non_null(memory);
    assert_int_equal(KILN_LIMIT, kiln_world_add_memory(s->world, memory, PLAIN_MEGAS + 1));
    assert_int_equal(0, plain_scene_stats(s).mega_chunks);
    assert_int_equal(KILN_OK, kiln_world_add_memory(s->world, memory, LENT));
    assert_int_equal(LENT, plain_scene_stats(s).mega_chunks);
    size_t mappings = s->memory.mapping_count;
    kiln_create_args args = {.archetype = s->both, .count = MANY};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, NULL));
    assert_int_equal(mappings, s->memory.mapping_count - (plain_scene_stats(s).blocks > 2 ? 3 : 0));
    for (kiln_iterator walk = kiln_query_iterate(s->query); kiln_iterator_next(&walk);)
        assert_true(walk.chunk->data >= (unsigned char *)memory &&
                    walk.chunk->data < (unsigned char *)memory + LENT * KILN_MEGA_SIZE);
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    assert_int_equal(0, kiln_world_trim(s->world)); /* the world must not discard it */
    assert_true(kiln_world_is_valid(s->world));
    kiln_query_destroy(s->query);
    kiln_world_destroy(s->world);
    assert_int_equal(1, s->memory.mapping_count);
    s->memory.pages.unmap(&s->memory, memory, LENT * KILN_MEGA_SIZE);
    free(s);
    assert_int_equal(0, plain_scene_begin(state));
}

/* Begins a tick before each row that is created, wherever the row is in its chunk. */
static void a_row_created_after_a_tick_counts_as_a_change(void **state)
{
    plain_scene *s = *state;
    for (uint32_t i = 0; i < 2500; i++) {
        uint64_t since = kiln_world_tick(s->world);
        kiln_entity entity;
        kiln_row row;
        assert_int_equal(0, count_changed(s, since));
        assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, &row));
        assert_int_equal(1, count_changed(s, since));
        memset(kiln_row_at(row, s->light), 0, 4);
    }
}

/* ---- values ---- */

static uint64_t mixed(uint64_t number)
{
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return number ^ number >> 31;
}

/* `count` values of `size` bytes each, at an odd address. */
static unsigned char *make_values(uint32_t count, uint32_t size)
{
    unsigned char *values = malloc((size_t)count * size + 1);
    assert_non_null(values);
    for (size_t i = 0; i < (size_t)count * size; i++)
        values[1 + i] = (unsigned char)mixed(i + size);
    return values;
}

/* Checks that each entity has its value from make_values. */
static void check_values(const plain_scene *s, const kiln_entity *entities, uint32_t count,
                         kiln_component component, const unsigned char *values)
{
    uint32_t size = kiln_component_get(s->world, component)->size;
    for (uint32_t i = 0; i < count; i++) {
        const void *value = kiln_entity_read(s->world, entities[i], component);
        if (!value || memcmp(value, values + 1 + (size_t)i * size, size) != 0)
            fail_msg("row %u of %u, %u bytes each", i, count, size);
    }
}

/* So many that they are copied with non-temporal stores, after rows that misalign them. */
static void values_of_very_many_rows_are_copied_at_every_alignment(void **state)
{
    enum { COUNT = 290000 };
    plain_scene *s = *state;
    kiln_component odd = plain_scene_register(s->world, "odd", 20);
    const kiln_component set[] = {s->position, s->light, odd, s->lit};
    kiln_archetype archetype;
    kiln_entity *entities = calloc(COUNT, sizeof *entities);
    assert_non_null(entities);
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, set, 4, &archetype));
    unsigned char *positions = make_values(COUNT, 12), *odds = make_values(COUNT, 20);
    const kiln_column_values columns[] = {
        {odd, odds + 1}, {s->lit, positions}, {s->position, positions + 1}};
    for (uint32_t before = 0; before < 3; before++) {
        kiln_create_args few = {.archetype = archetype, .count = before};
        kiln_create_args args = {archetype, COUNT, columns, 3};
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &few, NULL));
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
        check_values(s, entities, COUNT, s->position, positions);
        check_values(s, entities, COUNT, odd, odds);
        for (kiln_iterator walk = kiln_query_iterate(s->query); kiln_iterator_next(&walk);) {
            const uint32_t *light = kiln_iterator_read(&walk, s->light);
            for (uint32_t i = 0; i < walk.count; i++)
                assert_true(light[i] == 0); /* not listed, so it is zero */
        }
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    }
    free(entities);
    free(positions);
    free(odds);
}

static void values_of_a_very_large_batch_are_copied(void **state)
{
    enum { COUNT = 530000 };
    plain_scene *s = *state;
    kiln_entity *entities = calloc(COUNT, sizeof *entities);
    assert_non_null(entities);
    unsigned char *positions = make_values(COUNT, 12), *lights = make_values(COUNT, 4);
    const kiln_column_values columns[] = {{s->light, lights + 1}, {s->position, positions + 1}};
    const kiln_fill_args fill = {columns, 2, false};
    kiln_batch *batch = NULL;
    kiln_status status = kiln_batch_reserve(s->world, s->both, COUNT, &batch);
    assert_int_equal(KILN_OK, status);
    for (uint32_t i = 0; i < kiln_batch_part_count(batch); i++) {
        kiln_batch_part part = kiln_batch_get_part(batch, i);
        assert_int_equal(KILN_OK, kiln_batch_fill(batch, i, &fill, entities + part.start));
    }
    assert_int_equal(KILN_OK, kiln_batch_publish(batch));
    check_values(s, entities, COUNT, s->position, positions);
    check_values(s, entities, COUNT, s->light, lights);
    free(entities);
    free(positions);
    free(lights);
}

/* ---- chunks that change archetypes ---- */

static void chunks_are_handed_over_if_their_columns_have_room(void **state)
{
    enum { COUNT = 5000 };
    plain_scene *s = *state;
    static kiln_entity entities[COUNT];
    unsigned char *positions = make_values(COUNT, 12);
    const kiln_component position[] = {s->position}, more[] = {s->position, s->light, s->lit};
    const kiln_column_values column = {s->position, positions + 1};
    const kiln_create_args args = {s->both, COUNT, &column, 1};
    kiln_archetype bare_position, all;
    const uint32_t seven = 7;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, position, 1, &bare_position));
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, more, 3, &all));
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
    const void *first = kiln_entity_read(s->world, entities[0], s->position);
    const void *last = kiln_entity_read(s->world, entities[COUNT - 1], s->position);
    uint32_t chunks = plain_scene_stats(s).chunks;
    for (uint32_t step = 0; step < 6; step++) {
        uint64_t since = kiln_world_tick(s->world);
        if (step % 3 == 0)
            assert_int_equal(KILN_OK, kiln_archetype_remove(s->world, s->both, s->light));
        else if (step % 3 == 1)
            assert_int_equal(KILN_OK,
                             kiln_archetype_add(s->world, bare_position, s->light, &seven));
        else if (step == 2)
            assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->lit, NULL));
        if (step == 2)
            assert_int_equal(KILN_OK, kiln_archetype_move(s->world, all, s->both));
        assert_ptr_equal(first, kiln_entity_read(s->world, entities[0], s->position));
        assert_ptr_equal(last, kiln_entity_read(s->world, entities[COUNT - 1], s->position));
        assert_int_equal(chunks, plain_scene_stats(s).chunks);
        assert_int_equal(step == 5 || step % 3 == 0 ? 0 : chunks, count_changed(s, since));
        check_values(s, entities, COUNT, s->position, positions);
        if (step % 3 == 1)
            assert_int_equal(
                7, *(const uint32_t *)kiln_entity_read(s->world, entities[COUNT / 2], s->light));
        assert_true(kiln_world_is_valid(s->world));
    }
    free(positions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(many_created_at_once_have_consecutive_indices),
        PLAIN_TEST(the_last_row_replaces_a_destroyed_entity),
        PLAIN_TEST(emptied_chunks_are_used_again_before_new_ones),
        PLAIN_TEST(pages_above_the_limit_are_released),
        PLAIN_TEST(only_written_columns_have_changed),
        PLAIN_TEST(a_part_of_an_iteration_may_visit_only_changes),
        PLAIN_TEST(a_row_created_after_a_tick_counts_as_a_change),
        PLAIN_TEST(added_memory_is_used_but_never_unmapped),
        PLAIN_TEST(values_of_very_many_rows_are_copied_at_every_alignment),
        PLAIN_TEST(values_of_a_very_large_batch_are_copied),
        PLAIN_TEST(chunks_are_handed_over_if_their_columns_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
