/* Slots and their entries. Free slots form a queue: the slot that has been free longest is reused
 * first. */
#ifndef KILN_ASSET_SLOTS_H
#define KILN_ASSET_SLOTS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

kiln_status kiln_asset_slots_init(kiln_assets *assets);
void kiln_asset_slots_fini(kiln_assets *assets);

/* Reserves `count` slots, so that taking them cannot fail. LIMIT or NO_MEMORY. */
kiln_status kiln_asset_slots_reserve(kiln_assets *assets, uint32_t count);
/* Takes a slot, whose version becomes odd, and resets its entry. Room must have been reserved. */
asset_entry *kiln_asset_slots_take(kiln_assets *assets);
/* Makes handles to the tenant stale. The entry keeps its bytes until it is detached from them. */
void kiln_asset_slots_release(kiln_assets *assets, asset_entry *entry);

/* The tenant's version, which is odd. Without a tenant: the last tenant's version plus 1. */
static inline uint32_t asset_entry_version(const asset_entry *entry)
{
    return (uint32_t)(KILN_LOAD_RELAXED(&entry->weak) >> 32);
}

/* Sets the address to which references through the slot resolve: an asset's root, or NULL. */
static inline void kiln_asset_slots_set_address(kiln_assets *assets, uint32_t slot,
                                                const void *root)
{
    KILN_STORE_RELEASE(&assets->slots.slots[slot].address, root);
    KILN_STORE_RELEASE(&assets->slots.addresses[slot], root);
}

/* Words that a collector does not see. PIN_PROGRAM: words that the program took, until a callback
 * reports one. PIN_WORLD: words that are older than the collector, words of scenes in worlds that
 * were not added to it, and words in the rows of worlds that were removed from it. */
enum { PIN_PROGRAM = 1, PIN_WORLD = 2 };

/* Whether an entry has a tenant. */
static inline bool asset_entry_is_live(const kiln_assets *assets, uint32_t slot)
{
    return KILN_LOAD_RELAXED(&assets->slots.slots[slot].handle) != 0;
}
/* Makes an indirect word to the entry's slot. With `pins`, the slot is not reused, even if a
 * collector finds no word to it, until a callback has reported such a word or the program has
 * called kiln_collector_drop. The caller must hold the lock or the asset. */
static inline kiln_ref asset_entry_indirect(const kiln_assets *assets, asset_entry *entry,
                                            bool pins)
{
    atomic_store_explicit(&entry->has_indirect, true, memory_order_relaxed);
    if (pins)
        atomic_fetch_or_explicit(&entry->pins, PIN_PROGRAM, memory_order_relaxed);
    kiln_ref ref = {(uint64_t)(uintptr_t)&assets->slots.addresses[entry->slot] |
                    KILN_REF_INDIRECT_BIT};
    return ref;
}
static inline bool asset_entry_has_indirect(const asset_entry *entry)
{
    return atomic_load_explicit(&entry->has_indirect, memory_order_relaxed);
}
static inline bool asset_entry_is_pinned(const asset_entry *entry)
{
    return atomic_load_explicit(&entry->pins, memory_order_relaxed) != 0;
}
/* Makes a slot without a tenant reusable although indirect words to it were made. None of these
 * words may be left. */
void kiln_asset_slots_recycle(kiln_assets *assets, asset_entry *entry);
/* The entry of a handle; NULL if it is stale or forged. Any thread. */
asset_entry *kiln_asset_entry_of_handle(const kiln_assets *assets, kiln_ref ref);

static inline uint32_t asset_count_of(uint64_t word)
{
    return (uint32_t)word;
}
static inline uint32_t asset_strong_count(const asset_entry *entry)
{
    return asset_count_of(atomic_load_explicit(&entry->strong, memory_order_acquire));
}
/* Adds 1 to the count of the tenant of that version, or subtracts 1. In a free slot, the count of
 * the last tenant can only be decremented. Returns false and changes nothing if the version is not
 * the tenant's, or if the count is at its limit or would drop below 0. `ret_before` receives the
 * count before the call, or UINT32_MAX at the limit. Any thread. */
bool kiln_asset_count_up(KILN_ATOMIC(uint64_t) * word, uint32_t version, uint32_t *ret_before);
bool kiln_asset_count_down(KILN_ATOMIC(uint64_t) * word, uint32_t version, uint32_t *ret_left);
/* Closes the count of the tenant if it is exactly `count`; else returns false. */
bool kiln_asset_count_end(KILN_ATOMIC(uint64_t) * word, uint32_t version, uint32_t count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
