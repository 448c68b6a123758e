/* References to deleted assets. A reference of a type `ref?` to such an asset counts as null, and
 * so do the words in rows of scenes; any other reference to it is missing. */
#ifndef KILN_ASSET_NULLS_H
#define KILN_ASSET_NULLS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether every reference of the blob to one of the ids in `deleted` may be null. The blob must
 * have been made from a file. If one may not be null, `ret_id` is its id. If this cannot be
 * determined, returns false with `ret_id` 0: the types of the values are not known, the bytes are
 * not valid, or a limit was reached. Does not need the lock. */
bool kiln_asset_nulls_allow(const kiln_assets *assets, const asset_blob *blob,
                            const kiln_key_table *deleted, kiln_id *ret_id);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
