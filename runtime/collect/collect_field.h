/* Where in an asset a reference is. */
#ifndef KILN_COLLECT_FIELD_H
#define KILN_COLLECT_FIELD_H

#include "assets_object.h"

#include <kiln/path.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The path of the first field of the asset that refers to `id`. Empty if the asset's type is
 * unknown to the program, or if the search takes too long. */
void kiln_collect_field(kiln_assets *assets, const asset_blob *blob, kiln_id id,
                        kiln_path *ret_path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
