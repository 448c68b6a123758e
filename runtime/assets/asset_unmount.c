/* Taking a file away. */
#include "asset_mount.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_slots.h"
#include "asset_stage.h"
#include "asset_takers.h"

#include <stdio.h>

typedef struct unmounting {
    kiln_assets *assets;
    asset_mount *mount;
    asset_stage stage;
    kiln_unmount how;
} unmounting;

/* The mount of a handle; NULL for one that was unmounted or never was. */
static asset_mount *mount_of(const kiln_assets *assets, kiln_mount mount)
{
    if (mount.number == 0 || mount.number > assets->mount_count)
        return NULL;
    asset_mount *found = assets->mounts[mount.number - 1];
    bool is_it = found && (uint32_t)found->serial == mount.version && !found->is_unmounted;
    return is_it ? found : NULL;
}

static kiln_status fail_held(const char *what, const char *by, kiln_error *reterr)
{
    char path[4 * KILN_PATH_SIZE];
    snprintf(path, sizeof(path), "%s, held by %s", what, by);
    return kiln_fail(reterr, KILN_HELD, 0, path);
}

/* The entry whose bytes the mount gives under that id; NULL where there is none. */
static asset_entry *entry_from(const kiln_assets *assets, asset_mount *mount, kiln_id id,
                               asset_found *found)
{
    const asset_view view = {NULL, mount};
    kiln_asset_find(assets, &view, id, found);
    asset_entry *entry = found->slot != ASSET_NONE ? entry_at(assets, found->slot) : NULL;
    return entry && entry->blob->mount == mount ? entry : NULL;
}

/* Before: is it held, or does an older file have it? */
static kiln_status look(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    unmounting *u = ctx;
    asset_found found;
    (void)number;
    const asset_entry *entry = entry_from(u->assets, u->mount, id, &found);
    if (!entry)
        return KILN_OK;
    if (found.mount)
        return kiln_asset_stage_add(&u->stage, id, &found, ASSET_NONE, reterr);
    char by[TAKERS_TEXT_SIZE];
    return u->how == KILN_UNMOUNT_REFUSE && kiln_asset_entry_is_held(u->assets, entry, by)
               ? fail_held(entry->name, by, reterr)
               : KILN_OK;
}

/* After: the file has it no longer, and loaded ones that nobody else has end. */
static kiln_status leave(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    unmounting *u = ctx;
    kiln_assets *assets = u->assets;
    uint32_t cell, known = kiln_asset_ids_find(assets, id, &cell);
    (void)number, (void)reterr;
    if (known == ASSET_NONE)
        return KILN_OK;
    asset_known *is = known_at(assets, known);
    asset_entry *entry = is->slot != ASSET_NONE ? entry_at(assets, is->slot) : NULL;
    bool ends = entry && entry->blob->mount == u->mount;
    if (ends)
        is->slot = ASSET_NONE;
    kiln_asset_layers_remove(assets, known, u->mount);
    kiln_asset_ids_publish(assets, cell);
    if (!ends)
        return KILN_OK;
    if (entry->protections.total || !kiln_asset_entry_end_count(entry, 0))
        kiln_asset_entry_defer(assets, entry);
    else
        kiln_asset_entry_end(assets, entry);
    return KILN_OK;
}

static kiln_status each_asset(unmounting *u, asset_visit_function *visit, kiln_error *reterr)
{
    return asset_base(u->assets) == u->mount
               ? kiln_asset_each_shared(u->assets, u->mount, visit, u, reterr)
               : kiln_asset_each_own(u->assets, u->mount, visit, u, reterr);
}

static kiln_status fail_borrowed(const kiln_assets *assets, const asset_mount *mount,
                                 kiln_error *reterr)
{
    uint32_t cell = 0;
    char by[TAKERS_TEXT_SIZE];
    for (const asset_blob *blob = NULL; (blob = kiln_asset_blob_next(assets, blob, &cell));)
        if (blob->mount == mount && blob->borrowed.total) {
            kiln_asset_holders_text(&blob->borrowed, by);
            return fail_held(blob->name, by, reterr);
        }
    return fail_held(mount->name, "?", reterr);
}

/* Records that are kept for words of the pointer form alone: the bytes go. */
static void leave_pointers(kiln_assets *assets, const asset_mount *mount)
{
    if (!mount->blobs)
        return;
    uint32_t cell = 0;
    for (asset_blob *next, *blob = kiln_asset_blob_next(assets, NULL, &cell); blob; blob = next) {
        next = kiln_asset_blob_next(assets, blob, &cell);
        if (blob->mount == mount)
            kiln_asset_blob_settle(assets, blob);
    }
}

static kiln_status unmount(unmounting *u, kiln_error *reterr)
{
    kiln_assets *assets = u->assets;
    if (u->how == KILN_UNMOUNT_REFUSE && u->mount->borrowed)
        return fail_borrowed(assets, u->mount, reterr);
    kiln_status status = each_asset(u, look, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_prepare(&u->stage, reterr);
    if (status != KILN_OK)
        return status;
    kiln_asset_stage_publish(&u->stage);
    each_asset(u, leave, NULL);
    /* The base's assets are in `ids` as far as they are loaded; the others go with this. */
    if (asset_base(assets) == u->mount)
        atomic_store_explicit(&assets->base, NULL, memory_order_release);
    u->mount->is_unmounted = true;
    leave_pointers(assets, u->mount);
    assets->mounted--;
    assets->generation++;
    return KILN_OK;
}

kiln_status kiln_assets_unmount(kiln_assets *assets, kiln_mount mount, kiln_unmount how,
                                kiln_error *reterr)
{
    if (!assets || (unsigned)how > KILN_UNMOUNT_DEFER)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_asset_lock(assets);
    unmounting u = {.assets = assets, .mount = mount_of(assets, mount), .how = how};
    kiln_status status = KILN_DEAD;
    if (u.mount) {
        kiln_asset_stage_init(&u.stage, assets);
        u.stage.view.less = u.mount;
        u.stage.allow_missing = true;
        status = unmount(&u, reterr);
        kiln_asset_stage_fini(&u.stage);
        kiln_asset_mount_settle(assets, u.mount);
    } else {
        kiln_fail(reterr, status, 0, NULL);
    }
    kiln_asset_unlock(assets);
    return status;
}
