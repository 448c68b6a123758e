#define _DEFAULT_SOURCE

#include "baselines_entities.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- pages ---- */

static void *end_without_memory(void)
{
    fputs("out of memory\n", stderr);
    exit(2);
}

void *baseline_pages_map(size_t size, size_t align, baseline_advice advice)
{
    unsigned char *start = mmap(NULL, size + align, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return end_without_memory();
    size_t before = (size_t)(-(uintptr_t)start & (align - 1));
    if (before)
        munmap(start, before);
    size_t page = 4096, end = (before + size + page - 1) / page * page;
    munmap(start + end, size + align - end);
    /* Advice that the system does not support is ignored. */
    (void)madvise(start + before, size, advice == BASELINE_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return start + before;
}

void baseline_pages_unmap(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}

/* ---- columns ---- */

enum { PLAIN_ALIGN = 4096, HUGE_ALIGN = 2 << 20, COLUMN_ALIGN = 64 };

static size_t align_up(size_t size)
{
    return (size + COLUMN_ALIGN - 1) / COLUMN_ALIGN * COLUMN_ALIGN;
}

void baseline_columns_map(body_columns *columns, uint32_t count, baseline_advice advice)
{
    size_t positions = align_up(count * sizeof *columns->positions);
    size_t rotations = align_up(count * sizeof *columns->rotations);
    size_t velocities = align_up(count * sizeof *columns->velocities);
    size_t fires = align_up(count * sizeof *columns->fires);
    columns->size = positions + rotations + velocities + fires + count * sizeof *columns->owners;
    unsigned char *memory = baseline_pages_map(
        columns->size, advice == BASELINE_HUGE ? HUGE_ALIGN : PLAIN_ALIGN, advice);
    columns->memory = memory;
    columns->positions = (void *)memory;
    columns->rotations = (void *)(memory += positions);
    columns->velocities = (void *)(memory += rotations);
    columns->fires = (void *)(memory += velocities);
    columns->owners = (void *)(memory + fires);
}

void baseline_columns_unmap(body_columns *columns)
{
    baseline_pages_unmap(columns->memory, columns->size);
    memset(columns, 0, sizeof *columns);
}

void baseline_columns_fill(body_columns *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        columns->positions[i] = body_position_of(i);
        columns->rotations[i] = body_rotation_of(i);
        columns->velocities[i] = body_velocity_of(i);
    }
}

void baseline_columns_copy(body_columns *to, const body_columns *from, uint32_t first,
                           uint32_t count)
{
    memcpy(to->positions + first, from->positions + first, count * sizeof *to->positions);
    memcpy(to->rotations + first, from->rotations + first, count * sizeof *to->rotations);
    memcpy(to->velocities + first, from->velocities + first, count * sizeof *to->velocities);
}

void baseline_step(body_columns *columns, uint32_t count)
{
    body_step(columns->positions, columns->velocities, count);
}

/* ---- rows ---- */

static void grow(baseline_rows *rows)
{
    body_columns larger;
    uint32_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
    baseline_columns_map(&larger, capacity, BASELINE_PLAIN);
    if (rows->count)
        baseline_columns_copy(&larger, &rows->columns, 0, rows->count);
    baseline_columns_unmap(&rows->columns);
    rows->columns = larger;
    rows->capacity = capacity;
}

static inline uint32_t append(baseline_rows *rows, body_position position, body_rotation rotation,
                              body_velocity velocity)
{
    if (rows->count == rows->capacity)
        grow(rows);
    uint32_t row = rows->count++;
    rows->columns.positions[row] = position;
    rows->columns.rotations[row] = rotation;
    rows->columns.velocities[row] = velocity;
    return row;
}

uint64_t baseline_append(baseline_rows *rows, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += append(rows, body_position_of(i), body_rotation_of(i), body_velocity_of(i));
    return sum;
}

/* ---- ids ---- */

void baseline_ids_map(baseline_ids *ids, uint32_t capacity, baseline_advice advice)
{
    memset(ids, 0, sizeof *ids);
    ids->slots = baseline_pages_map(capacity * sizeof *ids->slots, PLAIN_ALIGN, advice);
    ids->capacity = capacity;
}

void baseline_ids_unmap(baseline_ids *ids)
{
    baseline_pages_unmap(ids->slots, ids->capacity * sizeof *ids->slots);
    memset(ids, 0, sizeof *ids);
}

static inline baseline_id create_id(baseline_ids *ids)
{
    uint32_t index;
    if (ids->free) {
        index = ids->free - 1;
        ids->free = ids->slots[index].next;
    } else {
        if (ids->count == ids->capacity)
            end_without_memory();
        index = ids->count++;
    }
    return (baseline_id){index, ++ids->slots[index].version};
}

void baseline_ids_create(baseline_ids *ids, uint32_t count, baseline_id *ret_ids)
{
    for (uint32_t i = 0; i < count; i++)
        ret_ids[i] = create_id(ids);
}

void baseline_ids_free(baseline_ids *ids, const baseline_id *freed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = freed[i].index;
        ids->slots[index].version++;
        ids->slots[index].next = ids->free;
        ids->free = index + 1;
    }
}

uint64_t baseline_gather(const uint32_t *versions, const body_velocity *velocities,
                         const baseline_id *ids, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (versions[ids[i].index] == ids[i].version)
            sum += body_velocity_bits(velocities + ids[i].index);
    }
    return sum;
}

/* ---- moving rows ---- */

void baseline_store_map(baseline_store *store, uint32_t count)
{
    store->count = count;
    store->places = baseline_pages_map(count * sizeof *store->places, PLAIN_ALIGN, BASELINE_PLAIN);
    for (uint32_t i = 0; i < 2; i++) {
        baseline_rows *rows = store->rows + i;
        baseline_columns_map(&rows->columns, count, BASELINE_PLAIN);
        baseline_columns_fill(&rows->columns, count);
        memset(rows->columns.fires, 0, count * sizeof *rows->columns.fires);
        rows->capacity = count;
    }
}

void baseline_store_reset(baseline_store *store, uint32_t kind)
{
    body_columns *columns = &store->rows[kind].columns;
    for (uint32_t i = 0; i < store->count; i++) {
        store->places[i] = (baseline_place){1, kind, i};
        columns->owners[i] = i;
    }
    store->rows[kind].count = store->count;
    store->rows[!kind].count = 0;
}

static inline void copy_row(body_columns *to, uint32_t to_row, const body_columns *from,
                            uint32_t from_row)
{
    to->positions[to_row] = from->positions[from_row];
    to->rotations[to_row] = from->rotations[from_row];
    to->velocities[to_row] = from->velocities[from_row];
    to->owners[to_row] = from->owners[from_row];
}

static inline uint32_t move(baseline_store *store, baseline_id id, uint32_t kind, body_fire fire)
{
    baseline_place *place = store->places + id.index;
    if (place->version != id.version || place->kind == kind)
        return 0;
    baseline_rows *from = store->rows + place->kind, *to = store->rows + kind;
    if (to->count == to->capacity)
        end_without_memory();
    uint32_t row = place->row, to_row = to->count++, last = --from->count;
    copy_row(&to->columns, to_row, &from->columns, row);
    if (kind == BASELINE_BURNING)
        to->columns.fires[to_row] = fire;
    *place = (baseline_place){id.version, kind, to_row};
    if (row != last) {
        copy_row(&from->columns, row, &from->columns, last);
        if (kind != BASELINE_BURNING)
            from->columns.fires[row] = from->columns.fires[last];
        store->places[from->columns.owners[row]].row = row;
    }
    return to_row;
}

uint64_t baseline_store_move(baseline_store *store, uint32_t kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < store->count; i++)
        sum += move(store, (baseline_id){i, 1}, kind, (body_fire){1, i});
    return sum;
}
