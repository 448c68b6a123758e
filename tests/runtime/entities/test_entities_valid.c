/* kiln_world_is_valid detects each invalid state: a valid world is damaged in one field after
 * another, and repaired. */
#include "query_object.h"

#include <kiln/reader.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1500, HOT = 1536 };

typedef struct scene {
    kiln_world *world;
    kiln_entity rows[ROWS], empty, dead;
    archetype *lit, *unlit; /* `unlit` has a chunk with the layout of `lit` */
    archetype *cut;         /* all its full chunks were cut */
    kiln_query *query;
    kiln_reader positions, lights;
} scene;

static scene s;

static kiln_component register_plain(const char *name, uint32_t size)
{
    const kiln_component_desc desc = {name, 0, size, 4, NULL, NULL, 0, 0};
    kiln_component component;
    assert_int_equal(KILN_OK, kiln_component_register(s.world, &desc, &component));
    return component;
}

static int begin(void **state)
{
    (void)state;
    kiln_world_def def = kiln_world_def_default();
    kiln_archetype lit;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s.world));
    const kiln_component both[] = {register_plain("position", 12), register_plain("light", 4)};
    assert_int_equal(KILN_OK, kiln_archetype_register(s.world, both, 2, &lit));
    const kiln_query_term query = {both[0], KILN_TERM_WITH};
    assert_int_equal(KILN_OK, kiln_query_create(s.world, &query, 1, &s.query));
    assert_int_equal(KILN_OK, kiln_reader_init(s.world, both[0], &s.positions));
    assert_int_equal(KILN_OK, kiln_reader_init(s.world, both[1], &s.lights));
    kiln_create_args many = {.archetype = lit, .count = 100};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s.world, &many, s.rows));
    assert_int_equal(KILN_OK, kiln_archetype_remove(s.world, lit, both[1]));
    s.lit = world_archetype(s.world, lit);
    s.unlit = chunk_archetype(s.world, kiln_entity_row(s.world, s.rows[0]).chunk);
    const kiln_component hot[] = {both[0], both[1], register_plain("heat", 8)};
    kiln_archetype cut;
    many.count = HOT;
    assert_int_equal(KILN_OK, kiln_archetype_register(s.world, hot, 3, &cut));
    assert_int_equal(KILN_OK, kiln_entity_create_many(s.world, &many, NULL));
    assert_int_equal(KILN_OK, kiln_archetype_add(s.world, lit, hot[2], NULL));
    s.cut = world_archetype(s.world, cut);
    many.count = ROWS;
    assert_int_equal(KILN_OK, kiln_entity_create_many(s.world, &many, s.rows));
    assert_int_equal(KILN_OK, kiln_entity_create(s.world, lit, &s.empty, NULL));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s.world, s.empty));
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s.world, 1, &s.empty));
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s.world, 1, &s.dead));
    assert_int_equal(KILN_OK, kiln_entity_destroy(s.world, s.dead));
    assert_int_equal(KILN_OK, kiln_entity_set_name(s.world, s.empty, "lamp"));
    return 0;
}

static int end(void **state)
{
    (void)state;
    kiln_query_destroy(s.query);
    kiln_world_destroy(s.world);
    return 0;
}

static kiln_record *record_of(kiln_entity entity)
{
    return kiln_id_record(&s.world->ids, entity.index);
}

static kiln_chunk *chunk_at(const archetype *a, uint32_t order)
{
    return &s.world->tables.chunks[a->chunks[order]];
}

/* A field and the bits that are flipped. */
typedef struct damage {
    const char *what;
    void *field;
    size_t size; /* 4 or 8 */
    uint64_t bits;
} damage;

#define DAMAGE(what, field, bits)                                                                  \
    {                                                                                              \
        (what), &(field), sizeof(field), (bits)                                                    \
    }

static void turn(const damage *d)
{
    uint32_t narrow;
    uint64_t wide;
    assert_true(d->size == sizeof narrow || d->size == sizeof wide);
    if (d->size == sizeof narrow) {
        memcpy(&narrow, d->field, sizeof narrow);
        narrow ^= (uint32_t)d->bits;
        memcpy(d->field, &narrow, sizeof narrow);
    } else {
        memcpy(&wide, d->field, sizeof wide);
        wide ^= d->bits;
        memcpy(d->field, &wide, sizeof wide);
    }
}

static void check(const damage *damages, size_t count)
{
    assert_true(kiln_world_is_valid(s.world));
    for (size_t i = 0; i < count; i++) {
        turn(&damages[i]);
        if (kiln_world_is_valid(s.world))
            fail_msg("not detected: %s", damages[i].what);
        turn(&damages[i]);
    }
    assert_true(kiln_world_is_valid(s.world));
}

#define CHECK_ALL(damages) check(damages, sizeof damages / sizeof *damages)

static void damaged_ids_are_detected(void **state)
{
    (void)state;
    kiln_id_store *ids = &s.world->ids;
    kiln_id_block *block = atomic_load(&ids->blocks[0]);
    uint32_t free_word = 8000 / 64;
    const damage damages[] = {
        DAMAGE("the record of a row with a dead version", record_of(s.rows[7])->version, 1),
        DAMAGE("the record of an empty entity with a dead version", record_of(s.empty)->version, 1),
        DAMAGE("the record of a dead entity with a living version", record_of(s.dead)->version, 1),
        DAMAGE("the record of an entity with a wrong row", record_of(s.rows[7])->place, 1),
        DAMAGE("the record of an empty entity with a row", record_of(s.empty)->place, 1),
        DAMAGE("the record of a dead entity with a row", record_of(s.dead)->place, 1),
        DAMAGE("a retired index with a living entity", record_of(s.empty)->is_retired, 1),
        DAMAGE("a retired index that is free", record_of(s.dead)->is_retired, 1),
        DAMAGE("a living entity whose index is free", block->taken[s.rows[7].index / 64], 0xff),
        DAMAGE("an index in use without an entity", block->taken[free_word], 2),
        DAMAGE("a wrong word of spare indices", block->spare_word, 1),
        DAMAGE("a block that is locked", block->busy, 1),
        DAMAGE("a wrong count of retired indices", block->retired, 1),
        DAMAGE("a wrong number of a block", block->number, 1),
        DAMAGE("a wrong number of rounds", block->rounds, 1),
        DAMAGE("a block flagged as pure", block->is_pure, 1),
        DAMAGE("a block flagged as stale", block->is_stale, 1),
        DAMAGE("a block with free indices outside the set of open blocks", ids->open[0], 1),
        DAMAGE("a wrong count of blocks", ids->made, 2),
        DAMAGE("a wrong count of set-aside indices", ids->stash.count, 1),
    };
    CHECK_ALL(damages);
}

/* The address at which a reader finds the columns of an archetype's first chunk. */
static const unsigned char **column_of(kiln_reader reader, const archetype *a)
{
    return (const unsigned char **)(uintptr_t)&reader.columns[a->chunks[0]];
}

static void damaged_chunks_are_detected(void **state)
{
    (void)state;
    kiln_chunk_store *store = &s.world->chunks;
    const damage damages[] = {
        DAMAGE("a chunk in use among the free chunks", store->megas[0].free, 1),
        DAMAGE("a free chunk among those in use", store->megas[0].free, UINT64_C(1) << 63),
        DAMAGE("a mega chunk outside the set of those with free chunks", store->some[0], 1),
        DAMAGE("a wrong count of completely free mega chunks", store->idle, 1),
        DAMAGE("a wrong count of mega chunks", store->made, 4),
        DAMAGE("a wrong count of rows in a chunk", chunk_at(s.lit, 0)->count, 1),
        DAMAGE("a chunk with a wrong position in the list", chunk_at(s.lit, 1)->order, 1),
        DAMAGE("a chunk with a wrong archetype", chunk_at(s.lit, 0)->archetype, 1),
        DAMAGE("a chunk with a wrong layout", chunk_at(s.lit, 0)->layout, 1),
        DAMAGE("a chunk with too high a capacity", chunk_at(s.lit, 1)->capacity, 1),
        DAMAGE("a handed-over chunk with too high a capacity", chunk_at(s.unlit, 0)->capacity,
               1 << 16),
        DAMAGE("a handed-over chunk with the archetype's own layout", chunk_at(s.unlit, 0)->layout,
               s.lit->layout.number ^ s.unlit->layout.number),
        DAMAGE("a cut chunk with too high a capacity", chunk_at(s.cut, 0)->capacity, 64),
        DAMAGE("a cut chunk with the archetype's own layout", chunk_at(s.cut, 0)->layout,
               chunk_at(s.cut, 0)->layout ^ s.cut->layout.number),
        DAMAGE("a chunk with a layout that does not exist", chunk_at(s.lit, 0)->layout, 1 << 20),
        DAMAGE("a chunk with the columns of a different layout", chunk_at(s.cut, 0)->columns,
               (uintptr_t)chunk_at(s.cut, 0)->columns ^ (uintptr_t)s.cut->columns),
        DAMAGE("a chunk with a wrong column limit", chunk_at(s.lit, 0)->column_limit, 1),
        DAMAGE("a run with a wrong first entity", chunk_at(s.lit, 0)->first, 1),
        DAMAGE("a reader with a wrong column offset", *column_of(s.positions, s.lit), 4),
        DAMAGE("a reader with the offset of a removed column", *column_of(s.lights, s.unlit), 4),
        DAMAGE("the chunk number 0 with columns", s.world->tables.chunks[0].column_limit, 1),
    };
    CHECK_ALL(damages);
}

static void damaged_archetypes_queries_and_names_are_detected(void **state)
{
    (void)state;
    kiln_names *names = &s.world->names;
    const damage damages[] = {
        DAMAGE("a wrong count of rows", s.lit->rows, 1),
        DAMAGE("a wrong count of full chunks", s.lit->full, 1),
        DAMAGE("a wrong count of unlisted chunks", s.lit->unlisted, 1),
        DAMAGE("a query that misses an archetype", s.query->matches.count, 1),
        DAMAGE("a query for another component", s.query->components[0].number, 1),
        DAMAGE("a name with the wrong hash", names->slots[0].hash, 1),
        DAMAGE("a name with a wrong entity", names->slots[0].entity.index, 1),
        DAMAGE("a wrong count of names", names->used, 2),
        DAMAGE("a wrong list of free names", names->free, 1),
    };
    CHECK_ALL(damages);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(damaged_ids_are_detected),
        TEST(damaged_chunks_are_detected),
        TEST(damaged_archetypes_queries_and_names_are_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
