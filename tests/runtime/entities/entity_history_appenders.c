/* Operations with appenders, several of which may be open. If all chunks of an archetype except one
 * were full before an operation, this also holds after it. */
#include "entity_history.h"

/* Batch numbers for the model's entities, after those of real batches. */
static uint32_t number_of(const history *h, const history_appender *appender)
{
    return HISTORY_BATCHES + (uint32_t)(appender - h->appenders) + 1;
}

static history_appender *any_appender(history *h)
{
    return &h->appenders[history_random(h, HISTORY_APPENDERS)];
}

static void open(history *h)
{
    history_appender *appender = any_appender(h);
    uint32_t set = history_set(h), count = 0;
    kiln_archetype archetype;
    if (appender->open.world || set == 0 || !history_archetype(h, set, &archetype))
        return;
    kiln_component components[MODEL_COMPONENTS];
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++) {
        if ((set >> c & 1) && history_random(h, 4) > 0) {
            appender->columns[count] = c;
            components[count++] = h->components[c];
        }
    }
    CHECK(h,
          kiln_appender_open(h->world, archetype, components, count, &appender->open) == KILN_OK);
    appender->set = set;
    appender->chunks = 0;
}

/* Returns false if there is no capacity or memory for another one. */
static bool append_one(history *h, history_appender *appender)
{
    kiln_appender *open = &appender->open;
    const kiln_chunk *chunk = open->chunk;
    kiln_entity entity;
    uint32_t row;
    kiln_status status = kiln_appender_next(open, &entity, &row);
    /* A chunk may already be claimed when ids run out. */
    appender->chunks += open->chunk != chunk;
    if (!history_is_done(h, status, 1 + HISTORY_SET_ASIDE, 1))
        return false;
    model_entity *born = history_born(h, entity, appender->set);
    born->batch = number_of(h, appender);
    for (uint32_t i = 0; i < open->column_count; i++) {
        uint32_t c = appender->columns[i];
        size_t size = model_components[c].size;
        born->values[c] = model_components[c].size ? history_value(h) : 0;
        entity_model_bytes(c, born->values[c], (unsigned char *)open->columns[i] + row * size);
    }
    history_check_entity(h, born);
    return true;
}

static void append(history *h)
{
    history_appender *appender = any_appender(h);
    uint32_t count = 1 + history_random(h, h->is_growing ? 200 : 4);
    for (uint32_t i = 0; appender->open.world && i < count; i++) {
        if (!append_one(h, appender))
            return;
    }
}

static void close(history *h)
{
    history_appender *appender = any_appender(h);
    if (!appender->open.world)
        return;
    kiln_appender_close(&appender->open);
    for (uint32_t i = 0; i < h->model.count; i++) {
        model_entity *entity = &h->model.entities[i];
        if (entity->batch != number_of(h, appender))
            continue;
        entity->batch = 0;
        entity->arrived = h->model.clock;
        history_arrived(h, entity);
        history_check_entity(h, entity);
    }
}

static void discard(history *h)
{
    history_appender *appender = any_appender(h);
    if (!appender->open.world)
        return;
    kiln_appender_discard(&appender->open);
    for (uint32_t i = h->model.count; i-- > 0;)
        if (h->model.entities[i].batch == number_of(h, appender))
            history_dies(h, &h->model.entities[i]);
}

const history_operation history_appender_operations[] = {
    {"open an appender", open, 12, false},
    {"append", append, 30, false},
    {"close an appender", close, 10, false},
    {"discard an appender", discard, 2, false},
    {0},
};
