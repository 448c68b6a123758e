/* Mistakes of the program: a debug build asserts, and other builds refuse the call without changes.
 * This program tests whichever build it is part of. */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include "misuse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <kiln/appender.h>
#include <kiln/batch.h>
#include <kiln/query.h>
#include <kiln/reader.h>
#include <kiln/world.h>

typedef struct scene {
    kiln_world *world;
    kiln_component position, light, lit;
    kiln_archetype both;
    kiln_entity empty, lamp; /* without components; with position and light */
    kiln_query *query;
    kiln_batch *batch;
    kiln_entity reserved; /* in the batch, which is not published */
    kiln_appender appender;
    kiln_entity appended; /* in the open appender */
    kiln_world *other;    /* may be NULL */
    kiln_appender others;
    void *lent;
} scene;

static scene begin(void)
{
    scene s = {0};
    kiln_world_def def = kiln_world_def_default();
    def.max_mega_chunks = 2;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s.world));
    const kiln_component_desc position = {"position", 0, 12, 4, NULL, NULL, 0, 0},
                              light = {"light", 0, 4, 4, NULL, NULL, 0, 0}, lit = KILN_TAG(lit);
    assert_int_equal(KILN_OK, kiln_component_register(s.world, &position, &s.position));
    assert_int_equal(KILN_OK, kiln_component_register(s.world, &light, &s.light));
    assert_int_equal(KILN_OK, kiln_component_register(s.world, &lit, &s.lit));
    const kiln_component both[] = {s.light, s.position};
    assert_int_equal(KILN_OK, kiln_archetype_register(s.world, both, 2, &s.both));
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s.world, 1, &s.empty));
    assert_int_equal(KILN_OK, kiln_entity_create(s.world, s.both, &s.lamp, NULL));
    const kiln_query_term query[] = {{both[0], KILN_TERM_WITH}, {both[1], KILN_TERM_WITH}};
    assert_int_equal(KILN_OK, kiln_query_create(s.world, query, 2, &s.query));
    assert_int_equal(KILN_OK, kiln_batch_reserve(s.world, s.both, 2000, &s.batch));
    kiln_fill_args fill = {NULL, 0, true};
    kiln_entity part[2000];
    assert_int_equal(KILN_OK, kiln_batch_fill(s.batch, 0, &fill, part));
    s.reserved = part[0];
    uint32_t row;
    assert_int_equal(KILN_OK, kiln_appender_open(s.world, s.both, both, 2, &s.appender));
    assert_int_equal(KILN_OK, kiln_appender_next(&s.appender, &s.appended, &row));
    return s;
}

static void end(scene *s)
{
    kiln_batch_discard(s->batch);
    kiln_appender_close(&s->appender);
    kiln_appender_close(&s->others);
    kiln_world_destroy(s->other);
    kiln_query_destroy(s->query);
    assert_true(kiln_world_is_valid(s->world));
    kiln_world_destroy(s->world);
    free(s->lent);
}

static const kiln_component foreign_component = {77};
static const kiln_archetype foreign_archetype = {77}, null_archetype = {0};

static kiln_status no_blocks(scene *s)
{
    (void)s;
    kiln_world_def def = kiln_world_def_default();
    kiln_world *world = NULL;
    def.max_blocks = 0;
    kiln_status status = kiln_world_create(&def, &world);
    assert_null(world);
    return status;
}

static kiln_status too_many_blocks(scene *s)
{
    (void)s;
    kiln_world_def def = kiln_world_def_default();
    kiln_world *world;
    def.max_blocks = KILN_BLOCK_MAX + 1;
    return kiln_world_create(&def, &world);
}

static kiln_status no_mega_chunks(scene *s)
{
    (void)s;
    kiln_world_def def = kiln_world_def_default();
    kiln_world *world;
    def.max_mega_chunks = 0;
    return kiln_world_create(&def, &world);
}

static kiln_status too_many_mega_chunks(scene *s)
{
    (void)s;
    kiln_world_def def = kiln_world_def_default();
    kiln_world *world;
    def.max_mega_chunks = KILN_MEGA_MAX + 1;
    return kiln_world_create(&def, &world);
}

static kiln_status zeroed_def(scene *s)
{
    (void)s;
    kiln_world_def def = {0};
    kiln_world *world;
    return kiln_world_create(&def, &world);
}

static kiln_status lend_nothing(scene *s)
{
    return kiln_world_add_memory(s->world, NULL, 1);
}

static kiln_status lend_misaligned(scene *s)
{
    if (posix_memalign(&s->lent, KILN_CHUNK_ALIGN, 2 * KILN_MEGA_SIZE))
        return KILN_NO_MEMORY;
    return kiln_world_add_memory(s->world, (char *)s->lent + 4096, 1);
}

static kiln_status register_nameless(scene *s)
{
    const kiln_component_desc desc = {"", 0, 4, 4, NULL, NULL, 0, 0};
    kiln_component component;
    return kiln_component_register(s->world, &desc, &component);
}

static kiln_status archetype_of_foreign(scene *s)
{
    const kiln_component components[] = {s->light, foreign_component};
    kiln_archetype archetype;
    return kiln_archetype_register(s->world, components, 2, &archetype);
}

static kiln_status archetype_of_null(scene *s)
{
    const kiln_component components[] = {{0}};
    kiln_archetype archetype;
    return kiln_archetype_register(s->world, components, 1, &archetype);
}

static kiln_status create_in_foreign(scene *s)
{
    kiln_entity entity;
    return kiln_entity_create(s->world, foreign_archetype, &entity, NULL);
}

static kiln_status create_many_in_foreign(scene *s)
{
    kiln_create_args args = {.archetype = foreign_archetype, .count = 3};
    return kiln_entity_create_many(s->world, &args, NULL);
}

static kiln_status create_many_with_a_column_too_many(scene *s)
{
    kiln_entity entity;
    kiln_column_values column = {s->lit, &entity};
    kiln_create_args args = {s->both, 1, &column, 1};
    return kiln_entity_create_many(s->world, &args, &entity);
}

static kiln_status read_foreign(scene *s)
{
    kiln_reader reader;
    return kiln_reader_init(s->world, foreign_component, &reader);
}

static kiln_status read_null(scene *s)
{
    const kiln_component null = {0};
    kiln_reader reader;
    return kiln_reader_init(s->world, null, &reader);
}

static kiln_status add_foreign(scene *s)
{
    return kiln_entity_add(s->world, s->lamp, foreign_component, NULL);
}

static kiln_status add_null(scene *s)
{
    const kiln_component null = {0};
    return kiln_entity_add(s->world, s->lamp, null, NULL);
}

static kiln_status remove_foreign(scene *s)
{
    return kiln_entity_remove(s->world, s->lamp, foreign_component);
}

static kiln_status move_to_foreign(scene *s)
{
    return kiln_entity_move(s->world, s->lamp, foreign_archetype);
}

static kiln_status add_foreign_to_archetype(scene *s)
{
    return kiln_archetype_add(s->world, s->both, foreign_component, NULL);
}

static kiln_status add_to_foreign_archetype(scene *s)
{
    return kiln_archetype_add(s->world, foreign_archetype, s->light, NULL);
}

static kiln_status remove_from_foreign_archetype(scene *s)
{
    return kiln_archetype_remove(s->world, foreign_archetype, s->light);
}

static kiln_status move_from_foreign_archetype(scene *s)
{
    return kiln_archetype_move(s->world, foreign_archetype, s->both);
}

static kiln_status move_to_foreign_archetype(scene *s)
{
    return kiln_archetype_move(s->world, s->both, foreign_archetype);
}

static kiln_status clear_foreign_archetype(scene *s)
{
    return kiln_archetype_clear(s->world, foreign_archetype);
}

static kiln_status query_of_no_kind(scene *s)
{
    const kiln_query_term term = {s->light, (kiln_term_kind)(KILN_TERM_OPTIONAL + 1)};
    kiln_query *query;
    return kiln_query_create(s->world, &term, 1, &query);
}

static kiln_status query_foreign(scene *s)
{
    const kiln_query_term term = {foreign_component, KILN_TERM_WITHOUT};
    kiln_query *query;
    return kiln_query_create(s->world, &term, 1, &query);
}

static kiln_status add_foreign_to_query(scene *s)
{
    return kiln_query_add(s->query, foreign_component, NULL);
}

static kiln_status remove_foreign_from_query(scene *s)
{
    return kiln_query_remove(s->query, foreign_component);
}

static kiln_status change_within_a_walk(scene *s)
{
    kiln_iterator walk = kiln_query_iterate(s->query);
    assert_true(kiln_iterator_next(&walk));
    assert_int_equal(KILN_OK, kiln_entity_add(s->world, s->lamp, s->lit, NULL));
    assert_false(kiln_iterator_next(&walk));
    return walk.status;
}

static kiln_status reserve_in_null(scene *s)
{
    kiln_batch *batch;
    return kiln_batch_reserve(s->world, null_archetype, 5, &batch);
}

static kiln_status reserve_in_foreign(scene *s)
{
    kiln_batch *batch;
    return kiln_batch_reserve(s->world, foreign_archetype, 5, &batch);
}

static kiln_status fill_again(scene *s)
{
    kiln_fill_args fill = {NULL, 0, true};
    return kiln_batch_fill(s->batch, 0, &fill, NULL);
}

static kiln_status fill_a_part_too_many(scene *s)
{
    kiln_fill_args fill = {NULL, 0, true};
    return kiln_batch_fill(s->batch, kiln_batch_part_count(s->batch), &fill, NULL);
}

static kiln_status fill_a_column_too_many(scene *s)
{
    static const unsigned char values[2000];
    kiln_column_values column = {s->lit, values};
    kiln_fill_args fill = {&column, 1, true};
    return kiln_batch_fill(s->batch, 1, &fill, NULL);
}

static kiln_status publish_half_filled(scene *s)
{
    return kiln_batch_publish(s->batch);
}

static kiln_status destroy_reserved(scene *s)
{
    return kiln_entity_destroy(s->world, s->reserved);
}

static kiln_status add_to_reserved(scene *s)
{
    return kiln_entity_add(s->world, s->reserved, s->lit, NULL);
}

static kiln_status remove_from_reserved(scene *s)
{
    return kiln_entity_remove(s->world, s->reserved, s->light);
}

static kiln_status move_reserved(scene *s)
{
    return kiln_entity_move(s->world, s->reserved, null_archetype);
}

static kiln_status clear_beside_batch(scene *s)
{
    return kiln_world_clear(s->world);
}

/* In a world without a batch. */
static kiln_status clear_beside_appender(scene *s)
{
    const kiln_component_desc light = {"light", 0, 4, 4, NULL, NULL, 0, 0};
    kiln_component component;
    kiln_archetype archetype;
    kiln_world_def def = kiln_world_def_default();
    def.max_blocks = def.max_mega_chunks = 1;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s->other));
    assert_int_equal(KILN_OK, kiln_component_register(s->other, &light, &component));
    assert_int_equal(KILN_OK, kiln_archetype_register(s->other, &component, 1, &archetype));
    assert_int_equal(KILN_OK, kiln_appender_open(s->other, archetype, NULL, 0, &s->others));
    return kiln_world_clear(s->other);
}

static kiln_status open_in_null(scene *s)
{
    kiln_appender appender;
    return kiln_appender_open(s->world, null_archetype, NULL, 0, &appender);
}

static kiln_status open_in_foreign(scene *s)
{
    kiln_appender appender;
    return kiln_appender_open(s->world, foreign_archetype, NULL, 0, &appender);
}

static kiln_status open_with_a_column_too_many(scene *s)
{
    kiln_appender appender;
    const kiln_component components[] = {s->light, s->lit};
    return kiln_appender_open(s->world, s->both, components, 2, &appender);
}

static kiln_status open_with_more_columns_than_fit(scene *s)
{
    kiln_appender appender;
    kiln_component components[KILN_APPENDER_COLUMNS + 1];
    for (uint32_t i = 0; i <= KILN_APPENDER_COLUMNS; i++)
        components[i] = s->light;
    return kiln_appender_open(s->world, s->both, components, KILN_APPENDER_COLUMNS + 1, &appender);
}

static kiln_status append_to_closed(scene *s)
{
    kiln_appender appender;
    kiln_entity entity;
    uint32_t row;
    assert_int_equal(KILN_OK, kiln_appender_open(s->world, s->both, NULL, 0, &appender));
    kiln_appender_close(&appender);
    return kiln_appender_next(&appender, &entity, &row);
}

static kiln_status destroy_appended(scene *s)
{
    return kiln_entity_destroy(s->world, s->appended);
}

static kiln_status add_to_appended(scene *s)
{
    return kiln_entity_add(s->world, s->appended, s->lit, NULL);
}

static kiln_status remove_from_appended(scene *s)
{
    return kiln_entity_remove(s->world, s->appended, s->light);
}

static kiln_status move_appended(scene *s)
{
    return kiln_entity_move(s->world, s->appended, null_archetype);
}

static kiln_status create_row_of_null(scene *s)
{
    kiln_entity entity;
    kiln_row row;
    return kiln_entity_create(s->world, null_archetype, &entity, &row);
}

static kiln_status create_many_of_null(scene *s)
{
    kiln_create_args args = {.archetype = null_archetype, .count = 3};
    return kiln_entity_create_many(s->world, &args, NULL);
}

static kiln_status clear_null(scene *s)
{
    return kiln_archetype_clear(s->world, null_archetype);
}

static kiln_status add_to_null(scene *s)
{
    return kiln_archetype_add(s->world, null_archetype, s->light, NULL);
}

static kiln_status walk_no_part(scene *s)
{
    kiln_iterator walk = kiln_query_iterate_part(s->query, 2, 2);
    assert_false(kiln_iterator_next(&walk));
    return walk.status;
}

typedef struct misuse {
    const char *what;
    kiln_status (*make)(scene *s);
} misuse;

static const misuse misuses[] = {
    {"a world without blocks", no_blocks},
    {"a world with too many blocks", too_many_blocks},
    {"a world without mega chunks", no_mega_chunks},
    {"a world with too many mega chunks", too_many_mega_chunks},
    {"a zeroed definition", zeroed_def},
    {"no memory lent", lend_nothing},
    {"misaligned lent memory", lend_misaligned},
    {"a component without a name", register_nameless},
    {"an archetype with a foreign component", archetype_of_foreign},
    {"an archetype with the null component", archetype_of_null},
    {"an entity of a foreign archetype", create_in_foreign},
    {"many entities of a foreign archetype", create_many_in_foreign},
    {"values of a component outside the archetype", create_many_with_a_column_too_many},
    {"adding a foreign component", add_foreign},
    {"adding the null component", add_null},
    {"a reader of a foreign component", read_foreign},
    {"a reader of the null component", read_null},
    {"removing a foreign component", remove_foreign},
    {"a move to a foreign archetype", move_to_foreign},
    {"adding a foreign component to an archetype", add_foreign_to_archetype},
    {"adding a component to a foreign archetype", add_to_foreign_archetype},
    {"removing a component from a foreign archetype", remove_from_foreign_archetype},
    {"moving a foreign archetype", move_from_foreign_archetype},
    {"moving an archetype to a foreign one", move_to_foreign_archetype},
    {"clearing a foreign archetype", clear_foreign_archetype},
    {"a query for a foreign component", query_foreign},
    {"a query with a term of unknown kind", query_of_no_kind},
    {"adding a foreign component to a query", add_foreign_to_query},
    {"removing a foreign component from a query", remove_foreign_from_query},
    {"a change during an iteration", change_within_a_walk},
    {"a batch of empty entities", reserve_in_null},
    {"a batch of a foreign archetype", reserve_in_foreign},
    {"filling a part twice", fill_again},
    {"filling a part out of range", fill_a_part_too_many},
    {"filling a component outside the archetype", fill_a_column_too_many},
    {"publishing an incomplete batch", publish_half_filled},
    {"destroying an entity of an open batch", destroy_reserved},
    {"adding a component to an entity of an open batch", add_to_reserved},
    {"removing a component from an entity of an open batch", remove_from_reserved},
    {"moving an entity of an open batch", move_reserved},
    {"clearing the world with an open batch", clear_beside_batch},
    {"clearing the world with an open appender", clear_beside_appender},
    {"an appender of empty entities", open_in_null},
    {"an appender of a foreign archetype", open_in_foreign},
    {"an appender with a component outside the archetype", open_with_a_column_too_many},
    {"an appender with too many columns", open_with_more_columns_than_fit},
    {"appending with a closed appender", append_to_closed},
    {"destroying an entity of an open appender", destroy_appended},
    {"adding a component to an entity of an open appender", add_to_appended},
    {"removing a component from an entity of an open appender", remove_from_appended},
    {"moving an entity of an open appender", move_appended},
    {"a row of the null archetype", create_row_of_null},
    {"many rows of the null archetype", create_many_of_null},
    {"clearing all empty entities", clear_null},
    {"adding a component to all empty entities", add_to_null},
    {"a missing part of an iteration", walk_no_part},
};

typedef struct attempt {
    const misuse *misuse;
    scene *s;
} attempt;

static kiln_status make(void *ctx)
{
    const attempt *a = ctx;
    return a->misuse->make(a->s);
}

static void check(const misuse *m)
{
    scene s = begin();
    kiln_world_stats before, after;
    kiln_world_get_stats(s.world, &before);
    attempt a = {m, &s};
    kiln_status status = misuse_status(make, &a);
    if (status != KILN_BAD_ARGUMENT)
        fail_msg("%s: %s", m->what, kiln_status_name(status));
    kiln_world_get_stats(s.world, &after);
    assert_true(after.live == before.live && after.empty == before.empty &&
                after.chunks == before.chunks);
    assert_true(kiln_entity_has(s.world, s.lamp, s.light));
    assert_true(kiln_entity_has(s.world, s.reserved, s.light));
    assert_true(kiln_entity_has(s.world, s.appended, s.light));
    end(&s);
}

static void a_mistake_stops_a_debug_build_and_is_refused_by_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++)
        check(&misuses[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mistake_stops_a_debug_build_and_is_refused_by_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
