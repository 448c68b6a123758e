/* Open addressing with linear probing and multiplicative hashing: a key is multiplied by an odd
 * salt, and the upper bits of the product give its first cell.
 *
 * The table is at most three eighths full, so a search reads about 1.3 cells on average, and always
 * ends: at the key or at a free cell. A rebuild drops cells that are not in use and makes room for
 * twice the keys, so adding a key takes amortized constant time.
 *
 * Readers need no lock. Release stores write first the key of a cell and then its value, and one
 * release store publishes a rebuilt table. The salt is derived from a seed, so attackers cannot
 * choose keys that collide. */
#include "key_table.h"
#include "prefetch.h"

#include <string.h>

enum { FEWEST_BITS = 6, MOST_BITS = 31 };

static kiln_key_cells *cells_of(const kiln_key_table *table)
{
    kiln_id_cells *view = atomic_load_explicit(&table->cells, memory_order_relaxed);
    if (!view)
        return NULL;
    return (kiln_key_cells *)(void *)((unsigned char *)view - offsetof(kiln_key_cells, view));
}

static uint64_t count_of(const kiln_key_cells *cells)
{
    return cells ? (uint64_t)cells->view.last + 1 : 0;
}

/* The number of keys that fit into `count` cells: three eighths. */
static uint64_t room_of(uint64_t count)
{
    return count / 8 * 3;
}

static uint32_t *notes_of(kiln_key_cells *cells)
{
    return (uint32_t *)(void *)(cells->cells + count_of(cells));
}

static void free_cells(const kiln_key_table *table, kiln_key_cells *cells)
{
    if (cells)
        table->allocator->free(table->allocator->ctx, cells, cells->bytes);
}

void kiln_key_table_init(kiln_key_table *table, const kiln_allocator *allocator, uint64_t seed)
{
    memset(table, 0, sizeof *table);
    atomic_init(&table->cells, NULL);
    table->allocator = allocator;
    table->seed = seed;
}

void kiln_key_table_fini(kiln_key_table *table)
{
    free_cells(table, cells_of(table));
    atomic_store_explicit(&table->cells, NULL, memory_order_relaxed);
    table->used = table->live = 0;
}

/* Multiplications and shifts as in the finalizer of splitmix64, so that neighbouring addresses give
 * unrelated salts. */
static uint64_t mix(uint64_t number)
{
    number ^= number >> 31;
    number *= UINT64_C(0x9e3779b97f4a7c15);
    number ^= number >> 29;
    number *= UINT64_C(0xbf58476d1ce4e5b9);
    return number ^ number >> 32;
}

/* Each allocation has its own salt, which depends on its address. The lowest bit is set, because an
 * odd factor maps different keys to different products. */
static uint64_t make_salt(uint64_t seed, const void *address)
{
    return mix(seed ^ mix((uint64_t)(uintptr_t)address)) | 1;
}

static kiln_key_cells *make_cells(const kiln_key_table *table, uint64_t keys)
{
    uint32_t bits = FEWEST_BITS;
    while (bits <= MOST_BITS && room_of(UINT64_C(1) << bits) < keys)
        bits++;
    uint64_t bytes =
        sizeof(kiln_key_cells) + ((uint64_t)(sizeof(kiln_id_cell) + sizeof(uint32_t)) << bits);
    if (bits > MOST_BITS || bytes > SIZE_MAX)
        return NULL;
    kiln_key_cells *cells =
        table->allocator->alloc(table->allocator->ctx, (size_t)bytes, _Alignof(kiln_key_cells));
    if (!cells)
        return NULL;
    memset(cells, 0, (size_t)bytes);
    cells->bytes = (size_t)bytes;
    cells->view.cells = cells->cells;
    cells->view.salt = make_salt(table->seed, cells);
    cells->view.shift = 64 - bits;
    cells->view.last = (uint32_t)((UINT64_C(1) << bits) - 1);
    return cells;
}

/* The cell that has the key, or the free cell where it belongs. The loop ends because the table is
 * never full. */
static uint32_t seek(const kiln_key_cells *cells, uint64_t key)
{
    uint64_t at = key * cells->view.salt >> cells->view.shift;
    for (;; at = (at + 1) & cells->view.last) {
        uint64_t found = atomic_load_explicit(&cells->cells[at].id, memory_order_relaxed);
        if (found == key || found == 0)
            return (uint32_t)at;
    }
}

static bool is_in_use(kiln_key_cells *cells, uint32_t cell)
{
    return atomic_load_explicit(&cells->cells[cell].value, memory_order_relaxed) ||
           notes_of(cells)[cell];
}

static uint32_t count_in_use(kiln_key_cells *cells)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < count_of(cells); i++)
        count += is_in_use(cells, (uint32_t)i);
    return count;
}

static void copy_in_use(kiln_key_cells *from, kiln_key_cells *to)
{
    for (uint64_t i = 0; i < count_of(from); i++) {
        uint64_t key = atomic_load_explicit(&from->cells[i].id, memory_order_relaxed);
        uint64_t value = atomic_load_explicit(&from->cells[i].value, memory_order_relaxed);
        if (!is_in_use(from, (uint32_t)i))
            continue;
        uint32_t cell = seek(to, key);
        atomic_store_explicit(&to->cells[cell].id, key, memory_order_relaxed);
        atomic_store_explicit(&to->cells[cell].value, value, memory_order_relaxed);
        notes_of(to)[cell] = notes_of(from)[i];
    }
}

kiln_status kiln_key_table_reserve(kiln_key_table *table, uint32_t more)
{
    kiln_key_cells *old = cells_of(table);
    if ((uint64_t)table->used + more <= room_of(count_of(old)))
        return KILN_OK;
    /* Room for twice the keys in use, so that adding a key takes amortized constant time. */
    uint64_t in_use = count_in_use(old);
    kiln_key_cells *cells = make_cells(table, in_use + (more > in_use ? more : in_use));
    if (!cells)
        return KILN_NO_MEMORY;
    copy_in_use(old, cells);
    table->used = (uint32_t)in_use;
    atomic_store_explicit(&table->cells, &cells->view, memory_order_release);
    if (old && table->retire)
        table->retire(table->retire_ctx, old);
    else
        free_cells(table, old);
    return KILN_OK;
}

uint32_t kiln_key_table_find(const kiln_key_table *table, uint64_t key)
{
    const kiln_key_cells *cells = cells_of(table);
    if (!cells || !key)
        return KILN_KEY_NONE;
    uint32_t cell = seek(cells, key);
    return atomic_load_explicit(&cells->cells[cell].id, memory_order_relaxed) == key
               ? cell
               : KILN_KEY_NONE;
}

uint32_t kiln_key_table_put(kiln_key_table *table, uint64_t key)
{
    kiln_key_cells *cells = cells_of(table);
    uint32_t cell = seek(cells, key);
    if (atomic_load_explicit(&cells->cells[cell].id, memory_order_relaxed) == 0) {
        atomic_store_explicit(&cells->cells[cell].id, key, memory_order_release);
        table->used++;
    }
    return cell;
}

void kiln_key_table_set(kiln_key_table *table, uint32_t cell, uint64_t value)
{
    KILN_ATOMIC(uint64_t) *published = &cells_of(table)->cells[cell].value;
    bool was_live = atomic_load_explicit(published, memory_order_relaxed) != 0;
    atomic_store_explicit(published, value, memory_order_release);
    table->live += (value != 0) - (uint32_t)was_live;
}

uint64_t kiln_key_table_value(const kiln_key_table *table, uint32_t cell)
{
    return atomic_load_explicit(&cells_of(table)->cells[cell].value, memory_order_relaxed);
}

uint64_t kiln_key_table_key(const kiln_key_table *table, uint32_t cell)
{
    return atomic_load_explicit(&cells_of(table)->cells[cell].id, memory_order_relaxed);
}

void kiln_key_table_prefetch(const kiln_key_table *table, uint64_t key)
{
    kiln_key_cells *cells = cells_of(table);
    if (!cells)
        return;
    uint64_t at = key * cells->view.salt >> cells->view.shift;
    prefetch(&cells->cells[at], 0);
    prefetch(&notes_of(cells)[at], 0);
}

uint32_t kiln_key_table_note(const kiln_key_table *table, uint32_t cell)
{
    return notes_of(cells_of(table))[cell];
}

void kiln_key_table_set_note(kiln_key_table *table, uint32_t cell, uint32_t note)
{
    notes_of(cells_of(table))[cell] = note;
}

uint32_t kiln_key_table_limit(const kiln_key_table *table)
{
    const kiln_key_cells *cells = cells_of(table);
    return (uint32_t)count_of(cells);
}
