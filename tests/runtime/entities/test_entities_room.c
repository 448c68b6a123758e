/* Chunks that make room: a component is added to all rows of an archetype, and most rows stay where
 * they are. */
#include "plain_scene.h"

#include <stdio.h>
#include <string.h>

/* existing components ("k", "n", "p"; 0 for none), and the added one ("m") */
typedef struct room_case {
    uint32_t sizes[3];
    uint32_t added;
    uint32_t stay; /* rows of each full chunk that stay; 0 if all are copied */
} room_case;

static const room_case cases[] = {
    {{12, 16, 8}, 8, 304}, {{12, 16, 8}, 1, 428}, {{12, 16, 8}, 4, 364},  {{12, 16, 8}, 16, 0},
    {{4, 0, 0}, 4, 2048},  {{64, 0, 0}, 64, 128}, {{64, 20, 0}, 12, 164}, {{1, 0, 0}, 8, 0},
    {{1, 0, 0}, 1, 8192},  {{64, 1, 0}, 2, 244},  {{40, 4, 0}, 20, 246},  {{8, 8, 8}, 64, 0},
};

enum { CHUNKS = 5, ROWS_MOST = CHUNKS * KILN_CHUNK_SIZE };

typedef struct room {
    const room_case *c;
    kiln_world *world;
    kiln_component set[3], added;
    uint32_t kinds;
    kiln_archetype before, after;
    uint32_t capacity, count; /* rows per chunk, number of entities */
} room;

static kiln_entity entities[ROWS_MOST];
static const void *places[ROWS_MOST]; /* address of each entity's first component */

/* ---- values ---- */

/* Differs between rows and between components. */
static unsigned char byte_of(uint32_t i, uint32_t size)
{
    return (unsigned char)(i * 7 + i / 256 + size);
}

static void write_all(kiln_world *world, kiln_component component, uint32_t count)
{
    uint32_t size = kiln_component_get(world, component)->size;
    for (uint32_t i = 0; i < count; i++)
        memset(kiln_entity_write(world, entities[i], component), byte_of(i, size), size);
}

/* Checks the component of every `step`-th entity, from the one with number `first` on. */
static void check_all(const kiln_world *world, kiln_component component, uint32_t count,
                      uint32_t first, uint32_t step)
{
    uint32_t size = kiln_component_get(world, component)->size;
    for (uint32_t i = first; i < count; i += step) {
        const unsigned char *bytes = kiln_entity_read(world, entities[i], component);
        assert_non_null(bytes);
        for (uint32_t b = 0; b < size; b++)
            assert_int_equal(byte_of(i, size), bytes[b]);
    }
}

static void check_added(const room *r, unsigned char expected)
{
    unsigned char value[64];
    memset(value, expected, sizeof value);
    for (uint32_t i = 0; i < r->count; i++)
        assert_memory_equal(value, kiln_entity_read(r->world, entities[i], r->added), r->c->added);
}

static void note_places(const room *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        places[i] = kiln_entity_read(r->world, entities[i], r->set[0]);
}

static uint32_t count_moved(const room *r)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < r->count; i++)
        moved += kiln_entity_read(r->world, entities[i], r->set[0]) != places[i];
    return moved;
}

/* ---- scenes ---- */

static kiln_component register_bytes(kiln_world *world, const char *name, uint32_t size)
{
    kiln_component_desc desc = {name, 0, size, 1, NULL, NULL, 0, 0};
    kiln_component component;
    assert_int_equal(KILN_OK, kiln_component_register(world, &desc, &component));
    return component;
}

/* Some are destroyed and created again, so that neighbours no longer have consecutive indices. */
static void shuffle(const room *r)
{
    for (uint32_t i = 0; i < r->count; i += 3)
        assert_int_equal(KILN_OK, kiln_entity_destroy(r->world, entities[i]));
    for (uint32_t i = 0; i < r->count; i += 3)
        assert_int_equal(KILN_OK, kiln_entity_create(r->world, r->before, &entities[i], NULL));
}

static room fill_chunks(const plain_scene *s, const room_case *c, bool is_shuffled)
{
    static const char *const names[] = {"k", "n", "p"};
    room r = {.c = c, .world = s->world};
    for (; r.kinds < 3 && c->sizes[r.kinds]; r.kinds++)
        r.set[r.kinds] = register_bytes(r.world, names[r.kinds], c->sizes[r.kinds]);
    r.added = register_bytes(r.world, "m", c->added);
    assert_int_equal(KILN_OK, kiln_archetype_register(r.world, r.set, r.kinds, &r.before));
    r.capacity = plain_scene_info(s, r.before).rows_per_chunk;
    r.count = r.capacity * CHUNKS;
    kiln_create_args many = {.archetype = r.before, .count = r.count};
    assert_int_equal(KILN_OK, kiln_entity_create_many(r.world, &many, entities));
    if (is_shuffled)
        shuffle(&r);
    for (uint32_t k = 0; k < r.kinds; k++)
        write_all(r.world, r.set[k], r.count);
    note_places(&r);
    return r;
}

/* ---- checks ---- */

/* Adds the component: as many rows stay as possible, and nothing is lost. */
static void add_to_full_chunks(const plain_scene *s, room *r)
{
    unsigned char value[64];
    memset(value, 0x5a, sizeof value);
    assert_int_equal(KILN_OK, kiln_archetype_add(r->world, r->before, r->added, value));
    r->after = kiln_entity_archetype(r->world, entities[0]);
    assert_true(kiln_world_is_valid(r->world));
    for (uint32_t k = 0; k < r->kinds; k++)
        check_all(r->world, r->set[k], r->count, 0, 1);
    check_added(r, 0x5a);
    if (r->c->stay)
        assert_int_equal((r->capacity - r->c->stay) * CHUNKS, count_moved(r));
    else
        assert_true(count_moved(r) > r->count / 2);
    kiln_archetype_info info = plain_scene_info(s, r->after);
    assert_int_equal(0, plain_scene_info(s, r->before).chunks);
    assert_int_equal(r->count, info.rows);
    assert_int_equal(info.chunks * (uint64_t)KILN_CHUNK_SIZE - info.rows * info.row_size,
                     info.waste);
    /* On average, chunks are at least three quarters full. One more may be only partly filled. */
    assert_true((info.chunks - 1) * (uint64_t)info.rows_per_chunk * 3 <= r->count * UINT64_C(4));
}

/* Removing the component and adding it again moves no row, and cut chunks fill up again. */
static void go_back_and_forth(const plain_scene *s, const room *r)
{
    uint32_t chunks = plain_scene_info(s, r->after).chunks;
    note_places(r);
    for (uint32_t round = 0; round < 2; round++) {
        assert_int_equal(KILN_OK, kiln_archetype_remove(r->world, r->after, r->added));
        assert_int_equal(0, count_moved(r));
        assert_int_equal(KILN_OK, kiln_archetype_add(r->world, r->before, r->added, NULL));
        assert_int_equal(0, count_moved(r));
        assert_true(kiln_world_is_valid(r->world));
        assert_int_equal(chunks, plain_scene_info(s, r->after).chunks);
    }
    check_added(r, 0);
    assert_int_equal(KILN_OK, kiln_archetype_remove(r->world, r->after, r->added));
    if (!r->c->stay)
        return;
    kiln_create_args more = {.archetype = r->before, .count = (r->capacity - r->c->stay) * CHUNKS};
    assert_int_equal(KILN_OK, kiln_entity_create_many(r->world, &more, NULL));
    assert_int_equal(chunks, plain_scene_info(s, r->before).chunks);
}

/* Removed entities leave holes in cut chunks and in others. */
static void make_holes(const room *r)
{
    assert_int_equal(KILN_OK, kiln_archetype_add(r->world, r->before, r->added, NULL));
    for (uint32_t i = 0; i < r->count; i += 2)
        assert_int_equal(KILN_OK, kiln_entity_destroy(r->world, entities[i]));
    assert_true(kiln_world_is_valid(r->world));
    for (uint32_t k = 0; k < r->kinds; k++)
        check_all(r->world, r->set[k], r->count, 1, 2);
}

static void check_cases(void **state, bool is_shuffled)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const plain_scene *s = *state;
        room r = fill_chunks(s, &cases[i], is_shuffled);
        add_to_full_chunks(s, &r);
        go_back_and_forth(s, &r);
        make_holes(&r);
        assert_int_equal(0, plain_scene_end(state));
        assert_int_equal(0, plain_scene_begin(state));
    }
}

static void most_rows_stay_when_a_component_is_added(void **state)
{
    check_cases(state, false);
}

static void rows_with_any_indices_stay(void **state)
{
    check_cases(state, true);
}

/* A few rows move into free space, and stay if there is none. */
static void a_few_rows_move_into_free_space(void **state)
{
    const plain_scene *s = *state;
    const uint32_t seven = 7;
    kiln_component extra = plain_scene_register(s->world, "extra", 4);
    kiln_create_args few = {.archetype = s->both, .count = 10};
    for (uint32_t round = 0; round < 20; round++) {
        kiln_entity *made = entities + round * 10;
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &few, made));
        const void *place = kiln_entity_read(s->world, made[0], s->position);
        assert_int_equal(KILN_OK, kiln_archetype_add(s->world, s->both, extra, &seven));
        assert_int_equal(round == 0, kiln_entity_read(s->world, made[0], s->position) == place);
        assert_int_equal(1, plain_scene_stats(s).chunks);
    }
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(7, *(const uint32_t *)kiln_entity_read(s->world, entities[i], extra));
}

/* The number of cuts of an archetype is limited. Beyond the limit, rows are copied. */
static void rows_of_many_archetypes_move_to_one(void **state)
{
    enum { WAYS = 14, EACH = 700 };
    static const char *const names[WAYS] = {"a", "b", "c", "d", "e", "f", "g",
                                            "h", "i", "j", "r", "s", "t", "u"};
    const plain_scene *s = *state;
    kiln_component set[WAYS];
    kiln_archetype all, part;
    for (uint32_t i = 0; i < WAYS; i++)
        set[i] = register_bytes(s->world, names[i], 4 + i);
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, set, WAYS, &all));
    for (uint32_t way = 0; way < WAYS; way++) {
        kiln_component others[WAYS];
        for (uint32_t i = 0; i < WAYS; i++)
            others[i] = set[(way + i) % WAYS];
        kiln_create_args args = {.count = EACH};
        assert_int_equal(KILN_OK, kiln_archetype_register(s->world, others + 1, WAYS - 1, &part));
        args.archetype = part;
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities + way * EACH));
        for (uint32_t i = 0; i < EACH; i++)
            memset(kiln_entity_write(s->world, entities[way * EACH + i], others[1]),
                   byte_of(way * EACH + i, 1), kiln_component_get(s->world, others[1])->size);
        assert_int_equal(KILN_OK, kiln_archetype_add(s->world, part, others[0], NULL));
        assert_true(kiln_world_is_valid(s->world));
    }
    assert_int_equal(WAYS * EACH, plain_scene_info(s, all).rows);
    for (uint32_t i = 0; i < WAYS * EACH; i++) {
        kiln_component written = set[(i / EACH + 1) % WAYS];
        const unsigned char *bytes = kiln_entity_read(s->world, entities[i], written);
        assert_int_equal(byte_of(i, 1), bytes[0]);
        assert_int_equal(byte_of(i, 1), bytes[kiln_component_get(s->world, written)->size - 1]);
    }
}

/* The remaining data is in the middle of the chunk, with too little space on either side. */
static void rows_are_copied_if_no_gap_has_room_for_the_column(void **state)
{
    const plain_scene *s = *state;
    kiln_component wide = register_bytes(s->world, "a", 8190);
    kiln_component set[] = {register_bytes(s->world, "b", 4096),
                            register_bytes(s->world, "z", 8000)};
    kiln_archetype both, last;
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, set, 2, &both));
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, set + 1, 1, &last));
    kiln_create_args args = {.archetype = both, .count = CHUNKS};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
    write_all(s->world, set[1], CHUNKS);
    assert_int_equal(KILN_OK, kiln_archetype_remove(s->world, both, set[0]));
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, last, wide, NULL));
    assert_true(kiln_world_is_valid(s->world));
    check_all(s->world, set[1], CHUNKS, 0, 1);
    for (uint32_t i = 0; i < CHUNKS; i++)
        assert_int_equal(0, *(const unsigned char *)kiln_entity_read(s->world, entities[i], wide));
}

/* The maximum number of columns of a chunk: the last one finds the only gap. */
static void rows_stay_when_the_last_possible_column_is_added(void **state)
{
    enum { COLUMNS = KILN_CHUNK_SIZE / KILN_COLUMN_ALIGN };
    const plain_scene *s = *state;
    kiln_component set[COLUMNS];
    kiln_archetype before;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%03u", (unsigned)i);
        set[i] = register_bytes(s->world, name, 1);
    }
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, set, COLUMNS - 1, &before));
    assert_int_equal(KILN_COLUMN_ALIGN, plain_scene_info(s, before).rows_per_chunk);
    kiln_create_args args = {.archetype = before, .count = CHUNKS * KILN_COLUMN_ALIGN};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
    write_all(s->world, set[1], args.count);
    for (uint32_t i = 0; i < args.count; i++)
        places[i] = kiln_entity_read(s->world, entities[i], set[1]);
    assert_int_equal(KILN_OK, kiln_archetype_add(s->world, before, set[COLUMNS - 1], NULL));
    assert_true(kiln_world_is_valid(s->world));
    check_all(s->world, set[1], args.count, 0, 1);
    for (uint32_t i = 0; i < args.count; i++)
        assert_ptr_equal(places[i], kiln_entity_read(s->world, entities[i], set[1]));
}

/* Wherever memory runs out, each entity is intact and in one of the two archetypes. */
static void every_entity_stays_intact_when_memory_runs_out(void **state)
{
    enum { COUNT = 4200 };
    const uint32_t seven = 7;
    size_t fail_at = 0;
    for (size_t failed = 1; failed > 0;) {
        plain_scene *s = *state;
        kiln_component extra = plain_scene_register(s->world, "extra", 4);
        kiln_create_args args = {.archetype = s->both, .count = COUNT};
        assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &args, entities));
        write_all(s->world, s->position, COUNT);
        s->memory.calls = 0;
        s->memory.fail_at = ++fail_at;
        kiln_status status = kiln_archetype_add(s->world, s->both, extra, &seven);
        failed = s->memory.failed;
        assert_int_equal(failed ? KILN_NO_MEMORY : KILN_OK, status);
        assert_true(kiln_world_is_valid(s->world));
        check_all(s->world, s->position, COUNT, 0, 1);
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t *value = kiln_entity_read(s->world, entities[i], extra);
            assert_true(value ? *value == 7 : failed > 0);
        }
        assert_int_equal(0, plain_scene_end(state));
        assert_int_equal(0, plain_scene_begin(state));
    }
    assert_true(fail_at > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(most_rows_stay_when_a_component_is_added),
        PLAIN_TEST(rows_with_any_indices_stay),
        PLAIN_TEST(a_few_rows_move_into_free_space),
        PLAIN_TEST(rows_of_many_archetypes_move_to_one),
        PLAIN_TEST(rows_are_copied_if_no_gap_has_room_for_the_column),
        PLAIN_TEST(rows_stay_when_the_last_possible_column_is_added),
        PLAIN_TEST(every_entity_stays_intact_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
