/* Borrowing, protecting and disposing.
 *
 * Borrowing keeps the bytes that an asset has now, even if it is replaced. Protecting keeps the
 * asset in the table, whatever its bytes. Both record the caller, so that an error can name the
 * holder. */
#include "asset_keep.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_lock.h"
#include "asset_marks.h"
#include "asset_slots.h"
#include "asset_takers.h"

#include <stdio.h>

kiln_status kiln_asset_borrow(kiln_assets *assets, kiln_ref ref, const char *by,
                              const asset_blob **ret_blob)
{
    kiln_status status = KILN_DEAD;
    kiln_asset_lock(assets);
    asset_entry *entry = kiln_asset_entry_of(assets, ref);
    if (entry)
        status = kiln_asset_holders_add(&entry->blob->borrowed, &assets->allocator, by);
    if (status == KILN_OK) {
        kiln_asset_marks_touch_blob(assets, entry->blob);
        assets->borrowed++;
        if (entry->blob->mount)
            entry->blob->mount->borrowed++;
        *ret_blob = entry->blob;
    }
    kiln_asset_unlock(assets);
    return status;
}

kiln_status kiln_assets_borrow(kiln_assets *assets, kiln_ref ref, const char *by,
                               const void **ret_root, kiln_error *reterr)
{
    const asset_blob *blob;
    if (!assets || !ret_root)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = kiln_asset_borrow(assets, ref, by, &blob);
    if (status == KILN_OK)
        *ret_root = blob->root;
    return asset_result(reterr, status);
}

kiln_status kiln_assets_release(kiln_assets *assets, const void *root, const char *by)
{
    if (!assets)
        return KILN_BAD_ARGUMENT;
    kiln_status status = KILN_NOT_FOUND;
    kiln_asset_lock(assets);
    for (asset_blob *blob = kiln_asset_blob_with_root(assets, root); blob;
         blob = blob->next_of_root) {
        if (!kiln_asset_holders_remove(&blob->borrowed, by))
            continue;
        assets->borrowed--;
        if (blob->mount)
            blob->mount->borrowed--;
        for (const asset_entry *at = blob->entries; at; at = at->next_of_blob)
            kiln_asset_marks_released(assets, at->slot);
        kiln_asset_blob_settle(assets, blob);
        status = KILN_OK;
        break;
    }
    kiln_asset_unlock(assets);
    return status;
}

kiln_status kiln_assets_protect(kiln_assets *assets, kiln_ref ref, const char *by,
                                kiln_error *reterr)
{
    if (!assets)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = KILN_DEAD;
    kiln_asset_lock(assets);
    asset_entry *entry = kiln_asset_entry_of(assets, ref);
    if (entry)
        status = kiln_asset_holders_add(&entry->protections, &assets->allocator, by);
    if (status == KILN_OK)
        kiln_asset_marks_touch(assets, entry);
    kiln_asset_unlock(assets);
    return asset_result(reterr, status);
}

kiln_status kiln_assets_unprotect(kiln_assets *assets, kiln_ref ref, const char *by)
{
    if (!assets)
        return KILN_BAD_ARGUMENT;
    kiln_status status = KILN_DEAD;
    kiln_asset_lock(assets);
    asset_entry *entry = kiln_asset_entry_of(assets, ref);
    if (entry)
        status = kiln_asset_holders_remove(&entry->protections, by) ? KILN_OK : KILN_NOT_FOUND;
    if (entry)
        kiln_asset_marks_released(assets, entry->slot);
    kiln_asset_unlock(assets);
    return status;
}

/* The reason why the asset cannot be disposed of; KILN_OK if there is none. */
static kiln_status refuse(kiln_assets *assets, const asset_entry *entry, uint32_t own,
                          kiln_error *reterr)
{
    const asset_blob *blob = entry->blob;
    kiln_status status = KILN_OK;
    char takers[HOLDERS_TEXT_SIZE] = "";
    const char *by = takers, *which = "";
    if (entry->protections.total) {
        status = KILN_PROTECTED;
        kiln_asset_holders_text(&entry->protections, takers);
    } else if (blob->borrowed.total) {
        status = KILN_BORROWED;
        kiln_asset_holders_text(&blob->borrowed, takers);
    } else if (blob->memory == KILN_ASSET_MAPPED) {
        status = KILN_MAPPED;
        by = asset_current_mount(blob)->name;
    } else if (blob->memory == KILN_ASSET_FOREIGN) {
        status = KILN_FOREIGN;
        by = asset_by(blob->added_by);
    } else if (asset_strong_count(entry) > own &&
               kiln_asset_entry_has_strong(assets, entry, own, takers)) {
        status = KILN_HELD;
        which = own ? "; this handle is one of them" : "";
    }
    if (status == KILN_OK)
        return status;
    char path[4 * KILN_PATH_SIZE];
    snprintf(path, sizeof(path), "%s, by %s%s", entry->name[0] ? entry->name : "(no name)", by,
             which);
    return kiln_fail(reterr, status, 0, path);
}

kiln_status kiln_assets_dispose(kiln_assets *assets, kiln_ref ref, kiln_error *reterr)
{
    if (!assets)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_asset_lock(assets);
    asset_entry *entry = kiln_asset_entry_of(assets, ref);
    uint32_t own = kiln_ref_get_form(ref) == KILN_REF_STRONG;
    kiln_status status = entry ? KILN_OK : kiln_fail(reterr, KILN_DEAD, 0, NULL);
    /* Another thread may take or release a handle after the check. Then closing the count fails,
     * and the check is repeated. */
    bool is_over = false;
    if (entry && asset_is_dead(assets, entry))
        kiln_asset_marks_save(assets, entry, asset_entry_version(entry), 0);
    while (status == KILN_OK && !is_over) {
        status = refuse(assets, entry, own, reterr);
        is_over = status == KILN_OK &&
                  kiln_asset_entry_end_count(entry, asset_strong_count(entry) ? own : 0);
    }
    if (status == KILN_OK) {
        kiln_asset_entry_remove_ids(assets, entry);
        kiln_asset_entry_undefer(assets, entry);
        kiln_asset_entry_end(assets, entry);
        assets->generation++;
    }
    kiln_asset_unlock(assets);
    return status;
}
