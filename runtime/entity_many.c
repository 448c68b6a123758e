#include "id_runs.h"
#include "row_values.h"
#include "stream_copy.h"

/* Everything is there: fills the open chunk, then those of the chain. */
static void fill_chunks(kiln_world *world, archetype *a, uint32_t chain, const kiln_id_runs *ids,
                        const kiln_create_def *def, kiln_entity *ret_entities)
{
    uint32_t count = def->count;
    bool streams = (uint64_t)count * a->row_size >= STREAM_LEAST;
    kiln_id_cursor cursor = {0, 0};
    for (uint32_t done = 0; done < count;) {
        if (a->full == a->chunk_count) {
            kiln_chunk *next = &world->tables.chunks[chain];
            chain = next->order;
            kiln_archetype_list(world, a, next);
        }
        kiln_chunk *chunk = &world->tables.chunks[a->chunks[a->full]];
        uint32_t room = chunk->capacity - chunk->count;
        uint32_t rows = room < count - done ? room : count - done;
        row_span span = {{chunk, chunk->count}, done, rows, streams};
        kiln_row_values_fill(a, def->columns, def->column_count, &span);
        for (uint32_t end = done + rows; done < end;) {
            kiln_id_run run = id_runs_next(ids, &cursor, end - done);
            uint32_t row = kiln_rows_append_run(world, a, chunk, run);
            kiln_rows_begin_run(world, run, make_place(chunk_number(world, chunk), row),
                                ret_entities ? ret_entities + done : NULL);
            done += run.count;
        }
    }
    if (streams)
        stream_end();
}

kiln_status kiln_entity_create_many(kiln_world *world, const kiln_create_def *def,
                                    kiln_entity *ret_entities)
{
    archetype *a = def->archetype.number ? world_archetype(world, def->archetype) : NULL;
    if (!a)
        return MISUSE("the null archetype, or one that the world has not");
    if (!kiln_row_values_are_right(a, def->columns, def->column_count))
        return MISUSE("values of a component that the archetype has not");
    uint32_t needed = kiln_rows_chunks_needed(world, a, def->count);
    if (!kiln_chunk_could_hold(&world->chunks, needed))
        return KILN_LIMIT;
    kiln_id_runs ids;
    kiln_status status = kiln_id_runs_take(world, def->count, &ids);
    if (status)
        return status;
    uint32_t chain;
    status = kiln_archetype_claim(world, a, needed, &chain);
    if (status) {
        kiln_id_runs_give_back(world, &ids, 0);
    } else {
        world->structure++;
        fill_chunks(world, a, chain, &ids, def, ret_entities);
    }
    kiln_id_runs_fini(world, &ids);
    return status;
}
