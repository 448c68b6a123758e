/* Taking a file away. */
#include "asset_mount.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_slots.h"
#include "asset_stage.h"

#include <stdio.h>

typedef struct unmounting {
    kiln_assets *assets;
    asset_mount *mount;
    asset_stage stage;
    kiln_unmount how;
} unmounting;

asset_mount *kiln_asset_mount_of(const kiln_assets *assets, kiln_mount mount)
{
    if (mount.number == 0 || mount.number > assets->mount_count)
        return NULL;
    asset_mount *found = assets->mounts[mount.number - 1];
    bool is_it = found && (uint32_t)found->serial == mount.version && !found->is_unmounted;
    return is_it ? found : NULL;
}

void kiln_asset_lock(kiln_assets *assets)
{
    pthread_mutex_lock(&assets->lock);
    kiln_asset_entry_sweep(assets);
}

void kiln_asset_unlock(kiln_assets *assets)
{
    kiln_quiescence_settle(&assets->quiescence, assets);
    pthread_mutex_unlock(&assets->lock);
}

static kiln_status fail_held(const char *what, const char *by, kiln_error *reterr)
{
    char path[2 * KILN_PATH_SIZE];
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
    if (found.mount) {
        kiln_status status = kiln_asset_stage_add(&u->stage, id, &found, ASSET_NONE);
        return status == KILN_OK ? KILN_OK : kiln_fail(reterr, status, 0, NULL);
    }
    const char *by = kiln_asset_entry_holder(entry, 0);
    return by && u->how == KILN_UNMOUNT_REFUSE ? fail_held(entry->name, by, reterr) : KILN_OK;
}

/* After: the file has it no longer, and loaded ones that nobody else has end. */
static kiln_status leave(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    unmounting *u = ctx;
    kiln_assets *assets = u->assets;
    uint32_t cell = kiln_key_table_find(&assets->ids, id);
    (void)number, (void)reterr;
    if (cell == KILN_KEY_NONE || kiln_key_table_value(&assets->ids, cell) == 0)
        return KILN_OK;
    uint32_t known = asset_ids_known(assets, cell);
    asset_known *is = known_at(assets, known);
    asset_entry *entry = is->slot != ASSET_NONE ? entry_at(assets, is->slot) : NULL;
    bool ends = entry && entry->blob->mount == u->mount;
    if (ends)
        is->slot = ASSET_NONE;
    kiln_asset_layers_remove(assets, known, u->mount);
    kiln_asset_ids_publish(assets, cell);
    if (!ends)
        return KILN_OK;
    if (entry->protections.total || !kiln_asset_entry_end_count(assets, entry, 0))
        kiln_asset_entry_defer(assets, entry);
    else
        kiln_asset_entry_end(assets, entry);
    return KILN_OK;
}

static kiln_status each_asset(unmounting *u, asset_visit_function *visit, kiln_error *reterr)
{
    bool is_base = atomic_load_explicit(&u->assets->base, memory_order_relaxed) == u->mount;
    return is_base ? kiln_asset_each_shared(u->assets, u->mount, visit, u, reterr)
                   : kiln_asset_each_own(u->assets, u->mount, visit, u, reterr);
}

static kiln_status fail_borrowed(const kiln_assets *assets, const asset_mount *mount,
                                 kiln_error *reterr)
{
    uint32_t limit = kiln_key_table_limit(&assets->roots);
    for (uint32_t cell = 0; cell < limit; cell++) {
        const asset_blob *blob =
            (asset_blob *)(uintptr_t)kiln_key_table_value(&assets->roots, cell);
        for (; blob; blob = blob->next_of_root)
            if (blob->mount == mount && blob->borrowed.total)
                return fail_held(blob->name, kiln_asset_holders_any(&blob->borrowed), reterr);
    }
    return fail_held(mount->name, "?", reterr);
}

/* Records that are kept for words of the pointer form alone: the bytes go. */
static void leave_pointers(kiln_assets *assets, const asset_mount *mount)
{
    uint32_t limit = mount->blobs ? kiln_key_table_limit(&assets->roots) : 0;
    for (uint32_t cell = 0; cell < limit; cell++) {
        asset_blob *next,
            *blob = (asset_blob *)(uintptr_t)kiln_key_table_value(&assets->roots, cell);
        for (; blob; blob = next) {
            next = blob->next_of_root;
            if (blob->mount == mount)
                kiln_asset_blob_settle(assets, blob);
        }
    }
}

static kiln_status unmount(unmounting *u, kiln_error *reterr)
{
    kiln_assets *assets = u->assets;
    if (u->how == KILN_UNMOUNT_REFUSE && u->mount->borrowed)
        return fail_borrowed(assets, u->mount, reterr);
    kiln_status status = each_asset(u, look, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_resolve(&u->stage, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_make(&u->stage, reterr);
    if (status != KILN_OK)
        return status;
    status = kiln_asset_stage_reserve(&u->stage);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_asset_stage_publish(&u->stage);
    /* The base's assets are in `ids` as far as they are loaded; the others go with this. */
    bool is_base = atomic_load_explicit(&assets->base, memory_order_relaxed) == u->mount;
    if (is_base) {
        kiln_asset_each_shared(assets, u->mount, leave, u, NULL);
        atomic_store_explicit(&assets->base, NULL, memory_order_release);
    } else {
        kiln_asset_each_own(u->assets, u->mount, leave, u, NULL);
    }
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
    unmounting u = {.assets = assets, .mount = kiln_asset_mount_of(assets, mount), .how = how};
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
