/* Appends rows one by one at the speed of an array, in chunks that contain no other rows.
 *
 * The chunks are claimed one by one and are not on the archetype's list until the appender closes.
 * So no query finds an incomplete row, and appending changes no shared list. They are chained by
 * `order`, with the bit CHUNK_UNLISTED set.
 *
 * A refill prepares a window of rows with their ids; the inline function of the header takes rows
 * from it. Closing moves the rows of partly filled chunks into listed chunks with room, so that
 * many small appenders do not leave many partly filled chunks. */
#include "prefetch.h"
#include "removal.h"
#include "rows.h"

#include <kiln/appender.h>

static archetype *archetype_of(const kiln_appender *appender)
{
    return world_archetype(appender->world, appender->archetype);
}

kiln_status kiln_appender_open(kiln_world *world, kiln_archetype number,
                               const kiln_component *components, uint32_t count,
                               kiln_appender *ret_appender)
{
    const archetype *a = number.number ? world_archetype(world, number) : NULL;
    if (!a)
        return MISUSE("null or unknown archetype");
    if (count > KILN_APPENDER_COLUMNS)
        return MISUSE("more than KILN_APPENDER_COLUMNS columns");
    for (uint32_t i = 0; i < count; i++) {
        if (!archetype_has(a, components[i]))
            return MISUSE("component not in the archetype");
    }
    memset(ret_appender, 0, sizeof *ret_appender);
    ret_appender->world = world;
    ret_appender->archetype = number;
    ret_appender->column_count = count;
    if (count)
        memcpy(ret_appender->components, components, count * sizeof *components);
    world->batches++;
    return KILN_OK;
}

/* ---- appending ---- */

/* Adds the used rows of the window to the count of the chunk. */
static void count_used(kiln_appender *appender)
{
    if (appender->chunk)
        appender->chunk->count = appender->row + appender->used;
}

/* Prefetches the beginning of each page of the chunk for writing. The processor's own prefetcher
 * continues from there. */
static void fetch_chunk(const kiln_chunk *chunk)
{
    enum { PAGE = 4096, LINE = 64, LINES = 4 };
    for (uint32_t page = 0; page < KILN_CHUNK_SIZE; page += PAGE) {
        for (uint32_t line = 0; line < LINES; line++)
            prefetch_write(chunk->data, page + line * LINE);
    }
}

/* Appends a new chunk to the chain, whose other chunks are full. */
static kiln_status add_chunk(kiln_appender *appender)
{
    kiln_world *world = appender->world;
    uint32_t number;
    kiln_status status = kiln_archetype_claim(world, archetype_of(appender), 1, &number);
    if (status)
        return status;
    if (appender->chunk)
        appender->chunk->order = CHUNK_UNLISTED | number;
    else
        appender->first_chunk = number;
    kiln_chunk *chunk = &world->tables.chunks[number];
    chunk->order = CHUNK_UNLISTED;
    appender->chunk = chunk;
    fetch_chunk(chunk);
    kiln_row first = {chunk, 0};
    for (uint32_t i = 0; i < appender->column_count; i++)
        appender->columns[i] = kiln_row_at(first, appender->components[i]);
    return KILN_OK;
}

static bool is_named(const kiln_appender *appender, kiln_component component)
{
    for (uint32_t i = 0; i < appender->column_count; i++) {
        if (appender->components[i].number == component.number)
            return true;
    }
    return false;
}

/* Writes zeros to the columns that the caller does not write. */
static void zero_others(const kiln_appender *appender, uint32_t count)
{
    const archetype *a = archetype_of(appender);
    kiln_row first = {appender->chunk, appender->chunk->count};
    for (uint32_t i = 0; i < a->data_count; i++) {
        const archetype_column *data = &a->data[i];
        if (!is_named(appender, data->component))
            memset(row_at(first, data->component, data->size), 0, (size_t)count * data->size);
    }
}

kiln_status kiln_appender_refill(kiln_appender *appender)
{
    kiln_world *world = appender->world;
    if (!world)
        return MISUSE("closed appender");
    count_used(appender);
    if (!appender->chunk || appender->chunk->count == appender->chunk->capacity) {
        kiln_status status = add_chunk(appender);
        if (status)
            return status;
        appender->row = appender->used = appender->count = 0;
    }
    kiln_chunk *chunk = appender->chunk;
    uint32_t want = chunk->capacity - chunk->count;
    if (want > KILN_APPENDER_WINDOW)
        want = KILN_APPENDER_WINDOW;
    kiln_id_run run;
    kiln_status status = kiln_id_take(&world->ids, ID_CHANGING, want, &run);
    if (status)
        return status;
    zero_others(appender, run.count);
    kiln_rows_set_indices(chunk, chunk->count, run);
    chunk->ticks[0] = current_tick(world);
    appender->records = kiln_id_record(&world->ids, run.first);
    kiln_id_touch(appender->records, run.count);
    appender->index = run.first;
    appender->row = chunk->count;
    appender->place = make_place(chunk_number(world, chunk), chunk->count);
    appender->used = 0;
    appender->count = run.count;
    return KILN_OK;
}

/* ---- closing ---- */

static void release_unused(kiln_appender *appender)
{
    kiln_id_run left = {appender->index + appender->used, appender->count - appender->used};
    kiln_id_release(&appender->world->ids, left);
    appender->count = appender->used;
}

/* The number of the next chunk; 0 after the last one. */
static uint32_t next_number(const kiln_chunk *chunk)
{
    return chunk->order & ~CHUNK_UNLISTED;
}

static void release(kiln_world *world, archetype *a, kiln_chunk *chunk)
{
    a->unlisted--;
    kiln_archetype_release(world, a, chunk);
}

/* Appends the last `count` rows of `from` to `to`, which has room for them. */
static void move_rows(kiln_world *world, archetype *a, kiln_chunk *from, kiln_chunk *to,
                      uint32_t count)
{
    kiln_row source = {from, from->count - count}, target = {to, to->count};
    for (uint32_t i = 0; i < a->data_count; i++) {
        const archetype_column *data = &a->data[i];
        memcpy(row_at(target, data->component, data->size),
               row_at(source, data->component, data->size), (size_t)count * data->size);
    }
    kiln_rows_append_from(world, a, to, from, source.row, count);
    from->count -= count;
}

/* Lists the chunk. If it is partly filled, its rows are first moved to listed chunks with room; a
 * chunk that is then empty is released. */
static void settle(kiln_world *world, archetype *a, kiln_chunk *chunk)
{
    while (chunk->count > 0 && chunk->count < chunk->capacity && a->full < a->chunk_count) {
        kiln_chunk *open = &world->tables.chunks[a->chunks[a->full]];
        uint32_t room = open->capacity - open->count;
        move_rows(world, a, chunk, open, room < chunk->count ? room : chunk->count);
    }
    if (chunk->count == 0) {
        release(world, a, chunk);
        return;
    }
    chunk->ticks[0] = current_tick(world);
    a->rows += chunk->count;
    kiln_archetype_list(world, a, chunk);
}

static void end(kiln_appender *appender, void (*finish)(kiln_world *, archetype *, kiln_chunk *))
{
    kiln_world *world = appender->world;
    if (!world)
        return;
    archetype *a = archetype_of(appender);
    count_used(appender);
    release_unused(appender);
    world->structure++;
    for (uint32_t number = appender->first_chunk; number;) {
        kiln_chunk *chunk = &world->tables.chunks[number];
        number = next_number(chunk);
        finish(world, a, chunk);
    }
    world->batches--;
    memset(appender, 0, sizeof *appender);
}

void kiln_appender_close(kiln_appender *appender)
{
    if (appender->world && IS_REMOVING(appender->world)) {
        (void)MISUSE_REMOVING;
        return;
    }
    end(appender, settle);
}

static void end_rows(kiln_world *world, archetype *a, kiln_chunk *chunk)
{
    kiln_rows_end(world, chunk);
    release(world, a, chunk);
}

void kiln_appender_discard(kiln_appender *appender)
{
    end(appender, end_rows);
}
