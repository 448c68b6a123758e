/* Reads one component of many entities in random order.
 *
 * Such reads are limited by cache misses: first the record, then the value. Prefetching the records
 * of entities that come AHEAD steps later overlaps the first miss with other work. A reader also
 * avoids reading the kiln_chunk: column tables give the address of a value directly from its row's
 * place. */
#include "column_tables.h"
#include "prefetch.h"
#include "world_object.h"

#include <kiln/reader.h>

/* Number of records prefetched ahead: roughly the number of cache misses that a core can have in
 * flight. */
enum { AHEAD = 16 };

/* Prefetches the entity's record. */
static void prefetch_record(KILN_ATOMIC(kiln_record *) const *blocks, kiln_entity entity)
{
    const kiln_record *record = kiln_block_record(blocks, entity.index);
    if (record)
        prefetch(record, 0);
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
        prefetch(ret_values[i], 0);
    }
}

kiln_status kiln_reader_init(kiln_world *world, kiln_component component, kiln_reader *ret_reader)
{
    const kiln_component_entry *entry = world_component(world, component);
    if (!entry)
        return MISUSE("unknown component");
    const column_table *table = kiln_column_tables_get(world, component);
    if (!table)
        return KILN_NO_MEMORY;
    ret_reader->blocks = world->tables.blocks;
    ret_reader->columns = table->columns;
    ret_reader->size = entry->desc.size;
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
        prefetch(ret_values[i], 0);
    }
}
