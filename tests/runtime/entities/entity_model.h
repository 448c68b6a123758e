/* What a world should hold, kept the naive way: an array of plain structs, one an entity.
 *
 * A component's value is one number, and its bytes are that number over and over, so 0 stands for
 * zeros. Time is counted by the marks taken so far: what has a later `arrived` or `written` than a
 * mark has changed since. */
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
    MODEL_TAGS = 1 << 3 | 1 << 6, /* of the components below */
    MODEL_NAMES = 12,
    MODEL_STALE = 256
};

/* Different sizes and alignments; two are tags, one fills a chunk alone. */
extern const kiln_component_desc model_components[MODEL_COMPONENTS];
/* Text of a name by number; 0 is none. */
extern const char *const model_names[MODEL_NAMES];

typedef struct model_entity {
    kiln_entity entity;
    uint32_t set;   /* bit c: has component c */
    uint32_t name;  /* number, 0: none */
    uint32_t batch; /* 1 and on: in a batch that is not published */
    uint32_t stamp; /* of the last walk or count that met it */
    uint64_t named; /* when; later is larger */
    uint64_t arrived;
    uint64_t values[MODEL_COMPONENTS];
    uint64_t written[MODEL_COMPONENTS];
} model_entity;

typedef struct entity_model {
    model_entity *entities;
    uint32_t count, room;
    uint32_t *slots;    /* by index: place in `entities` + 1, 0: none */
    uint32_t *versions; /* by index: last one seen alive */
    uint32_t index_room;
    uint32_t stamp;
    uint64_t names_given;
    uint64_t clock; /* 1 + marks taken */
    kiln_entity stale[MODEL_STALE];
    uint32_t stale_count; /* ever */
} entity_model;

void entity_model_init(entity_model *model);
void entity_model_fini(entity_model *model);

/* Takes a new entity in; NULL where it is none: not alive, an index in use, or an old version. */
model_entity *entity_model_add(entity_model *model, kiln_entity entity, uint32_t set);
/* The entity is dead from now on; what stood last in the array takes its place there. */
void entity_model_remove(entity_model *model, model_entity *entity);
void entity_model_clear(entity_model *model);
/* NULL: it does not live. */
model_entity *entity_model_find(const entity_model *model, kiln_entity entity);

/* Gives it these components: those that are new are zero. */
void entity_model_move(entity_model *model, model_entity *entity, uint32_t set);
void entity_model_write(entity_model *model, model_entity *entity, uint32_t component,
                        uint64_t value);
void entity_model_name(entity_model *model, model_entity *entity, uint32_t name);
/* The one of that name that was named last; NULL: there is none. */
const model_entity *entity_model_named(const entity_model *model, uint32_t name);

/* Rows with just that set, without those in batches. */
uint32_t entity_model_rows(const entity_model *model, uint32_t set);
/* Whether an archetype of that set can be, and how many rows its chunks have. */
uint32_t entity_model_chunk_rows(uint32_t set);

/* `bytes` has room for the component. */
void entity_model_bytes(uint32_t component, uint64_t value, unsigned char *bytes);
bool entity_model_is_value(uint32_t component, uint64_t value, const unsigned char *bytes);

#endif
