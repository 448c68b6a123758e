/* Grows and resets hash tables; lookups are inline in hash_table.h.
 *
 * Invariant: at least 3/8 of the slots are empty, so every probe ends. Growing moves slots by their
 * stored hashes and never reads a row, so its cost does not depend on the keys. */
#include "hash_table.h"

#include <string.h>

/* Tables below FAST_SLOTS grow by a factor of four: slots move less often, at the cost of little
 * memory. A reset keeps at most KEPT_SLOTS, because clearing a large table can cost more than its
 * next use. */
enum { FIRST_SLOTS = 64, KEPT_SLOTS = 256, FAST_SLOTS = 65536 };

/* The maximum number of rows for this many slots. Above a load of 5/8, linear probing slows down
 * quickly. */
static uint32_t rows_for(uint32_t slots)
{
    return slots / 8 * 5;
}

static void free_slots(hash_table *table, const kiln_allocator *allocator)
{
    if (table->slots)
        allocator->free(allocator->ctx, table->slots,
                        ((size_t)table->mask + 1) * sizeof *table->slots);
}

void kiln_hash_table_fini(hash_table *table, const kiln_allocator *allocator)
{
    free_slots(table, allocator);
    memset(table, 0, sizeof *table);
}

void kiln_hash_table_reset(hash_table *table, const kiln_allocator *allocator)
{
    if (table->count == 0)
        return;
    if (table->mask >= KEPT_SLOTS) {
        kiln_hash_table_fini(table, allocator);
        return;
    }
    memset(table->slots, 0, ((size_t)table->mask + 1) * sizeof *table->slots);
    table->count = 0;
}

bool kiln_hash_table_grow(hash_table *table, const kiln_allocator *allocator)
{
    uint32_t old = table->slots ? table->mask + 1 : 0;
    if (old > UINT32_MAX / 4)
        return false;
    uint32_t count = old == 0 ? FIRST_SLOTS : old < FAST_SLOTS ? old * 4 : old * 2;
    hash_table larger = {NULL, count - 1, table->count, rows_for(count), table->seed};
    size_t size = count * sizeof *larger.slots;
    larger.slots = allocator->alloc(allocator->ctx, size, _Alignof(hash_slot));
    if (!larger.slots)
        return false;
    memset(larger.slots, 0, size);
    /* The seed is chosen once: slots store hashes, so larger tables must keep it. */
    if (old == 0)
        larger.seed = kiln_hash_seed(larger.slots);
    for (uint32_t i = 0; i < old; i++) {
        hash_slot entry = table->slots[i];
        if (!entry.link)
            continue;
        uint32_t at = entry.hash & larger.mask;
        /* All rows have different keys, so the first empty slot is the right one. */
        while (larger.slots[at].link)
            at = (at + 1) & larger.mask;
        larger.slots[at] = entry;
    }
    free_slots(table, allocator);
    *table = larger;
    return true;
}
