/* The end of loaded assets. */
#ifndef KILN_ASSET_ENTRY_H
#define KILN_ASSET_ENTRY_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Ends the counting of strong handles, of which there are `strong`; false where there are not. */
bool kiln_asset_entry_end_count(asset_entry *entry, uint32_t strong);
/* The asset is gone: its counting was ended, no id leads to it. */
void kiln_asset_entry_end(kiln_assets *assets, asset_entry *entry);

/* No id leads to it any more, but something holds it: it ends when that is given back. */
void kiln_asset_entry_defer(kiln_assets *assets, asset_entry *entry);
/* Takes it from those deferred, if it is one. */
void kiln_asset_entry_undefer(kiln_assets *assets, asset_entry *entry);
/* Ends those deferred that nothing holds. */
void kiln_asset_entry_sweep(kiln_assets *assets);

/* Frees what the entry has of its own. */
void kiln_asset_entry_free_own(kiln_assets *assets, asset_entry *entry);

/* Which of the entry's names has that id; NULL where none has. */
const char *kiln_asset_entry_name_of(const asset_entry *entry, kiln_id id);

/* Takes away the entry's place under its id and under other names of it. */
void kiln_asset_entry_leave_ids(kiln_assets *assets, asset_entry *entry);

/* Whether the asset has more strong handles than `own`; then the text, of HOLDERS_TEXT_SIZE, says
 * who took them. Other threads may end handles at any time, so the count is read once. */
bool kiln_asset_entry_has_strong(kiln_assets *assets, const asset_entry *entry, uint32_t own,
                                 char *ret_text);
/* Whether strong handles or protection hold the asset; then the text says who. */
bool kiln_asset_entry_is_held(kiln_assets *assets, const asset_entry *entry, char *ret_text);

/* The slot that was given out as this indirect word; ASSET_NONE where none was. */
uint32_t kiln_asset_slot_at(const kiln_assets *assets, kiln_ref ref);
/* The first record of bytes that a word of the pointer form points to; NULL where there is none. */
asset_blob *kiln_asset_blob_at(const kiln_assets *assets, kiln_ref ref);

/* The entry that a word of any form leads to; NULL where there is none. Nothing is followed. */
asset_entry *kiln_asset_entry_of(const kiln_assets *assets, kiln_ref ref);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
