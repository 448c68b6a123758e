#include "memo_patches.h"

#include "asset_bases.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "node_meaning.h"

#include <stdlib.h>
#include <string.h>

/* What is hashed of each patch. */
typedef struct patch_digest {
    kiln_hash128 before, meaning, path;
    KILN_ALIGNAS(8) uint64_t rule;
} patch_digest;

static int compare_names(const bake_asset *left, const bake_asset *right)
{
    return bake_compare_text(left->name, left->name_length, right->name, right->name_length);
}

/* All patches are in one array, so their addresses have its order. */
static int compare_patches(const void *a, const void *b)
{
    const bake_patch *const *left = a, *const *right = b;
    int order = compare_names(&(*left)->asset, &(*right)->asset);
    return order ? order : (*left > *right) - (*left < *right);
}

bool bake_memo_patches_init(bake_memo_patches *patches, const bake_inputs *inputs,
                            const bake_schema *schema)
{
    const bake_patch **all = bake_alloc_array(inputs->patch_count + 1, sizeof *all);
    *patches = (bake_memo_patches){inputs, schema, all, all ? inputs->patch_count : 0};
    for (size_t i = 0; i < patches->count; i++)
        all[i] = &inputs->patches[i];
    if (patches->count > 1)
        qsort(all, patches->count, sizeof *all, compare_patches);
    return all != NULL;
}

void bake_memo_patches_fini(bake_memo_patches *patches)
{
    bake_free(patches->all);
    memset(patches, 0, sizeof *patches);
}

bake_asset_patches bake_memo_patches_of(const bake_memo_patches *patches, const bake_asset *asset)
{
    size_t first = 0, end = patches->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (compare_names(&patches->all[middle]->asset, asset) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < patches->count && compare_names(&patches->all[end]->asset, asset) == 0)
        end++;
    return (bake_asset_patches){patches->all + first, end - first};
}

bool bake_memo_patches_delete(const bake_memo_patches *patches, const bake_asset *asset)
{
    bake_asset_patches of = bake_memo_patches_of(patches, asset);
    for (size_t i = 0; i < of.count; i++)
        if (of.all[i]->deletes)
            return true;
    return false;
}

bool bake_memo_patches_abstract(const bake_memo_patches *patches, const bake_asset *asset)
{
    const char *key = asset->is_scene ? NULL : patches->schema->info[asset->type].abstract;
    bake_asset_patches of = bake_memo_patches_of(patches, asset);
    const bake_asset *from = asset;
    for (size_t i = 0; i < of.count && key; i++) {
        const bake_asset *patch = &of.all[i]->asset;
        const bake_tree *tree = patches->inputs->inputs[patch->input].tree;
        if (bake_node_find(tree, patch->node, key, strlen(key)) != BAKE_NODE_NONE)
            from = patch;
    }
    return key && bake_asset_is_abstract(patches->inputs, patches->schema, from);
}

kiln_hash128 bake_memo_patches_meaning(const bake_memo_patches *patches, const bake_asset *asset,
                                       kiln_hash128 own)
{
    bake_asset_patches of = bake_memo_patches_of(patches, asset);
    const bake_input *inputs = patches->inputs->inputs;
    kiln_hash128 meaning = own;
    for (size_t i = 0; i < of.count; i++) {
        const bake_asset *patch = &of.all[i]->asset;
        const bake_input *input = &inputs[patch->input];
        patch_digest digest;
        memset(&digest, 0, sizeof digest);
        bake_node_touch(input->tree, patch->node);
        digest.before = meaning;
        digest.meaning = bake_node_meaning_in_order(input->tree, patch->node);
        digest.path = kiln_content_hash(input->path, strlen(input->path));
        digest.rule = (uint64_t)(patch->rule - patches->schema->rules);
        meaning = kiln_content_hash(&digest, sizeof digest);
    }
    return meaning;
}
