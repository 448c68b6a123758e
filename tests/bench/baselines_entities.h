/* What the entity store is measured against, built with the same flags: flat arrays, a list of ids,
 * rows that move, as a plain C program would have them. Functions that need memory end the process
 * where there is none. */
#ifndef BASELINES_ENTITIES_H
#define BASELINES_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The three components, 36 bytes, and one that is added and removed. */
typedef struct body_position {
    float x, y, z;
} body_position;

typedef struct body_rotation {
    float x, y, z, w;
} body_rotation;

typedef struct body_velocity {
    float x, y;
} body_velocity;

typedef struct body_fire {
    float heat;
    uint32_t since;
} body_fire;

/* ---- pages ---- */

/* Pages of 4 KiB alone, or of 2 MiB where the system has them. */
typedef enum baseline_advice { BASELINE_PLAIN, BASELINE_HUGE } baseline_advice;

/* `size` bytes that nobody has touched, at a multiple of `align`, a power of two. */
void *baseline_pages_map(size_t size, size_t align, baseline_advice advice);
void baseline_pages_unmap(void *memory, size_t size);

/* ---- columns ---- */

/* Flat arrays of `count` each, in one mapping. */
typedef struct body_columns {
    body_position *positions;
    body_rotation *rotations;
    body_velocity *velocities;
    body_fire *fires;
    uint32_t *owners; /* the id of each row, for tables that move rows */
    void *memory;
    size_t size;
} body_columns;

void baseline_columns_map(body_columns *columns, uint32_t count, baseline_advice advice);
/* Zeroed columns are fine. */
void baseline_columns_unmap(body_columns *columns);
/* Writes a value to each place of the three components. */
void baseline_columns_fill(body_columns *columns, uint32_t count);

/* Rows `first` to `first + count` of the three components: one memcpy each. */
void baseline_columns_copy(body_columns *to, const body_columns *from, uint32_t first,
                           uint32_t count);

/* The values of body `number`, for loops that make one after another. */
static inline body_position body_position_of(uint32_t number)
{
    float value = (float)number;
    return (body_position){value, value + 1, value + 2};
}

static inline body_rotation body_rotation_of(uint32_t number)
{
    float value = (float)number;
    return (body_rotation){value, 0, 0, value + 1};
}

static inline body_velocity body_velocity_of(uint32_t number)
{
    float value = (float)number;
    return (body_velocity){1 / 64.0f, value};
}

/* A step of all bodies: the loop that both sides run, the one over the whole arrays, the other over
 * a chunk's. */
static inline void body_step(body_position *restrict positions,
                             const body_velocity *restrict velocities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        positions[i].x += velocities[i].x * 0.5f;
        positions[i].y += velocities[i].y * 0.5f;
    }
}

void baseline_step(body_columns *columns, uint32_t count);

/* ---- rows ---- */

/* Columns that grow by doubling, and how many rows of them are used. */
typedef struct baseline_rows {
    body_columns columns;
    uint32_t count, capacity;
} baseline_rows;

/* Appends the bodies 0 to `count`, one after another, and gives the sum of their rows. */
uint64_t baseline_append(baseline_rows *rows, uint32_t count);

/* ---- ids ---- */

typedef struct baseline_id {
    uint32_t index, version;
} baseline_id;

/* Versions, odd while alive, and a list of free indices through them: the one freed last is used
 * first. */
typedef struct baseline_slot {
    uint32_t version, next;
} baseline_slot;

typedef struct baseline_ids {
    baseline_slot *slots;
    uint32_t count, capacity;
    uint32_t free; /* the index freed last, plus 1 */
} baseline_ids;

/* A list without ids, with room for `capacity` in fresh pages. */
void baseline_ids_map(baseline_ids *ids, uint32_t capacity, baseline_advice advice);
void baseline_ids_unmap(baseline_ids *ids);
void baseline_ids_create(baseline_ids *ids, uint32_t count, baseline_id *ret_ids);
/* Frees each without asking whether it lives. */
void baseline_ids_free(baseline_ids *ids, const baseline_id *freed, uint32_t count);

/* For each id: its version in `versions`, and where that is the same, its value. */
uint64_t baseline_gather(const uint32_t *versions, const body_velocity *velocities,
                         const baseline_id *ids, uint32_t count);

static inline uint32_t body_velocity_bits(const body_velocity *velocity)
{
    union {
        float number;
        uint32_t bits;
    } x = {velocity->x};
    return x.bits;
}

/* ---- moving rows ---- */

enum { BASELINE_BODIES, BASELINE_BURNING }; /* kinds of rows: without and with fire */

/* Where an id has its row. */
typedef struct baseline_place {
    uint32_t version, kind, row;
} baseline_place;

typedef struct baseline_store {
    baseline_rows rows[2];  /* by kind */
    baseline_place *places; /* by index */
    uint32_t count;         /* of ids */
} baseline_store;

/* Room for `count` bodies in either kind, all pages touched. */
void baseline_store_map(baseline_store *store, uint32_t count);
/* All bodies have that kind, body i in row i. */
void baseline_store_reset(baseline_store *store, uint32_t kind);
/* Every id in the order of its index, if it lives: its whole row goes to the other kind's columns,
 * the last row into the hole, and both places are written; fire's value, too, where there is one.
 */
uint64_t baseline_store_move(baseline_store *store, uint32_t kind);

#endif
