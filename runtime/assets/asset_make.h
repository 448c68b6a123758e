/* Turns an asset of a file into bytes that a program can use: checked, decompressed and converted.
 */
#ifndef KILN_ASSET_MAKE_H
#define KILN_ASSET_MAKE_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Makes the blob of asset `number` without adding it to the table. The mount must be pinned. The
 * path of an error begins with the asset's name. Any thread. */
kiln_status kiln_asset_make(kiln_assets *assets, asset_mount *mount, uint32_t number,
                            asset_blob **ret_blob, kiln_error *reterr);

/* Fails with `error`, and puts the asset's name before the path of the error. */
kiln_status kiln_asset_fail_in(const asset_mount *mount, uint32_t number, const kiln_error *error,
                               kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
