/* Detects words that were stored after write access had ended.
 *
 * Getting write access to a column sets the column's tick. A thread that uses the access after the
 * next safe point can store a word that the collector misses.
 *
 * At each safe point every row of a component with words is hashed. At the next one, each column
 * must have the same hashes unless its tick has increased. Recording begins a new tick, so that any
 * later write access increases the tick of its column. A column is skipped if its chunk got or lost
 * rows, or has other columns, because its rows may then have changed places. */
#include "collect_stores.h"

#include "hash.h"
#include "world_object.h"

#include <kiln/world.h>
#include <stdio.h>

/* A column of a chunk at the last safe point. */
typedef struct store_record {
    const kiln_world *world;
    uint64_t tick; /* the one that ended at the safe point */
    const kiln_column *columns;
    uint32_t chunk, archetype, count;
    kiln_component component;
    uint32_t first_hash; /* of its rows, in `hashes` */
} store_record;

void kiln_collect_forget_stores(kiln_collector *collector)
{
    kiln_list_fini(&collector->allocator, &collector->records, sizeof(store_record));
    kiln_list_fini(&collector->allocator, &collector->hashes, sizeof(uint64_t));
}

static uint64_t hash_row(const kiln_chunk *chunk, const kiln_column *column, uint32_t row)
{
    return kiln_hash64(chunk->data + column->offset + (size_t)row * column->size, column->size, 0);
}

/* ---- comparing ---- */

/* The column, if it still has the same rows and no thread has got write access to it. */
static const kiln_column *unchanged_column(const store_record *record, const kiln_chunk *chunk)
{
    if (chunk->columns != record->columns || chunk->archetype != record->archetype ||
        chunk->count != record->count || !chunk_is_listed(chunk) || chunk->ticks[0] > record->tick)
        return NULL;
    const kiln_column *column = kiln_chunk_column(chunk, record->component);
    return column && chunk->ticks[column->number] <= record->tick ? column : NULL;
}

static kiln_status fail_late(kiln_collector *c, const store_record *record, const kiln_chunk *chunk,
                             uint32_t row)
{
    char path[2 * KILN_PATH_SIZE];
    uint32_t index = kiln_chunk_index(chunk, row);
    const char *name = kiln_entity_name(record->world, kiln_entity_at(record->world, index));
    snprintf(path, sizeof path, "component %s of entity %lu%s%s",
             kiln_component_get(record->world, record->component)->name, (unsigned long)index,
             name ? ", " : "", name ? name : "");
    return kiln_fail(&c->late, KILN_LATE_STORE, 0, path);
}

static kiln_status compare(kiln_collector *c, const store_record *record)
{
    const kiln_chunk *chunk = &record->world->tables.chunks[record->chunk];
    const kiln_column *column = unchanged_column(record, chunk);
    const uint64_t *hashes = (const uint64_t *)c->hashes.items + record->first_hash;
    for (uint32_t row = 0; column && row < record->count; row++)
        if (hash_row(chunk, column, row) != hashes[row])
            return fail_late(c, record, chunk, row);
    return KILN_OK;
}

/* ---- recording ---- */

static bool record_column(kiln_collector *c, store_record record, const kiln_chunk *chunk)
{
    const kiln_column *column = kiln_chunk_column(chunk, record.component);
    store_record *added = kiln_list_push(&c->allocator, &c->records, sizeof *added);
    if (!added)
        return false;
    record.first_hash = c->hashes.count;
    *added = record;
    for (uint32_t row = 0; row < chunk->count; row++) {
        uint64_t *hash = kiln_list_push(&c->allocator, &c->hashes, sizeof *hash);
        if (!hash)
            return false;
        *hash = hash_row(chunk, column, row);
    }
    return true;
}

static bool record_chunk(kiln_collector *c, const kiln_world *world, uint64_t tick, uint32_t number)
{
    const kiln_chunk *chunk = &world->tables.chunks[number];
    if (!chunk->columns || !chunk_is_listed(chunk))
        return true;
    const archetype *a = chunk_archetype(world, chunk);
    store_record record = {.world = world,
                           .tick = tick,
                           .columns = chunk->columns,
                           .chunk = number,
                           .archetype = chunk->archetype,
                           .count = chunk->count};
    bool ok = true;
    for (uint32_t i = 0; ok && i < a->component_count; i++) {
        record.component = a->components[i];
        if (world_component(world, record.component)->desc.asset_count)
            ok = record_column(c, record, chunk);
    }
    return ok;
}

static bool record_world(kiln_collector *c, kiln_world *world)
{
    uint32_t made = atomic_load_explicit(&world->chunks.made, memory_order_relaxed);
    const uint64_t tick = kiln_world_tick(world);
    bool ok = true;
    for (uint32_t number = 1; ok && number <= made * KILN_MEGA_CHUNKS; number++)
        ok = record_chunk(c, world, tick, number);
    return ok;
}

kiln_status kiln_collect_check_stores(kiln_collector *collector)
{
    const store_record *records = collector->records.items;
    const collected_world *worlds = collector->worlds.items;
    kiln_status status = KILN_OK;
    bool ok = true;
    for (uint32_t i = 0; i < collector->records.count && status == KILN_OK; i++)
        status = compare(collector, &records[i]);
    collector->records.count = collector->hashes.count = 0;
    for (uint32_t i = 0; ok && i < collector->worlds.count; i++)
        ok = record_world(collector, worlds[i].world);
    if (!ok)
        kiln_collect_forget_stores(collector);
    return status;
}
