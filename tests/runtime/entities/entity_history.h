/* Random histories of a world and its model: the operations, and the comparison of both.
 *
 * A history consists of a world, a model of its expected content, and a random number generator
 * that makes every decision, so that a seed replays the history. Each operation calls the library,
 * checks the status, and makes the same change to the model if the call succeeded. */
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
enum { HISTORY_VALUES_MAX = 1 << 21 }; /* bytes of values in one call */
/* Entities reserved for kiln_entity_create. Near the limit other calls may fail because of them. */
enum { HISTORY_SET_ASIDE = 64 };

typedef struct history_query {
    kiln_query *query; /* NULL if unused */
    uint32_t all, any, none, optional;
} history_query;

typedef struct history_batch {
    kiln_batch *batch; /* NULL if unused */
    uint32_t set, count, parts, filled;
    uint32_t next; /* number of parts filled so far, alternately from both ends */
} history_batch;

typedef struct history_appender {
    kiln_appender open; /* without a world if unused */
    uint32_t set, chunks;
    uint32_t columns[MODEL_COMPONENTS]; /* component numbers of the appender's columns */
} history_appender;

typedef struct history_mark {
    uint64_t since, clock;
} history_mark;

/* For each chunk: the latest time at which it got a row, and at which each column was written. */
typedef struct history_touch {
    uint64_t arrived, written[MODEL_COMPONENTS];
} history_touch;

typedef struct history_def {
    const char *name;
    uint32_t max_blocks, max_mega_chunks;
    uint32_t target; /* approximate number of entities */
    size_t max_free_bytes;
    kiln_huge_pages huge_pages;
    uint32_t lent;      /* mega chunks lent to the world at the start */
    bool is_one_by_one; /* no batches or bulk changes, so that all chunks but one are full */
} history_def;

typedef struct history {
    const history_def *def;
    uint64_t seed, random, step;
    const char *operation;
    kiln_world *world;
    kiln_component components[MODEL_COMPONENTS];
    kiln_reader readers[MODEL_COMPONENTS]; /* `columns` is NULL until the reader is first used */
    uint32_t sets[HISTORY_SETS];           /* most archetypes have one of these sets */
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

/* Fails the running test and prints how to replay the history. */
void history_fail(const history *h, const char *what, const char *file, int line);
#define CHECK(h, what) ((what) ? (void)0 : history_fail(h, #what, __FILE__, __LINE__))

/* Creates the world. If memory fails, `world` may stay NULL. */
void history_init(history *h, const history_def *def, uint64_t seed);
/* Runs all checks, destroys the world and checks that all memory is freed. */
void history_fini(history *h);
/* Runs one random operation. */
void history_step(history *h);

/* ---- helpers for operations ---- */

uint32_t history_random(history *h, uint32_t below);
uint64_t history_value(history *h);
uint32_t history_set(history *h); /* a set that fits into a chunk */
/* Returns whether the status is KILN_OK. Fails the test if any other status is not justified: the
 * call needed at most `ids` ids and `chunks` chunks. */
bool history_is_done(history *h, kiln_status status, uint64_t ids, uint64_t chunks);
/* Returns a living entity outside batches, or NULL if there is none. */
model_entity *history_entity(history *h);
/* Returns an invalid handle: stale, null or forged. */
kiln_entity history_nobody(history *h);
/* Finds the archetype of a set. Returns false if memory runs out. */
bool history_archetype(history *h, uint32_t set, kiln_archetype *ret_archetype);
uint32_t history_chunks_for(uint32_t set, uint64_t rows);
/* Adds a new entity to the model and records that its chunk got a row. */
model_entity *history_born(history *h, kiln_entity entity, uint32_t set);
/* Records that the entity's current chunk got a row. */
void history_arrived(history *h, const model_entity *entity);
void history_touched(history *h, const kiln_chunk *chunk, uint32_t component);
history_touch *history_touch_of(history *h, const kiln_chunk *chunk);
void history_dies(history *h, model_entity *entity);

/* ---- checks (entity_history_check.c) ---- */

/* Returns whether the world's entity equals the model's. Fails the test if the world is
 * inconsistent. */
bool history_matches(history *h, const model_entity *entity);
void history_check_entity(history *h, const model_entity *entity);
/* Checks every entity, archetype, query and count. */
void history_check_all(history *h);
bool history_query_matches(const history_query *query, uint32_t set);
/* Checks a query's counts and iterates over its results (entity_history_queries.c). */
void history_check_query(history *h, const history_query *query);

/* ---- operations ---- */

typedef struct history_operation {
    const char *name;
    void (*run)(history *h);
    uint32_t weight;
    bool is_bulk; /* not used with is_one_by_one */
} history_operation;

extern const history_operation history_single_operations[], history_bulk_operations[],
    history_query_operations[], history_batch_operations[],
    history_appender_operations[]; /* terminated by a NULL name */

#endif
