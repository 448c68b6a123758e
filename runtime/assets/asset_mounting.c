/* Mounting and unmounting.
 *
 * Both have two passes over the assets that the file shares with others. The first one checks and
 * stages the changes, and may fail. The second one changes providers and entries, and cannot fail,
 * because everything was reserved. Readers see each asset either as before the change or as after
 * it.
 *
 * should_be_base chooses the cheaper method: looking up the table's ids in the new file, or adding
 * all assets of the new file to the table. */
#include "asset_blob.h"
#include "asset_clash.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_lock.h"
#include "asset_marks.h"
#include "asset_mount.h"
#include "asset_older.h"
#include "asset_redirects.h"
#include "asset_slots.h"
#include "asset_stage.h"
#include "def_cookie.h"

#include <stdio.h>

kiln_mount_def kiln_mount_def_default(void)
{
    kiln_mount_def def = {.file = kiln_file_def_default(), .cookie = DEF_COOKIE};
    return def;
}

/* ---- mounting ---- */

typedef struct mounting {
    kiln_assets *assets;
    asset_mount *mount;
    asset_stage stage;
    uint32_t shared;            /* assets that the table or the base also has */
    asset_redirects *redirects; /* of the table after the mount */
} mounting;

/* Before the mount: checks that the asset has the same name and type in other files, and stages it
 * if it replaces a loaded one. */
static kiln_status stage_shared(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    mounting *m = ctx;
    asset_found found;
    if (!kiln_asset_find_loaded(m->assets, NULL, id, &found))
        return KILN_OK;
    m->shared++;
    kiln_status status = kiln_asset_check_clash(m->assets, m->mount, number, &found, reterr);
    bool is_added = found.slot != ASSET_NONE && !entry_at(m->assets, found.slot)->blob->mount;
    bool is_above = !found.mount || asset_mount_is_above(m->mount, found.mount);
    if (status != KILN_OK || found.slot == ASSET_NONE || is_added || !is_above)
        return status;
    found.mount = m->mount;
    found.number = number;
    return kiln_asset_stage_add(&m->stage, id, &found, ASSET_NONE, reterr);
}

/* After the mount: makes the file a provider of the id. */
static kiln_status add_as_provider(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    mounting *m = ctx;
    uint32_t cell, known = kiln_asset_ids_enter(m->assets, id, &cell);
    (void)reterr;
    kiln_asset_layers_add(m->assets, known, m->mount, number);
    kiln_asset_ids_publish(m->assets, cell);
    return KILN_OK;
}

/* Whether the new file should be the base. If so, mounting looks up all ids of the table and of the
 * former base in the new file. It also adds the ids of the former base to the table. If not,
 * mounting adds all ids of the new file to the table. */
static bool should_be_base(const kiln_assets *assets, const asset_mount *mount)
{
    const asset_mount *base = asset_base(assets);
    uint64_t cost = assets->ids.live + (base ? 2 * (uint64_t)asset_index_count(base) : 0);
    return cost < asset_index_count(mount);
}

/* Adds an id of the former base to the table, with that file as its provider. */
static kiln_status enter_id(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    const mounting *m = ctx;
    uint32_t cell;
    (void)number, (void)reterr;
    kiln_asset_ids_enter(m->assets, id, &cell);
    kiln_asset_ids_publish(m->assets, cell);
    return KILN_OK;
}

/* Turns the base into an ordinary file: adds its assets to the table. Room must have been reserved.
 */
static void demote_base(mounting *m)
{
    const asset_mount *base = asset_base(m->assets);
    if (!base)
        return;
    kiln_asset_visit_own(m->assets, base, enter_id, m, NULL);
    atomic_store_explicit(&m->assets->base, NULL, memory_order_release);
}

/* Checks every asset that the new file shares with others, and stages those that it replaces. */
static kiln_status stage_all_shared(mounting *m, bool as_base, kiln_error *reterr)
{
    asset_mount *base = asset_base(m->assets);
    if (!as_base)
        return m->assets->mounted == 0 && m->assets->ids.live == 0
                   ? KILN_OK
                   : kiln_asset_visit_own(m->assets, m->mount, stage_shared, m, reterr);
    kiln_status status = kiln_asset_visit_shared(m->assets, m->mount, stage_shared, m, reterr);
    for (uint32_t i = 0; base && i < asset_index_count(base) && status == KILN_OK; i++) {
        kiln_id id = kiln_index_id(base->file->index, i);
        uint32_t number = kiln_asset_number_in(m->mount, id);
        /* Ids in the table have been visited above. */
        if (number != ASSET_NONE && kiln_key_table_get(&m->assets->ids, id) == 0)
            status = stage_shared(m, id, number, reterr);
    }
    return status;
}

/* Reserves room for all ids and providers that the mount may add, including those of the stage and
 * of the redirects. */
static kiln_status reserve(mounting *m, bool as_base)
{
    const asset_mount *base = asset_base(m->assets);
    uint64_t ids = (uint64_t)m->stage.count + (m->redirects ? m->redirects->count : 0);
    if (!as_base)
        ids += asset_index_count(m->mount);
    else if (base)
        ids += asset_index_count(base);
    uint64_t providers = as_base ? m->shared : asset_index_count(m->mount);
    return kiln_asset_ids_reserve(m->assets, ids, providers);
}

static kiln_status mount_registered(mounting *m, kiln_error *reterr)
{
    kiln_assets *assets = m->assets;
    bool as_base = should_be_base(assets, m->mount);
    kiln_status status = kiln_asset_stage_plan_redirects(&m->stage, &m->redirects, reterr);
    if (status == KILN_OK)
        status = stage_all_shared(m, as_base, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_add_targets(&m->stage, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_prepare(&m->stage, reterr);
    if (status == KILN_OK)
        status = asset_result(reterr, reserve(m, as_base));
    if (status != KILN_OK) {
        kiln_asset_redirects_drop(assets, m->redirects);
        return status;
    }
    if (as_base) {
        demote_base(m);
        kiln_asset_visit_shared(assets, m->mount, add_as_provider, m, NULL);
        atomic_store_explicit(&assets->base, m->mount, memory_order_release);
    } else {
        kiln_asset_visit_own(assets, m->mount, add_as_provider, m, NULL);
    }
    kiln_asset_stage_publish(&m->stage);
    kiln_asset_redirects_commit(assets, m->redirects);
    assets->mounted++;
    assets->generation++;
    return KILN_OK;
}

kiln_status kiln_assets_mount(kiln_assets *assets, const kiln_mount_def *def, kiln_mount *ret_mount,
                              kiln_error *reterr)
{
    if (!assets || !def || !def_is_set(def->cookie) || !ret_mount || def->file.types ||
        def->file.allocator)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    mounting m = {.assets = assets};
    kiln_status status = kiln_asset_mount_open(assets, def, &m.mount, reterr);
    if (status != KILN_OK)
        return status;
    kiln_asset_lock(assets);
    status = kiln_asset_marks_add_mount(assets, m.mount);
    if (status == KILN_OK)
        status = kiln_asset_mount_register(assets, m.mount);
    if (status != KILN_OK) {
        kiln_fail(reterr, status, 0, NULL);
        kiln_asset_mount_free(assets, m.mount);
    } else {
        kiln_asset_stage_init(&m.stage, assets);
        m.stage.view.more = m.mount;
        status = mount_registered(&m, reterr);
        m.mount->is_unmounted = status != KILN_OK;
        if (status == KILN_OK)
            *ret_mount = (kiln_mount){m.mount->number + 1, (uint32_t)m.mount->serial};
        kiln_asset_stage_fini(&m.stage);
        kiln_asset_mount_settle(assets, m.mount);
    }
    kiln_asset_unlock(assets);
    return status;
}

/* ---- unmounting ---- */

typedef struct unmounting {
    kiln_assets *assets;
    asset_mount *mount;
    asset_stage stage;
    kiln_unmount how;
    asset_redirects *redirects; /* of the table after the unmount */
} unmounting;

static kiln_status fail_held(const char *what, const char *by, kiln_error *reterr)
{
    char path[4 * KILN_PATH_SIZE];
    snprintf(path, sizeof(path), "%s, held by %s", what, by);
    return kiln_fail(reterr, KILN_HELD, 0, path);
}

/* The entry of the id, if its bytes come from the mount; else NULL. */
static asset_entry *entry_from(kiln_assets *assets, asset_mount *mount, kiln_id id,
                               asset_found *found)
{
    const asset_view view = {NULL, mount};
    kiln_asset_find_loaded(assets, &view, id, found);
    asset_entry *entry = found->slot != ASSET_NONE ? entry_at(assets, found->slot) : NULL;
    return entry && asset_current_mount(entry->blob) == mount ? entry : NULL;
}

/* Before the unmount: stages the asset of the next file below. If there is none and the asset is
 * held, fails if the mode is KILN_UNMOUNT_REFUSE. */
static kiln_status stage_from_below(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    unmounting *u = ctx;
    asset_found found;
    (void)number;
    const asset_entry *entry = entry_from(u->assets, u->mount, id, &found);
    if (!entry)
        return KILN_OK;
    if (found.mount)
        return kiln_asset_stage_add(&u->stage, id, &found, ASSET_NONE, reterr);
    char by[HOLDERS_TEXT_SIZE];
    return u->how == KILN_UNMOUNT_REFUSE && kiln_asset_entry_is_held(u->assets, entry, by)
               ? fail_held(entry->name, by, reterr)
               : KILN_OK;
}

/* After the unmount: removes the file from the providers of the id, and removes a loaded asset that
 * no other file has. */
static kiln_status remove_from_id(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    unmounting *u = ctx;
    kiln_assets *assets = u->assets;
    uint32_t cell, known = kiln_asset_ids_find(assets, id, &cell);
    (void)number, (void)reterr;
    if (known == ASSET_NONE)
        return KILN_OK;
    asset_known *item = known_at(assets, known);
    asset_entry *entry = item->slot != ASSET_NONE ? entry_at(assets, item->slot) : NULL;
    bool ends = entry && asset_current_mount(entry->blob) == u->mount;
    if (ends)
        item->slot = ASSET_NONE;
    kiln_asset_layers_remove(assets, known, u->mount);
    kiln_asset_ids_publish(assets, cell);
    if (!ends)
        return KILN_OK;
    kiln_asset_entry_lose(assets, entry);
    return KILN_OK;
}

static kiln_status visit_assets(unmounting *u, asset_visit_function *visit, kiln_error *reterr)
{
    return asset_base(u->assets) == u->mount
               ? kiln_asset_visit_shared(u->assets, u->mount, visit, u, reterr)
               : kiln_asset_visit_own(u->assets, u->mount, visit, u, reterr);
}

/* Fails if bytes of the mount are borrowed, or those of an unchanged asset in an older version.
 * Other borrowed bytes of an older version stay in place after the unmount. */
static kiln_status check_borrowed(const kiln_assets *assets, const asset_mount *mount,
                                  kiln_error *reterr)
{
    uint32_t cell = 0;
    char by[HOLDERS_TEXT_SIZE];
    if (kiln_asset_older_borrows(assets, mount) == 0)
        return KILN_OK;
    for (const asset_blob *blob = NULL; (blob = kiln_asset_blob_next(assets, blob, &cell));)
        if (blob->borrowed.total && asset_current_mount(blob) == mount &&
            (blob->mount == mount || blob->entries)) {
            kiln_asset_holders_text(&blob->borrowed, by);
            return fail_held(blob->name, by, reterr);
        }
    return KILN_OK;
}

/* Frees the records that only pointer words keep: their bytes are about to be unmapped. */
static void drop_pointer_records(kiln_assets *assets, const asset_mount *mount)
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
    kiln_status status = KILN_OK;
    if (u->how == KILN_UNMOUNT_REFUSE)
        status = check_borrowed(assets, u->mount, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_plan_redirects(&u->stage, &u->redirects, reterr);
    if (status == KILN_OK)
        status = visit_assets(u, stage_from_below, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_add_targets(&u->stage, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_prepare(&u->stage, reterr);
    if (status == KILN_OK && u->redirects)
        status = asset_result(
            reterr,
            kiln_asset_ids_reserve(assets, (uint64_t)u->stage.count + u->redirects->count, 0));
    if (status != KILN_OK) {
        kiln_asset_redirects_drop(assets, u->redirects);
        return status;
    }
    kiln_asset_stage_publish(&u->stage);
    visit_assets(u, remove_from_id, NULL);
    /* Loaded assets of the base are in `ids`; from now on lookups no longer find the others. */
    if (asset_base(assets) == u->mount)
        atomic_store_explicit(&assets->base, NULL, memory_order_release);
    u->mount->is_unmounted = true;
    kiln_asset_redirects_commit(assets, u->redirects);
    kiln_asset_marks_remove_mount(assets, u->mount);
    drop_pointer_records(assets, u->mount);
    kiln_asset_older_end(assets, u->mount, NULL);
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
