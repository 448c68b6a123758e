/* Blob records are in two hash tables: `roots` by the address of the root, and `contents` by what
 * identifies the bytes: their member or their hash. Records with equal keys are chained, so both
 * tables have one cell per key.
 *
 * A record is in `roots` until it is retired. It is in `contents` only while an entry uses it,
 * because new entries must not share bytes that were replaced. A record is retired when no entry,
 * borrower or tracked pointer into a mapped file uses it. It is freed once no reader can still use
 * the root. */
#include "asset_blob.h"

#include "asset_holders.h"
#include "asset_layers.h"
#include "asset_marks.h"
#include "asset_mount.h"
#include "asset_slots.h"
#include "asset_takers.h"

#include <kiln/blob_header.h>
#include <string.h>

asset_blob *kiln_asset_blob_create(kiln_assets *assets)
{
    asset_blob *blob =
        assets->allocator.alloc(assets->allocator.ctx, sizeof(*blob), _Alignof(asset_blob));
    if (blob)
        memset(blob, 0, sizeof(*blob));
    return blob;
}

void kiln_asset_blob_free(kiln_assets *assets, asset_blob *blob)
{
    if (blob->free)
        blob->free(blob->free_ctx, blob->owned, blob->owned_size);
    else if (blob->owned)
        assets->allocator.free(assets->allocator.ctx, blob->owned, blob->owned_size);
    kiln_asset_holders_fini(&blob->borrowed, &assets->allocator);
    kiln_asset_takers_free(&blob->pointers, &assets->allocator);
    if (blob->own_name)
        assets->allocator.free(assets->allocator.ctx, blob->own_name, blob->own_name_size);
    if (blob->refs)
        assets->allocator.free(assets->allocator.ctx, blob->refs,
                               blob->ref_count * sizeof *blob->refs);
    assets->allocator.free(assets->allocator.ctx, blob, sizeof(*blob));
}

const void *kiln_asset_blob_root_of(const void *bytes)
{
    return (const unsigned char *)bytes + kiln_header_payload_at(bytes);
}

bool kiln_asset_blob_prove(asset_blob *blob)
{
    const kiln_file *file = blob->mount->file;
    if (blob->is_proven || file->level == KILN_VERIFY_NONE)
        return true;
    if (blob->memory == KILN_ASSET_CONVERTED)
        return false;
    const uint32_t number = kiln_index_asset_at(file->index, blob->number)->member;
    const kiln_hash128 stated = kiln_index_member_at(file->index, number)->content,
                       content = kiln_content_hash(blob->bytes, blob->size);
    blob->is_proven = content.low == stated.low && content.high == stated.high;
    return blob->is_proven;
}

uint64_t kiln_asset_blob_member_key(const asset_mount *mount, uint32_t member)
{
    /* Serials begin with 1, so the key is not 0. It may equal the key of an added blob, which is a
     * hash, so lookups compare the blobs. */
    return mount->serial << 32 | member;
}

static asset_blob *blob_in(const kiln_key_table *table, uint64_t key)
{
    return (asset_blob *)(uintptr_t)kiln_key_table_get(table, key);
}

asset_blob *kiln_asset_blob_with_key(const kiln_assets *assets, uint64_t key)
{
    return blob_in(&assets->contents, key);
}

asset_blob *kiln_asset_blob_with_root(const kiln_assets *assets, const void *root)
{
    return blob_in(&assets->roots, (uintptr_t)root);
}

asset_blob *kiln_asset_blob_next(const kiln_assets *assets, const asset_blob *after, uint32_t *cell)
{
    if (after && after->next_of_root)
        return after->next_of_root;
    uint32_t limit = kiln_key_table_limit(&assets->roots), at = after ? *cell + 1 : 0;
    while (at < limit && kiln_key_table_value(&assets->roots, at) == 0)
        at++;
    *cell = at;
    return at < limit ? (asset_blob *)(uintptr_t)kiln_key_table_value(&assets->roots, at) : NULL;
}

static void set_blob(kiln_key_table *table, uint64_t key, asset_blob *blob)
{
    kiln_key_table_set(table, kiln_key_table_put(table, key), (uintptr_t)blob);
}

static void add_to_roots(kiln_assets *assets, asset_blob *blob)
{
    uint64_t root = (uintptr_t)blob->root;
    blob->next_of_root = blob_in(&assets->roots, root);
    set_blob(&assets->roots, root, blob);
}

void kiln_asset_blob_enter(kiln_assets *assets, asset_blob *blob)
{
    add_to_roots(assets, blob);
    if (blob->key)
        kiln_asset_blob_revive(assets, blob, blob->key);
    if (blob->mount) {
        blob->mount->blobs++;
        blob->mount->has_unproven |= !blob->is_proven;
    }
    assets->stats.bytes_owned += blob->owned_size;
    atomic_fetch_add_explicit(&assets->blob_bytes, blob->size, memory_order_relaxed);
    atomic_fetch_add_explicit(&assets->blob_bytes_ever, blob->size, memory_order_relaxed);
}

void kiln_asset_blob_revive(kiln_assets *assets, asset_blob *blob, uint64_t key)
{
    blob->key = key;
    blob->next_of_key = blob_in(&assets->contents, key);
    set_blob(&assets->contents, key, blob);
}

/* Removes a record that no entry uses from `contents`. Bytes that a patch or a reload replaced must
 * not be reused just because they are still borrowed. */
static void remove_from_contents(kiln_assets *assets, asset_blob *blob)
{
    if (!blob->key)
        return;
    asset_blob *first = blob_in(&assets->contents, blob->key);
    if (first == blob) {
        set_blob(&assets->contents, blob->key, blob->next_of_key);
    } else {
        while (first->next_of_key != blob)
            first = first->next_of_key;
        first->next_of_key = blob->next_of_key;
    }
    blob->key = 0;
}

static void remove_from_roots(kiln_assets *assets, asset_blob *blob)
{
    uint64_t root = (uintptr_t)blob->root;
    asset_blob *first = blob_in(&assets->roots, root);
    if (first == blob) {
        set_blob(&assets->roots, root, blob->next_of_root);
        return;
    }
    while (first->next_of_root != blob)
        first = first->next_of_root;
    first->next_of_root = blob->next_of_root;
}

/* Strings in the file's index become invalid when the file is closed. */
static bool is_in_index(const asset_mount *mount, const char *text)
{
    uintptr_t first = (uintptr_t)mount->file->frame.file;
    return (uintptr_t)text - first < mount->file->frame.index_size;
}

void kiln_asset_blob_move(kiln_assets *assets, asset_blob *blob, asset_mount *mount,
                          uint32_t number, const void *root)
{
    const uint32_t member = kiln_index_asset_at(mount->file->index, number)->member;
    uint64_t key = kiln_asset_blob_member_key(mount, member);
    if (key != blob->key) {
        remove_from_contents(assets, blob);
        kiln_asset_blob_revive(assets, blob, key);
    }
    if (is_in_index(blob->mount, blob->type))
        blob->type = kiln_string_get(&kiln_asset_index_type(mount, number)->name);
    blob->mount->blobs--;
    mount->blobs++;
    blob->mount = mount;
    blob->number = number;
    mount->has_unproven |= !blob->is_proven;
    if (!root)
        return;
    remove_from_roots(assets, blob);
    blob->bytes = (const unsigned char *)root - ((const unsigned char *)blob->root - blob->bytes);
    blob->root = root;
    add_to_roots(assets, blob);
}

static void free_retired(void *ctx, kiln_retired *retired)
{
    kiln_asset_blob_free(ctx, (asset_blob *)retired);
}

typedef struct pointer_report {
    const kiln_assets *assets;
    const char *asset;
} pointer_report;

static void report_pointer(void *ctx, const char *by, uint32_t count)
{
    const pointer_report *of = ctx;
    kiln_report report = {KILN_REPORT_POINTER, "pointer", of->asset, by, count};
    of->assets->def.on_report(of->assets->def.report_ctx, &report);
}

static void report_pointers(const kiln_assets *assets, const asset_blob *blob)
{
    pointer_report report = {assets, blob->name};
    if (assets->def.on_report)
        kiln_asset_takers_visit(&blob->pointers, true, asset_pointer_count(blob), report_pointer,
                                &report);
}

_Static_assert(offsetof(asset_blob, retired) == 0,
               "`retired` must come first: it is cast to its asset_blob");

static void set_orphan(kiln_assets *assets, asset_blob *blob, bool is_orphan)
{
    if (is_orphan && !blob->is_orphan)
        assets->orphans++;
    else if (!is_orphan && blob->is_orphan)
        assets->orphans--;
    blob->is_orphan = is_orphan;
}

void kiln_asset_blob_settle(kiln_assets *assets, asset_blob *blob)
{
    set_orphan(assets, blob, !blob->entries && blob->borrowed.total > 0);
    if (blob->entries)
        return;
    remove_from_contents(assets, blob);
    if (blob->borrowed.total || asset_blob_is_pointed_to(blob))
        return;
    remove_from_roots(assets, blob);
    report_pointers(assets, blob);
    asset_mount *mount = blob->mount;
    assets->stats.bytes_owned -= blob->owned_size;
    atomic_fetch_sub_explicit(&assets->blob_bytes, blob->size, memory_order_relaxed);
    kiln_quiescence_retire(&assets->quiescence, &blob->retired, blob->owned_size, free_retired);
    if (mount) {
        mount->blobs--;
        kiln_asset_mount_settle(assets, mount);
    }
}

/* Removes an entry from the list of its blob. */
static asset_blob *unlink_entry(kiln_assets *assets, asset_entry *entry)
{
    asset_blob *blob = entry->blob;
    kiln_asset_marks_detach(assets, entry);
    if (entry->before_of_blob)
        entry->before_of_blob->next_of_blob = entry->next_of_blob;
    else
        blob->entries = entry->next_of_blob;
    if (entry->next_of_blob)
        entry->next_of_blob->before_of_blob = entry->before_of_blob;
    entry->blob = NULL;
    return blob;
}

asset_blob *kiln_asset_blob_attach(kiln_assets *assets, asset_blob *blob, uint32_t number,
                                   asset_entry *entry)
{
    asset_blob *old = entry->blob ? unlink_entry(assets, entry) : NULL;
    entry->blob = blob;
    entry->number = number;
    entry->before_of_blob = NULL;
    entry->next_of_blob = blob->entries;
    if (blob->entries)
        blob->entries->before_of_blob = entry;
    blob->entries = entry;
    set_orphan(assets, blob, false);
    kiln_asset_slots_set_address(assets, entry->slot, blob->root);
    kiln_asset_marks_attach(assets, entry);
    return old;
}

void kiln_asset_blob_detach(kiln_assets *assets, asset_entry *entry)
{
    kiln_asset_blob_settle(assets, unlink_entry(assets, entry));
}
