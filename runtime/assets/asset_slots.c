/* Slots of loaded assets: their versions, their counts of handles, and their reuse.
 *
 * A slot is reused only if no word to an earlier tenant can be mistaken for a word to the next: no
 * weak handle is left, the slot has versions left, and no indirect word was made for it, or a
 * collector has found that none is left. Free slots form a queue, so a slot stays unused as long as
 * possible.
 *
 * A count is one 64-bit word with the version in its upper half. So one compare-and-swap checks the
 * tenant and counts a handle, and taking or releasing a handle needs no lock. */
#include "asset_slots.h"

#include "asset_marks.h"

#include <string.h>

static uint32_t block_count(const kiln_assets *assets)
{
    return (assets->slots.max + ENTRIES_PER_BLOCK - 1) / ENTRIES_PER_BLOCK;
}

/* A power of two, so that masking the bits of a handle, which may be forged, always gives a valid
 * index. */
static uint64_t slot_room(const kiln_assets *assets)
{
    uint64_t room = 1;
    while (room < assets->slots.max)
        room *= 2;
    return room;
}

static uint64_t slots_bytes(const kiln_assets *assets)
{
    return slot_room(assets) * sizeof(kiln_slot) +
           (uint64_t)assets->slots.max * sizeof *assets->slots.addresses;
}

static bool map_slots(kiln_assets *assets)
{
    uint64_t bytes = slots_bytes(assets), room = slot_room(assets);
    kiln_slots *slots = &assets->slots;
    if (bytes > SIZE_MAX)
        return false;
    slots->slots = assets->pages.map(assets->pages.ctx, (size_t)bytes, 2 << 20, true);
    if (!slots->slots)
        return false;
    slots->addresses = (void *)(slots->slots + room);
    slots->mask = (uint32_t)(room - 1) << 2;
    return true;
}

kiln_status kiln_asset_slots_init(kiln_assets *assets)
{
    size_t pointers = (size_t)block_count(assets) * sizeof(*assets->entry_blocks);
    assets->entry_blocks = assets->allocator.alloc(assets->allocator.ctx, pointers,
                                                   _Alignof(KILN_ATOMIC(asset_entry *)));
    if (!assets->entry_blocks)
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < block_count(assets); i++)
        atomic_init(&assets->entry_blocks[i], NULL);
    if (!map_slots(assets)) {
        assets->allocator.free(assets->allocator.ctx, assets->entry_blocks, pointers);
        assets->entry_blocks = NULL;
        return KILN_NO_MEMORY;
    }
    assets->first_free = assets->last_free = ASSET_NONE;
    return KILN_OK;
}

void kiln_asset_slots_fini(kiln_assets *assets)
{
    if (!assets->entry_blocks)
        return;
    for (uint32_t i = 0; i < block_count(assets); i++) {
        asset_entry *block = atomic_load_explicit(&assets->entry_blocks[i], memory_order_relaxed);
        if (block)
            assets->allocator.free(assets->allocator.ctx, block,
                                   ENTRIES_PER_BLOCK * sizeof(*block));
    }
    assets->allocator.free(assets->allocator.ctx, assets->entry_blocks,
                           (size_t)block_count(assets) * sizeof(*assets->entry_blocks));
    assets->pages.unmap(assets->pages.ctx, assets->slots.slots, (size_t)slots_bytes(assets));
}

static uint32_t slot_count(const kiln_assets *assets)
{
    return atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
}

/* Whether no weak handle of an earlier tenant is left. */
static bool is_usable(const asset_entry *entry)
{
    return asset_count_of(atomic_load_explicit(&entry->weak, memory_order_acquire)) == 0;
}

static kiln_status make_blocks(kiln_assets *assets, uint32_t end)
{
    for (uint32_t i = slot_count(assets) / ENTRIES_PER_BLOCK; (uint64_t)i * ENTRIES_PER_BLOCK < end;
         i++) {
        if (atomic_load_explicit(&assets->entry_blocks[i], memory_order_relaxed))
            continue;
        asset_entry *block = assets->allocator.alloc(
            assets->allocator.ctx, ENTRIES_PER_BLOCK * sizeof(*block), _Alignof(asset_entry));
        if (!block)
            return KILN_NO_MEMORY;
        memset(block, 0, ENTRIES_PER_BLOCK * sizeof(*block));
        for (uint32_t k = 0; k < ENTRIES_PER_BLOCK; k++)
            block[k].slot = i * ENTRIES_PER_BLOCK + k;
        atomic_store_explicit(&assets->entry_blocks[i], block, memory_order_release);
    }
    return KILN_OK;
}

kiln_status kiln_asset_slots_reserve(kiln_assets *assets, uint32_t count)
{
    /* Unused slots almost always suffice. Free slots are counted only near the limit. */
    uint32_t fresh = assets->slots.max - slot_count(assets);
    if (count <= fresh)
        return make_blocks(assets, slot_count(assets) + count);
    uint32_t usable = fresh;
    for (uint32_t slot = assets->first_free; slot != ASSET_NONE && usable < count;) {
        const asset_entry *entry = entry_at(assets, slot);
        usable += is_usable(entry);
        slot = entry->next_free;
    }
    return usable < count ? KILN_LIMIT : make_blocks(assets, assets->slots.max);
}

static void push_free(kiln_assets *assets, asset_entry *entry)
{
    entry->next_free = ASSET_NONE;
    if (assets->first_free == ASSET_NONE)
        assets->first_free = entry->slot;
    else
        entry_at(assets, assets->last_free)->next_free = entry->slot;
    assets->last_free = entry->slot;
    assets->free_slots++;
}

static asset_entry *pop_free(kiln_assets *assets)
{
    asset_entry *entry = entry_at(assets, assets->first_free);
    assets->first_free = entry->next_free;
    if (assets->first_free == ASSET_NONE)
        assets->last_free = ASSET_NONE;
    assets->free_slots--;
    return entry;
}

/* Takes the oldest free slot to which no weak handle refers, among the first `tries`. */
static asset_entry *reuse(kiln_assets *assets, uint32_t tries)
{
    for (; tries > 0 && assets->first_free != ASSET_NONE; tries--) {
        asset_entry *entry = pop_free(assets);
        if (is_usable(entry))
            return entry;
        push_free(assets, entry);
    }
    return NULL;
}

asset_entry *kiln_asset_slots_take(kiln_assets *assets)
{
    /* Slots with weak handles to earlier tenants go back to the end of the queue. A few tries keep
     * the cost constant: while new slots are left, one of them is cheaper than a longer search. */
    enum { TRIES = 8 };
    uint32_t count = slot_count(assets);
    asset_entry *entry = reuse(assets, TRIES);
    if (!entry && count < assets->slots.max) {
        entry = entry_at(assets, count);
        atomic_store_explicit(&assets->slot_count, count + 1, memory_order_release);
    }
    if (!entry)
        entry = reuse(assets, assets->free_slots);
    entry->id = 0;
    entry->name = "";
    entry->blob = NULL;
    entry->next_of_blob = entry->before_of_blob = NULL;
    entry->is_detached = false;
    atomic_store_explicit(&entry->pins, 0, memory_order_relaxed);
    uint32_t version = asset_entry_version(entry) + 1;
    entry->loaded_by = NULL;
    atomic_store_explicit(&entry->strong, (uint64_t)version << 32, memory_order_relaxed);
    atomic_store_explicit(&entry->weak, (uint64_t)version << 32, memory_order_relaxed);
    atomic_store_explicit(&assets->slots.slots[entry->slot].handle,
                          kiln_ref_from_handle(entry->slot, version, true).bits,
                          memory_order_release);
    return entry;
}

void kiln_asset_slots_release(kiln_assets *assets, asset_entry *entry)
{
    uint32_t version = asset_entry_version(entry);
    /* The slot's handle is cleared before the slot can get another address: see
     * kiln_ref_get_handle. */
    atomic_store_explicit(&assets->slots.slots[entry->slot].handle, 0, memory_order_release);
    kiln_asset_slots_set_address(assets, entry->slot, NULL);
    /* From now on no weak handle to the tenant can be taken. Existing ones can still be released.
     */
    atomic_fetch_add_explicit(&entry->weak, UINT64_C(1) << 32, memory_order_acq_rel);
    if (version == UINT32_MAX)
        assets->retired_slots++; /* the next version would wrap around to the first */
    else if (asset_entry_has_indirect(entry))
        assets->stale_slots++;
    else
        push_free(assets, entry);
    if (version != UINT32_MAX && asset_entry_has_indirect(entry))
        kiln_asset_marks_stale(assets, entry);
}

void kiln_asset_slots_recycle(kiln_assets *assets, asset_entry *entry)
{
    atomic_store_explicit(&entry->has_indirect, false, memory_order_relaxed);
    assets->stale_slots--;
    push_free(assets, entry);
}

asset_entry *kiln_asset_entry_of_handle(const kiln_assets *assets, kiln_ref ref)
{
    return kiln_ref_slot(&assets->slots, ref) ? entry_at(assets, kiln_ref_slot_number(ref)) : NULL;
}

bool kiln_asset_count_up(KILN_ATOMIC(uint64_t) * word, uint32_t version, uint32_t *ret_before)
{
    uint64_t now = atomic_load_explicit(word, memory_order_acquire);
    do {
        *ret_before = asset_count_of(now);
        if (now >> 32 != version || *ret_before == UINT32_MAX)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(word, &now, now + 1, memory_order_seq_cst,
                                                    memory_order_acquire));
    return true;
}

bool kiln_asset_count_down(KILN_ATOMIC(uint64_t) * word, uint32_t version, uint32_t *ret_left)
{
    uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
    do {
        uint32_t tenant = (uint32_t)(now >> 32);
        bool is_counted = (version & 1) && (tenant == version || tenant == version + 1);
        if (!is_counted || asset_count_of(now) == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(word, &now, now - 1, memory_order_acq_rel,
                                                    memory_order_relaxed));
    *ret_left = asset_count_of(now) - 1;
    return true;
}

bool kiln_asset_count_end(KILN_ATOMIC(uint64_t) * word, uint32_t version, uint32_t count)
{
    uint64_t expected = (uint64_t)version << 32 | count;
    return atomic_compare_exchange_strong_explicit(word, &expected, (uint64_t)(version + 1) << 32,
                                                   memory_order_acq_rel, memory_order_relaxed);
}
