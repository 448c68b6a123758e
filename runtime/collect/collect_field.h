/* Finds the field of an asset that refers to another asset. */
#ifndef KILN_COLLECT_FIELD_H
#define KILN_COLLECT_FIELD_H

#include "assets_object.h"

#include <kiln/path.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The path of the first field of the asset that refers to `id`. Empty if the program's type table
 * does not contain the asset's type in this layout, or if the search does not find the field within
 * its limits of depth and steps. */
void kiln_collect_field(kiln_assets *assets, const asset_blob *blob, kiln_id id,
                        kiln_path *ret_path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
