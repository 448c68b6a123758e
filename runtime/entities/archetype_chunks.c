/* Claims, lists, hands over and releases the chunks of an archetype.
 *
 * Full chunks come first in the list. Swapping with the chunk at index `full` maintains this order
 * in constant time, and the chunk for the next row is always chunks[full]. Memory for the list and
 * for *sides* (archetype.h) is reserved when a chunk is claimed, so listing and releasing a chunk
 * cannot fail. */
#include "archetype_chunks.h"

#include "archetype_cut.h"
#include "column_tables.h"
#include "removal.h"

#include <string.h>

/* ---- sides ---- */

static size_t ticks_of_chunk(const archetype *a)
{
    return (size_t)a->component_count + 1;
}

/* Slabs double in size up to KILN_MEGA_CHUNKS chunks, so a small archetype uses little memory, and
 * a large one needs few allocations. */
static bool add_slab(kiln_world *world, archetype *a)
{
    enum { SLAB_MOST = KILN_MEGA_CHUNKS };
    uint32_t room = a->slabs ? a->slabs->room * 2 : 1;
    if (room > SLAB_MOST)
        room = SLAB_MOST;
    size_t bytes = sizeof(side_slab) + room * (ticks_of_chunk(a) * sizeof(uint64_t) +
                                               (size_t)a->capacity * sizeof(uint32_t));
    side_slab *slab = world_alloc(world, bytes);
    if (!slab)
        return false;
    slab->next = a->slabs;
    slab->bytes = bytes;
    slab->used = 0;
    slab->room = room;
    a->slabs = slab;
    return true;
}

/* Makes sure that there is memory for one more side. */
static bool reserve_side(kiln_world *world, archetype *a)
{
    return a->free_sides || (a->slabs && a->slabs->used < a->slabs->room) || add_slab(world, a);
}

/* Gives the chunk its ticks and indices. Memory must have been reserved. */
static void take_side(archetype *a, kiln_chunk *chunk)
{
    if (a->free_sides) {
        chunk->ticks = a->free_sides;
        chunk->indices = (uint32_t *)(uintptr_t)chunk->ticks[1];
        a->free_sides = (uint64_t *)(uintptr_t)chunk->ticks[0];
        return;
    }
    side_slab *slab = a->slabs;
    uint64_t *ticks = (uint64_t *)(slab + 1);
    uint32_t *indices = (uint32_t *)(ticks + slab->room * ticks_of_chunk(a));
    chunk->ticks = ticks + slab->used * ticks_of_chunk(a);
    chunk->indices = indices + (size_t)slab->used * a->capacity;
    slab->used++;
}

/* Sides of released chunks are chained by their first words, so that releasing needs no memory. */
static void release_side(archetype *a, kiln_chunk *chunk)
{
    chunk->ticks[0] = (uint64_t)(uintptr_t)a->free_sides;
    chunk->ticks[1] = (uint64_t)(uintptr_t)chunk->indices;
    a->free_sides = chunk->ticks;
}

/* ---- claiming ---- */

static bool reserve_list(kiln_world *world, archetype *a, uint32_t more)
{
    uint64_t need = (uint64_t)a->chunk_count + a->unlisted + more;
    if (need <= a->chunk_room)
        return true;
    uint32_t room = a->chunk_room ? a->chunk_room : 8;
    while (room < need)
        room *= 2;
    uint32_t *chunks = world_alloc(world, room * sizeof *chunks);
    if (!chunks)
        return false;
    if (a->chunk_count)
        memcpy(chunks, a->chunks, a->chunk_count * sizeof *chunks);
    world_free(world, a->chunks, a->chunk_room * sizeof *chunks);
    a->chunks = chunks;
    a->chunk_room = room;
    return true;
}

static void release_memory(kiln_world *world, uint32_t number)
{
    kiln_chunk_run run = {number, 1};
    kiln_chunk_release(&world->chunks, run);
}

/* Makes a claimed chunk an empty chunk of the archetype and adds it to the front of the chain. */
static bool set_up(kiln_world *world, archetype *a, uint32_t number, uint32_t *chain)
{
    kiln_chunk *chunk = &world->tables.chunks[number];
    if (!reserve_side(world, a))
        return false;
    take_side(a, chunk);
    chunk->data = kiln_chunk_memory(&world->chunks, number);
    chunk->columns = a->columns;
    chunk->column_limit = a->column_limit;
    chunk->count = 0;
    chunk->first = 0;
    chunk->is_run = 1;
    chunk->capacity = a->capacity;
    chunk->archetype = a->number.number;
    chunk->layout = a->layout.number;
    memset(chunk->ticks, 0, ticks_of_chunk(a) * sizeof *chunk->ticks);
    chunk->order = *chain;
    *chain = number;
    a->unlisted++;
    kiln_column_tables_set(world, chunk);
    return true;
}

void kiln_archetype_release_chain(kiln_world *world, archetype *a, uint32_t number)
{
    while (number) {
        kiln_chunk *chunk = &world->tables.chunks[number];
        number = chunk->order;
        a->unlisted--;
        kiln_archetype_release(world, a, chunk);
    }
}

kiln_status kiln_archetype_adopt(kiln_world *world, archetype *a, kiln_chunk_run run,
                                 uint32_t *chain)
{
    uint32_t own = 0;
    kiln_status status = reserve_list(world, a, run.count) ? KILN_OK : KILN_NO_MEMORY;
    /* Calls from on_remove callbacks are rejected, because the interrupted change has reserved
     * memory only for its own chunk. */
    if (IS_REMOVING(world))
        status = MISUSE_REMOVING;
    /* Backwards, so that chunk numbers ascend along the chain within a run. */
    for (uint32_t i = run.count; i-- > 0;) {
        if (!status && !set_up(world, a, run.first + i, &own))
            status = KILN_NO_MEMORY;
        else if (!status)
            continue;
        release_memory(world, run.first + i);
    }
    if (status) {
        kiln_archetype_release_chain(world, a, own);
        return status;
    }
    world->tables.chunks[run.first + run.count - 1].order = *chain;
    *chain = own;
    return KILN_OK;
}

kiln_status kiln_archetype_claim(kiln_world *world, archetype *a, uint32_t count,
                                 uint32_t *ret_first)
{
    uint32_t chain = 0;
    kiln_status status = reserve_list(world, a, count) ? KILN_OK : KILN_NO_MEMORY;
    for (uint32_t left = count; left > 0 && !status;) {
        kiln_chunk_run run;
        status = kiln_chunk_claim(&world->chunks, left, &run);
        if (!status)
            status = kiln_archetype_adopt(world, a, run, &chain);
        left -= status ? 0 : run.count;
    }
    if (status)
        kiln_archetype_release_chain(world, a, chain);
    else
        *ret_first = chain;
    return status;
}

void kiln_archetype_release(kiln_world *world, archetype *a, kiln_chunk *chunk)
{
    release_side(a, chunk);
    chunk->columns = NULL;
    chunk->column_limit = 0;
    chunk->count = 0;
    release_memory(world, chunk_number(world, chunk));
}

/* ---- the list ---- */

static kiln_chunk *listed(const kiln_world *world, const archetype *a, uint32_t order)
{
    return &world->tables.chunks[a->chunks[order]];
}

void kiln_archetype_list(kiln_world *world, archetype *a, kiln_chunk *chunk)
{
    uint32_t number = chunk_number(world, chunk);
    uint32_t order = a->chunk_count++;
    a->unlisted--;
    if (chunk->count == chunk->capacity) {
        /* The first chunk with room moves to the end, and the full one takes its place. */
        uint32_t moved = a->chunks[a->full];
        if (order != a->full) {
            a->chunks[order] = moved;
            world->tables.chunks[moved].order = order;
        }
        order = a->full++;
    }
    a->chunks[order] = number;
    chunk->order = order;
}

void kiln_archetype_unlist_last(archetype *a)
{
    a->chunk_count--;
    if (a->full > a->chunk_count)
        a->full = a->chunk_count;
}

void kiln_archetype_unlist(kiln_world *world, archetype *a, const kiln_chunk *chunk)
{
    uint32_t hole = chunk->order;
    if (hole < a->full) {
        /* The last full chunk fills the hole, so the hole moves to the end of the full chunks. */
        a->chunks[hole] = a->chunks[--a->full];
        listed(world, a, hole)->order = hole;
        hole = a->full;
    }
    a->chunks[hole] = a->chunks[--a->chunk_count];
    if (hole < a->chunk_count)
        listed(world, a, hole)->order = hole;
}

/* The columns of `a` in chunks of the given layout; NULL if memory runs out. */
static const kiln_column *variant_columns(kiln_world *world, archetype *a,
                                          const chunk_layout *layout)
{
    if (layout->of == a)
        return layout->columns;
    archetype_variant *variant = a->variants;
    while (variant && variant->layout != layout->number)
        variant = variant->next;
    if (variant)
        return variant->columns;
    size_t bytes = sizeof *variant + a->column_limit * sizeof(kiln_column);
    variant = world_alloc(world, bytes);
    if (!variant)
        return NULL;
    variant->next = a->variants;
    variant->bytes = bytes;
    variant->layout = layout->number;
    memcpy(variant->columns, a->columns, a->column_limit * sizeof(kiln_column));
    for (uint32_t i = 0; i < a->data_count; i++) {
        uint32_t number = a->data[i].component.number;
        variant->columns[number].offset = layout->columns[number].offset;
    }
    a->variants = variant;
    return variant->columns;
}

/* Whether the layout has all columns of `a`. */
static bool covers(const chunk_layout *layout, const archetype *a)
{
    for (uint32_t i = 0; i < a->data_count; i++) {
        if (!archetype_has(layout->of, a->data[i].component))
            return false;
    }
    return true;
}

/* Whether the layout has the columns of `a` at the same offsets as the layout of `a` itself. */
static bool matches_own_layout(const chunk_layout *layout, const archetype *a)
{
    for (uint32_t i = 0; i < a->data_count; i++) {
        if (layout->columns[a->data[i].component.number].offset != a->data[i].offset)
            return false;
    }
    return true;
}

kiln_status kiln_archetype_plan_handover(kiln_world *world, archetype *to, const kiln_chunk *chunk,
                                         handover *ret_handover)
{
    const chunk_layout *layout = world_layout(world, chunk->layout);
    handover how = {chunk->columns, NULL, 0, 0, false};
    kiln_status status = KILN_OK;
    if (!covers(layout, to)) {
        how.is_cut = true;
        status = kiln_archetype_cut(world, to, chunk, &layout);
    } else if (matches_own_layout(layout, to)) {
        /* Use the archetype's own layout: without the other columns, more rows fit. */
        layout = &to->layout;
    }
    if (!status && layout) {
        how.columns = variant_columns(world, to, layout);
        how.layout = layout->number;
        how.capacity = layout->capacity;
        status = how.columns ? KILN_OK : KILN_NO_MEMORY;
    }
    *ret_handover = how;
    return status;
}

/* Ticks move with their components. New components get the current tick, as if they had just been
 * written. */
static void carry_ticks(const kiln_world *world, const kiln_chunk *from, const archetype *to,
                        uint64_t *ticks)
{
    ticks[0] = current_tick(world);
    for (uint32_t i = 0; i < to->component_count; i++) {
        const kiln_column *column = kiln_chunk_column(from, to->components[i]);
        ticks[i + 1] = column ? from->ticks[column->number] : ticks[0];
    }
}

kiln_status kiln_archetype_reserve(kiln_world *world, archetype *a)
{
    return reserve_list(world, a, 1) && reserve_side(world, a) ? KILN_OK : KILN_NO_MEMORY;
}

void kiln_archetype_take_over(kiln_world *world, archetype *from, archetype *to, kiln_chunk *chunk,
                              const handover *how)
{
    kiln_chunk taken = *chunk;
    take_side(to, &taken);
    carry_ticks(world, chunk, to, taken.ticks);
    if (!chunk->is_run)
        memcpy(taken.indices, chunk->indices, chunk->count * sizeof *taken.indices);
    release_side(from, chunk);
    from->rows -= chunk->count;
    taken.columns = how->columns;
    taken.column_limit = to->column_limit;
    taken.capacity = how->capacity;
    taken.archetype = to->number.number;
    taken.layout = how->layout;
    *chunk = taken;
    kiln_column_tables_set(world, chunk);
    to->rows += chunk->count;
    to->unlisted++;
    kiln_archetype_list(world, to, chunk);
}

static void reverse(uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t number = numbers[i];
        numbers[i] = numbers[count - 1 - i];
        numbers[count - 1 - i] = number;
    }
}

void kiln_archetype_turn_list(archetype *a)
{
    reverse(a->chunks, a->chunk_count);
    a->full = a->chunk_count;
}

void kiln_archetype_restore_list(const kiln_world *world, archetype *a)
{
    reverse(a->chunks, a->chunk_count);
    a->full = 0;
    for (uint32_t i = 0; i < a->chunk_count; i++) {
        kiln_chunk *chunk = listed(world, a, i);
        chunk->order = i;
        a->full += chunk->count == chunk->capacity;
    }
}

kiln_chunk *kiln_archetype_next(kiln_world *world, archetype *a, uint32_t *chain)
{
    if (a->full == a->chunk_count) {
        kiln_chunk *next = &world->tables.chunks[*chain];
        *chain = next->order;
        kiln_archetype_list(world, a, next);
    }
    return listed(world, a, a->full);
}

kiln_status kiln_archetype_open(kiln_world *world, archetype *a, kiln_chunk **ret_chunk)
{
    uint32_t chain = 0;
    if (a->full == a->chunk_count) {
        kiln_status status = kiln_archetype_claim(world, a, 1, &chain);
        if (status)
            return status;
    }
    *ret_chunk = kiln_archetype_next(world, a, &chain);
    return KILN_OK;
}

void kiln_archetype_drop_chunks(kiln_world *world, archetype *a)
{
    while (a->chunk_count) {
        kiln_chunk *chunk = listed(world, a, a->chunk_count - 1);
        kiln_archetype_unlist_last(a);
        kiln_archetype_release(world, a, chunk);
    }
    a->rows = 0;
}

/* Whether the chunk has the archetype's columns at the offsets of the chunk's layout. */
static bool has_valid_columns(const kiln_world *world, const archetype *a, const kiln_chunk *chunk)
{
    if (chunk->column_limit != a->column_limit || chunk->layout >= world->layouts.count)
        return false;
    const chunk_layout *layout = world_layout(world, chunk->layout);
    if ((layout == &a->layout) != (chunk->columns == a->columns) || !covers(layout, a))
        return false;
    for (uint32_t i = 0; i < a->data_count; i++) {
        uint32_t number = a->data[i].component.number;
        if (chunk->columns[number].offset != layout->columns[number].offset)
            return false;
    }
    return chunk->capacity == layout->capacity && chunk->capacity <= a->capacity;
}

bool kiln_archetype_is_valid(const kiln_world *world, const archetype *a)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < a->chunk_count; i++) {
        const kiln_chunk *chunk = listed(world, a, i);
        bool is_full = chunk->count == chunk->capacity;
        if (chunk->order != i || chunk->archetype != a->number.number || chunk->count == 0 ||
            chunk->count > chunk->capacity || is_full != (i < a->full) ||
            !has_valid_columns(world, a, chunk))
            return false;
        rows += chunk->count;
    }
    return rows == a->rows && a->full <= a->chunk_count &&
           a->chunk_room >= a->chunk_count + a->unlisted;
}
