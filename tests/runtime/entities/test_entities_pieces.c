/* Iterations over so many chunks that they return rows in pieces. */
#include "plain_scene.h"

enum { CHUNKS = 600, WIDE = 100 };

typedef struct pieces {
    kiln_component wide;
    kiln_archetype archetype; /* wide and light */
    kiln_query *query;        /* for both */
    uint32_t rows, rows_per_chunk;
    kiln_entity *entities;
} pieces;

/* The light of each row is the row's number. */
static pieces begin(plain_scene *s, uint32_t chunks)
{
    pieces p;
    p.wide = plain_scene_register(s->world, "wide", WIDE);
    const kiln_component both[] = {p.wide, s->light};
    const kiln_query_term query[] = {{both[0], KILN_TERM_WITH}, {both[1], KILN_TERM_WITH}};
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, both, 2, &p.archetype));
    assert_int_equal(KILN_OK, kiln_query_create(s->world, query, 2, &p.query));
    p.rows_per_chunk = plain_scene_info(s, p.archetype).rows_per_chunk;
    p.rows = (chunks - 1) * p.rows_per_chunk + 3;
    p.entities = malloc(p.rows * sizeof *p.entities);
    uint32_t *lights = malloc(p.rows * sizeof *lights);
    assert_true(p.entities && lights);
    for (uint32_t i = 0; i < p.rows; i++)
        lights[i] = i;
    const kiln_column_values values = {s->light, lights};
    const kiln_create_args args = {p.archetype, p.rows, &values, 1};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, p.entities));
    assert_int_equal(chunks, kiln_query_chunks(p.query));
    free(lights);
    return p;
}

static void end(pieces *p)
{
    kiln_query_destroy(p->query);
    free(p->entities);
}

/* Checks the rows of a piece, the first of which has the number `next`. */
static void check_piece(const plain_scene *s, const pieces *p, const kiln_iterator *walk,
                        uint32_t next)
{
    const uint32_t *lights = kiln_iterator_read(walk, s->light);
    const unsigned char *wide = kiln_iterator_read(walk, p->wide);
    assert_true(walk->count > 0 && walk->first + walk->count <= walk->chunk->count);
    assert_int_equal(0, (uintptr_t)lights % 64);
    assert_int_equal(0, (uintptr_t)wide % 64);
    assert_null(kiln_iterator_read(walk, s->position));
    for (uint32_t i = 0; i < walk->count; i++) {
        kiln_entity entity = kiln_iterator_entity(walk, i);
        assert_int_equal(next + i, lights[i]);
        assert_true(kiln_entity_same(p->entities[next + i], entity));
        assert_ptr_equal(lights + i, kiln_entity_read(s->world, entity, s->light));
        assert_ptr_equal(wide + (size_t)i * WIDE, kiln_entity_read(s->world, entity, p->wide));
    }
}

static void an_iteration_over_many_chunks_visits_each_row_once(void **state)
{
    plain_scene *s = *state;
    pieces p = begin(s, CHUNKS);
    kiln_iterator walk = kiln_query_iterate(p.query);
    uint32_t next = 0, steps = 0;
    for (; kiln_iterator_next(&walk); steps++) {
        assert_int_equal(next % p.rows_per_chunk, walk.first);
        check_piece(s, &p, &walk, next);
        next += walk.count;
    }
    assert_int_equal(p.rows, next);
    assert_true(steps > CHUNKS); /* otherwise there were no pieces */
    assert_int_equal(KILN_OK, walk.status);
    assert_false(kiln_iterator_next(&walk));
    assert_int_equal(0, walk.count);
    end(&p);
}

static void an_iteration_over_few_chunks_visits_whole_chunks(void **state)
{
    enum { FEW = 50 };
    plain_scene *s = *state;
    pieces p = begin(s, FEW);
    kiln_iterator walk = kiln_query_iterate(p.query);
    uint32_t next = 0, steps = 0;
    for (; kiln_iterator_next(&walk); steps++) {
        assert_int_equal(walk.chunk->count, walk.count);
        check_piece(s, &p, &walk, next);
        next += walk.count;
    }
    assert_int_equal(FEW, steps);
    end(&p);
}

static void parts_of_an_iteration_visit_each_row_once(void **state)
{
    enum { PARTS = 7 };
    plain_scene *s = *state;
    pieces p = begin(s, CHUNKS);
    uint32_t next = 0;
    for (uint32_t part = 0; part < PARTS; part++) {
        kiln_iterator walk = kiln_query_iterate_part(p.query, part, PARTS);
        for (uint32_t first = next; kiln_iterator_next(&walk); next += walk.count) {
            check_piece(s, &p, &walk, next);
            assert_true(first % p.rows_per_chunk == 0);
        }
    }
    assert_int_equal(p.rows, next);
    end(&p);
}

/* A write to any piece marks the whole chunk as changed. */
static void writing_a_piece_marks_its_chunk(void **state)
{
    enum { EACH = 100 };
    plain_scene *s = *state;
    pieces p = begin(s, CHUNKS);
    uint64_t since = kiln_world_tick(s->world);
    kiln_iterator walk = kiln_query_iterate(p.query);
    uint32_t steps = 0, rows = 0, written = 0;
    static const kiln_chunk *chunks[CHUNKS];
    for (; kiln_iterator_next(&walk); steps++) {
        if (steps % EACH != EACH - 1)
            continue;
        uint32_t *lights = kiln_iterator_write(&walk, s->light);
        assert_ptr_equal(lights, kiln_iterator_read(&walk, s->light));
        for (uint32_t i = 0; i < walk.count; i++)
            lights[i] += p.rows;
        chunks[written++] = walk.chunk;
        rows += walk.chunk->count;
    }
    const kiln_chunk *last = NULL;
    uint32_t met = 0;
    for (walk = kiln_query_iterate_changed(p.query, since); kiln_iterator_next(&walk);) {
        met += walk.chunk != last;
        last = walk.chunk;
        assert_true(met <= written && chunks[met - 1] == last);
        rows -= walk.count;
    }
    assert_true(written > 3 && met == written);
    assert_int_equal(0, rows);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(an_iteration_over_many_chunks_visits_each_row_once),
        PLAIN_TEST(an_iteration_over_few_chunks_visits_whole_chunks),
        PLAIN_TEST(parts_of_an_iteration_visit_each_row_once),
        PLAIN_TEST(writing_a_piece_marks_its_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
