/* Removes entries, and finds the entry to which a word refers.
 *
 * Before an entry is removed, kiln_asset_entry_end_count closes its count of strong handles, which
 * fails if a thread took a handle meanwhile. Afterwards no handle can be taken, and the rest runs
 * under the lock: the slot is released first, so that words read as NULL before the bytes are
 * detached.
 *
 * The lookups compare words with the table's own data, and never dereference an address in a word.
 */
#include "asset_entry.h"

#include "asset_blob.h"
#include "asset_holders.h"
#include "asset_layers.h"
#include "asset_marks.h"
#include "asset_slots.h"
#include "asset_takers.h"

bool kiln_asset_entry_end_count(asset_entry *entry, uint32_t strong)
{
    return kiln_asset_count_end(&entry->strong, asset_entry_version(entry), strong);
}

void kiln_asset_entry_end(kiln_assets *assets, asset_entry *entry)
{
    kiln_asset_slots_release(assets, entry);
    kiln_asset_entry_end_takers(assets, entry);
    kiln_asset_blob_detach(assets, entry);
    kiln_asset_entry_free_own(assets, entry);
    entry->name = "";
    assets->stats.disposed++;
}

void kiln_asset_entry_free_own(kiln_assets *assets, asset_entry *entry)
{
    const kiln_allocator *allocator = &assets->allocator;
    kiln_asset_holders_fini(&entry->protections, allocator);
    for (uint32_t i = 0; i < entry->alias_count; i++)
        allocator->free(allocator->ctx, entry->aliases[i].name, entry->aliases[i].name_size);
    if (entry->aliases)
        allocator->free(allocator->ctx, entry->aliases,
                        entry->alias_capacity * sizeof(*entry->aliases));
    entry->aliases = NULL;
    entry->alias_count = 0;
    entry->alias_capacity = 0;
}

const char *kiln_asset_entry_name_of(const asset_entry *entry, kiln_id id)
{
    if (entry->id == id)
        return entry->name;
    for (uint32_t i = 0; i < entry->alias_count; i++)
        if (entry->aliases[i].id == id)
            return entry->aliases[i].name;
    return NULL;
}

void kiln_asset_entry_defer(kiln_assets *assets, asset_entry *entry)
{
    kiln_asset_marks_detach(assets, entry);
    entry->is_detached = true;
    kiln_asset_marks_attach(assets, entry);
    entry->next_free = assets->first_detached;
    assets->first_detached = entry->slot;
    assets->detached++;
}

void kiln_asset_entry_undefer(kiln_assets *assets, asset_entry *entry)
{
    uint32_t *link = &assets->first_detached;
    if (!entry->is_detached)
        return;
    while (*link != entry->slot)
        link = &entry_at(assets, *link)->next_free;
    *link = entry->next_free;
    assets->detached--;
    entry->is_detached = false;
}

void kiln_asset_entry_lose(kiln_assets *assets, asset_entry *entry)
{
    if (asset_is_dead(assets, entry))
        kiln_asset_marks_save(assets, entry, asset_entry_version(entry), 0);
    if (entry->protections.total || !kiln_asset_entry_end_count(entry, 0))
        kiln_asset_entry_defer(assets, entry);
    else
        kiln_asset_entry_end(assets, entry);
}

/* Called whenever the lock is taken. Handles are released without the lock, so releasing the last
 * handle of a deferred entry cannot remove the entry. The list is almost always empty. */
void kiln_asset_entry_sweep(kiln_assets *assets)
{
    uint32_t slot = assets->first_detached, *link = &assets->first_detached;
    while (slot != ASSET_NONE) {
        asset_entry *entry = entry_at(assets, slot);
        slot = entry->next_free;
        if (entry->protections.total || !kiln_asset_entry_end_count(entry, 0)) {
            link = &entry->next_free;
            continue;
        }
        *link = slot;
        assets->detached--;
        kiln_asset_entry_end(assets, entry);
    }
}

/* Removes the entry from the id, unless the id already belongs to another entry. */
static void remove_id(kiln_assets *assets, kiln_id id, const asset_entry *entry)
{
    uint32_t cell, known = kiln_asset_ids_find(assets, id, &cell);
    if (known == ASSET_NONE || known_at(assets, known)->slot != entry->slot)
        return;
    known_at(assets, known)->slot = ASSET_NONE;
    kiln_asset_ids_publish(assets, cell);
}

void kiln_asset_entry_remove_ids(kiln_assets *assets, asset_entry *entry)
{
    if (entry->id)
        remove_id(assets, entry->id, entry);
    for (uint32_t i = 0; i < entry->alias_count; i++)
        remove_id(assets, entry->aliases[i].id, entry);
}

bool kiln_asset_entry_has_strong(kiln_assets *assets, const asset_entry *entry, uint32_t own,
                                 char *ret_text)
{
    bool is_tracked = assets->def.track_takers;
    pthread_mutex_lock(&assets->takers_lock);
    uint32_t count = asset_strong_count(entry);
    if (count > own)
        kiln_asset_takers_text(kiln_asset_entry_takers(entry, true), is_tracked, count, ret_text);
    pthread_mutex_unlock(&assets->takers_lock);
    return count > own;
}

bool kiln_asset_entry_is_held(kiln_assets *assets, const asset_entry *entry, char *ret_text)
{
    if (entry->protections.total == 0)
        return asset_strong_count(entry) > 0 &&
               kiln_asset_entry_has_strong(assets, entry, 0, ret_text);
    kiln_asset_holders_text(&entry->protections, ret_text);
    return true;
}

uint32_t kiln_asset_slot_at(const kiln_assets *assets, kiln_ref ref)
{
    uint64_t address = ref.bits & ~(uint64_t)KILN_REF_FORM_MASK;
    uint64_t first = (uintptr_t)assets->slots.addresses, size = sizeof *assets->slots.addresses;
    uint32_t count = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    if (address < first || (address - first) % size != 0 || (address - first) / size >= count)
        return ASSET_NONE;
    uint32_t slot = (uint32_t)((address - first) / size);
    return asset_entry_has_indirect(entry_at(assets, slot)) ? slot : ASSET_NONE;
}

asset_blob *kiln_asset_blob_at(const kiln_assets *assets, kiln_ref ref)
{
    if (ref.bits > UINTPTR_MAX)
        return NULL;
    return kiln_asset_blob_with_root(assets, (const void *)(uintptr_t)ref.bits);
}

/* Assets that share bytes need not be removed together, so doomed ones are skipped. */
static asset_entry *entry_of_root(const kiln_assets *assets, kiln_ref ref)
{
    for (asset_blob *blob = kiln_asset_blob_at(assets, ref); blob; blob = blob->next_of_root)
        for (asset_entry *at = blob->entries; at; at = at->next_of_blob)
            if (!asset_is_doomed(assets, at))
                return at;
    return NULL;
}

static asset_entry *entry_of(const kiln_assets *assets, kiln_ref ref)
{
    switch (kiln_ref_get_form(ref)) {
    case KILN_REF_POINTER:
        return entry_of_root(assets, ref);
    case KILN_REF_INDIRECT: {
        uint32_t slot = kiln_asset_slot_at(assets, ref);
        return slot != ASSET_NONE && asset_entry_is_live(assets, slot) ? entry_at(assets, slot)
                                                                       : NULL;
    }
    case KILN_REF_WEAK:
    case KILN_REF_STRONG:
        return kiln_asset_entry_of_handle(assets, ref);
    case KILN_REF_NULL:
        break;
    }
    return NULL;
}

asset_entry *kiln_asset_entry_of(const kiln_assets *assets, kiln_ref ref)
{
    asset_entry *entry = entry_of(assets, ref);
    return entry && !asset_is_doomed(assets, entry) ? entry : NULL;
}

/* ---- assets that the collector killed ---- */

void kiln_asset_entry_bury(kiln_assets *assets, asset_entry *entry)
{
    asset_bit_clear(assets->marks->dead, entry->slot);
    kiln_asset_entry_remove_ids(assets, entry);
    kiln_asset_entry_undefer(assets, entry);
    kiln_asset_entry_end(assets, entry);
    assets->generation++;
}

bool kiln_asset_find_loaded(kiln_assets *assets, const asset_view *view, kiln_id id,
                            asset_found *ret_found)
{
    bool is_found = kiln_asset_find(assets, view, id, ret_found);
    if (ret_found->slot == ASSET_NONE ||
        !asset_is_doomed(assets, entry_at(assets, ret_found->slot)))
        return is_found;
    kiln_asset_entry_bury(assets, entry_at(assets, ret_found->slot));
    return kiln_asset_find(assets, view, id, ret_found);
}
