/* Rows: appending one, taking one away, copying between columns. Everything that has to hold of a
 * record, a chunk's indices and its archetype's list at once is kept here. */
#ifndef KILN_ROWS_H
#define KILN_ROWS_H

#include "world_object.h"

#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Components are mostly a few words: sizes that the compiler knows are copied without a call. */
static inline void copy_bytes(unsigned char *to, const unsigned char *from, uint32_t size)
{
    switch (size) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 12:
        memcpy(to, from, 12);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size);
    }
}

/* Where a component of the chunk's archetype lies in that row. */
static inline unsigned char *row_at(kiln_row row, kiln_component component, uint32_t size)
{
    return row.chunk->data + row.chunk->columns[component.number].offset + (size_t)row.row * size;
}

/* Turns a run into a list, so that any index can stand in any row. */
void kiln_rows_list(kiln_chunk *chunk);

/* The entity `index` takes the next row of the archetype's open chunk, which is counted in and
 * marked; the caller writes the columns and the record. Gives the row. */
static inline uint32_t rows_append(const kiln_world *world, archetype *a, kiln_chunk *chunk,
                                   uint32_t index)
{
    uint32_t row = chunk->count;
    if (row == 0) {
        chunk->first = index;
        chunk->is_run = 1;
    } else if (chunk->is_run && index != chunk->first + row) {
        kiln_rows_list(chunk);
    }
    if (!chunk->is_run)
        chunk->indices[row] = index;
    chunk->count = row + 1;
    a->rows++;
    if (chunk->count == chunk->capacity)
        a->full++;
    chunk->marks[0] = current_mark(world);
    return row;
}

/* The rows from `row` on, behind all that have an index, get consecutive ones. */
void kiln_rows_set_indices(kiln_chunk *chunk, uint32_t row, kiln_id_run run);

/* rows_append for `run.count` rows that fit. */
uint32_t kiln_rows_append_run(const kiln_world *world, archetype *a, kiln_chunk *chunk,
                              kiln_id_run run);

/* Chunks that `count` more rows need beyond the room that the listed ones have. */
uint32_t kiln_rows_chunks_needed(const kiln_world *world, const archetype *a, uint32_t count);

/* Takes the row away and fills its place with the archetype's last one. The record of the row's own
 * entity is the caller's. */
void kiln_rows_remove(kiln_world *world, kiln_chunk *chunk, uint32_t row);

/* The first `count` rows from `row` on hold zeros. */
void kiln_rows_zero(const archetype *a, kiln_chunk *chunk, uint32_t row, uint32_t count);

/* Carries `count` rows over, columns in both archetypes copied, new ones zero. */
void kiln_rows_carry(const move_plan *plan, kiln_row from, kiln_row to, uint32_t count);

/* Births of entities with consecutive indices in consecutive rows from `place` on. */
void kiln_rows_begin_run(const kiln_world *world, kiln_id_run run, uint64_t place,
                         kiln_entity *ret_entities);

/* Copies one row along the plan. */
static inline void carry_row(const move_plan *plan, const kiln_row from, const kiln_row to)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const move_step *step = &plan->steps[i];
        unsigned char *target = row_at(to, step->component, step->size);
        if (step->is_new)
            memset(target, 0, step->size);
        else
            copy_bytes(target, row_at(from, step->component, step->size), step->size);
    }
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
