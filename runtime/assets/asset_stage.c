/* Loads a set of assets in three steps, which asset_stage.h describes.
 *
 * Resolving follows the edges of the index breadth first: `list` is both the result and the queue,
 * and `seen` has its ids. So the work is proportional to the number of loaded assets and their
 * edges, not to the size of the files. Publishing visits the list in the same order; an asset that
 * another thread published first keeps that thread's bytes. */
#include "asset_stage.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_make.h"
#include "asset_mount.h"
#include "asset_nulls.h"
#include "asset_redirects.h"
#include "asset_slots.h"

#include <stdio.h>
#include <string.h>

void kiln_asset_stage_init(asset_stage *stage, kiln_assets *assets)
{
    *stage = (asset_stage){.assets = assets};
    stage->redirects = assets->redirects;
    stage->generation = assets->generation;
    stage->serial = ++assets->last_stage;
    kiln_key_table_init(&stage->seen, &assets->allocator, assets->seed);
    kiln_key_table_init(&stage->deleted, &assets->allocator, assets->seed);
    kiln_key_table_init(&stage->members, &assets->allocator, assets->seed);
}

kiln_status kiln_asset_stage_plan_redirects(asset_stage *stage, asset_redirects **ret_redirects,
                                            kiln_error *reterr)
{
    const asset_mount *more = stage->view.more, *less = stage->view.less;
    kiln_assets *assets = stage->assets;
    *ret_redirects = assets->redirects;
    bool change = (more && more->redirects.list) || (less && less->redirects.list);
    kiln_status status =
        change ? kiln_asset_redirects_create(assets, &stage->view, ret_redirects) : KILN_OK;
    stage->redirects = *ret_redirects;
    return asset_result(reterr, status);
}

/* Whether a file or an added blob has the id after the change. An entry whose bytes come from the
 * removed file does not count. */
static bool will_be_real(const asset_stage *stage, kiln_id id, asset_found *found)
{
    const asset_mount *less = stage->view.less;
    bool is_found = kiln_asset_find(stage->assets, &stage->view, id, found);
    return is_found && (found->mount || !less ||
                        asset_current_mount(entry_at(stage->assets, found->slot)->blob) != less);
}

/* Stages the asset to which an earlier id will lead, if the id now leads to a loaded asset. */
static kiln_status add_target(asset_stage *stage, kiln_id id, kiln_error *reterr)
{
    kiln_assets *assets = stage->assets;
    uint32_t known = kiln_asset_ids_target(assets, id);
    asset_found found;
    char text[KILN_PATH_SIZE];
    if (known == ASSET_NONE || known_at(assets, known)->slot == ASSET_NONE)
        return KILN_OK;
    if (!will_be_real(stage, id, &found) &&
        (kiln_asset_redirects_follow(assets, stage->redirects, &stage->view, id, &id, text) !=
             REDIRECTED_FOUND ||
         !kiln_asset_find(assets, &stage->view, id, &found)))
        return KILN_OK;
    if (found.slot != ASSET_NONE || kiln_key_table_get(&stage->seen, id))
        return KILN_OK;
    return kiln_asset_stage_add(stage, id, &found, ASSET_NONE, reterr);
}

static kiln_status add_targets(asset_stage *stage, const asset_redirects *redirects,
                               kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; redirects && i < redirects->count && status == KILN_OK; i++)
        status = add_target(stage, redirects->all[i].id, reterr);
    return status;
}

kiln_status kiln_asset_stage_add_targets(asset_stage *stage, kiln_error *reterr)
{
    const asset_redirects *now = stage->assets->redirects;
    kiln_status status = add_targets(stage, now, reterr);
    if (status == KILN_OK && stage->redirects != now)
        status = add_targets(stage, stage->redirects, reterr);
    return status;
}

static void drop_blob(asset_stage *stage, asset_staged *staged)
{
    if (staged->blob)
        kiln_asset_blob_free(stage->assets, staged->blob);
    staged->blob = NULL;
}

void kiln_asset_stage_fini(asset_stage *stage)
{
    const kiln_allocator *allocator = &stage->assets->allocator;
    for (uint32_t i = 0; i < stage->count; i++) {
        drop_blob(stage, &stage->list[i]);
        stage->list[i].mount->pins--;
        kiln_asset_mount_settle(stage->assets, stage->list[i].mount);
    }
    if (stage->list)
        allocator->free(allocator->ctx, stage->list, stage->capacity * sizeof(*stage->list));
    kiln_key_table_fini(&stage->seen);
    kiln_key_table_fini(&stage->deleted);
    kiln_key_table_fini(&stage->members);
}

kiln_status kiln_asset_stage_add(asset_stage *stage, kiln_id id, const asset_found *found,
                                 uint32_t parent, kiln_error *reterr)
{
    asset_staged *list = kiln_grow(&stage->assets->allocator, stage->list, &stage->capacity,
                                   (size_t)stage->count + 1, sizeof(*stage->list));
    if (list)
        stage->list = list;
    kiln_status status = list ? kiln_key_table_reserve(&stage->seen, 1) : KILN_NO_MEMORY;
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    stage->list[stage->count++] = (asset_staged){.id = id,
                                                 .mount = found->mount,
                                                 .number = found->number,
                                                 .parent = parent,
                                                 .slot = found->slot,
                                                 .twin = ASSET_NONE};
    found->mount->pins++;
    kiln_key_table_set(&stage->seen, kiln_key_table_put(&stage->seen, id), stage->count);
    return KILN_OK;
}

/* `Level/a > Monster/b > Item/c`: the references from the requested asset to `last`. */
static kiln_status fail_missing(const asset_stage *stage, uint32_t from, const char *last,
                                kiln_status status, kiln_error *reterr)
{
    char path[4 * KILN_PATH_SIZE];
    size_t at = sizeof(path) - 1;
    path[at] = '\0';
    const char *name = last;
    for (uint32_t i = from;; i = stage->list[i].parent) {
        size_t length = strlen(name), arrow = path[at] ? 3 : 0;
        if (length + arrow > at)
            break; /* the beginning of a longer path is omitted */
        if (arrow)
            memcpy(path + at - 3, " > ", 3);
        at -= arrow + length;
        memcpy(path + at, name, length);
        if (i == ASSET_NONE)
            break;
        name = kiln_asset_index_name(stage->list[i].mount, stage->list[i].number);
    }
    return kiln_fail(reterr, status, 0, path + at);
}

/* Records a reference to a deleted asset. kiln_asset_stage_make checks that it may be null. */
static kiln_status add_deleted(asset_stage *stage, uint32_t from, kiln_id id, const char *name,
                               kiln_error *reterr)
{
    kiln_status status = kiln_key_table_reserve(&stage->deleted, 1);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_key_table_set(&stage->deleted, kiln_key_table_put(&stage->deleted, id), (uintptr_t)name);
    stage->list[from].deleted = name;
    return KILN_OK;
}

/* Fails if a reference to a deleted asset may not be null. */
static kiln_status check_deleted(const asset_stage *stage, uint32_t number, kiln_error *reterr)
{
    const asset_staged *staged = &stage->list[number];
    const asset_blob *blob =
        staged->twin != ASSET_NONE ? stage->list[staged->twin].blob : staged->blob;
    kiln_id id;
    if (!staged->deleted || kiln_asset_nulls_allow(stage->assets, blob, &stage->deleted, &id))
        return KILN_OK;
    uint64_t name = kiln_key_table_get(&stage->deleted, id);
    char text[KILN_PATH_SIZE];
    snprintf(text, sizeof text, "%s (deleted)",
             name ? (const char *)(uintptr_t)name : staged->deleted);
    return fail_missing(stage, number, text, KILN_MISSING, reterr);
}

/* Stages the target of an edge of `from`, unless it is already loaded or staged. */
static kiln_status follow(asset_stage *stage, uint32_t from, kiln_id id, const char *name,
                          kiln_error *reterr)
{
    if (kiln_key_table_get(&stage->seen, id))
        return KILN_OK;
    asset_found found;
    bool is_found = kiln_asset_find_loaded(stage->assets, &stage->view, id, &found);
    if (!is_found) {
        char text[KILN_PATH_SIZE];
        asset_redirected result = kiln_asset_redirects_follow(stage->assets, stage->redirects,
                                                              &stage->view, id, &id, text);
        if (result == REDIRECTED_DELETED && !stage->allow_missing)
            return add_deleted(stage, from, id, name, reterr);
        if (result != REDIRECTED_FOUND)
            return stage->allow_missing
                       ? KILN_OK
                       : fail_missing(stage, from, result == REDIRECTED_NOWHERE ? name : text,
                                      result == REDIRECTED_CYCLE ? KILN_REDIRECT_CYCLE
                                                                 : KILN_MISSING,
                                      reterr);
        is_found = kiln_asset_find_loaded(stage->assets, &stage->view, id, &found);
        if (kiln_key_table_get(&stage->seen, id))
            return KILN_OK;
    }
    if (!is_found || found.slot != ASSET_NONE)
        return KILN_OK;
    return kiln_asset_stage_add(stage, id, &found, from, reterr);
}

/* The edge lists in a valid file are disjoint, so all lists together are no longer than `edges`.
 * Overlapping lists in a forged index could make loading quadratic. */
static bool is_within_edges(const asset_stage *stage, asset_mount *mount, uint32_t count)
{
    if (mount->followed_by != stage->serial)
        mount->edges_followed = 0;
    mount->followed_by = stage->serial;
    mount->edges_followed += count;
    return mount->edges_followed <= mount->file->index->edges.count;
}

static kiln_status follow_edges(asset_stage *stage, uint32_t from, kiln_error *reterr)
{
    asset_mount *mount = stage->list[from].mount;
    const kiln_index *index = mount->file->index;
    const uint32_t assets = kiln_index_asset_count(index);
    uint32_t number = stage->list[from].number, count;
    kiln_error error;
    kiln_status status = kiln_index_check_edges(&mount->file->frame, number, &error);
    const uint32_t *edges = kiln_index_edges(index, number, &count);
    if (status == KILN_OK && !is_within_edges(stage, mount, count))
        status = kiln_fail(&error, KILN_I_EDGES, 0, "edge_starts");
    if (status != KILN_OK)
        return kiln_asset_fail_in(mount, number, &error, reterr);
    for (uint32_t i = 0; i < count && status == KILN_OK; i++) {
        bool is_here = edges[i] < assets;
        kiln_id id = is_here ? kiln_index_id(index, edges[i])
                             : kiln_index_import_at(index, edges[i] - assets)->id;
        const char *name = is_here ? kiln_asset_index_name(mount, edges[i])
                                   : kiln_index_import_name(&mount->file->frame, edges[i] - assets);
        status = follow(stage, from, id, name ? name : "?", reterr);
    }
    return status;
}

kiln_status kiln_asset_stage_resolve(asset_stage *stage, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < stage->count && status == KILN_OK; i++)
        if (!stage->list[i].is_unchanged)
            status = follow_edges(stage, i, reterr);
    return status;
}

/* Words to the old bytes will refer to the new ones, and programs read both through the same
 * struct. So type and layout must be equal. */
static kiln_status check_replaced(const asset_stage *stage, const asset_staged *staged,
                                  kiln_error *reterr)
{
    if (staged->slot == ASSET_NONE)
        return KILN_OK;
    const asset_blob *old = entry_at(stage->assets, staged->slot)->blob;
    const asset_blob *made =
        staged->twin != ASSET_NONE ? stage->list[staged->twin].blob : staged->blob;
    if (old->layout == made->layout && strcmp(old->type, made->type) == 0)
        return KILN_OK;
    const kiln_error error = {KILN_TYPE_MISMATCH, 0, 0,
                              "its layout differs from that of the loaded asset"};
    return kiln_asset_fail_in(staged->mount, staged->number, &error, reterr);
}

static uint64_t member_key(const asset_staged *staged)
{
    const kiln_index *index = staged->mount->file->index;
    return kiln_asset_blob_member_key(staged->mount,
                                      kiln_index_asset_at(index, staged->number)->member);
}

/* An earlier staged asset with the same member and the same layout; ASSET_NONE if there is none. */
static uint32_t find_twin(const asset_stage *stage, const asset_staged *staged)
{
    uint64_t found = kiln_key_table_get(&stage->members, member_key(staged));
    if (!found)
        return ASSET_NONE;
    const asset_staged *twin = &stage->list[found - 1];
    bool is_same = twin->mount == staged->mount &&
                   kiln_asset_index_type(twin->mount, twin->number)->layout ==
                       kiln_asset_index_type(staged->mount, staged->number)->layout;
    return is_same ? (uint32_t)(found - 1) : ASSET_NONE;
}

/* A member that many assets share is decompressed and converted once. Otherwise a small file could
 * consume any amount of memory. */
static kiln_status make_one(asset_stage *stage, uint32_t number, kiln_error *reterr)
{
    asset_staged *staged = &stage->list[number];
    staged->twin = find_twin(stage, staged);
    if (staged->twin != ASSET_NONE)
        return KILN_OK;
    kiln_status status =
        kiln_asset_make(stage->assets, staged->mount, staged->number, &staged->blob, reterr);
    if (status != KILN_OK || !staged->blob->owned || stage->count == 1)
        return status;
    status = kiln_key_table_reserve(&stage->members, 1);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    uint32_t cell = kiln_key_table_put(&stage->members, member_key(staged));
    kiln_key_table_set(&stage->members, cell, (uint64_t)number + 1);
    return KILN_OK;
}

kiln_status kiln_asset_stage_make(asset_stage *stage, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < stage->count && status == KILN_OK; i++) {
        asset_staged *staged = &stage->list[i];
        status = make_one(stage, i, reterr);
        if (status == KILN_OK)
            status = check_replaced(stage, staged, reterr);
        if (status == KILN_OK)
            status = check_deleted(stage, i, reterr);
    }
    return status;
}

kiln_status kiln_asset_stage_reserve(asset_stage *stage, kiln_error *reterr)
{
    kiln_assets *assets = stage->assets;
    kiln_status status = kiln_asset_ids_reserve(assets, stage->count, 0);
    if (status == KILN_OK)
        status = kiln_key_table_reserve(&assets->roots, stage->count);
    if (status == KILN_OK)
        status = kiln_key_table_reserve(&assets->contents, stage->count);
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < stage->count; i++)
        fresh += stage->list[i].slot == ASSET_NONE;
    if (status == KILN_OK)
        status = kiln_asset_slots_reserve(assets, fresh);
    return asset_result(reterr, status);
}

kiln_status kiln_asset_stage_prepare(asset_stage *stage, kiln_error *reterr)
{
    kiln_status status = kiln_asset_stage_resolve(stage, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_make(stage, reterr);
    return status == KILN_OK ? kiln_asset_stage_reserve(stage, reterr) : status;
}

static bool is_same(const asset_blob *a, const asset_blob *b)
{
    return a->mount == b->mount && a->layout == b->layout && strcmp(a->type, b->type) == 0;
}

/* An existing record of the same bytes, or NULL. Entries share members, and the record of a mapped
 * member stays while the member is borrowed or pointed to. */
static asset_blob *find_same(const kiln_assets *assets, const asset_blob *made)
{
    for (asset_blob *blob = kiln_asset_blob_with_key(assets, made->key); blob;
         blob = blob->next_of_key)
        if (is_same(blob, made))
            return blob;
    for (asset_blob *blob = kiln_asset_blob_with_root(assets, made->root); blob;
         blob = blob->next_of_root)
        if (blob->key == 0 && is_same(blob, made))
            return blob;
    return NULL;
}

/* Adds the staged blob to the table. If a record of the same bytes exists, frees the staged blob
 * and returns that record. */
static asset_blob *enter_blob(asset_stage *stage, asset_staged *staged)
{
    if (staged->twin != ASSET_NONE)
        return stage->list[staged->twin].published;
    asset_blob *made = staged->blob;
    asset_blob *same = find_same(stage->assets, made);
    staged->blob = NULL;
    if (!same) {
        kiln_asset_blob_enter(stage->assets, made);
        return made;
    }
    if (same->key == 0)
        kiln_asset_blob_revive(stage->assets, same, made->key);
    if (same->mount)
        same->mount->has_unproven |= !same->is_proven;
    kiln_asset_blob_free(stage->assets, made);
    return same;
}

static void publish_one(asset_stage *stage, asset_staged *staged)
{
    kiln_assets *assets = stage->assets;
    uint32_t cell, known = kiln_asset_ids_enter(assets, staged->id, &cell);
    uint32_t slot = known_at(assets, known)->slot;
    if (slot != ASSET_NONE && slot != staged->slot) {
        drop_blob(stage, staged); /* another thread loaded the same asset first */
        staged->published = entry_at(assets, slot)->blob;
        return;
    }
    asset_blob *blob = staged->published = enter_blob(stage, staged);
    asset_entry *entry =
        slot == ASSET_NONE ? kiln_asset_slots_take(assets) : entry_at(assets, slot);
    if (slot == ASSET_NONE)
        entry->loaded_by = stage->by;
    entry->id = staged->id;
    entry->name = kiln_asset_index_name(staged->mount, staged->number);
    if (blob->name[0] == '\0')
        blob->name = entry->name;
    known_at(assets, known)->slot = entry->slot;
    asset_blob *old = kiln_asset_blob_attach(assets, blob, staged->number, entry);
    kiln_asset_ids_publish(assets, cell);
    if (old)
        kiln_asset_blob_settle(assets, old);
    assets->stats.loads++;
    assets->stats.replaced += slot != ASSET_NONE;
    assets->stats.unpacked += blob->memory == KILN_ASSET_UNPACKED;
    assets->stats.conversions += blob->memory == KILN_ASSET_CONVERTED;
}

void kiln_asset_stage_publish(asset_stage *stage)
{
    for (uint32_t i = 0; i < stage->count; i++)
        publish_one(stage, &stage->list[i]);
}
