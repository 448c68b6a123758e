/* A table has one pointer for each chunk that the world may ever have, so its address never changes
 * and readers need no lock when chunks are added. Pages of unused entries are never touched, so the
 * table of a small world takes little memory. Every change of a chunk's columns goes through
 * kiln_column_tables_set. */
#include "column_tables.h"

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

void kiln_column_tables_set(kiln_world *world, const kiln_chunk *chunk)
{
    uint32_t number = chunk_number(world, chunk);
    for (uint32_t i = 0; i < world->column_tables.count; i++) {
        const column_table *table = table_at(world, i);
        table->columns[number] = column_of(chunk, table->component);
    }
}

bool kiln_column_tables_match(const kiln_world *world, const kiln_chunk *chunk)
{
    uint32_t number = chunk_number(world, chunk);
    for (uint32_t i = 0; i < world->column_tables.count; i++) {
        const column_table *table = table_at(world, i);
        if (table->columns[number] != column_of(chunk, table->component))
            return false;
    }
    return true;
}

void kiln_column_tables_fini(kiln_world *world)
{
    for (uint32_t i = 0; i < world->column_tables.count; i++)
        world->pages.unmap(world->pages.ctx, (void *)(uintptr_t)table_at(world, i)->columns,
                           table_size(world));
    kiln_list_fini(&world->allocator, &world->column_tables, sizeof(column_table));
}

static const column_table *find_table(const kiln_world *world, kiln_component component)
{
    for (uint32_t i = 0; i < world->column_tables.count; i++) {
        if (table_at(world, i)->component.number == component.number)
            return table_at(world, i);
    }
    return NULL;
}

/* Adds the component's table; NULL if memory runs out. */
static const column_table *add_table(kiln_world *world, kiln_component component)
{
    if (!kiln_list_grow(&world->allocator, &world->column_tables, sizeof(column_table)))
        return NULL;
    column_table *table = table_at(world, world->column_tables.count);
    table->component = component;
    table->columns = world->pages.map(world->pages.ctx, table_size(world), 4096, false);
    if (!table->columns)
        return NULL;
    world->column_tables.count++;
    /* Chunks of open batches are on no archetype's list, so the loop visits every chunk number. */
    uint32_t megas = atomic_load(&world->chunks.made);
    for (uint32_t number = 1; number <= megas * KILN_MEGA_CHUNKS; number++) {
        const kiln_chunk *chunk = &world->tables.chunks[number];
        if (chunk->columns)
            table->columns[number] = column_of(chunk, component);
    }
    return table;
}

const column_table *kiln_column_tables_get(kiln_world *world, kiln_component component)
{
    const column_table *table = find_table(world, component);
    return table ? table : add_table(world, component);
}
