/* Creates many entities in one call.
 *
 * Rows are written column by column and chunk by chunk, and records block by block. For large
 * counts both bypass the cache. The archetype's list and counts are updated as rows are added; if
 * the ids run out, `undo` restores the list and counts, so the call creates all entities or none.
 */
#include "id_runs.h"
#include "record_fill.h"
#include "removal.h"
#include "row_values.h"
#include "stream_copy.h"

/* A creation in progress. All chunks are claimed first. Ids are taken one block at a time, so that
 * the block is still in the cache when its entities are created. */
typedef struct creation {
    kiln_world *world;
    archetype *archetype;
    const kiln_create_args *args;
    kiln_entity *entities; /* may be NULL */
    kiln_id_runs ids;
    kiln_id_run run;        /* ids that are taken but have no entity yet */
    kiln_id_whole whole;    /* their block, if it is not visible to readers yet; otherwise none */
    uint32_t chain;         /* chunks that are not listed yet */
    uint32_t done;          /* entities */
    uint32_t full, listed;  /* counts of the archetype's chunks at the beginning */
    const kiln_chunk *last; /* chunk that got a row */
    bool streams;
} creation;

/* Creates entities in a block that is not visible to readers yet, whose records need not be read.
 */
static void begin_unseen(const creation *c, kiln_id_run run, uint64_t place, kiln_entity *entities)
{
    kiln_record *records = c->whole.records + (run.first - c->whole.first);
    record_fill fill = {records, run.count, c->whole.version, c->streams};
    record_fill_rows(&fill, place);
    for (uint32_t i = 0; entities && i < run.count; i++) {
        kiln_entity entity = {run.first + i, c->whole.version};
        entities[i] = entity;
    }
}

/* Creates as many entities as the chunk has room for and the run has ids. */
static void create_some(creation *c)
{
    kiln_chunk *chunk = kiln_archetype_next(c->world, c->archetype, &c->chain);
    uint32_t room = chunk->capacity - chunk->count;
    kiln_id_run run = {c->run.first, room < c->run.count ? room : c->run.count};
    row_span span = {{chunk, chunk->count}, c->done, run.count, c->streams};
    kiln_row_values_fill(c->archetype, c->args->columns, c->args->column_count, &span);
    uint32_t row = kiln_rows_append_run(c->archetype, chunk, run);
    c->last = chunk;
    uint64_t place = make_place(chunk_number(c->world, chunk), row);
    kiln_entity *entities = c->entities ? c->entities + c->done : NULL;
    if (c->whole.records)
        begin_unseen(c, run, place, entities);
    else
        kiln_rows_begin_run(c->world, run, place, entities);
    c->done += run.count;
    c->run.first += run.count;
    c->run.count -= run.count;
}

/* Takes the next ids, once all entities of the previous ids have been created. */
static kiln_status take_ids(creation *c)
{
    uint32_t left = c->args->count - c->done;
    if (c->whole.records) {
        if (c->streams)
            stream_end();
        kiln_id_show(&c->world->ids, &c->whole);
        c->whole.records = NULL;
    }
    if (left == 0)
        return KILN_OK;
    if (!kiln_id_runs_take_whole(&c->world->ids, &c->ids, left, &c->whole))
        return kiln_id_runs_take_more(&c->world->ids, &c->ids, left, &c->run);
    c->run.first = c->whole.first;
    c->run.count = KILN_BLOCK_ENTITIES;
    return KILN_OK;
}

/* If there are not enough ids, the entities created so far are destroyed. Their rows are the last
 * ones of chunks whose ticks are not set yet, so no other row moves, and no chunk counts as
 * changed. */
static void undo(creation *c)
{
    kiln_world *world = c->world;
    archetype *a = c->archetype;
    for (uint32_t i = c->ids.runs.count; i-- > 0;) {
        kiln_id_run run = ((const kiln_id_run *)c->ids.runs.items)[i];
        for (uint32_t k = run.count; k-- > 0;) {
            const kiln_record *record = kiln_id_record(&world->ids, run.first + k);
            kiln_row row =
                kiln_place_row(world, atomic_load_explicit(&record->place, memory_order_relaxed));
            row.chunk->count = row.row;
        }
        kiln_id_end_run(&world->ids, run);
    }
    while (a->chunk_count > c->listed) {
        kiln_chunk *chunk = &world->tables.chunks[a->chunks[a->chunk_count - 1]];
        kiln_archetype_unlist_last(a);
        kiln_archetype_release(world, a, chunk);
    }
    a->full = c->full;
    a->rows -= c->done;
    kiln_archetype_release_chain(world, a, c->chain);
}

/* Sets the ticks of the chunks that got rows, once no failure can undo the rows. */
static void set_ticks(const creation *c)
{
    const archetype *a = c->archetype;
    for (uint32_t i = c->full; c->last && i <= c->last->order; i++)
        c->world->tables.chunks[a->chunks[i]].ticks[0] = current_tick(c->world);
}

static kiln_status create_all(creation *c)
{
    kiln_status status = take_ids(c);
    while (c->done < c->args->count && !status) {
        create_some(c);
        if (c->run.count == 0)
            status = take_ids(c);
    }
    return status;
}

kiln_status kiln_entity_create_many(kiln_world *world, const kiln_create_args *args,
                                    kiln_entity *ret_entities)
{
    archetype *a = args->archetype.number ? world_archetype(world, args->archetype) : NULL;
    if (!a)
        return MISUSE("null or unknown archetype");
    if (!kiln_row_values_are_valid(a, args->columns, args->column_count))
        return MISUSE("values for a component not in the archetype");
    if (IS_REMOVING(world))
        return MISUSE_REMOVING;
    uint32_t needed = kiln_rows_chunks_needed(world, a, args->count);
    if (!kiln_chunk_could_hold(&world->chunks, needed))
        return KILN_LIMIT;
    creation c = {.world = world,
                  .archetype = a,
                  .args = args,
                  .entities = ret_entities,
                  .full = a->full,
                  .listed = a->chunk_count};
    c.streams = (uint64_t)args->count * a->row_size >= STREAM_LEAST;
    kiln_status status = kiln_id_could_hold(&world->ids, args->count) ? KILN_OK : KILN_LIMIT;
    if (!status)
        status = kiln_archetype_claim(world, a, needed, &c.chain);
    if (status)
        return status;
    world->structure++;
    status = create_all(&c);
    if (status)
        undo(&c);
    else
        set_ticks(&c);
    if (c.streams)
        stream_end();
    kiln_id_runs_fini(&world->ids, &c.ids);
    return status;
}
