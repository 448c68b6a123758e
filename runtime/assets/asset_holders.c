/* A list of holders by name. The search is linear, because few places in a program hold the same
 * asset. Strings are compared, not addresses, because KILN_HERE in a header makes several copies of
 * its string. */
#include "asset_holders.h"

#include <stdio.h>
#include <string.h>

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
        asset_holder *list = kiln_grow(allocator, holders->list, &holders->capacity,
                                       (size_t)holders->count + 1, sizeof(*list));
        if (!list)
            return KILN_NO_MEMORY;
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
    /* The last holder fills the gap; the order has no meaning. */
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

size_t kiln_asset_holders_list(const asset_holders *holders, bool with_counts, char *text,
                               size_t size)
{
    size_t at = 0;
    /* snprintf returns the length without truncation, so `at` can exceed `size`. */
    for (uint32_t i = 0; i < holders->count && at < size; i++) {
        const asset_holder *holder = &holders->list[i];
        int written = snprintf(text + at, size - at, "%s%s", i ? ", " : "", holder->by);
        at += written > 0 ? (size_t)written : size;
        if (with_counts && holder->count > 1 && at < size)
            at += (size_t)snprintf(text + at, size - at, " (%lu times)",
                                   (unsigned long)holder->count);
    }
    return at < size ? at : size - 1;
}

void kiln_asset_holders_text(const asset_holders *holders, char *ret_text)
{
    ret_text[0] = '\0';
    kiln_asset_holders_list(holders, true, ret_text, HOLDERS_TEXT_SIZE);
}
