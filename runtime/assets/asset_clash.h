/* Checks that two files have the same name and type for an id. */
#ifndef KILN_ASSET_CLASH_H
#define KILN_ASSET_CLASH_H

#include "asset_layers.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Returns NAME_CLASH or TYPE_MISMATCH if asset `number` of the mount and the asset that was found
 * under the same id have different names or types. */
kiln_status kiln_asset_check_clash(const kiln_assets *assets, const asset_mount *mount,
                                   uint32_t number, const asset_found *found, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
