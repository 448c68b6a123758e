/* Entries of loaded assets: how they are removed, who holds them, and which entry a word refers
 * to. */
#ifndef KILN_ASSET_ENTRY_H
#define KILN_ASSET_ENTRY_H

#include "asset_layers.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* If exactly `strong` strong handles are left, closes the count, so that no more can be taken, and
 * returns true. Otherwise returns false. */
bool kiln_asset_entry_end_count(asset_entry *entry, uint32_t strong);
/* Releases the entry's slot and bytes. Call it after kiln_asset_entry_end_count, when no id refers
 * to the entry. */
void kiln_asset_entry_end(kiln_assets *assets, asset_entry *entry);

/* Removes an asset that the collector killed and that can no longer be saved (asset_is_doomed). */
void kiln_asset_entry_bury(kiln_assets *assets, asset_entry *entry);
/* Like kiln_asset_find, but removes a doomed asset, which then counts as not loaded. */
bool kiln_asset_find_loaded(kiln_assets *assets, const asset_view *view, kiln_id id,
                            asset_found *ret_found);

/* Defers the removal of an entry without an id until nothing holds it. */
void kiln_asset_entry_defer(kiln_assets *assets, asset_entry *entry);
/* Removes the entry from the list of deferred entries if it is there. */
void kiln_asset_entry_undefer(kiln_assets *assets, asset_entry *entry);
/* Removes an entry whose asset no file contains, or defers the removal if something holds the
 * asset. No id may refer to it. */
void kiln_asset_entry_lose(kiln_assets *assets, asset_entry *entry);
/* Removes the deferred entries that nothing holds. */
void kiln_asset_entry_sweep(kiln_assets *assets);

/* Frees the memory that only the entry uses: the list of protections and the other names. */
void kiln_asset_entry_free_own(kiln_assets *assets, asset_entry *entry);

/* The name of the entry whose id is `id`; NULL if none of its names has this id. */
const char *kiln_asset_entry_name_of(const asset_entry *entry, kiln_id id);

/* Publishes for the entry's id, and for the ids of its other names, that the asset is not loaded.
 */
void kiln_asset_entry_remove_ids(kiln_assets *assets, asset_entry *entry);

/* Whether the asset has more strong handles than `own`. If so, writes the takers into `ret_text`,
 * which has HOLDERS_TEXT_SIZE bytes. Other threads may release handles at any time, so the count is
 * read once. */
bool kiln_asset_entry_has_strong(kiln_assets *assets, const asset_entry *entry, uint32_t own,
                                 char *ret_text);
/* Whether strong handles or protection hold the asset. If so, writes the holders into `ret_text`.
 */
bool kiln_asset_entry_is_held(kiln_assets *assets, const asset_entry *entry, char *ret_text);

/* The slot to which an indirect word refers; ASSET_NONE if the word is not valid. */
uint32_t kiln_asset_slot_at(const kiln_assets *assets, kiln_ref ref);
/* The first blob record to which a pointer word points; NULL if there is none. */
asset_blob *kiln_asset_blob_at(const kiln_assets *assets, kiln_ref ref);

/* The entry to which a word of any form refers; NULL if there is none. Does not dereference the
 * word. */
asset_entry *kiln_asset_entry_of(const kiln_assets *assets, kiln_ref ref);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
