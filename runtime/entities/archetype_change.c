/* Changes all rows of an archetype at once, chunk by chunk.
 *
 * Each chunk is changed by the cheapest of three methods. If its columns suffice, it is handed over
 * unchanged, and no row moves. If most of its rows can stay when a column is added, it is cut: all
 * columns get shorter, and the rows that no longer fit are copied. Otherwise all of its rows are
 * copied.
 *
 * After a failure each chunk is either unchanged or changed completely, and every entity is alive.
 */
#include "removal.h"
#include "rows.h"

/* What happens to every row: it moves according to `plan`. If `component` is not null, that
 * component gets the value, or zeros if `value` is NULL. */
typedef struct row_change {
    const move_plan *plan;
    kiln_component component;
    const void *value;
} row_change;

/* Writes the value `count` times in succession. Each memcpy doubles the number of values written,
 * so small values are copied in large pieces. */
static void repeat_value(unsigned char *to, const void *value, uint32_t size, uint32_t count)
{
    size_t bytes = (size_t)count * size;
    if (bytes == 0)
        return;
    memcpy(to, value, size);
    for (size_t done = size; done < bytes;) {
        size_t more = done < bytes - done ? done : bytes - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

/* Writes the value to `count` rows. */
static void write_rows(const kiln_world *world, kiln_chunk *chunk, uint32_t row, uint32_t count,
                       const row_change *change)
{
    const kiln_column *column = kiln_chunk_column(chunk, change->component);
    chunk->ticks[column->number] = current_tick(world);
    unsigned char *to = chunk->data + column->offset + (size_t)row * column->size;
    if (change->value)
        repeat_value(to, change->value, column->size, count);
    else
        memset(to, 0, (size_t)count * column->size);
}

/* Writes the new components of `count` rows. */
static void write_new(const kiln_world *world, kiln_chunk *chunk, uint32_t row, uint32_t count,
                      const row_change *change)
{
    if (change->component.number)
        write_rows(world, chunk, row, count, change);
    else
        zero_new(change->plan, chunk, row, count);
}

/* Copies row `first` and all later rows: first to chunks of the target archetype with room, then to
 * those in the list `chain`. */
static void copy_rows(kiln_world *world, kiln_chunk *chunk, uint32_t first, uint32_t *chain,
                      const row_change *change)
{
    archetype *to = change->plan->to;
    for (uint32_t row = first, count; row < chunk->count; row += count) {
        kiln_chunk *target = kiln_archetype_next(world, to, chain);
        uint32_t room = target->capacity - target->count;
        count = room < chunk->count - row ? room : chunk->count - row;
        uint32_t at = target->count;
        kiln_rows_carry(change->plan, chunk, row, target, at, count);
        kiln_rows_append_from(world, to, target, chunk, row, count);
        write_new(world, target, at, count, change);
    }
}

/* Copies all rows of a chunk or none, and releases the chunk. The next claim usually takes this
 * chunk, while it is still in the cache. The caller removes the released chunk from the list of
 * `from`. */
static kiln_status copy_chunk(kiln_world *world, archetype *from, kiln_chunk *chunk,
                              const row_change *change)
{
    archetype *to = change->plan->to;
    uint32_t chain;
    kiln_status status =
        kiln_archetype_claim(world, to, kiln_rows_chunks_needed(world, to, chunk->count), &chain);
    if (status)
        return status;
    removal_report(world, from, to, chunk, 0, chunk->count);
    copy_rows(world, chunk, 0, &chain, change);
    from->rows -= chunk->count;
    kiln_archetype_release(world, from, chunk);
    return KILN_OK;
}

/* Hands the chunk over with as many of its first rows as still fit, and copies the others. On
 * failure nothing has changed. */
static kiln_status hand_over(kiln_world *world, archetype *from, kiln_chunk *chunk,
                             const row_change *change, const handover *how)
{
    archetype *to = change->plan->to;
    uint32_t stay = chunk->count < how->capacity ? chunk->count : how->capacity;
    uint32_t chain;
    kiln_status status = kiln_archetype_claim(
        world, to, kiln_rows_chunks_needed(world, to, chunk->count - stay), &chain);
    if (status)
        return status;
    status = kiln_archetype_reserve(world, to);
    if (status) {
        kiln_archetype_release_chain(world, to, chain);
        return status;
    }
    removal_report(world, from, to, chunk, 0, chunk->count);
    copy_rows(world, chunk, stay, &chain, change);
    from->rows -= chunk->count - stay;
    chunk->count = stay;
    kiln_archetype_take_over(world, from, to, chunk, how);
    write_new(world, chunk, 0, chunk->count, change);
    return KILN_OK;
}

/* A cut pays off if at least half of the rows stay. In addition, the chunk must stay at least half
 * full, or the other chunks must have no room for these rows. */
static bool pays_off(const kiln_world *world, const archetype *to, const kiln_chunk *chunk,
                     const handover *how)
{
    if (!how->columns || !how->is_cut)
        return how->columns != NULL;
    uint32_t stay = chunk->count < how->capacity ? chunk->count : how->capacity;
    return stay >= chunk->count - stay &&
           (stay >= how->capacity - stay || kiln_rows_chunks_needed(world, to, stay) > 0);
}

/* Hands the chunk over if that is possible and pays off, else copies its rows. Neighbouring chunks
 * usually have the same columns, so `how` caches the last plan. */
static kiln_status move_chunk(kiln_world *world, archetype *from, kiln_chunk *chunk,
                              const row_change *change, handover *how)
{
    if (how->source != chunk->columns) {
        kiln_status status = kiln_archetype_plan_handover(world, change->plan->to, chunk, how);
        if (status)
            return status;
    }
    return pays_off(world, change->plan->to, chunk, how)
               ? hand_over(world, from, chunk, change, how)
               : copy_chunk(world, from, chunk, change);
}

/* Makes all entities of the archetype empty. */
static void strip(kiln_world *world, archetype *a)
{
    kiln_removal_report_all(world, a, NULL);
    for (uint32_t i = 0; i < a->chunk_count; i++) {
        const kiln_chunk *chunk = &world->tables.chunks[a->chunks[i]];
        for (uint32_t row = 0; row < chunk->count; row++) {
            kiln_record *record = kiln_id_record(&world->ids, kiln_chunk_index(chunk, row));
            atomic_store_explicit(&record->place, 0, memory_order_relaxed);
        }
    }
    kiln_archetype_drop_chunks(world, a);
}

static kiln_status move_all(kiln_world *world, archetype *from, const row_change *change)
{
    if (IS_REMOVING(world))
        return MISUSE_REMOVING;
    world->structure++;
    if (change->plan->to->number.number == 0) {
        strip(world, from);
        return KILN_OK;
    }
    kiln_status status = KILN_OK;
    handover how = {NULL, NULL, 0, 0, false};
    /* In ascending order, so that consecutive indices stay consecutive. An on_remove callback may
     * iterate over queries, so each chunk is removed from the list of `from` as soon as it has been
     * moved. */
    kiln_archetype_turn_list(from);
    while (from->chunk_count && !status) {
        kiln_chunk *chunk = &world->tables.chunks[from->chunks[from->chunk_count - 1]];
        status = move_chunk(world, from, chunk, change, &how);
        if (!status)
            kiln_archetype_unlist_last(from);
    }
    kiln_archetype_restore_list(world, from);
    return status;
}

static bool are_known(const kiln_world *world, kiln_archetype number, kiln_component component)
{
    return number.number && world_archetype(world, number) && world_component(world, component);
}

kiln_status kiln_archetype_add(kiln_world *world, kiln_archetype number, kiln_component component,
                               const void *value)
{
    if (!are_known(world, number, component))
        return MISUSE("unknown archetype or component");
    archetype *a = world_archetype(world, number);
    row_change change = {NULL, component, value};
    if (archetype_has(a, component)) {
        for (uint32_t i = 0; i < a->chunk_count; i++) {
            kiln_chunk *chunk = &world->tables.chunks[a->chunks[i]];
            write_rows(world, chunk, 0, chunk->count, &change);
        }
        return KILN_OK;
    }
    kiln_status status = kiln_archetype_plan_add(world, a, component, &change.plan);
    return status ? status : move_all(world, a, &change);
}

kiln_status kiln_archetype_remove(kiln_world *world, kiln_archetype number,
                                  kiln_component component)
{
    if (!are_known(world, number, component))
        return MISUSE("unknown archetype or component");
    archetype *a = world_archetype(world, number);
    if (!archetype_has(a, component))
        return KILN_OK;
    row_change change = {NULL, {0}, NULL};
    kiln_status status = kiln_archetype_plan_remove(world, a, component, &change.plan);
    return status ? status : move_all(world, a, &change);
}

kiln_status kiln_archetype_move(kiln_world *world, kiln_archetype from, kiln_archetype to)
{
    archetype *a = from.number ? world_archetype(world, from) : NULL;
    archetype *b = world_archetype(world, to);
    if (!a || !b)
        return MISUSE("unknown archetype");
    if (a == b)
        return KILN_OK;
    row_change change = {NULL, {0}, NULL};
    kiln_status status = kiln_archetype_plan_move(world, a, b, &change.plan);
    return status ? status : move_all(world, a, &change);
}

kiln_status kiln_archetype_clear(kiln_world *world, kiln_archetype number)
{
    archetype *a = number.number ? world_archetype(world, number) : NULL;
    if (!a)
        return MISUSE("null or unknown archetype");
    if (IS_REMOVING(world))
        return MISUSE_REMOVING;
    kiln_removal_report_all(world, a, NULL);
    world->structure++;
    for (uint32_t i = 0; i < a->chunk_count; i++)
        kiln_rows_end(world, &world->tables.chunks[a->chunks[i]]);
    kiln_archetype_drop_chunks(world, a);
    return KILN_OK;
}
