#include "asset_history.h"

#include <string.h>

bool model_is_above(const history_mount *a, const history_mount *b)
{
    return a->order != b->order ? a->order > b->order : a->serial > b->serial;
}

int model_provider(const history *h, int name, int less)
{
    int best = NONE;
    for (int i = 0; i < MOUNTS && name < FILE_NAMES; i++) {
        const history_mount *mount = &h->mounts[i];
        if (!mount->is_there || i == less || !(h->files[mount->file].names & history_bit(name)))
            continue;
        if (best == NONE || model_is_above(mount, &h->mounts[best]))
            best = i;
    }
    return best;
}

int model_loaded(const history *h, int name)
{
    for (int i = 0; i < TENANTS; i++) {
        const history_tenant *tenant = &h->tenants[i];
        if (tenant->is_alive && !tenant->is_detached && (tenant->names & history_bit(name)))
            return i;
    }
    return NONE;
}

uint32_t model_protections(const history_tenant *tenant)
{
    return tenant->protections[0] + tenant->protections[1];
}

uint32_t model_used_slots(const history *h)
{
    uint32_t used = 0;
    for (int i = 0; i < TENANTS; i++)
        used += h->tenants[i].is_alive || (h->tenants[i].weak && !h->tenants[i].has_indirect);
    return used + h->kept;
}

uint32_t model_borrowed(const history *h, const void *root)
{
    uint32_t borrowed = 0;
    for (int i = 0; i < BORROWS; i++)
        borrowed += root && h->borrows[i].root == root;
    return borrowed;
}

bool model_closure(const history *h, uint32_t names, int less, uint32_t *ret_all)
{
    uint32_t all = names, done = 0;
    bool is_whole = true;
    while (all != done)
        for (int name = 0; name < FILE_NAMES; name++) {
            if (!(all & ~done & history_bit(name)))
                continue;
            done |= history_bit(name);
            uint32_t refs = h->files[h->mounts[model_provider(h, name, less)].file].refs[name];
            for (int ref = 0; ref < NAMES; ref++) {
                const int at = model_loaded(h, ref);
                const bool is_provided = model_provider(h, ref, less) != NONE;
                /* A loaded asset without a provider comes from the file that is replaced. */
                if (!(refs & history_bit(ref)) || (all & history_bit(ref)) ||
                    (at != NONE && (is_provided || h->tenants[at].mount == NONE)))
                    continue;
                if (!is_provided)
                    is_whole = false;
                else
                    all |= history_bit(ref);
            }
        }
    *ret_all = all;
    return is_whole;
}

static bool is_root(const history *h, const void *root)
{
    for (int i = 0; i < TENANTS; i++)
        if (h->tenants[i].is_alive && h->tenants[i].root == root)
            return true;
    return false;
}

bool model_has_bytes(const history *h, const history_word *word)
{
    const void *root = (const void *)(uintptr_t)word->ref.bits;
    return is_root(h, root) || model_borrowed(h, root) ||
           (word->mount != NONE &&
            (h->mounts[word->mount].is_there || h->mounts[word->mount].is_replaced));
}

history_tenant *model_new_tenant(history *h)
{
    for (int i = 0; i < TENANTS; i++) {
        history_tenant *tenant = &h->tenants[i];
        bool is_named = tenant->is_alive || tenant->weak;
        for (int k = 0; k < WORDS && !is_named; k++)
            is_named = h->words[k].tenant == i;
        if (is_named)
            continue;
        memset(tenant, 0, sizeof *tenant);
        tenant->is_alive = true;
        tenant->mount = NONE;
        return tenant;
    }
    fail_msg("the model is full");
    return NULL;
}

/* Removes the tenant. All words that refer to it are then stale. */
void model_end_tenant(history *h, history_tenant *tenant)
{
    tenant->is_alive = tenant->is_detached = false;
    tenant->names = 0;
    tenant->strong = 0;
    h->kept += tenant->has_indirect;
}

static bool mount_is_held(const history *h, int mount)
{
    for (int i = 0; i < TENANTS; i++)
        if (h->tenants[i].is_alive && h->tenants[i].mount == mount)
            return true;
    for (int i = 0; i < BORROWS; i++)
        if (h->borrows[i].root && h->borrows[i].mount == mount)
            return true;
    for (int i = 0; i < WORDS && h->mounts[mount].is_replaced; i++)
        if (h->words[i].tenant != NONE && h->words[i].mount == mount)
            return true;
    return false;
}

void model_sweep(history *h)
{
    for (int i = 0; i < TENANTS; i++) {
        history_tenant *tenant = &h->tenants[i];
        if (tenant->is_alive && tenant->is_detached && tenant->strong == 0 &&
            model_protections(tenant) == 0)
            model_end_tenant(h, tenant);
    }
    for (int i = 0; i < MOUNTS; i++)
        if (h->mounts[i].is_gone && !mount_is_held(h, i))
            h->mounts[i].is_gone = h->mounts[i].is_replaced = false;
    for (int i = 0; i < WORDS; i++) {
        history_word *word = &h->words[i];
        if (word->tenant == NONE || kiln_ref_get_form(word->ref) != KILN_REF_POINTER ||
            model_has_bytes(h, word))
            continue;
        kiln_assets_clear(h->scene.assets, &word->ref);
        word->tenant = NONE;
    }
}
