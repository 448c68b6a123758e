/* Readers of one component find the same values as kiln_entity_read, whatever happened before and
 * after their creation. */
#include "plain_scene.h"

#include <kiln/reader.h>

enum { COUNT = 40000 }; /* needs more blocks and mega chunks than a new world has */

typedef struct readers {
    kiln_reader position, light, lit;
} readers;

static readers make_readers(const plain_scene *s)
{
    readers r;
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->position, &r.position));
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->light, &r.light));
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->lit, &r.lit));
    return r;
}

static void check_same(const plain_scene *s, const readers *r, kiln_entity entity)
{
    assert_ptr_equal(kiln_entity_read(s->world, entity, s->position),
                     kiln_reader_read(&r->position, entity));
    assert_ptr_equal(kiln_entity_read(s->world, entity, s->light),
                     kiln_reader_read(&r->light, entity));
    assert_ptr_equal(kiln_entity_read(s->world, entity, s->lit), kiln_reader_read(&r->lit, entity));
}

static void check_all_same(const plain_scene *s, const readers *r, const kiln_entity *entities,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        check_same(s, r, entities[i]);
    assert_true(kiln_world_is_valid(s->world));
}

static void invalid_handles_are_read_as_null(void **state)
{
    plain_scene *s = *state;
    kiln_entity entity, gone, bare;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &gone, NULL));
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, 1, &bare));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, gone));
    readers r = make_readers(s);
    const kiln_entity nobodies[] = {{0, 0},
                                    {entity.index, 0},
                                    {entity.index, entity.version + 1},
                                    {entity.index, entity.version + 2},
                                    {entity.index, UINT32_MAX},
                                    gone,
                                    {gone.index, gone.version + 1},
                                    bare,
                                    {KILN_ENTITY_MAX - 1, 1},
                                    {KILN_ENTITY_MAX, 1},
                                    {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < sizeof nobodies / sizeof *nobodies; i++) {
        assert_null(kiln_reader_read(&r.light, nobodies[i]));
        assert_null(kiln_reader_read(&r.lit, nobodies[i]));
    }
    assert_non_null(kiln_reader_read(&r.light, entity));
    assert_null(kiln_reader_read(&r.lit, entity));
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    assert_null(kiln_reader_read(&r.light, entity));
    assert_null(kiln_reader_read(&r.light, (kiln_entity){entity.index, entity.version + 1}));
}

static void a_tag_of_an_entity_has_an_address(void **state)
{
    plain_scene *s = *state;
    readers r = make_readers(s);
    kiln_entity entity;
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    assert_null(kiln_reader_read(&r.lit, entity));
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, entity, s->lit, NULL));
    assert_non_null(kiln_reader_read(&r.lit, entity));
    check_same(s, &r, entity);
    assert_int_equal(KILN_OK, kiln_entity_remove(s->world, entity, s->lit));
    assert_null(kiln_reader_read(&r.lit, entity));
}

/* Created before any chunk exists, and used after each of many changes. */
static void a_reader_finds_later_changes(void **state)
{
    plain_scene *s = *state;
    static kiln_entity entities[COUNT];
    const uint32_t seven = 7;
    readers r = make_readers(s);
    const kiln_component position[] = {s->position}, more[] = {s->position, s->light, s->lit};
    kiln_archetype positions, all;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, position, 1, &positions));
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, more, 3, &all));
    const kiln_create_args args = {.archetype = s->both, .count = COUNT};
    for (uint32_t round = 0; round < 2; round++) {
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
        check_all_same(s, &r, entities, COUNT);
        /* The same chunks change archetypes, whose columns have other offsets. */
        assert_int_equal(KILN_OK, kiln_archetype_remove(s->world, s->both, s->light));
        assert_null(kiln_reader_read(&r.light, entities[COUNT / 2]));
        check_all_same(s, &r, entities, COUNT);
        assert_int_equal(KILN_OK, kiln_archetype_add(s->world, positions, s->light, &seven));
        assert_int_equal(7, *(const uint32_t *)kiln_reader_read(&r.light, entities[COUNT / 2]));
        check_all_same(s, &r, entities, COUNT);
        assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, s->lit, NULL));
        assert_non_null(kiln_reader_read(&r.lit, entities[COUNT / 2]));
        check_all_same(s, &r, entities, COUNT);
        /* Removing the component copies the rows. */
        assert_int_equal(KILN_OK, kiln_archetype_remove(s->world, all, s->position));
        check_all_same(s, &r, entities, COUNT);
        assert_int_equal(KILN_OK, kiln_world_clear(s->world));
        check_all_same(s, &r, entities, COUNT);
        kiln_world_trim(s->world);
    }
}

static void readers_may_be_made_after_entities(void **state)
{
    enum { LATE = 40 };
    plain_scene *s = *state;
    kiln_entity entity;
    kiln_reader late[LATE];
    assert_int_equal(KILN_OK, kiln_entity_create(s->world, s->both, &entity, NULL));
    for (uint32_t i = 0; i < LATE; i++) {
        char name[16] = "late";
        name[4] = (char)('a' + i % 26);
        name[5] = (char)('a' + i / 26);
        kiln_component component = plain_scene_register(s->world, name, 4);
        if (i % 2)
            assert_int_equal(KILN_OK, kiln_reader_init(s->world, component, &late[i]));
        assert_int_equal(KILN_OK, kiln_entity_add(s->world, entity, component, &i));
        if (i % 2 == 0)
            assert_int_equal(KILN_OK, kiln_reader_init(s->world, component, &late[i]));
        for (uint32_t k = 0; k <= i; k++)
            assert_int_equal(k, *(const uint32_t *)kiln_reader_read(&late[k], entity));
    }
}

static void the_rows_of_an_open_batch_are_found(void **state)
{
    enum { ROWS = 3000 };
    plain_scene *s = *state;
    static kiln_entity entities[ROWS];
    kiln_batch *batch;
    kiln_reader before, after;
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->position, &before));
    assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, s->both, ROWS, &batch));
    const kiln_fill_args fill = {NULL, 0, true};
    for (uint32_t i = 0; i < kiln_batch_part_count(batch); i++)
        assert_int_equal(KILN_OK, kiln_batch_fill(batch, i, &fill,
                                                  entities + kiln_batch_get_part(batch, i).start));
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->light, &after));
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_non_null(kiln_reader_read(&before, entities[i]));
        assert_ptr_equal(kiln_entity_read(s->world, entities[i], s->position),
                         kiln_reader_read(&before, entities[i]));
        assert_ptr_equal(kiln_entity_read(s->world, entities[i], s->light),
                         kiln_reader_read(&after, entities[i]));
    }
    kiln_batch_discard(batch);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_null(kiln_reader_read(&before, entities[i]));
}

static void reading_many_gives_the_same_as_reading_each(void **state)
{
    enum { MANY = 100 };
    plain_scene *s = *state;
    kiln_entity entities[MANY + 3];
    const void *values[MANY + 4];
    readers r = make_readers(s);
    for (uint32_t i = 0; i < MANY; i++) {
        kiln_archetype archetype = i % 3 ? s->both : (kiln_archetype){0};
        assert_int_equal(KILN_OK, kiln_entity_create(s->world, archetype, &entities[i], NULL));
    }
    for (uint32_t i = 0; i < MANY; i += 7)
        assert_int_equal(KILN_OK, kiln_entity_destroy(s->world, entities[i]));
    entities[MANY] = kiln_entity_null();
    entities[MANY + 1] = (kiln_entity){KILN_ENTITY_MAX - 1, 1};
    entities[MANY + 2] = (kiln_entity){UINT32_MAX, UINT32_MAX};
    for (uint32_t count = 0; count <= MANY + 3; count++) {
        values[count] = s;
        kiln_reader_read_many(&r.light, entities, count, values);
        for (uint32_t i = 0; i < count; i++)
            assert_ptr_equal(values[i], kiln_reader_read(&r.light, entities[i]));
        assert_ptr_equal(values[count], s);
    }
    assert_non_null(values[1]);
    assert_null(values[7]);
}

/* Creating a reader changes no row, and creating it again gives the same reader. */
static void a_reader_may_be_made_during_an_iteration(void **state)
{
    plain_scene *s = *state;
    kiln_reader first, again;
    const kiln_create_args args = {.archetype = s->both, .count = COUNT};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, NULL));
    kiln_iterator walk = kiln_query_iterate(s->query);
    assert_true(kiln_iterator_next(&walk));
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->light, &first));
    assert_true(kiln_iterator_next(&walk));
    size_t pages = s->memory.page_bytes;
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->light, &again));
    assert_int_equal(pages, s->memory.page_bytes);
    assert_true(first.columns == again.columns && again.size == 4);
    assert_ptr_equal(kiln_iterator_read(&walk, s->light),
                     kiln_reader_read(&first, kiln_iterator_entity(&walk, 0)));
}

/* Creating a reader needs memory in a list, and pages for the reader's table. */
static void making_a_reader_without_memory_fails(void **state)
{
    plain_scene *s = *state;
    kiln_reader reader = {NULL, NULL, 0};
    for (size_t call = 1; call <= 2; call++) {
        s->memory.fail_at = s->memory.calls + call;
        assert_int_equal(KILN_NO_MEMORY, kiln_reader_init(s->world, s->light, &reader));
        assert_null(reader.columns);
        assert_true(kiln_world_is_valid(s->world));
    }
    s->memory.fail_at = 0;
    assert_int_equal(KILN_OK, kiln_reader_init(s->world, s->light, &reader));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(invalid_handles_are_read_as_null),
        PLAIN_TEST(a_tag_of_an_entity_has_an_address),
        PLAIN_TEST(a_reader_finds_later_changes),
        PLAIN_TEST(readers_may_be_made_after_entities),
        PLAIN_TEST(the_rows_of_an_open_batch_are_found),
        PLAIN_TEST(reading_many_gives_the_same_as_reading_each),
        PLAIN_TEST(a_reader_may_be_made_during_an_iteration),
        PLAIN_TEST(making_a_reader_without_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
