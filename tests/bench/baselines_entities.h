/* The baselines of the entity store, compiled with the same flags as Kiln: flat arrays, a list of
 * ids, and rows that move, as in a plain C program. Functions exit the process if memory runs out.
 */
#ifndef BASELINES_ENTITIES_H
#define BASELINES_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The three components, 36 bytes, and a fourth that is added and removed. */
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

/* Advice for the system: only 4 KiB pages, or 2 MiB pages if available. */
typedef enum baseline_advice { BASELINE_PLAIN, BASELINE_HUGE } baseline_advice;

/* Returns `size` bytes that have never been touched. `align` is a power of two. */
void *baseline_pages_map(size_t size, size_t align, baseline_advice advice);
void baseline_pages_unmap(void *memory, size_t size);

/* ---- columns ---- */

/* Flat arrays of `count` elements each, in one mapping. */
typedef struct body_columns {
    body_position *positions;
    body_rotation *rotations;
    body_velocity *velocities;
    body_fire *fires;
    uint32_t *owners; /* the id of each row, for tables that move rows */
    void *memory;
    size_t size;
} body_columns;

/* The pages come zeroed from the system. */
void baseline_columns_map(body_columns *columns, uint32_t count, baseline_advice advice);
void baseline_columns_unmap(body_columns *columns);
/* Writes a value to every element of the three components. */
void baseline_columns_fill(body_columns *columns, uint32_t count);

/* Copies `count` rows of the three components from row `first` with one memcpy each. */
void baseline_columns_copy(body_columns *to, const body_columns *from, uint32_t first,
                           uint32_t count);

/* The values of body `number`, for loops that create bodies one at a time. */
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

/* One simulation step of all bodies. Both sides run this loop: the baseline over whole arrays, Kiln
 * over the arrays of each chunk. */
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

/* Columns that grow by doubling, and the number of rows in use. */
typedef struct baseline_rows {
    body_columns columns;
    uint32_t count, capacity;
} baseline_rows;

/* Appends the bodies 0 to `count` - 1 one at a time. Returns the sum of their row numbers. */
uint64_t baseline_append(baseline_rows *rows, uint32_t count);

/* ---- ids ---- */

typedef struct baseline_id {
    uint32_t index, version;
} baseline_id;

/* The entry of an index. Its version is odd while its id is alive. The free entries form a linked
 * list, last freed first. */
typedef struct baseline_slot {
    uint32_t version, next;
} baseline_slot;

typedef struct baseline_ids {
    baseline_slot *slots;
    uint32_t count, capacity;
    uint32_t free; /* the index freed last, plus 1 */
} baseline_ids;

/* An empty list with room for `capacity` ids in fresh pages. */
void baseline_ids_map(baseline_ids *ids, uint32_t capacity, baseline_advice advice);
void baseline_ids_unmap(baseline_ids *ids);
void baseline_ids_create(baseline_ids *ids, uint32_t count, baseline_id *ret_ids);
/* Frees each id without checking whether it is alive. */
void baseline_ids_free(baseline_ids *ids, const baseline_id *freed, uint32_t count);

/* Compares each id with its version in `versions` and, if they match, reads its value. */
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

/* The location of an id's row. */
typedef struct baseline_place {
    uint32_t version, kind, row;
} baseline_place;

typedef struct baseline_store {
    baseline_rows rows[2];  /* by kind */
    baseline_place *places; /* by index */
    uint32_t count;         /* of ids */
} baseline_store;

/* Makes room for `count` bodies of either kind and touches all pages. */
void baseline_store_map(baseline_store *store, uint32_t count);
/* Makes every body a row of this kind; body i is in row i. */
void baseline_store_reset(baseline_store *store, uint32_t kind);
/* For every living id in index order: moves its row to the columns of the other kind, fills the
 * hole with the last row, and updates both locations. Writes the value of fire if that kind has it.
 * Returns the sum of the new row numbers. */
uint64_t baseline_store_move(baseline_store *store, uint32_t kind);

#endif
