/* Creates entities on several threads at once.
 *
 * One thread reserves ids and whole chunks. Any number of threads fill the parts, one thread per
 * part. Then one thread publishes all parts. Reserving and publishing take time linear in the
 * number of chunks. Before publication, no query finds the rows. An entity is alive from the moment
 * its part is filled.
 *
 *     kiln_batch_reserve(world, archetype, 1000000, &batch);
 *     kiln_fill_args args = {.columns = columns, .column_count = column_count};
 *     for each part, on any thread:  kiln_batch_fill(batch, part, &args, NULL);
 *     kiln_batch_publish(batch);
 *
 * The chunks of a batch have no other rows, so the last one may be partly filled; rows created
 * later fill it.
 *
 * Each function's comment ends with its kind: see "Threads" in <kiln/world.h>. */
#ifndef KILN_BATCH_H
#define KILN_BATCH_H

#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_batch kiln_batch;

/* Reserves `count` ids and rows of `archetype`, which must not be null. All or nothing.
 * KILN_NO_MEMORY. KILN_LIMIT may be returned slightly before the limit is reached, as for
 * kiln_entity_create_empty. Changing. */
kiln_status kiln_batch_reserve(kiln_world *world, kiln_archetype archetype, uint32_t count,
                               kiln_batch **ret_batch);

/* A part is the rows of one chunk; parts are numbered from 0. */
typedef struct kiln_batch_part {
    kiln_row first; /* its first row; kiln_row_at returns the address of a column for it */
    uint32_t start; /* number of rows in earlier parts */
    uint32_t count; /* rows */
} kiln_batch_part;

/* Return the number of parts, and part number `part`. Any. */
uint32_t kiln_batch_part_count(const kiln_batch *batch);
kiln_batch_part kiln_batch_get_part(const kiln_batch *batch, uint32_t part);

typedef struct kiln_fill_args {
    const kiln_column_values *columns; /* values of the whole batch, the same for every part */
    uint32_t column_count;
    bool is_zeroed; /* zero the components that `columns` does not name; false: leave them unchanged
                     */
} kiln_fill_args;

/* Creates the entities of a part, with the values of each column from index `start` on. A component
 * that `columns` does not name is zeroed if `is_zeroed` is set. Otherwise it keeps the bytes that
 * the caller wrote to its column, from kiln_row_at(part.first, ...) on, before this call; bytes
 * that the caller did not write are undefined. `ret_entities` has room for the part's `count`, or
 * is NULL. KILN_BAD_ARGUMENT if the part is already filled. Any, one thread for each part. */
kiln_status kiln_batch_fill(kiln_batch *batch, uint32_t part, const kiln_fill_args *args,
                            kiln_entity *ret_entities);

/* Publishes the rows in their archetype and frees the batch. KILN_BAD_ARGUMENT if a part is not
 * filled; the batch stays. Changing. */
kiln_status kiln_batch_publish(kiln_batch *batch);
/* Frees the batch and destroys the entities created so far. NULL is fine. Changing. */
void kiln_batch_discard(kiln_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
