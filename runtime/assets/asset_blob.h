/* Blob records: the bytes of assets in memory, which entries use them, who borrowed them, and when
 * they are freed. */
#ifndef KILN_ASSET_BLOB_H
#define KILN_ASSET_BLOB_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Allocates a zeroed record; NULL if memory runs out. Before kiln_asset_blob_enter, free it with
 * kiln_asset_blob_free. */
asset_blob *kiln_asset_blob_create(kiln_assets *assets);
/* Frees a record and its memory. Does not update the counts of its mount. */
void kiln_asset_blob_free(kiln_assets *assets, asset_blob *blob);

/* The root of a blob: the first byte after its header and gap. */
const void *kiln_asset_blob_root_of(const void *bytes);

/* Whether the record's member has the content hash that the index of its file states. Computed
 * once; always true at KILN_VERIFY_NONE. For a converted record, returns the result of the
 * call before its conversion. */
bool kiln_asset_blob_prove(asset_blob *blob);

/* Adds a record to `roots` and, if it has a key, to `contents`. Room in both tables must have been
 * reserved. Increments the count of blobs of the record's mount. */
void kiln_asset_blob_enter(kiln_assets *assets, asset_blob *blob);
/* Adds a record to `contents` again after its last entry was detached. Room in the table must have
 * been reserved. */
void kiln_asset_blob_revive(kiln_assets *assets, asset_blob *blob, uint64_t key);
/* The key of a member, which is never 0. */
uint64_t kiln_asset_blob_member_key(const asset_mount *mount, uint32_t member);
/* The first record with the key; the others follow by `next_of_key`. NULL if there is none. */
asset_blob *kiln_asset_blob_with_key(const kiln_assets *assets, uint64_t key);
/* The first record with this root; the others follow by `next_of_root`. NULL if there is none. */
asset_blob *kiln_asset_blob_with_root(const kiln_assets *assets, const void *root);

/* Iterates over all records: the first after NULL, NULL after the last. `cell` holds the position
 * of `after`. To free a record, get the next one first. */
asset_blob *kiln_asset_blob_next(const kiln_assets *assets, const asset_blob *after,
                                 uint32_t *cell);

/* Attaches the entry to these bytes, which are asset `number` in the index of their mount.
 * References through the entry's slot then resolve to them. Returns the entry's former bytes, or
 * NULL. Call kiln_asset_blob_settle for the former bytes once readers can no longer find them by
 * the id. */
asset_blob *kiln_asset_blob_attach(kiln_assets *assets, asset_blob *blob, uint32_t number,
                                   asset_entry *entry);
/* Detaches the entry from its bytes, and calls kiln_asset_blob_settle for them. */
void kiln_asset_blob_detach(kiln_assets *assets, asset_entry *entry);
/* Retires the record if it no longer has an entry, a borrower or a pointer word. */
void kiln_asset_blob_settle(kiln_assets *assets, asset_blob *blob);
/* Moves a record to the new version of its file, whose asset `number` has the same content. If
 * `root` is not NULL, it is the root of that content in the new file, which is then used in place.
 * Nobody may have borrowed the record's bytes. Room for one key in `roots` and in `contents` must
 * have been reserved. The caller updates its entries. */
void kiln_asset_blob_move(kiln_assets *assets, asset_blob *blob, asset_mount *mount,
                          uint32_t number, const void *root);
/* The number of pointer words to these bytes, if the table tracks pointers. */
static inline uint32_t asset_pointer_count(const asset_blob *blob)
{
    return blob->pointers.noted.total - blob->pointers.ended;
}
/* Whether pointer words keep the record. They keep bytes of a file that was replaced, and mapped
 * bytes until their file is unmounted. Other bytes are freed, and the words that point to them are
 * reported. */
static inline bool asset_blob_is_pointed_to(const asset_blob *blob)
{
    const asset_mount *mount = blob->mount;
    if (!mount || asset_pointer_count(blob) == 0)
        return false;
    return mount->is_replaced || (blob->memory == KILN_ASSET_MAPPED && !mount->is_unmounted);
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
