/* Random histories of a world beside its model: what happens, and how both are held together.
 *
 * A history is a world, the model of what it should hold, and a random number that decides
 * everything, so that its seed replays it. Each operation calls the library, looks at the status,
 * and does the same to the model where it says that something was done. */
#ifndef ENTITY_HISTORY_H
#define ENTITY_HISTORY_H

#include "entity_model.h"
#include "world_memory.h"

#include <kiln/appender.h>
#include <kiln/batch.h>
#include <kiln/query.h>
#include <kiln/reader.h>
#include <kiln/world.h>

enum { HISTORY_SETS = 20, HISTORY_QUERIES = 6, HISTORY_BATCHES = 3, HISTORY_MARKS = 4 };
enum { HISTORY_APPENDERS = 2 };
enum { HISTORY_VALUES_MAX = 1 << 21 }; /* bytes of one call's values */
/* Places that wait for kiln_entity_create, and that other calls may miss at the limit. */
enum { HISTORY_SET_ASIDE = 64 };

typedef struct history_query {
    kiln_query *query; /* NULL: none */
    uint32_t all, any, none, optional;
} history_query;

typedef struct history_batch {
    kiln_batch *batch; /* NULL: none */
    uint32_t set, count, parts, filled;
    uint32_t next; /* part to be filled next, going around in steps */
} history_batch;

typedef struct history_appender {
    kiln_appender open; /* without a world: none */
    uint32_t set, chunks;
    uint32_t columns[MODEL_COMPONENTS]; /* components, as the appender has them */
} history_appender;

typedef struct history_mark {
    uint64_t since, clock;
} history_mark;

/* By chunk number: when it got a row, and when a column was written, at the latest. */
typedef struct history_touch {
    uint64_t arrived, written[MODEL_COMPONENTS];
} history_touch;

typedef struct history_def {
    const char *name;
    uint32_t max_blocks, max_mega_chunks;
    uint32_t target; /* entities that it tends to */
    size_t max_free_bytes;
    kiln_huge_pages huge_pages;
    uint32_t lent;      /* mega chunks at the beginning */
    bool is_one_by_one; /* no batches and no changes of many: chunks are full but one */
} history_def;

typedef struct history {
    const history_def *def;
    uint64_t seed, random, step;
    const char *operation;
    kiln_world *world;
    kiln_component components[MODEL_COMPONENTS];
    kiln_reader readers[MODEL_COMPONENTS]; /* `columns` is NULL where there is none yet */
    uint32_t sets[HISTORY_SETS];           /* most archetypes are of these */
    history_query queries[HISTORY_QUERIES];
    history_batch batches[HISTORY_BATCHES];
    history_appender appenders[HISTORY_APPENDERS];
    history_mark ticks[HISTORY_MARKS];
    history_touch *touches;
    uint32_t touch_room;
    bool is_growing;
    void *lent;
    unsigned char *values; /* HISTORY_VALUES_MAX */
    entity_model model;
    world_memory memory;
} history;

/* Fails the running test and says how to come back here. */
void history_fail(const history *h, const char *what, const char *file, int line);
#define CHECK(h, what) ((what) ? (void)0 : history_fail(h, #what, __FILE__, __LINE__))

/* Makes the world; with failing memory NULL may be left in `world`. */
void history_init(history *h, const history_def *def, uint64_t seed);
/* Checks everything a last time, ends the world, and finds no byte left. */
void history_fini(history *h);
/* One random operation. */
void history_step(history *h);

/* ---- for operations ---- */

uint32_t history_random(history *h, uint32_t below);
uint64_t history_value(history *h);
uint32_t history_set(history *h); /* that fits a chunk */
/* Whether it is KILN_OK; anything else must have its reason. `ids` and `chunks` is how many of them
 * were needed at most. */
bool history_is_done(history *h, kiln_status status, uint64_t ids, uint64_t chunks);
/* A living entity that belongs to no batch; NULL where there is none. */
model_entity *history_entity(history *h);
/* A handle of nobody: stale, null, forged. */
kiln_entity history_nobody(history *h);
/* The archetype of that set; false without memory. */
bool history_archetype(history *h, uint32_t set, kiln_archetype *ret_archetype);
uint32_t history_chunks_for(uint32_t set, uint64_t rows);
/* Takes a new entity in, and what its chunk got. */
model_entity *history_born(history *h, kiln_entity entity, uint32_t set);
/* Where it lies, and that something came there. */
void history_arrived(history *h, const model_entity *entity);
void history_touched(history *h, const kiln_chunk *chunk, uint32_t component);
history_touch *history_touch_of(history *h, const kiln_chunk *chunk);
void history_dies(history *h, model_entity *entity);

/* ---- looking (entity_history_check.c) ---- */

/* Whether the world has it just so, and fails where what it has makes no sense. */
bool history_matches(history *h, const model_entity *entity);
void history_check_entity(history *h, const model_entity *entity);
/* Every entity, archetype, query and number. */
void history_check_all(history *h);
bool history_query_matches(const history_query *query, uint32_t set);
/* Its numbers, and a walk over all of it (entity_history_queries.c). */
void history_check_query(history *h, const history_query *query);

/* ---- operations ---- */

typedef struct history_operation {
    const char *name;
    void (*run)(history *h);
    uint32_t weight;
    bool is_bulk; /* not in histories one by one */
} history_operation;

extern const history_operation history_single_operations[], history_bulk_operations[],
    history_query_operations[], history_batch_operations[],
    history_appender_operations[]; /* ended by a NULL name */

#endif
