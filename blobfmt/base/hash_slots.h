/* A table of numbers by 32 bits of hash, which lie beside the number: a probe for something else
 * ends in the table itself, and growing looks at nothing but the table. What a number stands for,
 * and when two such things are equal, is its user's matter. */
#ifndef KILN_HASH_SLOTS_H
#define KILN_HASH_SLOTS_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct hash_slot {
    uint32_t hash;
    uint32_t link; /* number plus 1; 0 is empty */
} hash_slot;

/* A zeroed one is empty. */
typedef struct hash_slots {
    hash_slot *slots;
    uint32_t mask;        /* slots, a power of two, minus 1 */
    uint32_t count, most; /* entries, and how many the slots take before they grow */
} hash_slots;

void kiln_hash_slots_fini(hash_slots *table, const kiln_allocator *allocator);
/* Forgets all entries; keeps the memory of a small table. */
void kiln_hash_slots_reset(hash_slots *table, const kiln_allocator *allocator);
/* Makes room for more entries; false when memory ran out. */
bool kiln_hash_slots_grow(hash_slots *table, const kiln_allocator *allocator);

/* Before a look-up that may end with an entry: room for one more. */
static inline bool hash_slots_reserve(hash_slots *table, const kiln_allocator *allocator)
{
    return table->count < table->most || kiln_hash_slots_grow(table, allocator);
}

/* A look-up begins with hash_slots_first, which needs a table with room, and goes on with
 * hash_slots_next until what it gives is empty: that slot is where a new entry goes. */
static inline hash_slot *hash_slots_skip(const hash_slots *table, uint32_t at, uint32_t hash)
{
    while (table->slots[at].link && table->slots[at].hash != hash)
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

static inline hash_slot *hash_slots_first(const hash_slots *table, uint32_t hash)
{
    return hash_slots_skip(table, hash & table->mask, hash);
}

static inline hash_slot *hash_slots_next(const hash_slots *table, const hash_slot *slot)
{
    uint32_t at = (uint32_t)(slot - table->slots);
    return hash_slots_skip(table, (at + 1) & table->mask, slot->hash);
}

static inline void hash_slots_put(hash_slots *table, hash_slot *slot, uint32_t hash,
                                  uint32_t number)
{
    slot->hash = hash;
    slot->link = number + 1;
    table->count++;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
