/* The words of clusters, and the queue of clusters to be dissolved.
 *
 * The words of a file are allocated when a cluster first gets one of its assets. So a program that
 * uses no clusters pays nothing for them. */
#include "asset_owners.h"

#include "asset_layers.h"

#include <string.h>

static kiln_status map_slots(kiln_assets *assets)
{
    asset_owners *owners = &assets->marks->owners;
    uint64_t size = (uint64_t)assets->slots.max * sizeof *owners->slots;
    size = (size + 4095) & ~(uint64_t)4095;
    if (size > SIZE_MAX)
        return KILN_NO_MEMORY;
    owners->slots = assets->pages.map(assets->pages.ctx, (size_t)size, 4096, false);
    owners->slots_size = (size_t)size;
    return owners->slots ? KILN_OK : KILN_NO_MEMORY;
}

kiln_status kiln_asset_owners_need(kiln_assets *assets, uint64_t node)
{
    if (node >> 32 == 0)
        return assets->marks->owners.slots ? KILN_OK : map_slots(assets);
    asset_mount *mount = assets->mounts[(node >> 32) - 1];
    size_t size = asset_index_count(mount) * sizeof *mount->owners;
    if (mount->owners)
        return KILN_OK;
    mount->owners = assets->allocator.alloc(assets->allocator.ctx, size, _Alignof(int32_t));
    if (!mount->owners)
        return KILN_NO_MEMORY;
    memset(mount->owners, 0, size);
    return KILN_OK;
}

kiln_status kiln_asset_owners_reserve(kiln_assets *assets, uint32_t count)
{
    asset_owners *owners = &assets->marks->owners;
    size_t before = owners->capacity;
    uint32_t *next =
        kiln_grow(&assets->allocator, owners->next, &owners->capacity, count, sizeof *next);
    if (!next)
        return KILN_NO_MEMORY;
    owners->next = next;
    for (size_t i = before; i < owners->capacity; i++)
        next[i] = ASSET_UNQUEUED;
    return KILN_OK;
}

void kiln_asset_owners_fini(kiln_assets *assets)
{
    asset_owners *owners = &assets->marks->owners;
    if (owners->slots)
        assets->pages.unmap(assets->pages.ctx, owners->slots, owners->slots_size);
    if (owners->next)
        assets->allocator.free(assets->allocator.ctx, owners->next,
                               owners->capacity * sizeof *owners->next);
    *owners = (asset_owners){.first = ASSET_QUEUE_END};
}

void kiln_asset_owners_leave(struct asset_marks *marks, int32_t *word)
{
    if (!word || *word == 0)
        return;
    kiln_asset_queue_put(marks,
                         *word > 0 ? asset_cluster_of_root(*word) : asset_cluster_of_member(*word));
    *word = 0;
}

void kiln_asset_owners_replace(const kiln_assets *assets, asset_mount *old, asset_mount *fresh,
                               bool has_same_numbers)
{
    if (!assets->marks || !old->owners)
        return;
    if (has_same_numbers) {
        fresh->owners = old->owners;
        old->owners = NULL;
        return;
    }
    for (uint32_t i = 0; i < asset_index_count(old); i++)
        kiln_asset_owners_leave(assets->marks, &old->owners[i]);
}

void kiln_asset_queue_put(struct asset_marks *marks, uint32_t cluster)
{
    if (asset_cluster_is_queued(marks, cluster))
        return;
    marks->owners.next[cluster] = marks->owners.first;
    marks->owners.first = cluster;
}

uint32_t kiln_asset_queue_take(struct asset_marks *marks)
{
    uint32_t cluster = marks->owners.first;
    if (cluster != ASSET_QUEUE_END) {
        marks->owners.first = marks->owners.next[cluster];
        marks->owners.next[cluster] = ASSET_QUEUE_END;
    }
    return cluster;
}

void kiln_asset_queue_leave(struct asset_marks *marks, uint32_t cluster)
{
    marks->owners.next[cluster] = ASSET_UNQUEUED;
}
