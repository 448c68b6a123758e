/* Conversions from the types of a mounted file to the program's. There is one per type of the file,
 * compiled when the first asset of that type is made. */
#ifndef KILN_ASSET_CONVERSIONS_H
#define KILN_ASSET_CONVERSIONS_H

#include "assets_object.h"

#include <kiln/convert.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The conversion from type `type` of the mount's index to the program's type `program_type`. The
 * first call compiles it. Any thread. */
kiln_status kiln_asset_conversions_get(kiln_assets *assets, asset_mount *mount, uint32_t type,
                                       uint32_t program_type,
                                       const kiln_conversion **ret_conversion, kiln_error *reterr);
void kiln_asset_conversions_fini(kiln_assets *assets, asset_mount *mount);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
