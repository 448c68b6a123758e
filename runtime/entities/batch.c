/* Creates many entities of one archetype in several threads.
 *
 * kiln_batch_reserve claims all chunks and takes all ids, so later steps cannot fail for lack of
 * them. Each part is one chunk with its ids, so threads fill different parts without sharing
 * memory. No chunk is on the archetype's list until kiln_batch_publish lists them all, so queries
 * see either none or all of the rows. */
#include "id_runs.h"
#include "removal.h"
#include "row_values.h"
#include "stream_copy.h"

#include <kiln/batch.h>

/* A part is a chunk that is not listed, and the position of its first id in the runs. */
typedef struct batch_part {
    kiln_chunk *chunk;
    uint32_t start, count;
    kiln_id_cursor ids;
    uint32_t is_filled;
} batch_part;

struct kiln_batch {
    kiln_world *world;
    archetype *archetype;
    kiln_id_runs ids;
    size_t bytes;
    bool streams; /* copy values with stores that bypass the cache */
    uint32_t part_count;
    batch_part parts[];
};

/* Turns each chunk of the chain into a part, with its rows and ids. */
static void cut_parts(kiln_batch *batch, uint32_t chain, uint32_t count)
{
    kiln_world *world = batch->world;
    kiln_id_cursor cursor = {0, 0};
    uint32_t start = 0, next;
    for (uint32_t i = 0; i < batch->part_count; i++) {
        batch_part *part = &batch->parts[i];
        uint32_t rows = batch->archetype->capacity;
        part->chunk = &world->tables.chunks[chain];
        part->start = start;
        part->count = rows < count - start ? rows : count - start;
        part->ids = cursor;
        part->is_filled = 0;
        next = part->chunk->order;
        part->chunk->order = CHUNK_UNLISTED;
        chain = next;
        for (uint32_t left = part->count; left > 0;)
            left -= id_runs_next(&batch->ids, &cursor, left).count;
        start += part->count;
    }
}

kiln_status kiln_batch_reserve(kiln_world *world, kiln_archetype number, uint32_t count,
                               kiln_batch **ret_batch)
{
    archetype *a = number.number ? world_archetype(world, number) : NULL;
    if (!a)
        return MISUSE("null or unknown archetype");
    if (IS_REMOVING(world))
        return MISUSE_REMOVING;
    uint32_t parts = count / a->capacity + (count % a->capacity != 0);
    if (!kiln_id_could_hold(&world->ids, count) || !kiln_chunk_could_hold(&world->chunks, parts))
        return KILN_LIMIT;
    size_t bytes = sizeof(kiln_batch) + parts * sizeof(batch_part);
    kiln_batch *batch = world_alloc(world, bytes);
    if (!batch)
        return KILN_NO_MEMORY;
    memset(batch, 0, sizeof *batch);
    batch->world = world;
    batch->archetype = a;
    batch->bytes = bytes;
    batch->part_count = parts;
    batch->streams = (uint64_t)count * a->row_size >= STREAM_LEAST;
    uint32_t chain = 0;
    kiln_status status = kiln_id_runs_take(&world->ids, count, &batch->ids);
    if (!status) {
        status = kiln_archetype_claim(world, a, parts, &chain);
        if (status) {
            kiln_id_runs_release(&world->ids, &batch->ids);
            kiln_id_runs_fini(&world->ids, &batch->ids);
        }
    }
    if (status) {
        world_free(world, batch, bytes);
        return status;
    }
    cut_parts(batch, chain, count);
    world->batches++;
    *ret_batch = batch;
    return KILN_OK;
}

uint32_t kiln_batch_part_count(const kiln_batch *batch)
{
    return batch->part_count;
}

kiln_batch_part kiln_batch_get_part(const kiln_batch *batch, uint32_t number)
{
    kiln_batch_part none = {{NULL, 0}, 0, 0};
    if (number >= batch->part_count)
        return none;
    const batch_part *part = &batch->parts[number];
    kiln_batch_part found = {{part->chunk, 0}, part->start, part->count};
    return found;
}

/* Creates the part's entities. */
static void begin_part(kiln_batch *batch, batch_part *part, kiln_entity *ret_entities)
{
    kiln_world *world = batch->world;
    kiln_id_cursor cursor = part->ids;
    uint32_t number = chunk_number(world, part->chunk);
    for (uint32_t row = 0; row < part->count;) {
        kiln_id_run run = id_runs_next(&batch->ids, &cursor, part->count - row);
        kiln_rows_set_indices(part->chunk, row, run);
        kiln_rows_begin_taken(world, run, make_place(number, row),
                              ret_entities ? ret_entities + row : NULL, batch->streams);
        row += run.count;
    }
    part->chunk->count = part->count;
    part->chunk->ticks[0] = current_tick(world);
    part->is_filled = 1;
}

kiln_status kiln_batch_fill(kiln_batch *batch, uint32_t number, const kiln_fill_args *args,
                            kiln_entity *ret_entities)
{
    if (number >= batch->part_count || batch->parts[number].is_filled)
        return MISUSE("part number out of range, or part already filled");
    batch_part *part = &batch->parts[number];
    const archetype *a = batch->archetype;
    if (!kiln_row_values_are_valid(a, args->columns, args->column_count))
        return MISUSE("values for a component not in the archetype");
    row_span span = {{part->chunk, 0}, part->start, part->count, batch->streams};
    if (args->is_zeroed)
        kiln_rows_zero(a, part->chunk, 0, part->count);
    for (uint32_t i = 0; i < args->column_count; i++)
        kiln_row_values_copy(&args->columns[i], &span);
    if (batch->streams)
        stream_end();
    begin_part(batch, part, ret_entities);
    return KILN_OK;
}

static void end_batch(kiln_batch *batch)
{
    kiln_world *world = batch->world;
    kiln_id_runs_fini(&world->ids, &batch->ids);
    world->batches--;
    world_free(world, batch, batch->bytes);
}

kiln_status kiln_batch_publish(kiln_batch *batch)
{
    for (uint32_t i = 0; i < batch->part_count; i++) {
        if (!batch->parts[i].is_filled)
            return MISUSE("part not filled");
    }
    if (IS_REMOVING(batch->world))
        return MISUSE_REMOVING;
    batch->world->structure++;
    for (uint32_t i = 0; i < batch->part_count; i++) {
        batch->parts[i].chunk->ticks[0] = current_tick(batch->world);
        kiln_archetype_list(batch->world, batch->archetype, batch->parts[i].chunk);
        batch->archetype->rows += batch->parts[i].count;
    }
    end_batch(batch);
    return KILN_OK;
}

void kiln_batch_discard(kiln_batch *batch)
{
    if (!batch)
        return;
    kiln_world *world = batch->world;
    kiln_id_runs_reveal(&world->ids, &batch->ids);
    for (uint32_t i = 0; i < batch->part_count; i++) {
        batch_part *part = &batch->parts[i];
        kiln_id_cursor cursor = part->ids;
        for (uint32_t left = part->count; left > 0;) {
            kiln_id_run run = id_runs_next(&batch->ids, &cursor, left);
            if (part->is_filled)
                kiln_id_end_run(&world->ids, run);
            else
                kiln_id_release(&world->ids, run);
            left -= run.count;
        }
        batch->archetype->unlisted--;
        kiln_archetype_release(world, batch->archetype, part->chunk);
    }
    end_batch(batch);
}
