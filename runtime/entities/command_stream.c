/* Reads the commands of sorted turns in order, and prefetches what they will access.
 *
 * Commands for random entities cost three dependent cache misses each: the record, the chunk, the
 * row. Reading ahead starts these accesses for several commands at the same time, so that the
 * misses overlap. */
#include "command_stream.h"
#include "prefetch.h"
#include "world_object.h"

static void begin_turn(kiln_command_stream *stream)
{
    if (stream->turn == stream->end)
        return;
    stream->left = stream->turn->count;
    stream->block = stream->turn->place / COMMAND_BLOCK_UNITS;
    stream->next = command_at(stream->buffers[stream->turn->buffer], stream->turn->place);
}

void kiln_command_stream_init(kiln_command_stream *stream, const kiln_world *world,
                              kiln_commands *const *buffers, const command_turn *turns,
                              size_t count)
{
    stream->world = world;
    stream->buffers = buffers;
    stream->turn = turns;
    stream->end = turns + count;
    stream->is_wide = atomic_load(&world->chunks.made) > STREAM_NARROW;
    stream->first = 0;
    stream->count = 0;
    begin_turn(stream);
}

/* Lists the next command. */
static void list_next(kiln_command_stream *stream)
{
    command *found = stream->next;
    if (found->kind == COMMAND_NEXT_BLOCK) {
        const kiln_commands *commands = stream->buffers[stream->turn->buffer];
        found = (command *)(void *)commands->blocks[++stream->block];
    }
    *stream_at(stream, stream->count++) = (stream_item){found, stream->turn};
    stream->next = command_after(found);
    if (--stream->left == 0) {
        stream->turn++;
        begin_turn(stream);
    }
}

/* ---- prefetching ---- */

static void fetch_record(const kiln_world *world, kiln_entity entity)
{
    if (entity.index >= KILN_ENTITY_MAX)
        return;
    const kiln_record *block = KILN_LOAD_ACQUIRE(
        &kiln_world_get_tables(world)->blocks[entity.index / KILN_BLOCK_ENTITIES]);
    if (block)
        prefetch(&block[entity.index % KILN_BLOCK_ENTITIES], 0);
}

/* Prefetches the record of the row that will be the archetype's last one after `ahead` removals,
 * because that row will fill the hole. */
static void fetch_last(const kiln_world *world, const archetype *a, uint32_t ahead)
{
    if (a->chunk_count == 0)
        return;
    const kiln_chunk *last = &world->tables.chunks[a->chunks[a->chunk_count - 1]];
    if (ahead < last->count)
        prefetch(kiln_id_record(&world->ids, kiln_chunk_index(last, last->count - 1 - ahead)), 0);
}

/* Prefetches what a command reads and writes; `ahead` other commands are played before it. */
static void fetch_row(const kiln_world *world, const command *from, kiln_row row, uint32_t ahead)
{
    const kiln_chunk *chunk = row.chunk;
    prefetch(chunk->ticks, 0);
    if (from->kind == COMMAND_SET) {
        const kiln_column *column = kiln_chunk_column(chunk, (kiln_component){from->number});
        if (column)
            prefetch(chunk->data + column->offset + (size_t)row.row * column->size, 0);
        return;
    }
    if (!chunk->is_run)
        prefetch(&chunk->indices[row.row], 0);
    const archetype *a = chunk_archetype(world, chunk);
    fetch_last(world, a, ahead);
    for (uint32_t i = 0; i < a->data_count; i++)
        prefetch((const unsigned char *)kiln_row_at(row, a->data[i].component), 0);
}

/* Prefetches the records of the commands from `listed` on, and the rows of earlier commands, whose
 * records are in the cache by now. */
static void fetch(kiln_command_stream *stream, uint32_t listed)
{
    kiln_row rows[STREAM_ITEMS];
    uint32_t count = 0;
    for (uint32_t i = stream->first; i != listed; i++) {
        const command *from = stream_at(stream, i)->at;
        kiln_row row = {NULL, 0};
        if (!(from->flags & COMMAND_OF_SPAWN))
            row = kiln_entity_row(stream->world, from->entity);
        if (row.chunk)
            prefetch(row.chunk, 0);
        rows[count++] = row;
    }
    for (uint32_t i = listed; i != stream->count; i++) {
        const command *from = stream_at(stream, i)->at;
        if (!(from->flags & COMMAND_OF_SPAWN))
            fetch_record(stream->world, from->entity);
    }
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].chunk)
            fetch_row(stream->world, stream_at(stream, stream->first + i)->at, rows[i], i);
}

void kiln_command_stream_fill(kiln_command_stream *stream)
{
    uint32_t listed = stream->count;
    while (stream->count - stream->first < STREAM_ITEMS && stream->turn != stream->end)
        list_next(stream);
    if (stream->is_wide)
        fetch(stream, listed);
}
