#include "rows.h"

static void write_value(const kiln_world *world, kiln_row row, kiln_component component,
                        const void *value)
{
    const kiln_column *column = kiln_chunk_column(row.chunk, component);
    unsigned char *to = kiln_row_at(row, component);
    row.chunk->marks[column->number] = current_mark(world);
    if (!value)
        memset(to, 0, column->size);
    else if (value != to && column->size)
        copy_bytes(to, value, column->size);
}

/* Moves the living entity along the plan. `from` is its row; its chunk is NULL for a bare one. A
 * component that is not null gets the value, which may lie in the row that goes or in the one that
 * fills its place: so it is written before anything goes. */
static kiln_status move_row(kiln_world *world, uint32_t index, kiln_row from, const move_plan *plan,
                            kiln_component component, const void *value)
{
    if (from.chunk && from.chunk->order == CHUNK_UNLISTED)
        return MISUSE("a row of a batch that is not published");
    kiln_row to = {NULL, 0};
    uint64_t place = 0;
    if (plan->to->number.number) {
        kiln_status status = kiln_archetype_open(world, plan->to, &to.chunk);
        if (status)
            return status;
        to.row = rows_append(world, plan->to, to.chunk, index);
        place = make_place(chunk_number(world, to.chunk), to.row);
        if (from.chunk)
            carry_row(plan, from, to);
        else
            kiln_rows_zero(plan->to, to.chunk, to.row, 1);
        if (component.number)
            write_value(world, to, component, value);
    }
    world->structure++;
    if (from.chunk)
        kiln_rows_remove(world, from.chunk, from.row);
    atomic_store_explicit(&kiln_id_record(&world->ids, index)->place, place, memory_order_relaxed);
    return KILN_OK;
}

/* No component, for moves that write none. */
static const kiln_component none = {0};

static archetype *archetype_of_row(const kiln_world *world, kiln_row row)
{
    return row.chunk ? chunk_archetype(world, row.chunk)
                     : ((archetype **)world->archetypes.items)[0];
}

kiln_status kiln_entity_add(kiln_world *world, kiln_entity entity, kiln_component component,
                            const void *value)
{
    if (!component.number || !world_component(world, component))
        return MISUSE("a component that the world has not");
    if (!kiln_entity_exists(world, entity))
        return KILN_DEAD;
    kiln_row row = kiln_entity_row(world, entity);
    if (row.chunk && kiln_chunk_column(row.chunk, component)) {
        write_value(world, row, component, value);
        return KILN_OK;
    }
    const move_plan *plan;
    kiln_status status =
        kiln_archetype_plan_add(world, archetype_of_row(world, row), component, &plan);
    return status ? status : move_row(world, entity.index, row, plan, component, value);
}

kiln_status kiln_entity_remove(kiln_world *world, kiln_entity entity, kiln_component component)
{
    if (!component.number || !world_component(world, component))
        return MISUSE("a component that the world has not");
    if (!kiln_entity_exists(world, entity))
        return KILN_DEAD;
    kiln_row row = kiln_entity_row(world, entity);
    if (!row.chunk || !kiln_chunk_column(row.chunk, component))
        return KILN_OK;
    const move_plan *plan;
    kiln_status status =
        kiln_archetype_plan_remove(world, archetype_of_row(world, row), component, &plan);
    return status ? status : move_row(world, entity.index, row, plan, none, NULL);
}

kiln_status kiln_entity_move(kiln_world *world, kiln_entity entity, kiln_archetype number)
{
    archetype *to = world_archetype(world, number);
    if (!to)
        return MISUSE("an archetype that the world has not");
    if (!kiln_entity_exists(world, entity))
        return KILN_DEAD;
    kiln_row row = kiln_entity_row(world, entity);
    archetype *from = archetype_of_row(world, row);
    if (from == to)
        return KILN_OK;
    const move_plan *plan;
    kiln_status status = kiln_archetype_plan_move(world, from, to, &plan);
    return status ? status : move_row(world, entity.index, row, plan, none, NULL);
}
