/* Finding and loading.
 *
 * Finding takes no lock. Loading takes the lock twice, to resolve and to publish. Reading, checking
 * and decompressing in between run without it, so that other threads can load at the same time. If
 * the table changed meanwhile, the load starts again. */
#include "asset_entry.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_redirects.h"
#include "asset_slots.h"
#include "asset_stage.h"

#include "asset_blob.h"
#include "asset_words.h"

#include <kiln/index.h>
#include <string.h>

bool kiln_assets_has(const kiln_assets *assets, kiln_id id)
{
    /* The base is read before the ids. Before another file becomes the base, the ids of the former
     * base are added to the table. */
    const asset_mount *base = asset_base(assets);
    uint64_t value = id ? kiln_key_table_get(&assets->ids, id) : 0;
    if (value)
        return value != KILN_UNRESOLVED;
    return base && id && kiln_asset_number_in(base, id) != ASSET_NONE;
}

kiln_id kiln_assets_find(const kiln_assets *assets, const char *name)
{
    kiln_id id = name ? kiln_asset_id(name, strlen(name)) : 0;
    return kiln_assets_has(assets, id) ? id : 0;
}

/* The loaded entry of an id; NULL if it is not loaded. */
static asset_entry *loaded(kiln_assets *assets, kiln_id id)
{
    asset_found found;
    bool is_loaded = kiln_asset_find_loaded(assets, NULL, id, &found) && found.slot != ASSET_NONE;
    return is_loaded ? entry_at(assets, found.slot) : NULL;
}

/* Takes a strong handle of a loaded asset if it has the required type. */
static kiln_status take_loaded(kiln_assets *assets, const kiln_load_args *args, asset_entry *entry,
                               kiln_ref *ret_ref, kiln_error *reterr)
{
    if (args->type && !kiln_asset_blob_has_type(entry->blob, args->type))
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, entry->name);
    return asset_result(reterr,
                        kiln_asset_take_entry(assets, entry, KILN_REF_STRONG, args->by, ret_ref));
}

static kiln_status start(asset_stage *stage, kiln_id id, kiln_error *reterr)
{
    asset_found found;
    if (!kiln_asset_find_loaded(stage->assets, NULL, id, &found))
        return kiln_fail(reterr, KILN_NOT_FOUND, 0, NULL);
    kiln_status status = kiln_asset_stage_add(stage, id, &found, ASSET_NONE, reterr);
    return status == KILN_OK ? kiln_asset_stage_resolve(stage, reterr) : status;
}

static kiln_status finish(asset_stage *stage, const kiln_load_args *args, kiln_error *reterr)
{
    const asset_staged *first = &stage->list[0];
    if (args->type && !kiln_asset_blob_has_type(first->blob, args->type))
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0,
                         kiln_asset_index_name(first->mount, first->number));
    kiln_status status = kiln_asset_stage_reserve(stage, reterr);
    if (status == KILN_OK)
        kiln_asset_stage_publish(stage);
    return status;
}

/* Resolves and publishes under the lock, and makes the blobs without it. Sets `ret_again` if the
 * table changed meanwhile, so that the resolved list may be out of date. */
static kiln_status load_once(kiln_assets *assets, const kiln_load_args *args, kiln_id id,
                             bool keep_lock, bool *ret_again, kiln_error *reterr)
{
    asset_stage stage;
    kiln_asset_stage_init(&stage, assets);
    stage.allow_missing = args->allow_missing;
    stage.by = args->by;
    kiln_status status = start(&stage, id, reterr);
    bool unlocks = status == KILN_OK && !keep_lock;
    if (unlocks)
        pthread_mutex_unlock(&assets->lock);
    if (status == KILN_OK)
        status = kiln_asset_stage_make(&stage, reterr);
    if (unlocks)
        kiln_asset_relock(assets);
    *ret_again = stage.generation != assets->generation;
    if (status == KILN_OK && !*ret_again)
        status = finish(&stage, args, reterr);
    kiln_asset_stage_fini(&stage);
    return status;
}

kiln_status kiln_assets_load(kiln_assets *assets, const kiln_load_args *args, kiln_ref *ret_ref,
                             kiln_error *reterr)
{
    enum { TRIES = 3 };
    if (!assets || !args || !ret_ref || (args->id != 0) == (args->name != NULL))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_id id = args->id ? args->id : kiln_asset_id(args->name, strlen(args->name));
    kiln_status status = KILN_OK;
    kiln_asset_lock(assets);
    for (uint32_t i = 0;; i++) {
        kiln_id target = id;
        status = kiln_asset_redirects_resolve(assets, &target, reterr);
        asset_entry *entry = status == KILN_OK ? loaded(assets, target) : NULL;
        if (status != KILN_OK)
            break;
        if (entry) {
            status = take_loaded(assets, args, entry, ret_ref, reterr);
            break;
        }
        bool again = false;
        /* If mounts keep changing during the load, the last try holds the lock throughout. */
        status = load_once(assets, args, target, i >= TRIES, &again, reterr);
        if (status != KILN_OK && !again) {
            if (status == KILN_NOT_FOUND && args->name)
                kiln_fail(reterr, status, 0, args->name);
            break;
        }
    }
    kiln_asset_unlock(assets);
    return status;
}
