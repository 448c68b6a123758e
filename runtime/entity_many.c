#include "id_runs.h"
#include "row_values.h"
#include "stream_copy.h"

/* A creation under way. Chunks are there from the start; ids are taken a block at a time, since
 * what is looked at in taking them is needed again, and still in the cache, when they are born. */
typedef struct creation {
    kiln_world *world;
    archetype *archetype;
    const kiln_create_def *def;
    kiln_entity *entities; /* may be NULL */
    kiln_id_runs ids;
    kiln_id_run run; /* the ids of the last one that are not born yet */
    uint32_t chain;  /* chunks that are not listed yet */
    uint32_t done;   /* entities */
    bool streams;
} creation;

/* Creates as many as the chunk has room for and the run has ids. */
static void create_some(creation *c)
{
    kiln_chunk *chunk = kiln_archetype_next(c->world, c->archetype, &c->chain);
    uint32_t room = chunk->capacity - chunk->count;
    kiln_id_run run = {c->run.first, room < c->run.count ? room : c->run.count};
    row_span span = {{chunk, chunk->count}, c->done, run.count, c->streams};
    kiln_row_values_fill(c->archetype, c->def->columns, c->def->column_count, &span);
    uint32_t row = kiln_rows_append_run(c->world, c->archetype, chunk, run);
    kiln_rows_begin_run(c->world, run, make_place(chunk_number(c->world, chunk), row),
                        c->entities ? c->entities + c->done : NULL);
    c->done += run.count;
    c->run.first += run.count;
    c->run.count -= run.count;
}

/* Without ids for all, those that were born die again, the last one first, and nothing is left. */
static void undo(creation *c)
{
    for (uint32_t i = c->ids.runs.count; i-- > 0;) {
        const kiln_id_run *run = (const kiln_id_run *)c->ids.runs.items + i;
        for (uint32_t k = run->count; k-- > 0;)
            kiln_entity_destroy(c->world, kiln_entity_at(c->world, run->first + k));
    }
    kiln_archetype_release_chain(c->world, c->archetype, c->chain);
}

static kiln_status create_all(creation *c)
{
    while (c->done < c->def->count) {
        if (c->run.count == 0) {
            kiln_status status =
                kiln_id_runs_take_more(c->world, &c->ids, c->def->count - c->done, &c->run);
            if (status)
                return status;
        }
        create_some(c);
    }
    return KILN_OK;
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
    creation c = {.world = world, .archetype = a, .def = def, .entities = ret_entities};
    c.streams = (uint64_t)def->count * a->row_size >= STREAM_LEAST;
    kiln_status status = kiln_id_could_hold(&world->ids, def->count) ? KILN_OK : KILN_LIMIT;
    if (!status)
        status = kiln_archetype_claim(world, a, needed, &c.chain);
    if (status)
        return status;
    world->structure++;
    status = create_all(&c);
    if (status)
        undo(&c);
    if (c.streams)
        stream_end();
    kiln_id_runs_fini(world, &c.ids);
    return status;
}
