#include "asset_holders.h"

#include <string.h>

kiln_status kiln_asset_list_grow(const kiln_allocator *allocator, void **list, uint32_t count,
                                 uint32_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return KILN_OK;
    uint32_t wanted = *capacity ? *capacity * 2 : 4;
    if (wanted <= *capacity || wanted > SIZE_MAX / item_size)
        return KILN_NO_MEMORY;
    void *grown = allocator->alloc(allocator->ctx, wanted * item_size, _Alignof(max_align_t));
    if (!grown)
        return KILN_NO_MEMORY;
    if (*list) {
        memcpy(grown, *list, count * item_size);
        allocator->free(allocator->ctx, *list, *capacity * item_size);
    }
    *list = grown;
    *capacity = wanted;
    return KILN_OK;
}

static asset_holder *find(const asset_holders *holders, const char *by)
{
    for (uint32_t i = 0; i < holders->count; i++)
        if (strcmp(holders->list[i].by, by) == 0)
            return &holders->list[i];
    return NULL;
}

kiln_status kiln_asset_holders_add(asset_holders *holders, const kiln_allocator *allocator,
                                   const char *by)
{
    asset_holder *holder = find(holders, asset_by(by));
    if (holders->total == UINT32_MAX)
        return KILN_LIMIT;
    if (!holder) {
        void *list = holders->list;
        kiln_status status = kiln_asset_list_grow(allocator, &list, holders->count,
                                                  &holders->capacity, sizeof(*holders->list));
        if (status != KILN_OK)
            return status;
        holders->list = list;
        holder = &holders->list[holders->count++];
        *holder = (asset_holder){asset_by(by), 0};
    }
    holder->count++;
    holders->total++;
    return KILN_OK;
}

bool kiln_asset_holders_remove(asset_holders *holders, const char *by)
{
    asset_holder *holder = find(holders, asset_by(by));
    if (!holder)
        return false;
    holders->total--;
    if (--holder->count == 0)
        *holder = holders->list[--holders->count];
    return true;
}

void kiln_asset_holders_fini(asset_holders *holders, const kiln_allocator *allocator)
{
    if (holders->list)
        allocator->free(allocator->ctx, holders->list, holders->capacity * sizeof(*holders->list));
    *holders = (asset_holders){0};
}

const char *kiln_asset_holders_any(const asset_holders *holders)
{
    return holders->count ? holders->list[0].by : "?";
}
