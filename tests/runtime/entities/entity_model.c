#include "entity_model.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t two_entities[] = {0, 12}, an_asset[] = {0};

/* Sorted by name. */
const kiln_component_desc model_components[MODEL_COMPONENTS] = {
    {"a", 0, 4, 4, NULL, NULL, 0, 0},        {"aa", 1, 8, 8, NULL, an_asset, 0, 1},
    {"b", 0, 12, 4, NULL, NULL, 0, 0},       {"b tag", 0, 0, 1, NULL, NULL, 0, 0},
    {"c", 7, 64, 64, NULL, NULL, 0, 0},      {"d", 0, 1, 1, NULL, NULL, 0, 0},
    {"e tag", 9, 0, 1, NULL, NULL, 0, 0},    {"f", 0, 20, 4, two_entities, NULL, 2, 0},
    {"large", 0, 3000, 8, NULL, NULL, 0, 0}, {"whole", 0, KILN_CHUNK_SIZE, 16, NULL, NULL, 0, 0},
};

const char *const model_names[MODEL_NAMES] = {
    NULL, "x",  "y",        "z",     "lamp", "Lamp", "a longer name that fills more than one word",
    "k1", "k2", "\xc3\xa4", "lamp2", " "};

static void *grow(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes);
    if (!grown)
        abort();
    return grown;
}

void entity_model_init(entity_model *model)
{
    memset(model, 0, sizeof *model);
    model->clock = 1;
}

void entity_model_fini(entity_model *model)
{
    free(model->entities);
    free(model->slots);
    free(model->versions);
    memset(model, 0, sizeof *model);
}

static void make_index_room(entity_model *model, uint32_t index)
{
    if (index < model->index_room)
        return;
    uint32_t room = (index / KILN_BLOCK_ENTITIES + 1) * KILN_BLOCK_ENTITIES;
    model->slots = grow(model->slots, room * sizeof *model->slots);
    model->versions = grow(model->versions, room * sizeof *model->versions);
    size_t more = (room - model->index_room) * sizeof(uint32_t);
    memset(model->slots + model->index_room, 0, more);
    memset(model->versions + model->index_room, 0, more);
    model->index_room = room;
}

model_entity *entity_model_add(entity_model *model, kiln_entity entity, uint32_t set)
{
    if (entity.index >= KILN_ENTITY_MAX)
        return NULL;
    make_index_room(model, entity.index);
    if (!(entity.version & 1) || model->slots[entity.index] != 0 ||
        entity.version <= model->versions[entity.index])
        return NULL;
    if (model->count == model->room) {
        model->room = model->room ? 2 * model->room : 256;
        model->entities = grow(model->entities, model->room * sizeof *model->entities);
    }
    model->slots[entity.index] = model->count + 1;
    model->versions[entity.index] = entity.version;
    model_entity *added = &model->entities[model->count++];
    memset(added, 0, sizeof *added);
    added->entity = entity;
    entity_model_move(model, added, set);
    return added;
}

void entity_model_remove(entity_model *model, model_entity *entity)
{
    model->stale[model->stale_count++ % MODEL_STALE] = entity->entity;
    model->slots[entity->entity.index] = 0;
    model_entity *last = &model->entities[--model->count];
    if (entity != last) {
        *entity = *last;
        model->slots[entity->entity.index] = (uint32_t)(entity - model->entities) + 1;
    }
}

void entity_model_clear(entity_model *model)
{
    while (model->count > 0)
        entity_model_remove(model, &model->entities[model->count - 1]);
}

model_entity *entity_model_find(const entity_model *model, kiln_entity entity)
{
    if (entity.index >= model->index_room || model->slots[entity.index] == 0)
        return NULL;
    model_entity *found = &model->entities[model->slots[entity.index] - 1];
    return kiln_entity_same(found->entity, entity) ? found : NULL;
}

void entity_model_move(entity_model *model, model_entity *entity, uint32_t set)
{
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
        if (!(entity->set >> c & 1) || !(set >> c & 1))
            entity->values[c] = 0;
    entity->set = set;
    entity->arrived = model->clock;
}

void entity_model_write(entity_model *model, model_entity *entity, uint32_t component,
                        uint64_t value)
{
    entity->values[component] = value;
    entity->written[component] = model->clock;
}

void entity_model_name(entity_model *model, model_entity *entity, uint32_t name)
{
    entity->name = name;
    entity->named = ++model->names_given;
}

const model_entity *entity_model_named(const entity_model *model, uint32_t name)
{
    const model_entity *best = NULL;
    for (uint32_t i = 0; i < model->count; i++) {
        const model_entity *entity = &model->entities[i];
        if (entity->name == name && (!best || entity->named > best->named))
            best = entity;
    }
    return best;
}

uint32_t entity_model_rows(const entity_model *model, uint32_t set)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < model->count; i++)
        rows += model->entities[i].set == set && model->entities[i].batch == 0;
    return rows;
}

uint32_t entity_model_chunk_rows(uint32_t set)
{
    uint32_t sizes[MODEL_COMPONENTS], offsets[MODEL_COMPONENTS], count = 0;
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
        if (set >> c & 1)
            sizes[count++] = model_components[c].size;
    return kiln_chunk_layout(sizes, count, offsets);
}

void entity_model_bytes(uint32_t component, uint64_t value, unsigned char *bytes)
{
    uint32_t size = model_components[component].size;
    for (uint32_t at = 0; at < size; at += 8)
        memcpy(bytes + at, &value, size - at < 8 ? size - at : 8);
}

bool entity_model_is_value(uint32_t component, uint64_t value, const unsigned char *bytes)
{
    uint32_t size = model_components[component].size;
    for (uint32_t at = 0; at < size; at += 8)
        if (memcmp(bytes + at, &value, size - at < 8 ? size - at : 8) != 0)
            return false;
    return true;
}
