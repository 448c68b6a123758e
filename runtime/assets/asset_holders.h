/* Who keeps something, by name and how often: what messages and leak reports tell. */
#ifndef KILN_ASSET_HOLDERS_H
#define KILN_ASSET_HOLDERS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

kiln_status kiln_asset_holders_add(asset_holders *holders, const kiln_allocator *allocator,
                                   const char *by);
/* False where `by` holds nothing. */
bool kiln_asset_holders_remove(asset_holders *holders, const char *by);
void kiln_asset_holders_fini(asset_holders *holders, const kiln_allocator *allocator);
/* All of them, as a text of TAKERS_TEXT_SIZE. */
void kiln_asset_holders_text(const asset_holders *holders, char *ret_text);

static inline const char *asset_by(const char *by)
{
    return by ? by : "?";
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
