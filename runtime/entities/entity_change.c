/* Adds and removes components of one entity, by moving its row to another archetype.
 *
 * The new row is complete before the old one is removed, so running out of memory leaves the entity
 * unchanged. Removing the old row moves another entity's row into the hole. So addresses of rows
 * are valid only until the next change, and the world's `structure` counts these changes. */
#include "removal.h"
#include "rows.h"

/* An entity whose row will move. */
typedef struct mover {
    uint32_t index;
    kiln_record *record;
    kiln_chunk *chunk; /* for an empty entity: chunk 0, which belongs to the null archetype */
    uint32_t row;
    archetype *archetype;
} mover;

static inline kiln_status find_mover(kiln_world *world, kiln_entity entity, mover *ret_mover)
{
    if (!kiln_entity_exists(world, entity))
        return KILN_DEAD;
    kiln_record *record = kiln_id_record(&world->ids, entity.index);
    kiln_row row =
        kiln_place_row(world, atomic_load_explicit(&record->place, memory_order_relaxed));
    ret_mover->index = entity.index;
    ret_mover->record = record;
    ret_mover->chunk = row.chunk;
    ret_mover->row = row.row;
    ret_mover->archetype = chunk_archetype(world, row.chunk);
    return KILN_OK;
}

static inline void write_value(const kiln_world *world, kiln_chunk *chunk, uint32_t row,
                               kiln_component component, const void *value)
{
    const kiln_column *column = kiln_chunk_column(chunk, component);
    unsigned char *to = chunk->data + column->offset + (size_t)row * column->size;
    chunk->ticks[column->number] = current_tick(world);
    if (!value)
        memset(to, 0, column->size);
    else if (value != to && column->size)
        copy_bytes(to, value, column->size);
}

/* Moves the row according to the plan. If `component` is not null, it is the only new one and gets
 * the value. The value may be stored in the old row, or in the row that will fill the hole, so it
 * is written before a row is removed. */
static inline kiln_status move_row(kiln_world *world, const move_plan *plan, const mover *m,
                                   kiln_component component, const void *value)
{
    if (!chunk_is_listed(m->chunk))
        return MISUSE("row of an open batch or appender");
    if (IS_REMOVING(world))
        return MISUSE_REMOVING;
    uint64_t place = 0;
    if (plan->to->number.number) {
        kiln_chunk *to;
        kiln_status status = rows_open(world, plan->to, &to);
        if (status)
            return status;
        removal_report(world, m->archetype, plan->to, m->chunk, m->row, 1);
        uint32_t to_row = rows_append(world, plan->to, to, m->index);
        place = make_place(chunk_number(world, to), to_row);
        carry_row(plan, m->chunk, m->row, to, to_row);
        if (component.number)
            write_value(world, to, to_row, component, value);
        else
            zero_new(plan, to, to_row, 1);
    } else {
        removal_report(world, m->archetype, NULL, m->chunk, m->row, 1);
    }
    world->structure++;
    if (m->archetype->number.number)
        kiln_rows_remove(world, m->archetype, m->chunk, m->row);
    atomic_store_explicit(&m->record->place, place, memory_order_relaxed);
    return KILN_OK;
}

/* The null component, for moves that write none. */
static const kiln_component none = {0};

/* Plans that already exist are found inline. */
static inline kiln_status plan_add(kiln_world *world, archetype *a, kiln_component component,
                                   const move_plan **ret_plan)
{
    *ret_plan = component.number < a->edge_limit ? a->edges[component.number].add : NULL;
    return *ret_plan ? KILN_OK : kiln_archetype_plan_add(world, a, component, ret_plan);
}

static inline kiln_status plan_remove(kiln_world *world, archetype *a, kiln_component component,
                                      const move_plan **ret_plan)
{
    *ret_plan = component.number < a->edge_limit ? a->edges[component.number].remove : NULL;
    return *ret_plan ? KILN_OK : kiln_archetype_plan_remove(world, a, component, ret_plan);
}

kiln_status kiln_entity_add(kiln_world *world, kiln_entity entity, kiln_component component,
                            const void *value)
{
    if (!world_component(world, component))
        return MISUSE("unknown component");
    mover m;
    kiln_status status = find_mover(world, entity, &m);
    if (status)
        return status;
    if (archetype_has(m.archetype, component)) {
        write_value(world, m.chunk, m.row, component, value);
        return KILN_OK;
    }
    const move_plan *plan;
    status = plan_add(world, m.archetype, component, &plan);
    return status ? status : move_row(world, plan, &m, component, value);
}

kiln_status kiln_entity_remove(kiln_world *world, kiln_entity entity, kiln_component component)
{
    if (!world_component(world, component))
        return MISUSE("unknown component");
    mover m;
    kiln_status status = find_mover(world, entity, &m);
    if (status || !archetype_has(m.archetype, component))
        return status;
    const move_plan *plan;
    status = plan_remove(world, m.archetype, component, &plan);
    return status ? status : move_row(world, plan, &m, none, NULL);
}

kiln_status kiln_entity_move(kiln_world *world, kiln_entity entity, kiln_archetype number)
{
    archetype *to = world_archetype(world, number);
    if (!to)
        return MISUSE("unknown archetype");
    mover m;
    kiln_status status = find_mover(world, entity, &m);
    if (status || m.archetype == to)
        return status;
    const move_plan *plan;
    status = kiln_archetype_plan_move(world, m.archetype, to, &plan);
    return status ? status : move_row(world, plan, &m, none, NULL);
}
