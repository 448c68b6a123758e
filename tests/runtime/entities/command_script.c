#include "command_script.h"

#include <stdlib.h>
#include <string.h>

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint32_t below(uint32_t *state, uint32_t limit)
{
    return next_random(state) % limit;
}

/* Usually without the large components FIX_WIDE and FIX_BROAD. */
static uint32_t random_mask(uint32_t *state)
{
    uint32_t mask = below(state, 1 << FIX_WIDE);
    uint32_t large = below(state, 16);
    return large < 2 ? mask | 1u << (FIX_WIDE + large) : mask;
}

static uint8_t random_component(uint32_t *state)
{
    uint32_t at = below(state, 20);
    return (uint8_t)(at < 18 ? at % FIX_WIDE : FIX_WIDE + at - 18);
}

/* ---- generating ---- */

/* The entities that a key has spawned so far. */
typedef struct key_state {
    uint32_t count, room;
    uint32_t *lines;
    script_entity last;
} key_state;

static script_entity random_entity(const script *of, const key_state *key, uint32_t *state)
{
    uint32_t at = below(state, 8);
    if (at < 3)
        return key->last;
    if (at < 6 && key->count)
        return (script_entity){1, key->lines[below(state, key->count)]};
    return (script_entity){0, below(state, of->entity_count)};
}

static void write_line(script *of, uint32_t number, key_state *key, uint32_t *state)
{
    static const char kinds[] = "nnaaaaaaarrrsssk";
    script_line *line = &of->lines[number];
    line->kind = kinds[below(state, sizeof kinds - 1)];
    line->is_zero = below(state, 8) == 0;
    line->mask = (uint8_t)random_mask(state);
    line->component = random_component(state);
    line->about = random_entity(of, key, state);
    line->to = random_entity(of, key, state);
    line->from = random_entity(of, key, state);
    line->seed = next_random(state);
    if (line->kind == 'n') {
        line->about = (script_entity){1, number};
        key->lines[key->count++] = number;
    }
    if (line->kind != 'k' && below(state, 4))
        key->last = line->about;
}

script script_make(uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 1;
    script of = {.seed = seed};
    of.entity_count = 1 + below(&state, 60);
    of.key_count = 1 + below(&state, 24);
    of.line_count = 1 + below(&state, below(&state, 10) ? 400 : 4000);
    of.keys = calloc(of.key_count, sizeof *of.keys);
    of.lines = calloc(of.line_count, sizeof *of.lines);
    key_state *states = calloc(of.key_count, sizeof *states);
    assert_true(of.keys && of.lines && states);
    for (uint32_t i = 0; i < of.key_count; i++) {
        of.keys[i] = (uint64_t)below(&state, 1 << 16) << below(&state, 43) << 5 | i;
        states[i].lines = calloc(of.line_count, sizeof *states[i].lines);
        assert_non_null(states[i].lines);
    }
    uint32_t run = below(&state, 2) ? 40 : 2; /* consecutive lines of one key */
    for (uint32_t i = 0, key = 0; i < of.line_count; i++) {
        if (below(&state, run) == 0)
            key = below(&state, of.key_count);
        of.lines[i].key = of.keys[key];
        write_line(&of, i, &states[key], &state);
    }
    for (uint32_t i = 0; i < of.key_count; i++)
        free(states[i].lines);
    free(states);
    return of;
}

void script_fini(script *of)
{
    free(of->keys);
    free(of->lines);
}

/* Handles that are never alive: null, an index in a missing block, an index above the limit, a
 * future version. */
static const kiln_entity forged[] = {
    {0, 0}, {0, 0xffffffff}, {KILN_BLOCK_ENTITIES * 7, 1}, {KILN_ENTITY_MAX, 1}, {UINT32_MAX, 5}};

fix_world script_world(const script *of, const kiln_allocator *allocator, kiln_entity *entities)
{
    uint32_t state = of->seed;
    bool is_tight = of->seed % 4 == 0; /* so that indices of dead entities are reused */
    fix_world fix = fixture_world(allocator, is_tight ? 1 : 4);
    if (is_tight) {
        kiln_entity bare[KILN_BLOCK_ENTITIES];
        uint32_t used = of->entity_count + of->line_count / 3 + SCRIPT_WIDE;
        uint32_t fill = KILN_BLOCK_ENTITIES - used;
        assert_int_equal(KILN_OK, kiln_entity_create_empty(fix.world, fill, bare));
    }
    for (uint32_t i = 0; i < of->entity_count; i++)
        entities[i] = fixture_entity(&fix, random_mask(&state));
    for (uint32_t i = 0; of->seed % 3 == 0 && i < SCRIPT_WIDE; i++)
        fixture_entity(&fix, WIDE);
    for (uint32_t i = 0; i < of->entity_count; i++) {
        uint32_t fate = below(&state, 24);
        if (fate < 3)
            assert_int_equal(KILN_OK, kiln_entity_destroy(fix.world, entities[i]));
        if (fate == 3)
            entities[i] = forged[below(&state, sizeof forged / sizeof *forged)];
    }
    /* Archetypes are created beforehand, because spawning needs an existing one. */
    for (uint32_t i = 0; i < of->line_count; i++)
        if (of->lines[i].kind == 'n')
            fixture_archetype(&fix, of->lines[i].mask);
    return fix;
}

/* ---- executing ---- */

static kiln_entity entity_of(script_entity which, const kiln_entity *entities,
                             const kiln_entity *spawned)
{
    return which.is_spawned ? spawned[which.number] : entities[which.number];
}

/* The line's value; NULL for zeros. */
static const void *value_of(const script_line *line, const kiln_entity *entities,
                            const kiln_entity *spawned, unsigned char value[WIDE_SIZE])
{
    uint32_t state = line->seed;
    if (line->is_zero)
        return NULL;
    uint32_t size = fixture_size(line->component);
    for (uint32_t i = 0; i < size; i++)
        value[i] = (unsigned char)next_random(&state);
    if (line->component == FIX_LINK) {
        fix_link link = {line->seed, entity_of(line->to, entities, spawned), line->seed >> 3,
                         entity_of(line->from, entities, spawned)};
        memcpy(value, &link, sizeof link);
    }
    return value;
}

static kiln_status record_line(const script *of, uint32_t number, const script_part *part,
                               kiln_commands *commands)
{
    unsigned char value[WIDE_SIZE];
    const script_line *line = &of->lines[number];
    kiln_component component = part->fix->components[line->component];
    if (line->kind == 'n')
        return kiln_commands_spawn(commands, part->fix->archetypes[line->mask],
                                   &part->placeholders[number]);
    kiln_entity about = entity_of(line->about, part->entities, part->placeholders);
    if (line->kind == 'k')
        return kiln_commands_kill(commands, about);
    if (line->kind == 'r')
        return kiln_commands_remove(commands, about, component);
    const void *what = value_of(line, part->entities, part->placeholders, value);
    return line->kind == 'a' ? kiln_commands_add(commands, about, component, what)
                             : kiln_commands_set(commands, about, component, what);
}

static uint32_t number_of_key(const script *of, uint64_t key)
{
    uint32_t number = 0;
    while (of->keys[number] != key)
        number++;
    return number;
}

kiln_status script_record(const script *of, const script_part *part, kiln_commands *commands)
{
    kiln_status status = KILN_OK;
    for (uint32_t pass = 0; pass < (part->mixed ? 1 : of->key_count); pass++) {
        for (uint32_t i = 0; status == KILN_OK && i < of->line_count; i++) {
            uint32_t key = number_of_key(of, of->lines[i].key);
            if (part->buffer_of_key[key] != part->buffer || (!part->mixed && key != pass))
                continue;
            kiln_commands_set_key(commands, of->keys[key]);
            status = record_line(of, i, part, commands);
        }
    }
    return status;
}

static kiln_status obey_line(const script *of, uint32_t number, const fix_world *fix,
                             const kiln_entity *entities, kiln_entity *spawned)
{
    unsigned char value[WIDE_SIZE];
    const script_line *line = &of->lines[number];
    kiln_component component = fix->components[line->component];
    if (line->kind == 'n')
        return kiln_entity_create(fix->world, fix->archetypes[line->mask], &spawned[number], NULL);
    kiln_entity about = entity_of(line->about, entities, spawned);
    if (line->kind == 'k')
        return kiln_entity_destroy(fix->world, about);
    if (line->kind == 'r')
        return kiln_entity_remove(fix->world, about, component);
    const void *what = value_of(line, entities, spawned, value);
    if (line->kind == 's' && !kiln_entity_has(fix->world, about, component))
        return KILN_DEAD;
    return kiln_entity_add(fix->world, about, component, what);
}

kiln_played script_obey(const script *of, const fix_world *fix, const kiln_entity *entities)
{
    kiln_played played = {0, 0};
    kiln_entity *spawned = calloc(of->line_count, sizeof *spawned);
    uint8_t *is_done = calloc(of->key_count, 1);
    assert_true(spawned && is_done);
    for (uint32_t pass = 0; pass < of->key_count; pass++) {
        uint32_t key = of->key_count;
        for (uint32_t i = 0; i < of->key_count; i++)
            if (!is_done[i] && (key == of->key_count || of->keys[i] < of->keys[key]))
                key = i;
        is_done[key] = 1;
        for (uint32_t i = 0; i < of->line_count; i++) {
            if (of->lines[i].key != of->keys[key])
                continue;
            kiln_status status = obey_line(of, i, fix, entities, spawned);
            assert_true(status == KILN_OK || status == KILN_DEAD || status == KILN_L_ROW);
            played.commands++;
            played.dropped += status != KILN_OK;
        }
    }
    free(spawned);
    free(is_done);
    return played;
}
