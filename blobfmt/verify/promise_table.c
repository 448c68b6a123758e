/* The table of a sweep's promises.
 *
 * Fibonacci hashing: Knuth, "The Art of Computer Programming" 3 (1998), 6.4; the factor is near
 * 2^32 divided by the golden ratio. It spreads the starts of ordinary payloads well. A hostile
 * payload can choose starts that collide, so lookups give up after PROBES_MAX probes. The sweep is
 * then undecided, and verify_judge.c decides; its table does not have this weakness. The work thus
 * remains linear. */
#include "promise_table.h"

#include "prefetch.h"

#include <string.h>

/* Payloads that were not constructed to collide need only a few probes. */
enum {
    LOCAL_BITS = 5,
    LOCAL_FILTER = PROMISE_LOCAL_SLOTS * PROMISE_FILTER_BYTES,
    PROBES_MAX = 64,
    GROWTH_BITS = 2,
    SLOT_BITS_MAX = 27
};

void kiln_promise_table_init(promise_table *table, const kiln_allocator *allocator)
{
    table->slots = NULL;
    table->filter = table->local_filter;
    table->filter_mask = LOCAL_FILTER - 1;
    memset(table->filter, 0, LOCAL_FILTER);
    table->slot_bits = 0;
    table->count = 0;
    table->open = 0;
    table->waiting_end = table->waiting;
    table->no_memory = false;
    table->allocator = *allocator;
}

static size_t size_of(uint32_t slot_bits)
{
    return (sizeof(promise) + PROMISE_FILTER_BYTES) << slot_bits;
}

static void free_slots(promise_table *table, promise *slots, uint32_t slot_bits)
{
    if (slots && slots != table->local_slots)
        table->allocator.free(table->allocator.ctx, slots, size_of(slot_bits));
}

void kiln_promise_table_fini(promise_table *table)
{
    free_slots(table, table->slots, table->slot_bits);
}

static uint32_t first_slot(const promise_table *table, uint32_t start)
{
    return start * UINT32_C(0x9e3779b1) >> (32 - table->slot_bits);
}

/* The slot with the promise for `start`, or the empty slot where it belongs; NULL after too many
 * probes. */
static promise *find(const promise_table *table, uint32_t start)
{
    uint32_t mask = (UINT32_C(1) << table->slot_bits) - 1, slot = first_slot(table, start);
    for (int probes = 0; probes < PROBES_MAX; probes++, slot = (slot + 1) & mask)
        if ((table->slots[slot].start == start) | (table->slots[slot].start == 0))
            return &table->slots[slot];
    return NULL;
}

/* Allocates zeroed slots and a filter of matching size; false if memory runs out. */
static bool take_slots(promise_table *table, uint32_t slot_bits)
{
    size_t slots = (size_t)1 << slot_bits;
    promise *made = table->local_slots;
    unsigned char *filter = table->local_filter;
    if (slot_bits > LOCAL_BITS) {
        made = table->allocator.alloc(table->allocator.ctx, size_of(slot_bits), _Alignof(promise));
        filter = made ? (unsigned char *)(made + slots) : NULL;
    }
    if (!made)
        return false;
    memset(made, 0, slots * sizeof *made);
    memset(filter, 0, slots * PROMISE_FILTER_BYTES);
    table->slots = made;
    table->filter = filter;
    table->filter_mask = (uint32_t)(slots * PROMISE_FILTER_BYTES - 1);
    table->slot_bits = slot_bits;
    return true;
}

/* The filter has PROMISE_FILTER_BYTES for each slot, so it is rebuilt together with the slots. */
static bool grow(promise_table *table)
{
    promise *old = table->slots;
    uint32_t old_bits = table->slot_bits, bits = old ? old_bits + GROWTH_BITS : LOCAL_BITS;
    bool good = true;
    if (bits > SLOT_BITS_MAX)
        return false;
    table->no_memory = !take_slots(table, bits);
    if (table->no_memory)
        return false;
    for (size_t i = 0; old && i < (size_t)1 << old_bits && good; i++) {
        promise *slot = old[i].start ? find(table, old[i].start) : NULL;
        good = slot || !old[i].start;
        if (slot) {
            *slot = old[i];
            *promise_filter_at(table, slot->start) = 1;
        }
    }
    for (const promise *waiting = table->waiting; waiting < table->waiting_end; waiting++)
        *promise_filter_at(table, waiting->start) = 1;
    free_slots(table, old, old_bits);
    return good;
}

/* Branch-free, because whether a promise is new is unpredictable: a known promise is overwritten
 * with the same bytes. */
static bool insert(promise_table *table, const promise *object)
{
    promise *slot = find(table, object->start);
    if (!slot || !((slot->start == 0) | promise_equals(slot, object)))
        return false;
    table->count += slot->start == 0;
    table->open += slot->start == 0;
    *slot = *object;
    return true;
}

bool kiln_promise_table_flush(promise_table *table)
{
    bool good = true;
    for (const promise *waiting = table->waiting; waiting < table->waiting_end && table->slots;
         waiting++)
        prefetch(&table->slots[first_slot(table, waiting->start)], 0);
    for (const promise *waiting = table->waiting; waiting < table->waiting_end && good; waiting++) {
        bool is_full = !table->slots || table->count >= UINT32_C(1) << (table->slot_bits - 1);
        good = (!is_full || grow(table)) && insert(table, waiting);
    }
    table->waiting_end = table->waiting;
    return good;
}

bool kiln_promise_table_keep(promise_table *table, uint32_t start, uint32_t count, uint32_t form)
{
    promise object = {start, count, form};
    if (count == 0)
        return true;
    if (!kiln_promise_table_flush(table))
        return false;
    const promise *slot = table->slots ? find(table, start) : NULL;
    /* The byte of the filter may have been set for another start. */
    if (!slot || slot->start == 0)
        return !table->slots || slot;
    table->open--;
    return promise_equals(slot, &object);
}

bool kiln_promise_table_is_kept(promise_table *table)
{
    return kiln_promise_table_flush(table) && table->open == 0;
}
