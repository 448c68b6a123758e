/* Appends, removes and copies rows, and keeps records, indices and lists consistent.
 *
 * The indices of a chunk's rows are either a run (`first` and a count), which needs no memory, or a
 * list. A run becomes a list when a row with a non-consecutive index is added, or when a row fills
 * a hole. It stays a list until the chunk is empty. Removing a row fills the hole with the last row
 * of the last chunk, so the rows of a chunk have no gaps.
 *
 * Small components are copied inline, because a call of memcpy costs more than the copy. */
#include "rows.h"

#include "id_hidden.h"

void kiln_rows_list_indices(kiln_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->count; i++)
        chunk->indices[i] = chunk->first + i;
    chunk->is_run = 0;
}

void kiln_rows_set_indices(kiln_chunk *chunk, uint32_t row, kiln_id_run run)
{
    if (row == 0) {
        chunk->first = run.first;
        chunk->is_run = 1;
    } else if (chunk->is_run && run.first != chunk->first + row) {
        chunk->count = row;
        kiln_rows_list_indices(chunk);
    }
    for (uint32_t i = 0; !chunk->is_run && i < run.count; i++)
        chunk->indices[row + i] = run.first + i;
}

uint32_t kiln_rows_append_run(archetype *a, kiln_chunk *chunk, kiln_id_run run)
{
    uint32_t row = chunk->count;
    kiln_rows_set_indices(chunk, row, run);
    chunk->count = row + run.count;
    a->rows += run.count;
    if (chunk->count == chunk->capacity)
        a->full++;
    return row;
}

/* Updates the records of a run of entities whose rows have moved to `place` and the following
 * places. */
static void place_run(kiln_world *world, kiln_id_run run, uint64_t place)
{
    while (run.count > 0) {
        kiln_record *records = kiln_id_record(&world->ids, run.first);
        uint32_t left = KILN_BLOCK_ENTITIES - run.first % KILN_BLOCK_ENTITIES;
        uint32_t count = left < run.count ? left : run.count;
        for (uint32_t i = 0; i < count; i++)
            atomic_store_explicit(&records[i].place, place + i, memory_order_relaxed);
        run.first += count;
        run.count -= count;
        place += count;
    }
}

void kiln_rows_append_from(kiln_world *world, archetype *a, kiln_chunk *to, const kiln_chunk *from,
                           uint32_t from_row, uint32_t count)
{
    uint64_t place = make_place(chunk_number(world, to), to->count);
    if (from->is_run) {
        kiln_id_run run = {from->first + from_row, count};
        kiln_rows_append_run(a, to, run);
        to->ticks[0] = current_tick(world);
        place_run(world, run, place);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = from->indices[from_row + i];
        rows_append(world, a, to, index);
        atomic_store_explicit(&kiln_id_record(&world->ids, index)->place, place + i,
                              memory_order_relaxed);
    }
}

void kiln_rows_begin_run(const kiln_world *world, kiln_id_run run, uint64_t place,
                         kiln_entity *ret_entities)
{
    while (run.count > 0) {
        kiln_record *records = kiln_id_record(&world->ids, run.first);
        uint32_t left = KILN_BLOCK_ENTITIES - run.first % KILN_BLOCK_ENTITIES;
        uint32_t count = left < run.count ? left : run.count;
        kiln_id_touch(records, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t version = kiln_id_begin(&records[i], place + i);
            if (ret_entities) {
                kiln_entity entity = {run.first + i, version};
                ret_entities[i] = entity;
            }
        }
        ret_entities = ret_entities ? ret_entities + count : NULL;
        run.first += count;
        run.count -= count;
        place += count;
    }
}

void kiln_rows_begin_taken(const kiln_world *world, kiln_id_run run, uint64_t place,
                           kiln_entity *ret_entities, bool streams)
{
    while (run.count > 0) {
        uint32_t left = KILN_BLOCK_ENTITIES - run.first % KILN_BLOCK_ENTITIES;
        kiln_id_run some = {run.first, left < run.count ? left : run.count};
        if (ret_entities)
            kiln_id_reveal(&world->ids, some.first);
        if (!kiln_id_begin_hidden(&world->ids, some, place, streams))
            kiln_rows_begin_run(world, some, place, ret_entities);
        ret_entities = ret_entities ? ret_entities + some.count : NULL;
        run.first += some.count;
        run.count -= some.count;
        place += some.count;
    }
}

void kiln_rows_end(kiln_world *world, const kiln_chunk *chunk)
{
    kiln_id_run run = {chunk->first, chunk->is_run ? chunk->count : 0};
    for (uint32_t row = run.count; row < chunk->count; row++) {
        if (run.count == 0 || chunk->indices[row] != run.first + run.count) {
            kiln_id_end_run(&world->ids, run);
            run.first = chunk->indices[row];
            run.count = 0;
        }
        run.count++;
    }
    kiln_id_end_run(&world->ids, run);
}

/* Copies a row to another one of the same archetype. */
static void copy_within(const archetype *a, kiln_row from, kiln_row to)
{
    for (uint32_t i = 0; i < a->data_count; i++) {
        const archetype_column *column = &a->data[i];
        copy_bytes(row_at(to, column->component, column->size),
                   row_at(from, column->component, column->size), column->size);
    }
}

/* Like copy_within, but for the common case: both chunks have the archetype's own layout and all
 * components are small, so the loop needs no column lookup. */
static inline void copy_small_within(const archetype *a, kiln_row from, kiln_row to)
{
    const archetype_column *end = a->data + a->data_count;
    for (const archetype_column *column = a->data; column < end; column++)
        copy_small(to.chunk->data + column->offset + (size_t)to.row * column->size,
                   from.chunk->data + column->offset + (size_t)from.row * column->size,
                   column->size);
}

/* Copies the last row of the archetype into a hole. */
static inline void fill_hole(kiln_world *world, const archetype *a, kiln_row hole, kiln_row last)
{
    if (a->is_small && hole.chunk->columns == a->columns && last.chunk->columns == a->columns)
        copy_small_within(a, last, hole);
    else
        copy_within(a, last, hole);
    uint32_t index = kiln_chunk_index(last.chunk, last.row);
    if (hole.chunk->is_run)
        kiln_rows_list_indices(hole.chunk);
    hole.chunk->indices[hole.row] = index;
    hole.chunk->ticks[0] = current_tick(world);
    atomic_store_explicit(&kiln_id_record(&world->ids, index)->place,
                          make_place(chunk_number(world, hole.chunk), hole.row),
                          memory_order_relaxed);
}

void kiln_rows_remove(kiln_world *world, archetype *a, kiln_chunk *chunk, uint32_t row)
{
    uint32_t order = a->chunk_count - 1;
    kiln_row hole = {chunk, row};
    kiln_row last = {&world->tables.chunks[a->chunks[order]], 0};
    last.row = last.chunk->count - 1;
    if (hole.chunk != last.chunk || hole.row != last.row)
        fill_hole(world, a, hole, last);
    a->rows--;
    if (a->full > order)
        a->full = order;
    if (--last.chunk->count == 0) {
        kiln_archetype_unlist_last(a);
        kiln_archetype_release(world, a, last.chunk);
    }
}

void kiln_rows_zero(const archetype *a, kiln_chunk *chunk, uint32_t row, uint32_t count)
{
    kiln_row first = {chunk, row};
    for (uint32_t i = 0; i < a->data_count; i++) {
        const archetype_column *column = &a->data[i];
        memset(row_at(first, column->component, column->size), 0, (size_t)count * column->size);
    }
}

/* kiln_rows_copy for components of any size. */
static RARE void copy_any(const move_plan *plan, const unsigned char *from, uint32_t from_row,
                          unsigned char *to, uint32_t to_row)
{
    for (uint32_t i = 0; i < plan->copied; i++) {
        const move_step *step = &plan->steps[i];
        copy_bytes(to + step->to + (size_t)to_row * step->size,
                   from + step->from + (size_t)from_row * step->size, step->size);
    }
}

void kiln_rows_copy(const move_plan *plan, const unsigned char *from, uint32_t from_row,
                    unsigned char *to, uint32_t to_row)
{
    if (!plan->is_small) {
        copy_any(plan, from, from_row, to, to_row);
        return;
    }
    const move_step *end = plan->steps + plan->copied;
    for (const move_step *step = plan->steps; step < end; step++)
        copy_small(to + step->to + (size_t)to_row * step->size,
                   from + step->from + (size_t)from_row * step->size, step->size);
}

void kiln_rows_carry(const move_plan *plan, kiln_chunk *from, uint32_t from_row, kiln_chunk *to,
                     uint32_t to_row, uint32_t count)
{
    kiln_row source = {from, from_row}, target = {to, to_row};
    for (uint32_t i = 0; i < plan->copied; i++) {
        const move_step *step = &plan->steps[i];
        memcpy(row_at(target, step->component, step->size),
               row_at(source, step->component, step->size), (size_t)count * step->size);
    }
}

uint32_t kiln_rows_chunks_needed(const kiln_world *world, const archetype *a, uint32_t count)
{
    uint64_t room = 0;
    for (uint32_t i = a->full; i < a->chunk_count && room < count; i++) {
        const kiln_chunk *chunk = &world->tables.chunks[a->chunks[i]];
        room += chunk->capacity - chunk->count;
    }
    return room >= count ? 0 : (uint32_t)((count - room + a->capacity - 1) / a->capacity);
}
