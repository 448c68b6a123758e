/* Rows: appending, removing, and copying between columns. These functions keep records, the indices
 * of chunks, and the lists of archetypes consistent. */
#ifndef KILN_ROWS_H
#define KILN_ROWS_H

#include "archetype_chunks.h"
#include "world_object.h"

#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Copies a component for which is_small_size holds, by two moves that may overlap. */
static inline void copy_small(unsigned char *to, const unsigned char *from, uint32_t size)
{
    if (size == 4) {
        memcpy(to, from, 4);
        return;
    }
    uint64_t first, last;
    memcpy(&first, from, 8);
    memcpy(&last, from + size - 8, 8);
    memcpy(to, &first, 8);
    memcpy(to + size - 8, &last, 8);
}

/* Most components are only a few words long. */
static inline void copy_bytes(unsigned char *to, const unsigned char *from, uint32_t size)
{
    if (is_small_size(size))
        copy_small(to, from, size);
    else
        memcpy(to, from, size);
}

/* The value of a component of the chunk's archetype in that row. */
static inline unsigned char *row_at(kiln_row row, kiln_component component, uint32_t size)
{
    return row.chunk->data + row.chunk->columns[component.number].offset + (size_t)row.row * size;
}

/* Turns a run into a list of indices, so that any index can be in any row. */
void kiln_rows_list_indices(kiln_chunk *chunk);

/* Appends a row for the entity `index` to the archetype's open chunk, and sets the chunk's tick.
 * Returns the row. The caller writes the columns and the record. */
static inline uint32_t rows_append(const kiln_world *world, archetype *a, kiln_chunk *chunk,
                                   uint32_t index)
{
    uint32_t row = chunk->count;
    if (row == 0) {
        chunk->first = index;
        chunk->is_run = 1;
    } else if (chunk->is_run && index != chunk->first + row) {
        kiln_rows_list_indices(chunk);
    }
    if (!chunk->is_run)
        chunk->indices[row] = index;
    chunk->count = row + 1;
    a->rows++;
    if (chunk->count == chunk->capacity)
        a->full++;
    chunk->ticks[0] = current_tick(world);
    return row;
}

/* The chunk for the next row; a new one if all are full. */
static inline kiln_status rows_open(kiln_world *world, archetype *a, kiln_chunk **ret_chunk)
{
    if (a->full == a->chunk_count)
        return kiln_archetype_open(world, a, ret_chunk);
    *ret_chunk = &world->tables.chunks[a->chunks[a->full]];
    return KILN_OK;
}

/* Sets the indices of the rows from `row` on to those of the run. All earlier rows must have an
 * index. */
void kiln_rows_set_indices(kiln_chunk *chunk, uint32_t row, kiln_id_run run);

/* rows_append for `run.count` rows, which must fit. The caller sets the chunk's tick. */
uint32_t kiln_rows_append_run(archetype *a, kiln_chunk *chunk, kiln_id_run run);

/* rows_append for `count` rows of another chunk from `from_row` on, which must fit. Also updates
 * their records. The caller copies the columns and removes the rows from the other chunk. */
void kiln_rows_append_from(kiln_world *world, archetype *a, kiln_chunk *to, const kiln_chunk *from,
                           uint32_t from_row, uint32_t count);

/* The number of chunks that `count` more rows need in addition to the listed ones. */
uint32_t kiln_rows_chunks_needed(const kiln_world *world, const archetype *a, uint32_t count);

/* Removes a row of the archetype and fills the hole with the archetype's last row. The caller
 * destroys the entity or updates its record. Chunk and row are separate arguments here and below,
 * because a kiln_row would be passed in memory: written in two parts, and then read as a whole. The
 * store buffer cannot forward such a read, so it would stall. */
void kiln_rows_remove(kiln_world *world, archetype *a, kiln_chunk *chunk, uint32_t row);

/* Zeros `count` rows from `row` on. */
void kiln_rows_zero(const archetype *a, kiln_chunk *chunk, uint32_t row, uint32_t count);

/* Copies the components that both archetypes have, for `count` rows. */
void kiln_rows_carry(const move_plan *plan, kiln_chunk *from, uint32_t from_row, kiln_chunk *to,
                     uint32_t to_row, uint32_t count);

/* Creates entities with consecutive indices in consecutive rows from `place` on. */
void kiln_rows_begin_run(const kiln_world *world, kiln_id_run run, uint64_t place,
                         kiln_entity *ret_entities);

/* Like kiln_rows_begin_run, but for ids from kiln_id_runs_take, some of which may be in hidden
 * blocks. If `ret_entities` is not NULL, the entities are visible at once. */
void kiln_rows_begin_taken(const kiln_world *world, kiln_id_run run, uint64_t place,
                           kiln_entity *ret_entities, bool streams);

/* Destroys the entities of all rows of the chunk, run by run. The caller removes the rows. */
void kiln_rows_end(kiln_world *world, const kiln_chunk *chunk);

/* Copies row `from_row` of one chunk to row `to_row` of another; both must have the layouts of the
 * plan. A separate function, so that its loop can use all registers. */
void kiln_rows_copy(const move_plan *plan, const unsigned char *from, uint32_t from_row,
                    unsigned char *to, uint32_t to_row);

/* Copies the components of a row that both archetypes have. */
static inline void carry_row(const move_plan *plan, kiln_chunk *from, uint32_t from_row,
                             kiln_chunk *to, uint32_t to_row)
{
    if (from->columns == plan->from->columns && to->columns == plan->to->columns)
        kiln_rows_copy(plan, from->data, from_row, to->data, to_row);
    else
        kiln_rows_carry(plan, from, from_row, to, to_row, 1);
}

/* Zeros the new components of `count` rows. */
static inline void zero_new(const move_plan *plan, kiln_chunk *to, uint32_t to_row, uint32_t count)
{
    kiln_row row = {to, to_row};
    for (uint32_t i = plan->copied; i < plan->count; i++) {
        const move_step *step = &plan->steps[i];
        memset(row_at(row, step->component, step->size), 0, (size_t)count * step->size);
    }
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
