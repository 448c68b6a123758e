/* From an asset of a file to bytes in memory that a program can use: checked, unpacked, converted.
 */
#ifndef KILN_ASSET_MAKE_H
#define KILN_ASSET_MAKE_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Makes the blob of asset `number`, which is not entered yet. Any thread; the mount is pinned. The
 * path of an error begins with the asset's name. */
kiln_status kiln_asset_make(kiln_assets *assets, asset_mount *mount, uint32_t number,
                            asset_blob **ret_blob, kiln_error *reterr);

/* Fails with `error`, the asset's name before its path. */
kiln_status kiln_asset_fail_in(const asset_mount *mount, uint32_t number, const kiln_error *error,
                               kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
