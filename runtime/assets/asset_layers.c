/* Each id has a list of providers: the mounts that contain the asset, highest first, as links in a
 * pool.
 *
 * An id that only the base has needs no list: a lookup that fails in `ids` continues in the base's
 * index. So mounting the base, usually the largest file, adds nothing here. */
#include "asset_layers.h"

#include <string.h>

/* Makes room for `more` items, so that taking them while publishing cannot fail. */
static kiln_status pool_reserve(asset_pool *pool, const kiln_allocator *allocator, uint32_t more,
                                size_t item_size)
{
    if (more <= pool->free_count)
        return KILN_OK;
    size_t wanted = (size_t)pool->count + (more - pool->free_count);
    void *items = wanted < ASSET_NONE && wanted >= pool->count
                      ? kiln_grow(allocator, pool->items, &pool->capacity, wanted, item_size)
                      : NULL;
    if (!items)
        return KILN_NO_MEMORY;
    pool->items = items;
    return KILN_OK;
}

static uint32_t pool_take(asset_pool *pool, size_t item_size)
{
    if (pool->free_count == 0)
        return pool->count++;
    uint32_t number = pool->free;
    memcpy(&pool->free, (unsigned char *)pool->items + number * item_size, sizeof(uint32_t));
    pool->free_count--;
    return number;
}

static void pool_release(asset_pool *pool, uint32_t number, size_t item_size)
{
    memcpy((unsigned char *)pool->items + number * item_size, &pool->free, sizeof(uint32_t));
    pool->free = number;
    pool->free_count++;
}

uint32_t kiln_asset_number_in(const asset_mount *mount, kiln_id id)
{
    return kiln_file_find_id(mount->file, id).number - 1;
}

/* Finds the highest provider of a known id in the view. The list is sorted. */
static void find_provider(const kiln_assets *assets, const asset_view *view, uint32_t known,
                          asset_found *found)
{
    for (uint32_t i = known_at(assets, known)->provider; i != ASSET_NONE;) {
        const asset_provider *provider = provider_at(assets, i);
        asset_mount *mount = assets->mounts[provider->mount];
        if (!view || mount != view->less) {
            found->mount = mount;
            found->number = provider->number;
            return;
        }
        i = provider->below;
    }
}

/* Sets the mount as the provider if it has the id and no higher mount has been found. */
static void offer(asset_mount *mount, kiln_id id, asset_found *found)
{
    if (found->mount && asset_mount_is_above(found->mount, mount))
        return;
    uint32_t number = kiln_asset_number_in(mount, id);
    if (number != ASSET_NONE) {
        found->mount = mount;
        found->number = number;
    }
}

/* Public asset numbers begin with 1, and 0 is null. Subtracting 1 turns null into ASSET_NONE. */
_Static_assert(ASSET_NONE + 1u == 0, "the number of a null asset must wrap around to ASSET_NONE");

uint32_t kiln_asset_ids_find(const kiln_assets *assets, kiln_id id, uint32_t *ret_cell)
{
    *ret_cell = kiln_key_table_find(&assets->ids, id);
    return *ret_cell != KILN_KEY_NONE ? asset_ids_known(assets, *ret_cell) : ASSET_NONE;
}

/* The value of an id that a file or an added blob has; else 0. */
static uint64_t real_value(const kiln_assets *assets, kiln_id id, uint32_t *ret_known)
{
    uint32_t cell, known = kiln_asset_ids_find(assets, id, &cell);
    const asset_mount *base = asset_base(assets);
    *ret_known = known;
    if (known != ASSET_NONE)
        return kiln_key_table_value(&assets->ids, cell);
    return base && kiln_asset_number_in(base, id) != ASSET_NONE ? KILN_KNOWN : 0;
}

/* Follows the redirects of an id that is not real. Returns the value of the asset; KILN_UNRESOLVED
 * if there is none. */
static uint64_t follow_redirects(const kiln_assets *assets, kiln_id id, uint32_t *ret_known)
{
    const asset_redirect *redirect = asset_redirect_of(assets->redirects, id);
    *ret_known = ASSET_NONE;
    for (uint32_t i = 0; i < KILN_REDIRECT_STEPS_MAX && redirect && redirect->target; i++) {
        uint64_t value = real_value(assets, redirect->target, ret_known);
        if (value)
            return value;
        redirect = asset_redirect_of(assets->redirects, redirect->target);
    }
    return KILN_UNRESOLVED;
}

uint64_t kiln_asset_ids_through(const kiln_assets *assets, kiln_id id)
{
    uint32_t known;
    return follow_redirects(assets, id, &known);
}

uint32_t kiln_asset_ids_target(const kiln_assets *assets, kiln_id id)
{
    uint32_t cell, known = kiln_asset_ids_find(assets, id, &cell);
    if (known == ASSET_NONE && asset_redirect_of(assets->redirects, id) &&
        real_value(assets, id, &known) == 0)
        follow_redirects(assets, id, &known);
    return known;
}

/* Whether the view loses the asset in this slot: its bytes come from the removed file, and no file
 * of the view contains it. */
static bool is_lost(const kiln_assets *assets, const asset_view *view, const asset_found *found)
{
    return view && view->less && !found->mount &&
           asset_current_mount(entry_at(assets, found->slot)->blob) == view->less;
}

bool kiln_asset_find(const kiln_assets *assets, const asset_view *view, kiln_id id,
                     asset_found *ret_found)
{
    asset_found found = {ASSET_NONE, NULL, 0};
    uint32_t cell, known = kiln_asset_ids_find(assets, id, &cell);
    asset_mount *base = asset_base(assets);
    if (known != ASSET_NONE) {
        found.slot = known_at(assets, known)->slot;
        find_provider(assets, view, known, &found);
    } else {
        if (base && (!view || base != view->less))
            offer(base, id, &found);
    }
    if (view && view->more)
        offer(view->more, id, &found);
    *ret_found = found;
    bool is_loaded = found.slot != ASSET_NONE && !is_lost(assets, view, &found);
    return id != 0 && (found.mount || is_loaded);
}

const kiln_index_type *kiln_asset_index_type(const asset_mount *mount, uint32_t number)
{
    const kiln_index *index = mount->file->index;
    return kiln_index_type_at(index, kiln_index_asset_at(index, number)->type);
}

const char *kiln_asset_index_name(const asset_mount *mount, uint32_t number)
{
    const kiln_asset asset = {number + 1};
    return kiln_file_asset_name(mount->file, asset);
}

kiln_status kiln_asset_ids_reserve(kiln_assets *assets, uint64_t count, uint64_t providers)
{
    uint64_t all = count + providers;
    if (count >= ASSET_NONE || providers >= ASSET_NONE || all >= ASSET_NONE)
        return KILN_NO_MEMORY;
    kiln_status status = kiln_key_table_reserve(&assets->ids, (uint32_t)count);
    if (status == KILN_OK)
        status =
            pool_reserve(&assets->known, &assets->allocator, (uint32_t)count, sizeof(asset_known));
    return status == KILN_OK ? pool_reserve(&assets->providers, &assets->allocator, (uint32_t)all,
                                            sizeof(asset_provider))
                             : status;
}

uint32_t kiln_asset_ids_enter(kiln_assets *assets, kiln_id id, uint32_t *ret_cell)
{
    uint32_t cell = kiln_key_table_put(&assets->ids, id);
    *ret_cell = cell;
    uint32_t note = kiln_key_table_note(&assets->ids, cell);
    if (note)
        return note - 1;
    uint32_t known = pool_take(&assets->known, sizeof(asset_known));
    *known_at(assets, known) = (asset_known){ASSET_NONE, ASSET_NONE};
    kiln_key_table_set_note(&assets->ids, cell, known + 1);
    asset_mount *base = asset_base(assets);
    uint32_t number = base ? kiln_asset_number_in(base, id) : ASSET_NONE;
    if (number != ASSET_NONE)
        kiln_asset_layers_add(assets, known, base, number);
    return known;
}

/* Publishes the value of an id as that of the earlier ids that lead to it. `depth` is the number of
 * redirects from `id` to the asset. */
static void publish_earlier(kiln_assets *assets, kiln_id id, uint64_t value, uint32_t depth)
{
    const asset_redirects *redirects = assets->redirects;
    uint64_t first = redirects ? kiln_key_table_get(&redirects->by_target, id) : 0;
    for (uint32_t i = (uint32_t)first - 1; i != ASSET_NONE && depth < KILN_REDIRECT_STEPS_MAX;
         i = redirects->all[i].next) {
        kiln_id earlier = redirects->all[i].id;
        uint32_t cell = kiln_key_table_find(&assets->ids, earlier);
        if (cell == KILN_KEY_NONE || kiln_key_table_note(&assets->ids, cell))
            continue;
        uint64_t old = kiln_key_table_value(&assets->ids, cell);
        if (old == 0 || old == value)
            continue;
        kiln_key_table_set(&assets->ids, cell, value);
        publish_earlier(assets, earlier, value, depth + 1);
    }
}

void kiln_asset_ids_publish(kiln_assets *assets, uint32_t cell)
{
    uint32_t known = asset_ids_known(assets, cell);
    const kiln_id id = kiln_key_table_key(&assets->ids, cell);
    const asset_known *item = known_at(assets, known);
    uint64_t value = item->provider != ASSET_NONE ? KILN_KNOWN : 0;
    if (item->slot != ASSET_NONE)
        value = (uintptr_t)entry_at(assets, item->slot)->blob->root;
    if (!value) {
        pool_release(&assets->known, known, sizeof(asset_known));
        kiln_key_table_set_note(&assets->ids, cell, 0);
        if (asset_redirect_of(assets->redirects, id))
            value = kiln_asset_ids_through(assets, id);
    }
    kiln_key_table_set(&assets->ids, cell, value);
    publish_earlier(assets, id, value ? value : KILN_UNRESOLVED, 0);
}

void kiln_asset_layers_add(kiln_assets *assets, uint32_t known, const asset_mount *mount,
                           uint32_t number)
{
    uint32_t made = pool_take(&assets->providers, sizeof(asset_provider));
    uint32_t *link = &known_at(assets, known)->provider;
    while (*link != ASSET_NONE &&
           asset_mount_is_above(assets->mounts[provider_at(assets, *link)->mount], mount))
        link = &provider_at(assets, *link)->below;
    *provider_at(assets, made) = (asset_provider){mount->number, number, *link};
    *link = made;
}

/* The link to the provider of an id that belongs to the mount; its value is ASSET_NONE if the mount
 * does not have the id. */
static uint32_t *link_to(const kiln_assets *assets, uint32_t known, const asset_mount *mount)
{
    uint32_t *link = &known_at(assets, known)->provider;
    while (*link != ASSET_NONE && provider_at(assets, *link)->mount != mount->number)
        link = &provider_at(assets, *link)->below;
    return link;
}

void kiln_asset_layers_renumber(kiln_assets *assets, uint32_t known, const asset_mount *mount,
                                uint32_t number)
{
    provider_at(assets, *link_to(assets, known, mount))->number = number;
}

void kiln_asset_layers_remove(kiln_assets *assets, uint32_t known, const asset_mount *mount)
{
    uint32_t *link = link_to(assets, known, mount);
    if (*link == ASSET_NONE)
        return;
    uint32_t gone = *link;
    *link = provider_at(assets, gone)->below;
    pool_release(&assets->providers, gone, sizeof(asset_provider));
}

kiln_status kiln_asset_visit_own(const kiln_assets *assets, const asset_mount *mount,
                                 asset_visit_function *visit, void *ctx, kiln_error *reterr)
{
    /* Ids are hashes, so neighbours in the index are far apart in the table. Prefetching hides the
     * cache misses. */
    enum { AHEAD = 16 };
    const kiln_index *index = mount->file->index;
    const uint32_t count = kiln_index_asset_count(index);
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < count && status == KILN_OK; i++) {
        if (count - i > AHEAD)
            kiln_key_table_prefetch(&assets->ids, kiln_index_id(index, i + AHEAD));
        if (asset_is_found(mount, i))
            status = visit(ctx, kiln_index_id(index, i), i, reterr);
    }
    return status;
}

kiln_status kiln_asset_visit_shared(const kiln_assets *assets, const asset_mount *mount,
                                    asset_visit_function *visit, void *ctx, kiln_error *reterr)
{
    uint32_t limit = kiln_key_table_limit(&assets->ids);
    kiln_status status = KILN_OK;
    for (uint32_t cell = 0; cell < limit && status == KILN_OK; cell++) {
        kiln_id id = kiln_key_table_key(&assets->ids, cell);
        if (!id || kiln_key_table_note(&assets->ids, cell) == 0)
            continue; /* free, or an earlier id */
        uint32_t number = kiln_asset_number_in(mount, id);
        if (number != ASSET_NONE)
            status = visit(ctx, id, number, reterr);
    }
    return status;
}
