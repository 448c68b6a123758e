#include "world_object.h"

#include <kiln/reader.h>

/* How many records are asked for before they are looked at. */
enum { AHEAD = 16 };

/* Asks for the entity's record. */
static void prefetch_record(KILN_ATOMIC(kiln_record *) const *blocks, kiln_entity entity)
{
#if defined(__GNUC__)
    const kiln_record *record = kiln_block_record(blocks, entity.index);
    if (record)
        __builtin_prefetch(record);
#else
    (void)blocks;
    (void)entity;
#endif
}

static void prefetch_value(const void *value)
{
#if defined(__GNUC__)
    __builtin_prefetch(value);
#else
    (void)value;
#endif
}

void kiln_entity_read_many(const kiln_world *world, const kiln_entity *entities, uint32_t count,
                           kiln_component component, const void **ret_values)
{
    KILN_ATOMIC(kiln_record *) const *blocks = kiln_world_get_tables(world)->blocks;
    for (uint32_t i = 0; i < count && i < AHEAD; i++)
        prefetch_record(blocks, entities[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (count - i > AHEAD)
            prefetch_record(blocks, entities[i + AHEAD]);
        ret_values[i] = kiln_entity_read(world, entities[i], component);
        prefetch_value(ret_values[i]);
    }
}

/* ---- readers ---- */

static size_t table_size(const kiln_world *world)
{
    return ((size_t)world->chunks.max * KILN_MEGA_CHUNKS + 1) * sizeof(void *);
}

static column_table *table_at(const kiln_world *world, uint32_t i)
{
    return (column_table *)world->column_tables.items + i;
}

static const unsigned char *column_of(const kiln_chunk *chunk, kiln_component component)
{
    const kiln_column *column = kiln_chunk_column(chunk, component);
    return column ? chunk->data + column->offset : NULL;
}

void kiln_readers_tell(kiln_world *world, const kiln_chunk *chunk)
{
    uint32_t number = chunk_number(world, chunk);
    for (uint32_t i = 0; i < world->column_tables.count; i++) {
        const column_table *table = table_at(world, i);
        table->columns[number] = column_of(chunk, table->component);
    }
}

bool kiln_readers_know(const kiln_world *world, const kiln_chunk *chunk)
{
    uint32_t number = chunk_number(world, chunk);
    for (uint32_t i = 0; i < world->column_tables.count; i++) {
        const column_table *table = table_at(world, i);
        if (table->columns[number] != column_of(chunk, table->component))
            return false;
    }
    return true;
}

void kiln_readers_fini(kiln_world *world)
{
    for (uint32_t i = 0; i < world->column_tables.count; i++)
        world->pages.unmap(world->pages.ctx, (void *)(uintptr_t)table_at(world, i)->columns,
                           table_size(world));
    kiln_list_fini(&world->allocator, &world->column_tables, sizeof(column_table));
}

/* Adds the component's table; NULL without memory. */
static column_table *add_table(kiln_world *world, kiln_component component)
{
    if (!kiln_list_grow(&world->allocator, &world->column_tables, sizeof(column_table)))
        return NULL;
    column_table *table = table_at(world, world->column_tables.count);
    table->component = component;
    table->columns = world->pages.map(world->pages.ctx, table_size(world), 4096, false);
    if (!table->columns)
        return NULL;
    world->column_tables.count++;
    /* Chunks of open batches are on no archetype's list, so it is all numbers that are looked at.
     */
    uint32_t megas = atomic_load(&world->chunks.made);
    for (uint32_t number = 1; number <= megas * KILN_MEGA_CHUNKS; number++) {
        const kiln_chunk *chunk = &world->tables.chunks[number];
        if (chunk->columns)
            table->columns[number] = column_of(chunk, component);
    }
    return table;
}

kiln_status kiln_reader_make(kiln_world *world, kiln_component component, kiln_reader *ret_reader)
{
    const kiln_component_entry *entry = world_component(world, component);
    if (!entry)
        return MISUSE("a component that the world has not");
    const column_table *table = NULL;
    for (uint32_t i = 0; i < world->column_tables.count && !table; i++) {
        if (table_at(world, i)->component.number == component.number)
            table = table_at(world, i);
    }
    if (!table)
        table = add_table(world, component);
    if (!table)
        return KILN_NO_MEMORY;
    ret_reader->blocks = world->tables.blocks;
    ret_reader->columns = table->columns;
    ret_reader->size = entry->def.size;
    return KILN_OK;
}

void kiln_reader_read_many(const kiln_reader *reader, const kiln_entity *entities, uint32_t count,
                           const void **ret_values)
{
    const kiln_reader own = *reader;
    for (uint32_t i = 0; i < count && i < AHEAD; i++)
        prefetch_record(own.blocks, entities[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (count - i > AHEAD)
            prefetch_record(own.blocks, entities[i + AHEAD]);
        ret_values[i] = kiln_reader_read(&own, entities[i]);
        prefetch_value(ret_values[i]);
    }
}
