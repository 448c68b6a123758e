/* Creating entities on several threads at once.
 *
 * One thread reserves ids and whole chunks, at a cost for each chunk. Any threads fill them, each
 * its own parts. One thread publishes them, at a cost for each chunk. Before that no query sees the
 * rows. An entity of a part is alive from the moment the part is filled.
 *
 *     kiln_batch_reserve(world, archetype, 1000000, &batch);
 *     kiln_fill_args args = {.columns = columns, .column_count = column_count};
 *     for each part, on any thread:  kiln_batch_fill(batch, part, &args, NULL);
 *     kiln_batch_publish(batch);
 *
 * A batch shares no chunk with other rows of its archetype, so its last one may be partly filled;
 * rows created later fill it.
 *
 * Comments end with the kind of the function: see "Threads" in <kiln/world.h>. */
#ifndef KILN_BATCH_H
#define KILN_BATCH_H

#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_batch kiln_batch;

/* Reserves `count` ids and rows of `archetype`, which is not null. All or nothing: KILN_NO_MEMORY,
 * or KILN_LIMIT, which may come a little early as for kiln_entity_create_empty. Changing. */
kiln_status kiln_batch_reserve(kiln_world *world, kiln_archetype archetype, uint32_t count,
                               kiln_batch **ret_batch);

/* A part is the rows of one chunk; parts are numbered from 0. */
typedef struct kiln_batch_part {
    kiln_row first; /* its first row, for kiln_row_at: columns begin there */
    uint32_t start; /* rows of the batch before this part */
    uint32_t count; /* rows */
} kiln_batch_part;

/* The number of parts, and part `part` of them. Any. */
uint32_t kiln_batch_part_count(const kiln_batch *batch);
kiln_batch_part kiln_batch_get_part(const kiln_batch *batch, uint32_t part);

typedef struct kiln_fill_args {
    const kiln_column_values *columns; /* values of the whole batch, the same for every part */
    uint32_t column_count;
    bool is_zeroed; /* set components that are not named to zero; false: leave them alone */
} kiln_fill_args;

/* Starts the life of a part's entities, with rows `start` and on of each column's values. A
 * component that is not named keeps what the caller wrote to its column, from
 * kiln_row_at(part.first, ...) on, before this call; otherwise its bytes are undefined, unless
 * `is_zeroed`. `ret_entities` has room for the part's `count`, or is NULL. A part can be filled
 * once: else KILN_BAD_ARGUMENT. Any, one thread for each part. */
kiln_status kiln_batch_fill(kiln_batch *batch, uint32_t part, const kiln_fill_args *args,
                            kiln_entity *ret_entities);

/* Makes the rows part of their archetype and ends the batch. If a part is not filled:
 * KILN_BAD_ARGUMENT, and the batch stays. Changing. */
kiln_status kiln_batch_publish(kiln_batch *batch);
/* Releases everything: the entities filled so far die. NULL is fine. Changing. */
void kiln_batch_discard(kiln_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
