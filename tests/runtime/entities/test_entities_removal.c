/* The functions that are called when components are removed: each way to remove rows, the number of
 * calls, the actions that the functions may take, and failures. */
#include "expect_status.h"
#include "misuse.h"
#include "world_memory.h"

#include <kiln/appender.h>
#include <kiln/batch.h>
#include <kiln/commands.h>
#include <kiln/query.h>
#include <kiln/scenes.h>
#include <stdlib.h>
#include <string.h>

typedef struct health {
    uint32_t index; /* of its entity */
    uint32_t points;
} health;

typedef struct place {
    float x, y, z;
} place;

enum { FIRST = 1000, SECOND = 500, ALL = FIRST + SECOND };
enum { HEALTH, PLACE, LIT, COMPONENTS };

/* A world with entities of two archetypes, and the calls that the functions have recorded. */
typedef struct field {
    world_memory memory;
    kiln_world *world;
    kiln_component components[COMPONENTS];
    kiln_archetype first, second, only_place;
    kiln_entity entities[ALL]; /* the first ones have health and place, the others health and lit */
    bool removed[ALL];
    uint32_t calls, rows, largest, lit_rows;
    uint32_t base; /* index of entities[0] */
    kiln_status (*nested)(struct field *f);
    bool is_misuse;         /* `nested` is not allowed */
    kiln_appender appender; /* of nested_refill */
    kiln_status nested_status;
} field;

static kiln_status call_nested(void *ctx)
{
    field *f = ctx;
    return f->nested(f);
}

static void on_health(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    field *f = ctx;
    const health *rows = removal->rows;
    assert_ptr_equal(f->world, world);
    assert_int_equal(f->components[HEALTH].number, removal->component.number);
    assert_in_range(removal->count, 1, 256);
    f->calls++;
    f->rows += removal->count;
    f->largest = removal->count > f->largest ? removal->count : f->largest;
    for (uint32_t i = 0; i < removal->count; i++) {
        kiln_entity entity = removal->entities[i];
        uint32_t number = entity.index - f->base;
        assert_true(kiln_entity_exists(world, entity));
        assert_int_equal(entity.index, rows[i].index);
        assert_ptr_equal(&rows[i], kiln_entity_read(world, entity, f->components[HEALTH]));
        assert_true(number < ALL && !f->removed[number]);
        f->removed[number] = true;
    }
    if (f->nested && f->is_misuse)
        f->nested_status = misuse_status(call_nested, f);
    else if (f->nested)
        f->nested_status = f->nested(f);
}

static void on_lit(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    field *f = ctx;
    (void)world;
    assert_null(removal->rows);
    f->lit_rows += removal->count;
}

static void create(field *f, kiln_archetype archetype, uint32_t from, uint32_t count)
{
    const kiln_create_args args = {.archetype = archetype, .count = count};
    EXPECT_STATUS(KILN_OK, kiln_entity_create_many(f->world, &args, f->entities + from));
    for (uint32_t i = from; i < from + count; i++) {
        health *value = kiln_entity_write(f->world, f->entities[i], f->components[HEALTH]);
        *value = (health){f->entities[i].index, 100};
    }
}

static void begin(field *f)
{
    static const kiln_component_desc descs[COMPONENTS] = {KILN_COMPONENT(health),
                                                          KILN_COMPONENT(place), KILN_TAG(lit)};
    memset(f, 0, sizeof *f);
    world_memory_init(&f->memory);
    kiln_world_def def = world_memory_def(&f->memory);
    EXPECT_STATUS(KILN_OK, kiln_world_create(&def, &f->world));
    for (int i = 0; i < COMPONENTS; i++)
        EXPECT_STATUS(KILN_OK, kiln_component_register(f->world, &descs[i], &f->components[i]));
    const kiln_component *c = f->components;
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(f->world, c, 2, &f->first));
    /* The functions are set after the first archetype is registered and before the others are. */
    EXPECT_STATUS(KILN_OK, kiln_component_set_on_remove(f->world, c[HEALTH], on_health, f));
    EXPECT_STATUS(KILN_OK, kiln_component_set_on_remove(f->world, c[LIT], on_lit, f));
    const kiln_component second[] = {c[LIT], c[HEALTH]};
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(f->world, second, 2, &f->second));
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(f->world, &c[PLACE], 1, &f->only_place));
    create(f, f->first, 0, FIRST);
    create(f, f->second, FIRST, SECOND);
    f->base = f->entities[0].index;
    for (uint32_t i = 0; i < ALL; i++)
        assert_int_equal(f->base + i, f->entities[i].index);
}

static void end(field *f)
{
    kiln_world_destroy(f->world);
    assert_int_equal(0, f->memory.heap_bytes);
    assert_int_equal(0, f->memory.page_bytes);
}

/* Ends a world to which a test has added entities that the functions here do not expect. */
static void end_unwatched(field *f)
{
    EXPECT_STATUS(KILN_OK,
                  kiln_component_set_on_remove(f->world, f->components[HEALTH], NULL, NULL));
    end(f);
}

/* ---- causes ---- */

static kiln_status destroy_one(field *f)
{
    return kiln_entity_destroy(f->world, f->entities[3]);
}
static kiln_status destroy_all_in_order(field *f)
{
    assert_int_equal(ALL, kiln_entity_destroy_many(f->world, f->entities, ALL));
    return KILN_OK;
}
/* Every entity twice, from the last to the first. */
static kiln_status destroy_all_backwards(field *f)
{
    kiln_entity turned[2 * ALL];
    for (uint32_t i = 0; i < 2 * ALL; i++)
        turned[i] = f->entities[ALL - 1 - i / 2];
    assert_int_equal(ALL, kiln_entity_destroy_many(f->world, turned, 2 * ALL));
    return KILN_OK;
}
static kiln_status remove_one(field *f)
{
    return kiln_entity_remove(f->world, f->entities[3], f->components[HEALTH]);
}
static kiln_status remove_last_component(field *f)
{
    EXPECT_STATUS(KILN_OK, kiln_entity_remove(f->world, f->entities[FIRST], f->components[LIT]));
    assert_int_equal(0, f->rows);
    return kiln_entity_remove(f->world, f->entities[FIRST], f->components[HEALTH]);
}
static kiln_status remove_other(field *f)
{
    return kiln_entity_remove(f->world, f->entities[3], f->components[PLACE]);
}
static kiln_status write_value(field *f)
{
    const health value = {f->entities[3].index, 5};
    return kiln_entity_add(f->world, f->entities[3], f->components[HEALTH], &value);
}
static kiln_status add_tag(field *f)
{
    return kiln_entity_add(f->world, f->entities[3], f->components[LIT], NULL);
}
static kiln_status move_one(field *f)
{
    return kiln_entity_move(f->world, f->entities[3], f->only_place);
}
static kiln_status move_one_to_null(field *f)
{
    return kiln_entity_move(f->world, f->entities[3], (kiln_archetype){0});
}
static kiln_status remove_from_archetype(field *f)
{
    return kiln_archetype_remove(f->world, f->first, f->components[HEALTH]);
}
static kiln_status move_archetype(field *f)
{
    return kiln_archetype_move(f->world, f->second, f->only_place);
}
static kiln_status move_archetype_to_null(field *f)
{
    return kiln_archetype_move(f->world, f->first, (kiln_archetype){0});
}
static kiln_status add_to_archetype(field *f)
{
    return kiln_archetype_add(f->world, f->second, f->components[PLACE], NULL);
}
static kiln_status clear_archetype(field *f)
{
    return kiln_archetype_clear(f->world, f->first);
}
static kiln_status clear_world(field *f)
{
    return kiln_world_clear(f->world);
}
static kiln_status unset(field *f)
{
    EXPECT_STATUS(KILN_OK,
                  kiln_component_set_on_remove(f->world, f->components[HEALTH], NULL, NULL));
    return kiln_world_clear(f->world);
}
static kiln_status discard_batch(field *f)
{
    kiln_batch *batch = NULL;
    EXPECT_STATUS(KILN_OK, kiln_batch_reserve(f->world, f->first, 10, &batch));
    const kiln_fill_args args = {0};
    EXPECT_STATUS(KILN_OK, kiln_batch_fill(batch, 0, &args, NULL));
    kiln_batch_discard(batch);
    return KILN_OK;
}

static kiln_status play(field *f, kiln_commands *commands)
{
    assert_int_equal(0, f->rows);
    kiln_status status = kiln_commands_play(f->world, &commands, 1, NULL);
    kiln_commands_destroy(commands);
    return status;
}
static kiln_commands *record(field *f)
{
    kiln_commands *commands = NULL;
    EXPECT_STATUS(KILN_OK, kiln_commands_create(f->world, &f->memory.allocator, &commands));
    kiln_commands_set_key(commands, 1);
    return commands;
}
static kiln_status play_kills(field *f)
{
    kiln_commands *commands = record(f);
    for (uint32_t i = 0; i < FIRST; i++)
        EXPECT_STATUS(KILN_OK, kiln_commands_kill(commands, f->entities[i]));
    EXPECT_STATUS(KILN_OK, kiln_commands_kill(commands, f->entities[7]));
    return play(f, commands);
}
static kiln_status play_removals(field *f)
{
    kiln_commands *commands = record(f);
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_STATUS(KILN_OK,
                      kiln_commands_remove(commands, f->entities[i], f->components[HEALTH]));
    return play(f, commands);
}
/* Several commands for one entity are combined. */
static kiln_status play_combined(field *f)
{
    kiln_commands *commands = record(f);
    EXPECT_STATUS(KILN_OK, kiln_commands_remove(commands, f->entities[3], f->components[HEALTH]));
    EXPECT_STATUS(KILN_OK, kiln_commands_remove(commands, f->entities[3], f->components[PLACE]));
    return play(f, commands);
}

static const struct cause {
    const char *name;
    kiln_status (*act)(field *f);
    uint32_t rows, most_calls, lit_rows;
} causes[] = {
    {"destroy one", destroy_one, 1, 1, 0},
    {"destroy all in order", destroy_all_in_order, ALL, 12, SECOND},
    {"destroy all backwards", destroy_all_backwards, ALL, ALL, SECOND},
    {"remove one", remove_one, 1, 1, 0},
    {"remove the last component", remove_last_component, 1, 1, 1},
    {"remove another component", remove_other, 0, 0, 0},
    {"write a value", write_value, 0, 0, 0},
    {"add a tag", add_tag, 0, 0, 0},
    {"move one", move_one, 1, 1, 0},
    {"move one to the null archetype", move_one_to_null, 1, 1, 0},
    {"remove from an archetype", remove_from_archetype, FIRST, 8, 0},
    {"move an archetype", move_archetype, SECOND, 4, SECOND},
    {"move an archetype to the null archetype", move_archetype_to_null, FIRST, 8, 0},
    {"add to an archetype", add_to_archetype, 0, 0, 0},
    {"clear an archetype", clear_archetype, FIRST, 8, 0},
    {"clear the world", clear_world, ALL, 12, SECOND},
    {"unset the function", unset, 0, 0, SECOND},
    {"discard a batch", discard_batch, 0, 0, 0},
    {"play commands that destroy", play_kills, FIRST, 10, 0},
    {"play commands that remove", play_removals, 10, 10, 0},
    {"play combined commands", play_combined, 1, 1, 0},
};

static void each_cause_reports_each_row_once(void **state)
{
    (void)state;
    static field f;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        begin(&f);
        EXPECT_STATUS(KILN_OK, causes[i].act(&f));
        if (f.rows != causes[i].rows || f.calls > causes[i].most_calls ||
            f.lit_rows != causes[i].lit_rows)
            fail_msg("%s: %u rows in %u calls, %u lit", causes[i].name, (unsigned)f.rows,
                     (unsigned)f.calls, (unsigned)f.lit_rows);
        assert_true(kiln_world_is_valid(f.world));
        /* Destroying the world reports the remaining rows. */
        bool is_unset = causes[i].act == unset;
        end(&f);
        assert_int_equal(is_unset ? 0 : ALL, f.rows);
    }
}

/* ---- what the function may do ---- */

static kiln_status nested_destroy(field *f)
{
    return kiln_entity_destroy(f->world, f->entities[9]);
}
static kiln_status nested_destroy_many(field *f)
{
    return kiln_entity_destroy_many(f->world, f->entities, 10) == 0 ? KILN_BAD_ARGUMENT : KILN_OK;
}
static kiln_status nested_create(field *f)
{
    kiln_entity entity;
    return kiln_entity_create(f->world, f->first, &entity, NULL);
}
/* Must not use the window (entity.c) that the test has opened. */
static kiln_status nested_create_with_row(field *f)
{
    kiln_entity entity;
    kiln_row row;
    return kiln_entity_create(f->world, f->first, &entity, &row);
}
static kiln_status nested_create_many(field *f)
{
    const kiln_create_args args = {.archetype = f->first, .count = 2};
    return kiln_entity_create_many(f->world, &args, NULL);
}
static kiln_status nested_add(field *f)
{
    return kiln_entity_add(f->world, f->entities[9], f->components[LIT], NULL);
}
static kiln_status nested_remove(field *f)
{
    return kiln_entity_remove(f->world, f->entities[9], f->components[HEALTH]);
}
static kiln_status nested_archetype(field *f)
{
    return kiln_archetype_remove(f->world, f->first, f->components[HEALTH]);
}
static kiln_status nested_clear_archetype(field *f)
{
    return kiln_archetype_clear(f->world, f->second);
}
static kiln_status nested_clear(field *f)
{
    return kiln_world_clear(f->world);
}
static kiln_status nested_play(field *f)
{
    return kiln_commands_play(f->world, NULL, 0, NULL);
}
/* A batch could take the chunks that are reserved for the rows that move. */
static kiln_status nested_reserve(field *f)
{
    kiln_batch *batch = NULL;
    return kiln_batch_reserve(f->world, f->only_place, 10, &batch);
}
static kiln_status nested_refill(field *f)
{
    return kiln_appender_refill(&f->appender);
}
static kiln_status nested_set(field *f)
{
    return kiln_component_set_on_remove(f->world, f->components[HEALTH], NULL, NULL);
}

static kiln_status (*const refused[])(field *f) = {
    nested_destroy,         nested_destroy_many, nested_create, nested_create_with_row,
    nested_create_many,     nested_add,          nested_remove, nested_archetype,
    nested_clear_archetype, nested_clear,        nested_play,   nested_set,
    nested_reserve,         nested_refill,
};

static void changes_by_the_function_are_refused(void **state)
{
    (void)state;
    static field f;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        begin(&f);
        f.nested = refused[i];
        f.is_misuse = true;
        if (f.nested == nested_refill)
            EXPECT_STATUS(KILN_OK, kiln_appender_open(f.world, f.only_place, NULL, 0, &f.appender));
        f.nested_status = KILN_OK;
        kiln_entity entity;
        kiln_row row;
        /* Opens a window for the following rows of the chunk. */
        EXPECT_STATUS(KILN_OK, kiln_entity_create(f.world, f.first, &entity, &row));
        EXPECT_STATUS(KILN_OK, kiln_entity_destroy(f.world, f.entities[3]));
        if (f.nested_status != KILN_BAD_ARGUMENT)
            fail_msg("change %zu was not refused", i);
        f.nested = NULL;
        f.is_misuse = false;
        if (refused[i] == nested_refill)
            kiln_appender_discard(&f.appender);
        end_unwatched(&f);
    }
}

static kiln_status read_and_write(field *f)
{
    const kiln_query_term term = {.component = f->components[HEALTH]};
    kiln_query *query = NULL;
    EXPECT_STATUS(KILN_OK, kiln_query_create(f->world, &term, 1, &query));
    uint32_t rows = 0;
    kiln_iterator it = kiln_query_iterate(query);
    while (kiln_iterator_next(&it)) {
        health *values = kiln_iterator_write(&it, f->components[HEALTH]);
        for (uint32_t i = 0; i < it.count; i++)
            values[i].points = 7;
        rows += it.count;
    }
    EXPECT_STATUS(KILN_OK, it.status);
    kiln_query_destroy(query);
    kiln_entity empty;
    EXPECT_STATUS(KILN_OK, kiln_entity_create_empty(f->world, 1, &empty));
    EXPECT_STATUS(KILN_OK, kiln_entity_destroy(f->world, empty));
    const health value = {f->entities[9].index, 8};
    EXPECT_STATUS(KILN_OK,
                  kiln_entity_add(f->world, f->entities[9], f->components[HEALTH], &value));
    assert_int_equal(ALL, rows);
    return KILN_OK;
}

static void the_function_may_read_and_write_all_rows(void **state)
{
    (void)state;
    static field f;
    static kiln_status (*const acts[])(field * f) = {destroy_one, remove_one, move_one,
                                                     move_one_to_null, play_combined};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        begin(&f);
        f.nested = read_and_write;
        f.nested_status = KILN_DEAD;
        EXPECT_STATUS(KILN_OK, acts[i](&f));
        EXPECT_STATUS(KILN_OK, f.nested_status);
        f.nested = NULL;
        const health *other = kiln_entity_read(f.world, f.entities[9], f.components[HEALTH]);
        assert_int_equal(8, other->points);
        assert_true(kiln_world_is_valid(f.world));
        end(&f);
    }
}

typedef struct closing {
    kiln_appender appender;
    kiln_status status;
} closing;

/* In builds without assertions, the appender stays open. */
static kiln_status close_it(void *ctx)
{
    closing *c = ctx;
    kiln_appender_close(&c->appender);
    return c->appender.world ? KILN_BAD_ARGUMENT : KILN_OK;
}

/* A function that closes an appender. */
static void close_appender(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    closing *c = ctx;
    (void)world, (void)removal;
    c->status = misuse_status(close_it, c);
}

static void appenders_are_not_closed_by_the_function(void **state)
{
    (void)state;
    static field f;
    closing c = {.status = KILN_OK};
    kiln_entity entity;
    uint32_t row;
    begin(&f);
    EXPECT_STATUS(KILN_OK, kiln_appender_open(f.world, f.first, NULL, 0, &c.appender));
    EXPECT_STATUS(KILN_OK, kiln_appender_next(&c.appender, &entity, &row));
    EXPECT_STATUS(KILN_OK,
                  kiln_component_set_on_remove(f.world, f.components[HEALTH], close_appender, &c));
    EXPECT_STATUS(KILN_OK, kiln_entity_destroy(f.world, f.entities[3]));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, c.status);
    kiln_appender_discard(&c.appender);
    end_unwatched(&f);
}

/* Buffers that are being played refuse commands; others accept them. */
typedef struct recording {
    field *field;
    kiln_commands *played, *other;
    unsigned kind;
    kiln_status status, other_status;
} recording;

static kiln_status record_kind(const recording *r, kiln_commands *commands)
{
    const health value = {0, 0};
    const kiln_entity entity = r->field->entities[9];
    kiln_entity spawned;
    switch (r->kind) {
    case 0:
        return kiln_commands_kill(commands, entity);
    case 1:
        return kiln_commands_spawn(commands, r->field->first, &spawned);
    case 2:
        return kiln_commands_add(commands, entity, r->field->components[HEALTH], &value);
    default:
        return kiln_commands_remove(commands, entity, r->field->components[PLACE]);
    }
}

static kiln_status record_played(void *ctx)
{
    const recording *r = ctx;
    return record_kind(r, r->played);
}

static void record_two(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    recording *r = ctx;
    (void)world, (void)removal;
    r->other_status = record_kind(r, r->other);
    r->status = misuse_status(record_played, r);
}

static void buffers_that_are_played_refuse_commands(void **state)
{
    (void)state;
    static field f;
    for (unsigned kind = 0; kind < 4; kind++) {
        begin(&f);
        recording r = {&f, record(&f), record(&f), kind, KILN_OK, KILN_DEAD};
        EXPECT_STATUS(KILN_OK, kiln_commands_kill(r.played, f.entities[3]));
        EXPECT_STATUS(KILN_OK,
                      kiln_component_set_on_remove(f.world, f.components[HEALTH], record_two, &r));
        EXPECT_STATUS(KILN_OK, kiln_commands_play(f.world, &r.played, 1, NULL));
        if (r.status != KILN_BAD_ARGUMENT)
            fail_msg("command %u was recorded", kind);
        EXPECT_STATUS(KILN_OK, r.other_status);
        kiln_commands_destroy(r.other);
        kiln_commands_destroy(r.played);
        end_unwatched(&f);
    }
}

/* ---- several chunks ---- */

enum { MANY = 5000 };

/* What a function sees of a world while the chunks of an archetype change one after the other. */
typedef struct sight {
    field *field;
    kiln_query *places, *healths;
    uint32_t calls, rows;
    bool seen[MANY];
} sight;

/* Counts the rows that the query matches. Each must belong to a different one of the created
 * entities. */
static uint32_t look(sight *s, kiln_query *query)
{
    uint32_t rows = 0;
    memset(s->seen, 0, sizeof s->seen);
    kiln_iterator it = kiln_query_iterate(query);
    while (kiln_iterator_next(&it)) {
        assert_true(it.count > 0);
        for (uint32_t i = 0; i < it.count; i++) {
            uint32_t number = kiln_iterator_entity(&it, i).index - s->field->base;
            assert_true(number < MANY && !s->seen[number]);
            s->seen[number] = true;
        }
        rows += it.count;
    }
    EXPECT_STATUS(KILN_OK, it.status);
    return rows;
}

static void look_around(void *ctx, const kiln_world *world, const kiln_removal *removal)
{
    sight *s = ctx;
    (void)world;
    assert_int_equal(MANY, look(s, s->places));
    uint32_t healths = look(s, s->healths);
    assert_in_range(healths, MANY - s->rows, MANY);
    for (uint32_t i = 0; i < removal->count; i++)
        assert_true(s->seen[removal->entities[i].index - s->field->base]);
    s->calls++;
    s->rows += removal->count;
}

static kiln_status remove_by_query(field *f)
{
    const kiln_query_term term = {.component = f->components[PLACE]};
    kiln_query *query = NULL;
    EXPECT_STATUS(KILN_OK, kiln_query_create(f->world, &term, 1, &query));
    kiln_status status = kiln_query_remove(query, f->components[HEALTH]);
    kiln_query_destroy(query);
    return status;
}
static kiln_status move_to_place(field *f)
{
    return kiln_archetype_move(f->world, f->first, f->only_place);
}

/* Each call comes after all earlier chunks have left their archetype. */
static void the_function_sees_each_row_once(void **state)
{
    (void)state;
    static kiln_status (*const acts[])(field * f) = {remove_from_archetype, move_to_place,
                                                     remove_by_query};
    static field f;
    static sight s;
    static kiln_entity entities[MANY];
    /* With rows in the target, chunks are copied instead of handed over. */
    for (size_t act = 0; act < 2 * (sizeof acts / sizeof *acts); act++) {
        begin(&f);
        EXPECT_STATUS(KILN_OK,
                      kiln_component_set_on_remove(f.world, f.components[HEALTH], NULL, NULL));
        EXPECT_STATUS(KILN_OK, kiln_world_clear(f.world));
        const kiln_create_args args = {.archetype = f.first, .count = MANY};
        EXPECT_STATUS(KILN_OK, kiln_entity_create_many(f.world, &args, entities));
        memset(&s, 0, sizeof s);
        s.field = &f;
        f.base = entities[0].index;
        /* A row that is already in the target leaves too little room in its chunk for the rows of a
         * full chunk. */
        if (act % 2)
            EXPECT_STATUS(KILN_OK,
                          kiln_entity_remove(f.world, entities[MANY - 1], f.components[HEALTH]));
        s.rows = act % 2;
        const kiln_query_term by_place = {.component = f.components[PLACE]};
        const kiln_query_term by_health = {.component = f.components[HEALTH]};
        EXPECT_STATUS(KILN_OK, kiln_query_create(f.world, &by_place, 1, &s.places));
        EXPECT_STATUS(KILN_OK, kiln_query_create(f.world, &by_health, 1, &s.healths));
        EXPECT_STATUS(KILN_OK,
                      kiln_component_set_on_remove(f.world, f.components[HEALTH], look_around, &s));
        EXPECT_STATUS(KILN_OK, acts[act / 2](&f));
        assert_int_equal(MANY, s.rows);
        assert_true(kiln_world_is_valid(f.world));
        assert_int_equal(0, look(&s, s.healths));
        assert_int_equal(MANY, look(&s, s.places));
        kiln_query_destroy(s.places);
        kiln_query_destroy(s.healths);
        end(&f);
    }
}

/* ---- failures ---- */

static kiln_status remove_all_of_first(field *f)
{
    return kiln_archetype_remove(f->world, f->first, f->components[HEALTH]);
}

/* Each attempt fails one allocation. Exactly the reported rows have lost the component. */
static void a_failed_allocation_reports_only_what_was_removed(void **state)
{
    (void)state;
    static field f;
    static kiln_status (*const acts[])(field * f) = {remove_one, move_one, remove_all_of_first,
                                                     move_archetype};
    for (size_t act = 0; act < sizeof acts / sizeof *acts; act++)
        for (size_t fail_at = 1, failed = 1; failed; fail_at++) {
            begin(&f);
            f.memory.fail_at = f.memory.calls + fail_at;
            kiln_status status = acts[act](&f);
            failed = f.memory.failed;
            f.memory.fail_at = 0;
            EXPECT_STATUS(failed ? KILN_NO_MEMORY : KILN_OK, status);
            for (uint32_t i = 0; i < ALL; i++)
                assert_true(f.removed[i] != (kiln_entity_read(f.world, f.entities[i],
                                                              f.components[HEALTH]) != NULL));
            assert_true(kiln_world_is_valid(f.world));
            end(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cause_reports_each_row_once),
        cmocka_unit_test(changes_by_the_function_are_refused),
        cmocka_unit_test(the_function_may_read_and_write_all_rows),
        cmocka_unit_test(appenders_are_not_closed_by_the_function),
        cmocka_unit_test(buffers_that_are_played_refuse_commands),
        cmocka_unit_test(the_function_sees_each_row_once),
        cmocka_unit_test(a_failed_allocation_reports_only_what_was_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
