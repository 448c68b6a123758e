/* Bytes of assets in memory: who has them, who borrowed them, when they go. */
#ifndef KILN_ASSET_BLOB_H
#define KILN_ASSET_BLOB_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A zeroed record; NULL without memory. Until it is entered it is freed with asset_blob_free. */
asset_blob *kiln_asset_blob_create(kiln_assets *assets);
/* Its memory goes with it; its mount does not hear of it. */
void kiln_asset_blob_free(kiln_assets *assets, asset_blob *blob);

/* The first byte behind a blob's header and gap. */
const void *kiln_asset_blob_root_of(const void *bytes);

/* Puts a record among those that pointers are looked up in, and with a key among the contents.
 * Room was reserved. Its mount counts it. */
void kiln_asset_blob_enter(kiln_assets *assets, asset_blob *blob);
/* Puts a record that nobody had any more among the contents again. Room was reserved. */
void kiln_asset_blob_revive(kiln_assets *assets, asset_blob *blob, uint64_t key);
/* The key of a member, which is never 0. */
uint64_t kiln_asset_blob_member_key(const asset_mount *mount, uint32_t member);
/* The first record with the key; the others follow by `next_of_key`. NULL where there is none. */
asset_blob *kiln_asset_blob_with_key(const kiln_assets *assets, uint64_t key);
/* The same by the address of the root. */
asset_blob *kiln_asset_blob_with_root(const kiln_assets *assets, const void *root);

/* All records, one after the other: the first after NULL, NULL after the last. `cell` is that of
 * the one given. Whoever ends a record asks for the next one before. */
asset_blob *kiln_asset_blob_next(const kiln_assets *assets, const asset_blob *after,
                                 uint32_t *cell);

/* The entry's bytes are these now; readers see them. Gives what it had before, or NULL: to be
 * settled when readers cannot come to it by the id either. */
asset_blob *kiln_asset_blob_attach(kiln_assets *assets, asset_blob *blob, asset_entry *entry);
/* The entry has none now; they go when nobody else has or borrows them. */
void kiln_asset_blob_detach(kiln_assets *assets, asset_entry *entry);
/* After an entry, a borrower or a pointer word less: frees what nobody has. */
void kiln_asset_blob_settle(kiln_assets *assets, asset_blob *blob);
/* How many words of the pointer form there are, where they are noted. They do not keep memory, but
 * that of a file that is mounted stays anyway: the record of it does, too, to report them when it
 * goes. */
static inline uint32_t asset_pointer_count(const asset_blob *blob)
{
    return blob->pointers.noted.total - blob->pointers.ended;
}
static inline bool asset_blob_is_pointed_to(const asset_blob *blob)
{
    return asset_pointer_count(blob) && blob->memory == KILN_ASSET_MAPPED &&
           !blob->mount->is_unmounted;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
