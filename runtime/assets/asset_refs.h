/* Finds the references of assets that were added from memory, which no index lists. */
#ifndef KILN_ASSET_REFS_H
#define KILN_ASSET_REFS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Finds the references of an added blob by its type, and stores them in the record. Does nothing
 * for the blob of a file. NO_TYPES: the program's types lack this type with this layout, so the
 * references are unknown. Otherwise NO_MEMORY, or the rule that the bytes violate. */
kiln_status kiln_asset_refs_find(kiln_assets *assets, asset_blob *blob, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
