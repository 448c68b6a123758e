/* Calls the on_remove callbacks of components that are about to be removed.
 *
 * A call passes rows that are next to each other in a chunk, before the rows change, so no values
 * are copied. The handles of a chunk's rows are not stored together; they are collected in pieces
 * of REMOVAL_MOST rows. */
#include "removal.h"

#include "id_hidden.h"
#include "rows.h"

enum { REMOVAL_MOST = 256 };

static void list_entities(kiln_world *world, const kiln_chunk *chunk, uint32_t row, uint32_t count,
                          kiln_entity *entities)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kiln_chunk_index(chunk, row + i);
        kiln_id_reveal(&world->ids, index);
        const kiln_record *record = kiln_id_record(&world->ids, index);
        entities[i].index = index;
        entities[i].version = atomic_load_explicit(&record->version, memory_order_relaxed);
    }
}

static void call_each(const kiln_world *world, const archetype *a, const archetype *to,
                      kiln_row first, const kiln_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < a->component_count; i++) {
        const kiln_component_entry *entry = world_component(world, a->components[i]);
        if (!entry->on_remove || (to && archetype_has(to, a->components[i])))
            continue;
        const kiln_removal removal = {
            .component = a->components[i],
            .count = count,
            .entities = entities,
            .rows = entry->desc.size ? row_at(first, a->components[i], entry->desc.size) : NULL};
        entry->on_remove(entry->on_remove_ctx, world, &removal);
    }
}

void kiln_removal_report(kiln_world *world, const archetype *a, const archetype *to,
                         kiln_chunk *chunk, uint32_t row, uint32_t count)
{
    kiln_entity entities[REMOVAL_MOST];
    /* Closes the window of kiln_entity_create: with an open window, that function does not check
     * whether rows may be changed. */
    world->structure++;
    world->is_removing = true;
    for (uint32_t done = 0, some; done < count; done += some) {
        kiln_row first = {chunk, row + done};
        some = count - done < REMOVAL_MOST ? count - done : (uint32_t)REMOVAL_MOST;
        list_entities(world, chunk, first.row, some, entities);
        call_each(world, a, to, first, entities, some);
    }
    world->is_removing = false;
}

void kiln_removal_report_all(kiln_world *world, const archetype *a, const archetype *to)
{
    for (uint32_t i = 0; a->has_on_remove && i < a->chunk_count; i++) {
        kiln_chunk *chunk = &world->tables.chunks[a->chunks[i]];
        kiln_removal_report(world, a, to, chunk, 0, chunk->count);
    }
}

static void prepare(const kiln_world *world, archetype *a)
{
    a->has_on_remove = false;
    for (uint32_t i = 0; i < a->component_count; i++)
        if (world_component(world, a->components[i])->on_remove)
            a->has_on_remove = true;
}

kiln_status kiln_component_set_on_remove(kiln_world *world, kiln_component component,
                                         kiln_remove_function *on_remove, void *ctx)
{
    if (!world_component(world, component))
        return MISUSE("unknown component");
    kiln_component_entry *entry =
        ((kiln_component_entry **)world->components.items)[component.number];
    if (IS_REMOVING(world))
        return MISUSE_REMOVING;
    world->removers += (on_remove != NULL) - (uint32_t)(entry->on_remove != NULL);
    entry->on_remove = on_remove;
    entry->on_remove_ctx = ctx;
    for (uint32_t i = 0; i < world->archetypes.count; i++)
        prepare(world, ((archetype **)world->archetypes.items)[i]);
    return KILN_OK;
}
