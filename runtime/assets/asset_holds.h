/* Lists what is held in a table, and by whom. */
#ifndef KILN_ASSET_HOLDS_H
#define KILN_ASSET_HOLDS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef void asset_hold_function(void *ctx, const kiln_report *report);

/* Calls `on_hold`, unless it is NULL, for each hold, and returns their number. The table's lock
 * must be held. */
uint64_t kiln_asset_list_holds(kiln_assets *assets, asset_hold_function *on_hold, void *ctx);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
