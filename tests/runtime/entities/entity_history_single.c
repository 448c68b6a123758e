/* Operations on single entities, on several by handle, and on the world. */
#include "entity_history.h"

#include <string.h>

/* ---- creation ---- */

static void mark(history *h)
{
    history_mark *oldest = &h->ticks[0];
    uint64_t latest = 0;
    for (uint32_t i = 0; i < HISTORY_MARKS; i++) {
        oldest = h->ticks[i].clock < oldest->clock ? &h->ticks[i] : oldest;
        latest = h->ticks[i].since > latest ? h->ticks[i].since : latest;
    }
    oldest->since = kiln_world_tick(h->world);
    oldest->clock = h->model.clock++;
    CHECK(h, oldest->since > latest);
}

static void create_bare(history *h)
{
    kiln_entity *entities = (void *)h->values;
    uint32_t count = 1 + history_random(h, h->is_growing ? 40 : 3);
    if (history_random(h, 200) == 0)
        count = h->def->max_blocks <= 8 ? h->def->max_blocks * KILN_BLOCK_ENTITIES + 1 : 3000;
    kiln_status status = kiln_entity_create_empty(h->world, count, entities);
    if (!history_is_done(h, status, count + HISTORY_SET_ASIDE, 0))
        return;
    for (uint32_t i = 0; i < count; i++)
        history_born(h, entities[i], 0);
}

/* Returns false if there was no capacity. */
static bool create_in(history *h, kiln_archetype archetype, uint32_t set, bool is_written)
{
    kiln_entity entity;
    kiln_row row;
    kiln_status status = kiln_entity_create(h->world, archetype, &entity, is_written ? &row : NULL);
    if (!history_is_done(h, status, set ? 1 : 1 + HISTORY_SET_ASIDE, set != 0))
        return false;
    model_entity *born = history_born(h, entity, set);
    if (is_written) {
        kiln_row same = kiln_entity_row(h->world, entity);
        CHECK(h, row.chunk == same.chunk && row.row == same.row);
    }
    for (uint32_t c = 0; c < MODEL_COMPONENTS && is_written; c++) {
        if (!(set >> c & 1))
            continue;
        born->values[c] = history_value(h);
        entity_model_bytes(c, born->values[c], kiln_row_at(row, h->components[c]));
    }
    return true;
}

static void create_one(history *h)
{
    uint32_t set = history_set(h);
    kiln_archetype archetype;
    if (history_archetype(h, set, &archetype))
        create_in(h, archetype, set, set != 0 && history_random(h, 2));
}

/* Creates entities in the same chunks without other operations in between. */
static void create_series(history *h)
{
    uint32_t set = history_set(h), count = history_random(h, h->is_growing ? 150 : 3);
    kiln_archetype archetype;
    if (set == 0 || !history_archetype(h, set, &archetype))
        return;
    for (uint32_t i = 0; i < count && create_in(h, archetype, set, true); i++) {
        if (history_random(h, 30) == 0)
            mark(h);
        else if (history_random(h, 30) == 0)
            create_in(h, archetype, set, false);
    }
}

static uint64_t value_of_row(uint64_t first, uint32_t row)
{
    return first ? first + row * UINT64_C(0x9e3779b97f4a7c15) : 0;
}

typedef struct many_values {
    kiln_column_values columns[MODEL_COMPONENTS];
    uint64_t firsts[MODEL_COMPONENTS]; /* 0: all values are zero; the component may be unlisted */
    uint32_t count;
} many_values;

/* Makes values for `rows` rows of some components, at odd addresses. */
static void make_values(history *h, uint32_t set, uint32_t rows, many_values *values)
{
    size_t at = 1;
    memset(values, 0, sizeof *values);
    for (uint32_t i = 0; i < MODEL_COMPONENTS; i++) {
        uint32_t c = (i + rows) % MODEL_COMPONENTS;
        size_t bytes = (size_t)rows * model_components[c].size;
        if (!(set >> c & 1) || history_random(h, 4) == 0 || bytes > HISTORY_VALUES_MAX - 8 - at)
            continue;
        values->firsts[c] = history_value(h);
        for (uint32_t r = 0; r < rows; r++)
            entity_model_bytes(c, value_of_row(values->firsts[c], r),
                               h->values + at + (size_t)r * model_components[c].size);
        kiln_column_values column = {h->components[c], h->values + at};
        values->columns[values->count++] = column;
        at += bytes;
    }
}

static void create_many(history *h)
{
    uint32_t set = history_set(h), count = history_random(h, h->is_growing ? 300 : 4);
    if (h->is_growing && history_random(h, 30) == 0)
        count += 2000;
    kiln_archetype archetype;
    if (set == 0 || !history_archetype(h, set, &archetype))
        return;
    static kiln_entity entities[2300];
    many_values values;
    make_values(h, set, count, &values);
    bool is_told = history_random(h, 8) > 0;
    for (uint32_t c = 0; c < MODEL_COMPONENTS && !is_told; c++)
        values.firsts[c] = 0;
    kiln_create_args args = {archetype, count, values.columns, is_told ? values.count : 0};
    kiln_status status = kiln_entity_create_many(h->world, &args, is_told ? entities : NULL);
    if (!history_is_done(h, status, count + HISTORY_SET_ASIDE, history_chunks_for(set, count)))
        return;
    kiln_entity next = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        /* The call returned no handles, so these are the entities missing from the model. */
        while (!is_told) {
            next = entities[i] = kiln_entity_next(h->world, next.index);
            CHECK(h, !kiln_entity_is_null(next));
            next.index++;
            if (!entity_model_find(&h->model, entities[i]))
                break;
        }
        model_entity *born = history_born(h, entities[i], set);
        for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
            born->values[c] = value_of_row(values.firsts[c], i);
    }
}

/* ---- destruction ---- */

typedef struct left_place {
    kiln_row row;
    uint32_t archetype;
} left_place;

static left_place place_of(history *h, kiln_entity entity)
{
    left_place place = {kiln_entity_row(h->world, entity), 0};
    if (place.row.chunk)
        place.archetype = place.row.chunk->archetype;
    return place;
}

/* The entity now in that row was moved to fill the hole. */
static void fill_hole(history *h, left_place place)
{
    kiln_chunk *chunk = place.row.chunk;
    if (!chunk)
        return;
    history_touch_of(h, chunk)->arrived = h->model.clock;
    if (chunk->archetype != place.archetype || chunk->count <= place.row.row)
        return;
    uint32_t index = kiln_chunk_index(chunk, place.row.row);
    model_entity *filler = entity_model_find(&h->model, kiln_entity_at(h->world, index));
    CHECK(h, filler != NULL);
    filler->arrived = h->model.clock;
}

static void destroy_one(history *h)
{
    model_entity *entity = history_entity(h);
    if (!entity || (h->is_growing && history_random(h, 3) > 0))
        return;
    left_place place = place_of(h, entity->entity);
    CHECK(h, kiln_entity_destroy(h->world, entity->entity) == KILN_OK);
    history_dies(h, entity);
    fill_hole(h, place);
}

static void destroy_some(history *h)
{
    enum { SOME = 60 };
    kiln_entity entities[SOME];
    left_place places[SOME];
    uint32_t count = history_random(h, h->is_growing ? 3 : SOME), expected = 0;
    uint32_t stamp = ++h->model.stamp;
    for (uint32_t i = 0; i < count; i++) {
        model_entity *entity = history_random(h, 5) ? history_entity(h) : NULL;
        entities[i] = entity ? entity->entity : history_nobody(h);
        places[i] = place_of(h, entities[i]);
        expected += entity && entity->stamp != stamp;
        if (entity)
            entity->stamp = stamp;
    }
    CHECK(h, kiln_entity_destroy_many(h->world, entities, count) == expected);
    for (uint32_t i = 0; i < count; i++) {
        model_entity *entity = entity_model_find(&h->model, entities[i]);
        if (entity)
            history_dies(h, entity);
    }
    for (uint32_t i = 0; i < count; i++)
        fill_hole(h, places[i]);
}

/* ---- changes ---- */

static void came_to(history *h, model_entity *entity, uint32_t set, left_place from)
{
    entity_model_move(&h->model, entity, set);
    history_arrived(h, entity);
    fill_hole(h, from);
}

static void add(history *h)
{
    model_entity *entity = history_entity(h);
    uint32_t c = history_random(h, 30) ? history_random(h, 8) : history_random(h, MODEL_COMPONENTS);
    if (!entity)
        return;
    uint32_t set = entity->set | 1u << c;
    bool has_value = history_random(h, 3) > 0;
    uint64_t value = has_value ? history_value(h) : 0;
    entity_model_bytes(c, value, h->values);
    left_place from = place_of(h, entity->entity);
    kiln_status status =
        kiln_entity_add(h->world, entity->entity, h->components[c], has_value ? h->values : NULL);
    if (entity_model_chunk_rows(set) == 0) {
        CHECK(h, status == KILN_L_ROW || !history_is_done(h, status, 0, 1));
    } else if (history_is_done(h, status, 0, 1)) {
        if (entity->set != set)
            came_to(h, entity, set, from);
        else
            history_touched(h, from.row.chunk, c);
        entity_model_write(&h->model, entity, c, value);
    }
    history_check_entity(h, entity);
}

static void remove_one(history *h)
{
    model_entity *entity = history_entity(h);
    uint32_t c = history_random(h, MODEL_COMPONENTS);
    if (!entity)
        return;
    left_place from = place_of(h, entity->entity);
    kiln_status status = kiln_entity_remove(h->world, entity->entity, h->components[c]);
    if (history_is_done(h, status, 0, 1) && entity->set >> c & 1)
        came_to(h, entity, entity->set & ~(1u << c), from);
    history_check_entity(h, entity);
}

static void move(history *h)
{
    model_entity *entity = history_entity(h);
    uint32_t set = history_set(h);
    kiln_archetype archetype;
    if (!entity || !history_archetype(h, set, &archetype))
        return;
    left_place from = place_of(h, entity->entity);
    kiln_status status = kiln_entity_move(h->world, entity->entity, archetype);
    if (history_is_done(h, status, 0, set != 0) && set != entity->set)
        came_to(h, entity, set, from);
    history_check_entity(h, entity);
}

static void write_in_place(history *h)
{
    if (h->model.count == 0)
        return;
    model_entity *entity = &h->model.entities[history_random(h, h->model.count)];
    kiln_row row = kiln_entity_row(h->world, entity->entity);
    for (uint32_t c = history_random(h, 4); c < MODEL_COMPONENTS; c += 1 + history_random(h, 4)) {
        unsigned char *bytes = kiln_entity_write(h->world, entity->entity, h->components[c]);
        CHECK(h, (bytes != NULL) == (entity->set >> c & 1));
        if (!bytes)
            continue;
        uint64_t value = history_value(h);
        entity_model_bytes(c, value, bytes);
        entity_model_write(&h->model, entity, c, value);
        history_touched(h, row.chunk, c);
    }
    history_check_entity(h, entity);
}

/* ---- invalid handles ---- */

static void refuse_nobody(history *h)
{
    kiln_entity nobody = history_nobody(h);
    kiln_component c = h->components[history_random(h, MODEL_COMPONENTS)];
    kiln_archetype archetype;
    CHECK(h, !kiln_entity_exists(h->world, nobody));
    CHECK(h, kiln_entity_row(h->world, nobody).chunk == NULL);
    CHECK(h, kiln_entity_read(h->world, nobody, c) == NULL);
    CHECK(h, kiln_entity_write(h->world, nobody, c) == NULL);
    for (uint32_t i = 0; i < MODEL_COMPONENTS; i++)
        CHECK(h, !h->readers[i].columns || kiln_reader_read(&h->readers[i], nobody) == NULL);
    CHECK(h, !kiln_entity_has(h->world, nobody, c));
    CHECK(h, kiln_entity_archetype(h->world, nobody).number == 0);
    CHECK(h, kiln_entity_name(h->world, nobody) == NULL);
    CHECK(h, kiln_entity_destroy(h->world, nobody) == KILN_DEAD);
    CHECK(h, kiln_entity_destroy_many(h->world, &nobody, 1) == 0);
    CHECK(h, kiln_entity_add(h->world, nobody, c, NULL) == KILN_DEAD);
    CHECK(h, kiln_entity_remove(h->world, nobody, c) == KILN_DEAD);
    CHECK(h, kiln_entity_set_name(h->world, nobody, "x") == KILN_DEAD);
    if (history_archetype(h, history_set(h), &archetype))
        CHECK(h, kiln_entity_move(h->world, nobody, archetype) == KILN_DEAD);
    kiln_entity at = kiln_entity_at(h->world, nobody.index);
    CHECK(h, kiln_entity_is_null(at) || entity_model_find(&h->model, at));
}

/* ---- names ---- */

static void set_name(history *h)
{
    model_entity *entity = history_entity(h);
    uint32_t name = history_random(h, MODEL_NAMES);
    if (!entity)
        return;
    const char *text = name == 0 && history_random(h, 2) ? "" : model_names[name];
    kiln_status status = kiln_entity_set_name(h->world, entity->entity, text);
    if (history_is_done(h, status, 0, 0))
        entity_model_name(&h->model, entity, name);
    history_check_entity(h, entity);
}

static void find_name(history *h)
{
    uint32_t name = 1 + history_random(h, MODEL_NAMES - 1);
    const model_entity *named = entity_model_named(&h->model, name);
    CHECK(h, kiln_entity_same(kiln_entity_find(h->world, model_names[name]),
                              named ? named->entity : kiln_entity_null()));
    CHECK(h, kiln_entity_is_null(kiln_entity_find(h->world, "nobody's")));
}

/* ---- the world ---- */

static void clear(history *h)
{
    for (uint32_t i = 0; i < HISTORY_BATCHES; i++)
        if (h->batches[i].batch)
            return;
    for (uint32_t i = 0; i < HISTORY_APPENDERS; i++)
        if (h->appenders[i].open.world)
            return;
    CHECK(h, kiln_world_clear(h->world) == KILN_OK);
    entity_model_clear(&h->model);
    history_check_all(h);
}

static void trim(history *h)
{
    size_t before = h->memory.discards, bytes = kiln_world_trim(h->world);
    CHECK(h, bytes == h->memory.discards - before);
    CHECK(h, kiln_world_trim(h->world) == 0);
}

static void register_again(history *h)
{
    uint32_t c = history_random(h, MODEL_COMPONENTS);
    kiln_component_desc desc = model_components[c];
    kiln_component again;
    CHECK(h, kiln_component_register(h->world, &desc, &again) == KILN_OK);
    CHECK(h, again.number == h->components[c].number);
    CHECK(h, kiln_component_find(h->world, desc.name).number == again.number);
    const kiln_component_desc *known = kiln_component_get(h->world, again);
    CHECK(h, strcmp(known->name, desc.name) == 0 && known->name != desc.name);
    CHECK(h, known->entity_count == desc.entity_count &&
                 (!desc.entity_count || known->entity_places[1] == desc.entity_places[1]));
    desc.layout++;
    CHECK(h, kiln_component_register(h->world, &desc, &again) == KILN_DUPLICATE);
}

static void check_everything(history *h)
{
    history_check_all(h);
}

const history_operation history_single_operations[] = {
    {"create empty entities", create_bare, 40, false},
    {"create one", create_one, 150, false},
    {"create one at a time", create_series, 8, false},
    {"create many", create_many, 30, false},
    {"destroy one", destroy_one, 150, false},
    {"destroy some", destroy_some, 30, false},
    {"add a component", add, 150, false},
    {"remove a component", remove_one, 150, false},
    {"move to an archetype", move, 80, false},
    {"write in place", write_in_place, 100, false},
    {"refuse invalid handles", refuse_nobody, 60, false},
    {"name", set_name, 40, false},
    {"find a name", find_name, 3, false},
    {"clear the world", clear, 1, true},
    {"trim", trim, 2, false},
    {"mark", mark, 20, false},
    {"register again", register_again, 4, false},
    {"check everything", check_everything, 2, false},
    {0},
};
