/* Bakes the values of an asset with any value baker. */
#ifndef BAKE_ASSET_READING_H
#define BAKE_ASSET_READING_H

#include "asset_input.h"
#include "value_bake.h"

/* The name under which an asset is baked. Its tree must exist. */
bake_name bake_asset_name(const bake_inputs *inputs, const bake_asset *asset);
/* Bakes the values of an asset. `layers` are those of bake_bases_list; NULL if it has no base.
 * Returns false after reports or after filling the failure of the baker. */
bool bake_asset_read(bake_values *values, const bake_asset *asset, const bake_name *name,
                     const bake_asset_layers *layers);

#endif
