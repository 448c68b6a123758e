/* A naive model of a world's expected content: an array with one plain struct per entity.
 *
 * A component's value is a single number, and its bytes repeat that number, so 0 means zeros. Time
 * is the number of ticks taken so far: an `arrived` or `written` later than a tick means a change
 * since then. */
#ifndef ENTITY_MODEL_H
#define ENTITY_MODEL_H

#include <kiln/chunk_layout.h>
#include <kiln/entity.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MODEL_COMPONENTS = 10,
    MODEL_SETS = 1 << MODEL_COMPONENTS,
    MODEL_TAGS = 1 << 3 | 1 << 6, /* of model_components */
    MODEL_NAMES = 12,
    MODEL_STALE = 256
};

/* Different sizes and alignments. Two are tags; one fills a chunk alone. */
extern const kiln_component_desc model_components[MODEL_COMPONENTS];
/* Names by number; 0 means no name. */
extern const char *const model_names[MODEL_NAMES];

typedef struct model_entity {
    kiln_entity entity;
    uint32_t set;   /* bit c is set if it has component c */
    uint32_t name;  /* 0 means no name */
    uint32_t batch; /* 1 and up: in an unpublished batch */
    uint32_t stamp; /* of the last iteration or count that visited it */
    uint64_t named; /* when it was named; later is larger */
    uint64_t arrived;
    uint64_t values[MODEL_COMPONENTS];
    uint64_t written[MODEL_COMPONENTS];
} model_entity;

typedef struct entity_model {
    model_entity *entities;
    uint32_t count, room;
    uint32_t *slots;    /* by index: position in `entities` plus 1, 0 for none */
    uint32_t *versions; /* by index: the last version seen alive */
    uint32_t index_room;
    uint32_t stamp;
    uint64_t names_given;
    uint64_t clock; /* 1 plus the number of ticks taken */
    kiln_entity stale[MODEL_STALE];
    uint32_t stale_count; /* total so far, may exceed MODEL_STALE */
} entity_model;

void entity_model_init(entity_model *model);
void entity_model_fini(entity_model *model);

/* Adds a new entity. Returns NULL if the handle is invalid: not alive, an index in use, or an old
 * version. */
model_entity *entity_model_add(entity_model *model, kiln_entity entity, uint32_t set);
/* Marks the entity as dead. The last element of the array replaces it. */
void entity_model_remove(entity_model *model, model_entity *entity);
void entity_model_clear(entity_model *model);
/* Returns NULL if the entity is not alive. */
model_entity *entity_model_find(const entity_model *model, kiln_entity entity);

/* Changes the set of components. New components are zero. */
void entity_model_move(entity_model *model, model_entity *entity, uint32_t set);
void entity_model_write(entity_model *model, model_entity *entity, uint32_t component,
                        uint64_t value);
void entity_model_name(entity_model *model, model_entity *entity, uint32_t name);
/* Returns the entity that was given the name last, or NULL. */
const model_entity *entity_model_named(const entity_model *model, uint32_t name);

/* Counts the rows with exactly this set, except those in batches. */
uint32_t entity_model_rows(const entity_model *model, uint32_t set);
/* Returns the rows per chunk of an archetype with this set; 0 if no such archetype is possible. */
uint32_t entity_model_chunk_rows(uint32_t set);

/* `bytes` must be as large as the component. */
void entity_model_bytes(uint32_t component, uint64_t value, unsigned char *bytes);
bool entity_model_is_value(uint32_t component, uint64_t value, const unsigned char *bytes);

#endif
