/* Merges the redirects of mounted files, and follows them.
 *
 * A chain may continue from file to file, and may therefore form a cycle although no single file
 * contains one. A cycle that contains the id of an existing asset is not an error, and mounting
 * another file can break a cycle. So cycles are reported when an id is followed, not when a file is
 * mounted. */
#include "asset_redirects.h"

#include "asset_entry.h"
#include "asset_marks.h"

#include <stdio.h>
#include <string.h>

/* ---- merging ---- */

static bool is_in_view(const asset_mount *mount, const asset_view *view)
{
    return mount && !mount->is_unmounted && mount->redirects.list && mount != view->less;
}

static uint64_t count_all(const kiln_assets *assets, const asset_view *view)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < assets->mount_count; i++)
        if (is_in_view(assets->mounts[i], view))
            count += assets->mounts[i]->redirects.list->entries.count;
    return count;
}

static kiln_id target_of(const kiln_redirect *entry)
{
    return entry->target.length > 0
               ? kiln_asset_id(kiln_string_get(&entry->target), entry->target.length)
               : 0;
}

/* Adds the list of a file. An entry of a higher file replaces one of a lower file. */
static void merge(asset_redirects *redirects, const asset_mount *mount)
{
    const kiln_redirects *list = mount->redirects.list;
    for (uint32_t i = 0; i < list->entries.count; i++) {
        const kiln_redirect *entry = kiln_redirects_at(list, i);
        uint32_t cell = kiln_key_table_put(&redirects->by_id, entry->id);
        uint64_t number = kiln_key_table_value(&redirects->by_id, cell);
        if (number && asset_mount_is_above(redirects->all[number - 1].mount, mount))
            continue;
        if (!number) {
            number = ++redirects->count;
            kiln_key_table_set(&redirects->by_id, cell, number);
        }
        redirects->all[number - 1] =
            (asset_redirect){entry->id, target_of(entry), entry, mount, ASSET_NONE};
    }
}

/* Chains the redirects of each target. */
static void chain(asset_redirects *redirects)
{
    for (uint32_t i = 0; i < redirects->count; i++) {
        asset_redirect *redirect = &redirects->all[i];
        if (!redirect->target)
            continue;
        uint32_t cell = kiln_key_table_put(&redirects->by_target, redirect->target);
        redirect->next = (uint32_t)kiln_key_table_value(&redirects->by_target, cell) - 1;
        kiln_key_table_set(&redirects->by_target, cell, (uint64_t)i + 1);
    }
}

static kiln_status make(const kiln_assets *assets, const asset_view *view, uint32_t room,
                        asset_redirects *redirects)
{
    const kiln_allocator *allocator = &assets->allocator;
    kiln_key_table_init(&redirects->by_id, allocator, assets->seed);
    kiln_key_table_init(&redirects->by_target, allocator, assets->seed);
    redirects->all =
        allocator->alloc(allocator->ctx, room * sizeof *redirects->all, _Alignof(asset_redirect));
    redirects->room = room;
    if (!redirects->all || kiln_key_table_reserve(&redirects->by_id, room) != KILN_OK ||
        kiln_key_table_reserve(&redirects->by_target, room) != KILN_OK)
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < assets->mount_count; i++)
        if (is_in_view(assets->mounts[i], view))
            merge(redirects, assets->mounts[i]);
    chain(redirects);
    return KILN_OK;
}

void kiln_asset_redirects_destroy(const kiln_assets *assets, asset_redirects *redirects)
{
    const kiln_allocator *allocator = &assets->allocator;
    if (!redirects)
        return;
    if (redirects->all)
        allocator->free(allocator->ctx, redirects->all, redirects->room * sizeof *redirects->all);
    kiln_key_table_fini(&redirects->by_id);
    kiln_key_table_fini(&redirects->by_target);
    allocator->free(allocator->ctx, redirects, sizeof *redirects);
}

void kiln_asset_redirects_drop(const kiln_assets *assets, asset_redirects *redirects)
{
    if (redirects != assets->redirects)
        kiln_asset_redirects_destroy(assets, redirects);
}

kiln_status kiln_asset_redirects_create(const kiln_assets *assets, const asset_view *view,
                                        asset_redirects **ret_redirects)
{
    uint64_t count = count_all(assets, view);
    *ret_redirects = NULL;
    if (count == 0)
        return KILN_OK;
    const bool fits = count < ASSET_NONE && count <= SIZE_MAX / sizeof(asset_redirect);
    asset_redirects *made = fits ? assets->allocator.alloc(assets->allocator.ctx, sizeof *made,
                                                           _Alignof(asset_redirects))
                                 : NULL;
    if (!made)
        return KILN_NO_MEMORY;
    memset(made, 0, sizeof *made);
    kiln_status status = make(assets, view, (uint32_t)count, made);
    if (status == KILN_OK)
        *ret_redirects = made;
    else
        kiln_asset_redirects_destroy(assets, made);
    return status;
}

/* ---- publishing ---- */

/* The current cycle may have followed references to the earlier id while the id led to no asset,
 * and does not follow them again. So the asset to which the id now leads is marked as held. */
static void keep_target(kiln_assets *assets, kiln_id id)
{
    uint32_t known = kiln_asset_ids_target(assets, id);
    uint32_t slot = known != ASSET_NONE ? known_at(assets, known)->slot : ASSET_NONE;
    if (assets->marks && slot != ASSET_NONE && !asset_is_doomed(assets, entry_at(assets, slot)))
        kiln_asset_marks_touch(assets, entry_at(assets, slot));
}

static void publish(kiln_assets *assets, kiln_id id)
{
    const asset_mount *base = asset_base(assets);
    uint32_t cell = kiln_key_table_find(&assets->ids, id);
    if (cell != KILN_KEY_NONE && kiln_key_table_note(&assets->ids, cell))
        return;
    if (base && kiln_asset_number_in(base, id) != ASSET_NONE) {
        if (cell != KILN_KEY_NONE)
            kiln_key_table_set(&assets->ids, cell, 0);
        return;
    }
    uint64_t value = kiln_asset_ids_through(assets, id);
    cell = kiln_key_table_put(&assets->ids, id);
    if (kiln_key_table_value(&assets->ids, cell) != value)
        keep_target(assets, id);
    kiln_key_table_set(&assets->ids, cell, value);
}

/* Removes an earlier id that no longer has a redirect. */
static void withdraw(kiln_assets *assets, kiln_id id)
{
    uint32_t cell = kiln_key_table_find(&assets->ids, id);
    if (cell != KILN_KEY_NONE && kiln_key_table_note(&assets->ids, cell) == 0)
        kiln_key_table_set(&assets->ids, cell, 0);
}

void kiln_asset_redirects_commit(kiln_assets *assets, asset_redirects *redirects)
{
    asset_redirects *old = assets->redirects;
    assets->redirects = redirects;
    for (uint32_t i = 0; old && old != redirects && i < old->count; i++)
        if (!asset_redirect_of(redirects, old->all[i].id))
            withdraw(assets, old->all[i].id);
    for (uint32_t i = 0; redirects && i < redirects->count; i++)
        publish(assets, redirects->all[i].id);
    if (old != redirects)
        kiln_asset_redirects_destroy(assets, old);
}

/* ---- following ---- */

/* `Item/a -> Item/b -> Item/a`, as far as it fits. */
static void describe_cycle(const asset_redirects *redirects, kiln_id id, char *text)
{
    size_t at = 0;
    const asset_redirect *first = asset_redirect_of(redirects, id), *redirect = first;
    for (uint32_t i = 0; i < KILN_REDIRECT_STEPS_MAX && redirect && at < KILN_PATH_SIZE; i++) {
        at += (size_t)snprintf(text + at, KILN_PATH_SIZE - at, "%s%s", i ? " -> " : "",
                               kiln_string_get(&redirect->entry->name));
        redirect = asset_redirect_of(redirects, redirect->target);
        if (redirect == first)
            break;
    }
    if (redirect == first && at < KILN_PATH_SIZE)
        (void)snprintf(text + at, KILN_PATH_SIZE - at, " -> %s",
                       kiln_string_get(&first->entry->name));
}

static asset_redirected describe(asset_redirected result, const asset_redirect *first,
                                 const asset_redirect *last, char *text)
{
    const char *name = kiln_string_get(&first->entry->name);
    if (result == REDIRECTED_DELETED)
        (void)snprintf(text, KILN_PATH_SIZE, "%s (deleted)", name);
    else
        (void)snprintf(text, KILN_PATH_SIZE, "%s (renamed to %s)", name,
                       kiln_string_get(&last->entry->target));
    return result;
}

asset_redirected kiln_asset_redirects_follow(const kiln_assets *assets,
                                             const asset_redirects *redirects,
                                             const asset_view *view, kiln_id id, kiln_id *ret_id,
                                             char *ret_text)
{
    const asset_redirect *first = asset_redirect_of(redirects, id), *last = first;
    if (!first)
        return REDIRECTED_NOWHERE;
    for (uint32_t i = 0; i < KILN_REDIRECT_STEPS_MAX; i++) {
        asset_found found;
        if (!last->target)
            return describe(REDIRECTED_DELETED, first, last, ret_text);
        if (kiln_asset_find(assets, view, last->target, &found)) {
            *ret_id = last->target;
            return REDIRECTED_FOUND;
        }
        const asset_redirect *next = asset_redirect_of(redirects, last->target);
        if (!next)
            return describe(REDIRECTED_MISSING, first, last, ret_text);
        last = next;
    }
    describe_cycle(redirects, id, ret_text);
    return REDIRECTED_CYCLE;
}

kiln_status kiln_asset_redirects_resolve(kiln_assets *assets, kiln_id *id, kiln_error *reterr)
{
    asset_found found;
    char text[KILN_PATH_SIZE];
    if (!assets->redirects || kiln_asset_find(assets, NULL, *id, &found))
        return KILN_OK;
    switch (kiln_asset_redirects_follow(assets, assets->redirects, NULL, *id, id, text)) {
    case REDIRECTED_NOWHERE:
    case REDIRECTED_FOUND:
        break;
    case REDIRECTED_MISSING:
    case REDIRECTED_DELETED:
        return kiln_fail(reterr, KILN_NOT_FOUND, 0, text);
    case REDIRECTED_CYCLE:
        return kiln_fail(reterr, KILN_REDIRECT_CYCLE, 0, text);
    }
    return KILN_OK;
}

bool kiln_asset_redirects_is_deleted(const kiln_assets *assets, kiln_id id)
{
    asset_found found;
    kiln_id target;
    char text[KILN_PATH_SIZE];
    return !kiln_asset_find(assets, NULL, id, &found) &&
           kiln_asset_redirects_follow(assets, assets->redirects, NULL, id, &target, text) ==
               REDIRECTED_DELETED;
}

const char *kiln_asset_redirects_name(const kiln_assets *assets, kiln_id id)
{
    const asset_redirect *redirect = asset_redirect_of(assets->redirects, id);
    return redirect ? kiln_string_get(&redirect->entry->name) : NULL;
}
