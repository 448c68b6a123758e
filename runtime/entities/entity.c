/* Creates and destroys entities one by one.
 *
 * Empty entities have only an id, so any thread may create and destroy them. Entities with rows
 * change chunks, which only changing calls may do. Creating a row is the hottest function of a
 * world, so a *window* caches what the last call found: the following rows of the chunk and as many
 * ids. While nothing else changes the world, a call only increments counters. */
#include "bits.h"
#include "id_hidden.h"
#include "removal.h"
#include "rows.h"

/* ---- ids ---- */

/* Destroys the entities that a failed call has already created. */
static void end_entities(kiln_world *world, const kiln_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kiln_id_end(&world->ids, entities[i]);
}

/* Creates empty entities with adjacent records. */
static void revive_run(kiln_record *records, kiln_id_run run, kiln_entity *ret_entities)
{
    kiln_id_touch(records, run.count);
    for (uint32_t i = 0; i < run.count; i++) {
        kiln_entity entity = {run.first + i, kiln_id_revive(&records[i])};
        ret_entities[i] = entity;
    }
}

kiln_status kiln_entity_create_empty(kiln_world *world, uint32_t count, kiln_entity *ret_entities)
{
    if (!kiln_id_could_hold(&world->ids, count))
        return KILN_LIMIT;
    for (uint32_t done = 0; done < count;) {
        kiln_id_run run;
        kiln_status status = kiln_id_take(&world->ids, ID_ANY, count - done, &run);
        if (status) {
            end_entities(world, ret_entities, done);
            return status;
        }
        revive_run(kiln_id_record(&world->ids, run.first), run, ret_entities + done);
        done += run.count;
    }
    return KILN_OK;
}

kiln_entity kiln_entity_at(const kiln_world *world, uint32_t index)
{
    kiln_entity entity = kiln_entity_null();
    const kiln_record *record = kiln_index_record(world, index);
    if (record) {
        kiln_id_reveal(&world->ids, index);
        record = kiln_index_record(world, index);
    }
    uint32_t version = record ? atomic_load_explicit(&record->version, memory_order_acquire) : 0;
    if (version & 1) {
        entity.index = index;
        entity.version = version;
    }
    return entity;
}

/* Reads the bits of `taken` before the records, so that 64 free ids cost one load. */
kiln_entity kiln_entity_next(const kiln_world *world, uint32_t from)
{
    for (uint32_t index = from; index < KILN_ENTITY_MAX;) {
        const kiln_id_block *block = atomic_load_explicit(
            &world->ids.blocks[index / KILN_BLOCK_ENTITIES], memory_order_acquire);
        if (!block)
            break;
        uint32_t at = index % KILN_BLOCK_ENTITIES;
        uint64_t mask = atomic_load(&block->taken[at / 64]) & UINT64_MAX << at % 64;
        for (uint32_t first = index - at % 64; mask; mask &= mask - 1) {
            kiln_entity entity = kiln_entity_at(world, first + lowest_bit(mask));
            if (!kiln_entity_is_null(entity))
                return entity;
        }
        index += 64 - at % 64;
    }
    return kiln_entity_null();
}

/* ---- destroying ---- */

/* `is_reported`: the on_remove callbacks were called for the row. */
static inline kiln_status destroy(kiln_world *world, kiln_entity entity, bool is_reported)
{
    const kiln_record *record = kiln_entity_record(world, entity);
    uint64_t place = record ? atomic_load_explicit(&record->place, memory_order_acquire) : 0;
    /* Another thread may just have destroyed the entity, if it was empty, and its index may already
     * belong to a new one with a row. If the version is still the same, the place belongs to this
     * entity. */
    if (!record || (place && !kiln_entity_exists(world, entity)))
        return KILN_DEAD;
    if (place) {
        kiln_row row = kiln_place_row(world, place);
        if (!chunk_is_listed(row.chunk))
            return MISUSE("row of an open batch or appender");
        if (IS_REMOVING(world))
            return MISUSE_REMOVING;
        archetype *a = chunk_archetype(world, row.chunk);
        if (!is_reported)
            removal_report(world, a, NULL, row.chunk, row.row, 1);
        world->structure++;
        kiln_rows_remove(world, a, row.chunk, row.row);
        atomic_store_explicit(&kiln_id_record(&world->ids, entity.index)->place, 0,
                              memory_order_relaxed);
    }
    return kiln_id_end(&world->ids, entity) ? KILN_OK : KILN_DEAD;
}

kiln_status kiln_entity_destroy(kiln_world *world, kiln_entity entity)
{
    return destroy(world, entity, false);
}

/* How many entities from the first one on are alive and in consecutive rows, ascending or
 * descending, of a chunk whose archetype has on_remove callbacks. `ret_row` receives the lowest
 * row. */
static uint32_t count_neighbours(kiln_world *world, const kiln_entity *entities, uint32_t count,
                                 kiln_row *ret_row)
{
    uint64_t place = kiln_entity_place(world, entities[0]);
    uint32_t neighbours = 1;
    if (!place)
        return 0;
    *ret_row = kiln_place_row(world, place);
    if (!chunk_is_listed(ret_row->chunk) || !chunk_archetype(world, ret_row->chunk)->has_on_remove)
        return 0;
    /* Holes are filled with the last rows, so a list in the order of creation soon finds rows in
     * the opposite order. */
    bool descends = count > 1 && kiln_entity_place(world, entities[1]) == place - 1;
    while (neighbours < count &&
           kiln_entity_place(world, entities[neighbours]) ==
               (descends ? place - neighbours : place + neighbours) &&
           (!descends || neighbours <= ret_row->row))
        neighbours++;
    if (descends)
        ret_row->row -= neighbours - 1;
    return neighbours;
}

/* Reports neighbouring rows together, and then destroys their entities. Entities that occur twice
 * are dead the second time. */
static RARE uint32_t destroy_reported(kiln_world *world, const kiln_entity *entities,
                                      uint32_t count)
{
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < count && !IS_REMOVING(world);) {
        kiln_row row = {NULL, 0};
        uint32_t some = count_neighbours(world, &entities[i], count - i, &row);
        if (some)
            removal_report(world, chunk_archetype(world, row.chunk), NULL, row.chunk, row.row,
                           some);
        for (uint32_t end = i + (some ? some : 1); i < end; i++)
            destroyed += destroy(world, entities[i], some > 0) == KILN_OK;
    }
    return destroyed;
}

uint32_t kiln_entity_destroy_many(kiln_world *world, const kiln_entity *entities, uint32_t count)
{
    uint32_t destroyed = 0;
    if (world->removers && !IS_REMOVING(world))
        return destroy_reported(world, entities, count);
    for (uint32_t i = 0; i < count; i++)
        destroyed += kiln_entity_destroy(world, entities[i]) == KILN_OK;
    return destroyed;
}

/* ---- creating rows ---- */

/* Returns the unused ids of the window to the stash. Nothing else has taken ids from the stash
 * meanwhile, so its ids are consecutive again. */
static void close_window(kiln_world *world)
{
    kiln_row_window *window = &world->window;
    uint32_t left = window->count - window->used;
    world->ids.stash.first -= left;
    world->ids.stash.count += left;
    window->count = window->used = 0;
}

/* The row was just appended for the id before the stash, so the next rows match the next ids. The
 * window excludes the last row of the chunk, because filling the chunk also changes `full`. */
static void open_window(kiln_world *world, archetype *a, kiln_row row, kiln_record *record)
{
    kiln_id_run *stash = &world->ids.stash;
    uint32_t room = row.chunk->capacity - row.chunk->count, count = stash->count;
    if (!row.chunk->is_run || room < 2 || count == 0)
        return;
    if (count > room - 1)
        count = room - 1;
    kiln_row_window window = {.structure = world->structure,
                              .tick = row.chunk->ticks[0],
                              .archetype = a->number.number,
                              .count = count,
                              .index = stash->first,
                              .row = row.row + 1,
                              .chunk = row.chunk,
                              .rows = &a->rows,
                              .records = record + 1,
                              .place = make_place(chunk_number(world, row.chunk), row.row + 1)};
    stash->first += count;
    stash->count -= count;
    world->window = window;
}

static RARE kiln_status create_row(kiln_world *world, kiln_archetype number,
                                   kiln_entity *ret_entity, kiln_row *ret_row)
{
    archetype *a = world_archetype(world, number);
    if (!a || (number.number == 0 && ret_row))
        return MISUSE("unknown archetype, or row of the null archetype");
    if (IS_REMOVING(world) && number.number)
        return MISUSE_REMOVING;
    uint32_t index;
    close_window(world);
    kiln_status status = kiln_id_take_one(&world->ids, &index);
    if (status)
        return status;
    kiln_record *record = kiln_id_record(&world->ids, index);
    if (number.number == 0) {
        ret_entity->index = index;
        ret_entity->version = kiln_id_revive(record);
        return KILN_OK;
    }
    kiln_chunk *chunk;
    status = kiln_archetype_open(world, a, &chunk);
    if (status) {
        kiln_id_put_back(&world->ids);
        return status;
    }
    world->structure++;
    kiln_row row = {chunk, rows_append(world, a, chunk, index)};
    if (ret_row)
        *ret_row = row;
    else
        kiln_rows_zero(a, chunk, row.row, 1);
    ret_entity->index = index;
    ret_entity->version = kiln_id_begin(record, make_place(chunk_number(world, chunk), row.row));
    open_window(world, a, row, record);
    return KILN_OK;
}

/* Loads are cheaper than stores here, so the window stores few values, and the others are computed.
 */
kiln_status kiln_entity_create(kiln_world *world, kiln_archetype number, kiln_entity *ret_entity,
                               kiln_row *ret_row)
{
    kiln_row_window *window = &world->window;
    uint32_t used = window->used;
    uint64_t structure = window->structure + used;
    if (!ret_row || window->archetype != number.number || used == window->count ||
        structure != world->structure || window->tick != current_tick(world))
        return create_row(world, number, ret_entity, ret_row);
    world->structure = structure + 1;
    window->used = used + 1;
    window->chunk->count = window->row + used + 1;
    ++*window->rows;
    ret_row->chunk = window->chunk;
    ret_row->row = window->row + used;
    ret_entity->index = window->index + used;
    ret_entity->version = kiln_id_begin(window->records + used, window->place + used);
    return KILN_OK;
}
