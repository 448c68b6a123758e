/* The patches of a rerun. All files with patches or patched assets are parsed, so each list of
 * inputs has either all patches of an asset with the asset, or none of them. */
#include "rerun_store.h"

#include "bake_memory.h"
#include "bake_text.h"

#include <stdlib.h>

/* Marks the files whose assets were not patched before. */
static bool mark_patched(rerun *r)
{
    bool is_new = false;
    for (size_t i = 0; i < r->inputs.patch_count; i++) {
        const bake_asset *patch = &r->inputs.patches[i].asset;
        uint32_t row = bake_memo_find(r->before, patch->name, patch->name_length);
        uint32_t file = row == UINT32_MAX ? UINT32_MAX : r->files[r->before->all[row].file];
        if (file == UINT32_MAX || r->changed[file])
            continue;
        r->changed[file] = r->parsed[file] = 1;
        is_new = true;
    }
    return is_new;
}

static int compare_names(const void *a, const void *b)
{
    const bake_asset *const *left = a, *const *right = b;
    return bake_compare_text((*left)->name, (*left)->name_length, (*right)->name,
                             (*right)->name_length);
}

/* Marks the inputs with patches or patched assets. Returns false if two patched assets have the
 * same name, because the complete run decides which of them is patched; or if memory runs out. */
static bool mark_inputs(rerun *r)
{
    bake_input *inputs = r->inputs.inputs;
    const bake_asset **patched = bake_alloc_array(r->inputs.asset_count + 1, sizeof *patched);
    size_t count = 0;
    bool done = patched != NULL;
    for (size_t i = 0; i < r->inputs.patch_count; i++)
        inputs[r->inputs.patches[i].asset.input].is_patched = true;
    for (size_t i = 0; i < r->inputs.asset_count && patched; i++) {
        const bake_asset *asset = &r->inputs.assets[i];
        if (bake_memo_patches_of(&r->patches, asset).count == 0)
            continue;
        inputs[asset->input].is_patched = true;
        patched[count++] = asset;
    }
    if (count > 1)
        qsort(patched, count, sizeof *patched, compare_names);
    for (size_t i = 1; i < count && done; i++)
        done = compare_names(&patched[i - 1], &patched[i]) != 0;
    bake_free(patched);
    return done;
}

bool bake_rerun_patches_begin(rerun *r)
{
    if (mark_patched(r) && !bake_rerun_read(r, r->changed))
        return false;
    return bake_memo_patches_init(&r->patches, &r->inputs, r->run->schema) &&
           (r->patches.count == 0 || mark_inputs(r));
}

bool bake_rerun_patches_skip(const rerun *r, const bake_asset *asset)
{
    return r->patches.count && bake_memo_patches_delete(&r->patches, asset);
}

unsigned char *bake_rerun_patches_unlisted(const bake_bases *bases)
{
    unsigned char *unlisted = bake_alloc_array(bases->count + 1, 1);
    for (size_t i = 0; unlisted && i < bases->count; i++) {
        const bake_base *base = &bases->all[i];
        if (base->is_deleted)
            unlisted[i] = 1;
        if (base->patch)
            unlisted[base->patch - 1] = 1;
    }
    return unlisted;
}
