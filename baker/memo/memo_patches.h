/* The patches of inputs by the names of their assets, and their part in the meaning of an asset.
 *
 * The meaning of a patched asset combines that of its own node with its patches in their order: the
 * content of each, its rule and its file. The order of keys in a patch counts, because paths can
 * depend on it. Links must not exist, because a patch can name an asset by an earlier id. */
#ifndef BAKE_MEMO_PATCHES_H
#define BAKE_MEMO_PATCHES_H

#include "asset_input.h"

#include <kiln/index.h>

typedef struct bake_memo_patches {
    const bake_inputs *inputs;
    const bake_schema *schema;
    const bake_patch **all; /* sorted by name, then in the order of the inputs */
    size_t count;
} bake_memo_patches;

/* The patches of one asset, in the order in which they apply. */
typedef struct bake_asset_patches {
    const bake_patch *const *all;
    size_t count;
} bake_asset_patches;

/* The inputs and the schema must outlive the list. Returns false if memory runs out. */
bool bake_memo_patches_init(bake_memo_patches *patches, const bake_inputs *inputs,
                            const bake_schema *schema);
void bake_memo_patches_fini(bake_memo_patches *patches);

bake_asset_patches bake_memo_patches_of(const bake_memo_patches *patches, const bake_asset *asset);

/* Whether the asset is deleted by its patches. */
bool bake_memo_patches_delete(const bake_memo_patches *patches, const bake_asset *asset);
/* Whether the asset is only a parent. */
bool bake_memo_patches_abstract(const bake_memo_patches *patches, const bake_asset *asset);
/* The meaning of the asset with its patches; `own` is that of its node. The trees must exist. */
kiln_hash128 bake_memo_patches_meaning(const bake_memo_patches *patches, const bake_asset *asset,
                                       kiln_hash128 own);

#endif
