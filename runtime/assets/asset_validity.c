/* Checks a whole table, for tests and for programs that suspect memory corruption: every link in
 * assets_object.h from both sides, and every count. The path of the error describes the first
 * mismatch.
 *
 * Loops over lists are bounded by counts, so a corrupted list cannot cause an endless loop. */
#include "asset_entry.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_marks.h"
#include "asset_slots.h"
#include "asset_takers.h"

#include "asset_blob.h"

#include <stdio.h>
#include <string.h>

typedef struct check {
    kiln_assets *assets;
    kiln_error *reterr;
    uint64_t owned;    /* bytes of blobs */
    uint64_t bytes;    /* of all blobs, owned or not */
    uint32_t borrowed; /* borrows of all blobs */
    uint32_t orphans;  /* borrowed blobs without entries */
    uint32_t attached; /* entries in the lists of blobs */
    uint32_t providers, known;
} check;

static bool fail(const check *c, const char *what, const char *name)
{
    char path[2 * KILN_PATH_SIZE];
    snprintf(path, sizeof(path), "%s%s%s", what, name ? ": " : "", name ? name : "");
    kiln_fail(c->reterr, KILN_BAD_ARGUMENT, 0, path);
    return false;
}

/* The providers of an id are the current mounts that have it, highest order first. */
static bool check_chain(check *c, kiln_id id, uint32_t first)
{
    const kiln_assets *assets = c->assets;
    const asset_mount *above = NULL;
    for (uint32_t i = first; i != ASSET_NONE; i = provider_at(assets, i)->below) {
        if (i >= assets->providers.count || ++c->providers > assets->providers.count)
            return fail(c, "a provider's number is out of range", NULL);
        const asset_provider *provider = provider_at(assets, i);
        const asset_mount *mount =
            provider->mount < assets->mount_count ? assets->mounts[provider->mount] : NULL;
        if (!mount || mount->is_unmounted)
            return fail(c, "a provider's file is not mounted", NULL);
        if (kiln_asset_number_in(mount, id) != provider->number)
            return fail(c, "a provider refers to another asset of its file", mount->name);
        if (above && !asset_mount_is_above(above, mount))
            return fail(c, "providers are out of order", mount->name);
        above = mount;
    }
    return true;
}

static bool chain_has(const kiln_assets *assets, uint32_t first, const asset_mount *mount)
{
    for (uint32_t i = first; i != ASSET_NONE; i = provider_at(assets, i)->below)
        if (provider_at(assets, i)->mount == mount->number)
            return true;
    return false;
}

/* A loaded asset comes from the file of the highest order that has it, or was added by
 * kiln_assets_add. */
static bool check_loaded(const check *c, kiln_id id, const asset_known *known, uint64_t value)
{
    const kiln_assets *assets = c->assets;
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    if (known->slot >= slots || !asset_entry_is_live(assets, known->slot))
        return fail(c, "an id refers to a free slot", NULL);
    const asset_entry *entry = entry_at(assets, known->slot);
    if (!kiln_asset_entry_name_of(entry, id) || entry->is_detached)
        return fail(c, "an id refers to another asset", entry->name);
    if (!entry->blob || value != (uintptr_t)entry->blob->root)
        return fail(c, "the root of an id differs from that of its asset", entry->name);
    if (!entry->blob->mount)
        return true;
    const asset_provider *best =
        known->provider != ASSET_NONE ? provider_at(assets, known->provider) : NULL;
    if (!best || asset_current_mount(entry->blob) != assets->mounts[best->mount])
        return fail(c, "an asset does not come from the file of the highest order that has it",
                    entry->name);
    return entry->number == best->number
               ? true
               : fail(c, "an asset has a different number in its file", entry->name);
}

/* An earlier id has the value of the asset to which its redirects lead. */
static bool check_earlier(const check *c, kiln_id id, uint64_t value)
{
    const kiln_assets *assets = c->assets;
    const asset_mount *base = asset_base(assets);
    if (!asset_redirect_of(assets->redirects, id) ||
        (base && kiln_asset_number_in(base, id) != ASSET_NONE))
        return fail(c, "an id has a value but no asset", NULL);
    return value == kiln_asset_ids_through(assets, id)
               ? true
               : fail(c, "an earlier id has the wrong value",
                      kiln_string_get(&asset_redirect_of(assets->redirects, id)->entry->name));
}

/* Every earlier id that is not real is in the table. */
static bool check_redirects(const check *c)
{
    const kiln_assets *assets = c->assets;
    const asset_mount *base = asset_base(assets);
    for (uint32_t i = 0; assets->redirects && i < assets->redirects->count; i++) {
        const asset_redirect *redirect = &assets->redirects->all[i];
        if (kiln_key_table_get(&assets->ids, redirect->id) == 0 &&
            (!base || kiln_asset_number_in(base, redirect->id) == ASSET_NONE))
            return fail(c, "an earlier id is missing", kiln_string_get(&redirect->entry->name));
        if (redirect->mount->is_unmounted)
            return fail(c, "the file of a redirect is not mounted", redirect->mount->name);
    }
    return true;
}

static bool check_ids(check *c)
{
    const kiln_assets *assets = c->assets;
    const asset_mount *base = asset_base(assets);
    uint32_t limit = kiln_key_table_limit(&assets->ids), live = 0;
    for (uint32_t cell = 0; cell < limit; cell++) {
        kiln_id id = kiln_key_table_key(&assets->ids, cell);
        uint64_t value = kiln_key_table_value(&assets->ids, cell);
        uint32_t number = asset_ids_known(assets, cell);
        if (!value && number == ASSET_NONE)
            continue;
        live++;
        if (id && value && number == ASSET_NONE) {
            if (!check_earlier(c, id, value))
                return false;
            continue;
        }
        if (!id || !value || number >= assets->known.count ||
            kiln_key_table_find(&assets->ids, id) != cell)
            return fail(c, "a cell of `ids` is corrupted", NULL);
        const asset_known *known = known_at(assets, number);
        c->known++;
        if (!check_chain(c, id, known->provider))
            return false;
        if (base && kiln_asset_number_in(base, id) != ASSET_NONE &&
            !chain_has(assets, known->provider, base))
            return fail(c, "the base is missing from the providers of an id", base->name);
        if (known->slot != ASSET_NONE ? !check_loaded(c, id, known, value)
                                      : known->provider == ASSET_NONE || value != KILN_KNOWN)
            return known->slot != ASSET_NONE ? false : fail(c, "an id has no provider", NULL);
    }
    if (live != assets->ids.live)
        return fail(c, "the count of ids differs from the cells in `ids`", NULL);
    if (c->known != assets->known.count - assets->known.free_count)
        return fail(c, "the count of `known` differs from the ids in `ids`", NULL);
    return c->providers == assets->providers.count - assets->providers.free_count
               ? true
               : fail(c, "the count of `providers` differs from the lists of the ids", NULL);
}

/* An older version has the same assets as the mounted file to which it belongs. */
static bool is_current(const kiln_assets *assets, const asset_mount *mount)
{
    const asset_mount *current = mount->current;
    return current == mount ||
           (mount->is_replaced && !current->is_unmounted && current->current == current &&
            assets->mounts[current->number] == current &&
            asset_index_count(mount) == asset_index_count(current));
}

/* The counts of a mount are right, and every asset of a file other than the base is in the table.
 */
static bool check_mount(const check *c, const asset_mount *mount)
{
    const kiln_assets *assets = c->assets;
    if (mount->seen_blobs != mount->blobs || mount->seen_borrowed != mount->borrowed)
        return fail(c, "a file's count of blobs or borrows differs from its blobs", mount->name);
    if (!is_current(assets, mount))
        return fail(c, "an older version does not belong to a mounted file", mount->name);
    if (mount->is_unmounted || mount == asset_base(assets))
        return true;
    for (uint32_t i = 0; i < asset_index_count(mount); i++) {
        kiln_id id = kiln_index_id(mount->file->index, i);
        if (asset_is_found(mount, i) && kiln_key_table_get(&assets->ids, id) == 0)
            return fail(c, "an asset of a file is missing from `ids`", mount->name);
    }
    return true;
}

static bool is_in_contents(const kiln_assets *assets, const asset_blob *blob)
{
    const asset_blob *other = kiln_asset_blob_with_key(assets, blob->key);
    while (other && other != blob)
        other = other->next_of_key;
    return other != NULL;
}

static bool check_blob(check *c, uint64_t root, const asset_blob *blob)
{
    if ((uintptr_t)blob->root != root)
        return fail(c, "a blob is stored under another root", blob->name);
    if (!blob->entries && !blob->borrowed.total && !asset_blob_is_pointed_to(blob))
        return fail(c, "a blob is not in use", blob->name);
    if ((blob->key != 0) != (blob->entries != NULL) ||
        (blob->key && !is_in_contents(c->assets, blob)))
        return fail(c, "a blob's key or entries do not match `contents`", blob->name);
    for (const asset_entry *entry = blob->entries, *before = NULL; entry;
         before = entry, entry = entry->next_of_blob) {
        const kiln_slot *slot = &c->assets->slots.slots[entry->slot];
        if (++c->attached > atomic_load_explicit(&c->assets->slot_count, memory_order_relaxed) ||
            entry->blob != blob || entry->before_of_blob != before ||
            !asset_entry_is_live(c->assets, entry->slot) ||
            atomic_load_explicit(&slot->address, memory_order_relaxed) != blob->root)
            return fail(c, "an entry does not match its blob", entry->name);
    }
    const bool is_orphan = blob->borrowed.total && !blob->entries;
    if (blob->is_orphan != is_orphan)
        return fail(c, "a blob's note `is_orphan` is wrong", blob->name);
    c->owned += blob->owned_size;
    c->bytes += blob->size;
    c->borrowed += blob->borrowed.total;
    c->orphans += is_orphan;
    if (blob->mount) {
        blob->mount->seen_blobs++;
        blob->mount->seen_borrowed += blob->borrowed.total;
    }
    return true;
}

static bool check_blobs(check *c)
{
    uint32_t cell = 0;
    for (const asset_blob *blob = NULL; (blob = kiln_asset_blob_next(c->assets, blob, &cell));)
        if (!check_blob(c, kiln_key_table_key(&c->assets->roots, cell), blob))
            return false;
    kiln_assets *assets = c->assets;
    uint64_t bytes = atomic_load_explicit(&assets->blob_bytes, memory_order_relaxed),
             ever = atomic_load_explicit(&assets->blob_bytes_ever, memory_order_relaxed);
    if (c->owned != assets->stats.bytes_owned || c->bytes != bytes || bytes > ever ||
        c->borrowed != assets->borrowed || c->orphans != assets->orphans)
        return fail(c, "the count of bytes or borrows differs from the blobs", NULL);
    return true;
}

/* Slot and entry have the same version, and a free slot has no address. */
static bool check_slot(const kiln_assets *assets, uint32_t number)
{
    const kiln_slot *slot = &assets->slots.slots[number];
    const asset_entry *entry = entry_at(assets, number);
    uint64_t handle = atomic_load_explicit(&slot->handle, memory_order_relaxed);
    const void *address = atomic_load_explicit(&slot->address, memory_order_relaxed);
    uint64_t strong = atomic_load_explicit(&entry->strong, memory_order_relaxed);
    uint64_t weak = atomic_load_explicit(&entry->weak, memory_order_relaxed);
    uint32_t version = asset_entry_version(entry);
    uint64_t ended = asset_is_dead(assets, entry);
    if (entry->slot != number || (strong >> 32) - ended != weak >> 32 ||
        atomic_load_explicit(&assets->slots.addresses[number], memory_order_relaxed) != address)
        return false;
    if (handle)
        return (version & 1) && entry->blob &&
               handle == kiln_ref_from_handle(number, version, true).bits;
    return !(version & 1) && !entry->blob && asset_count_of(strong) == 0 && !address;
}

/* The notes about takers agree with the counts of handles. */
static bool check_takers(const check *c)
{
    kiln_assets *assets = c->assets;
    uint32_t count = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    bool are_valid = true;
    pthread_mutex_lock(&assets->takers_lock);
    for (uint32_t i = 0; i < count && are_valid; i++) {
        const asset_entry *entry = entry_at(assets, i);
        if (!entry->takers)
            continue;
        uint64_t weak = atomic_load_explicit(&entry->weak, memory_order_relaxed);
        are_valid = kiln_asset_takers_are_valid(&entry->takers[0], asset_strong_count(entry)) &&
                    kiln_asset_takers_are_valid(&entry->takers[1], asset_count_of(weak));
    }
    pthread_mutex_unlock(&assets->takers_lock);
    return are_valid ? true : fail(c, "the notes about takers do not match the counts", NULL);
}

static bool check_slots(const check *c)
{
    const kiln_assets *assets = c->assets;
    uint32_t count = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    uint32_t live = 0, free = 0, kept = 0, detached = 0;
    for (uint32_t i = 0; i < count; i++) {
        const asset_entry *entry = entry_at(assets, i);
        if (!check_slot(assets, i))
            return fail(c, "an entry does not match its slot", entry->name);
        live += asset_entry_is_live(assets, i);
        /* A slot that has used its last version counts as retired, even if it has indirect words.
         */
        kept += !asset_entry_is_live(assets, i) && asset_entry_has_indirect(entry) &&
                asset_entry_version(entry) != 0;
    }
    uint32_t last = ASSET_NONE;
    for (uint32_t i = assets->first_free; i != ASSET_NONE; i = entry_at(assets, i)->next_free) {
        if (i >= count || asset_entry_is_live(assets, i) || ++free > count)
            return fail(c, "the list of free slots is corrupted", NULL);
        if (asset_entry_has_indirect(entry_at(assets, i)))
            return fail(c, "a slot with indirect words is free", NULL);
        last = i;
    }
    for (uint32_t i = assets->first_detached; i != ASSET_NONE; i = entry_at(assets, i)->next_free)
        if (i >= count || !asset_entry_is_live(assets, i) || ++detached > count ||
            !entry_at(assets, i)->is_detached)
            return fail(c, "the list of deferred assets is corrupted", NULL);
    if (live + free + kept + assets->retired_slots != count || kept != assets->stale_slots ||
        free != assets->free_slots || last != assets->last_free || detached != assets->detached ||
        live != c->attached)
        return fail(c, "the counts of slots differ from the slots and their lists", NULL);
    return true;
}

static bool check_mounts(const check *c)
{
    uint32_t mounted = 0;
    for (uint32_t i = 0; i < c->assets->mount_count; i++) {
        const asset_mount *mount = c->assets->mounts[i];
        if (!mount)
            continue;
        mounted += !mount->is_unmounted;
        if (mount->number != i)
            return fail(c, "a file has the number of another file", mount->name);
        if (!check_mount(c, mount))
            return false;
    }
    return mounted == c->assets->mounted
               ? true
               : fail(c, "the count of files differs from the mounted files in `mounts`", NULL);
}

static bool check_all(check *c)
{
    for (uint32_t i = 0; i < c->assets->mount_count; i++)
        if (c->assets->mounts[i])
            c->assets->mounts[i]->seen_blobs = c->assets->mounts[i]->seen_borrowed = 0;
    return check_ids(c) && check_redirects(c) && check_blobs(c) && check_slots(c) &&
           check_takers(c) && check_mounts(c);
}

bool kiln_assets_is_valid(kiln_assets *assets, kiln_error *reterr)
{
    kiln_asset_lock(assets);
    check c = {.assets = assets, .reterr = reterr};
    bool is_valid = check_all(&c);
    kiln_asset_unlock(assets);
    return is_valid;
}
