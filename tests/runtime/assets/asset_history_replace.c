/* The step that replaces a mounted file with another one, often with an edited version of it. */
#include "asset_history.h"

static const history_file *file_of(const history *h, int mount)
{
    return &h->files[h->mounts[mount].file];
}

static bool has(const history_file *file, int name)
{
    return file->names & history_bit(name);
}

static bool is_equal(const history_file *a, const history_file *b, int name)
{
    return has(a, name) && has(b, name) && a->value[name] == b->value[name] &&
           a->refs[name] == b->refs[name] && ((a->plates ^ b->plates) & history_bit(name)) == 0;
}

/* Whether the new file gives the name a different type from that of its current asset. */
static bool is_another_type(const history *h, int mount, const history_file *fresh, int name)
{
    int at = model_loaded(h, name), other = model_provider(h, name, mount);
    bool other_plate = false;
    if (other != NONE)
        other_plate = file_of(h, other)->plates & history_bit(name);
    else if (at != NONE && h->tenants[at].mount == mount)
        other_plate = file_of(h, mount)->plates & history_bit(name);
    bool is_plate = fresh->plates & history_bit(name);
    return (other != NONE || at != NONE) && is_plate != other_plate;
}

/* Whether the loaded asset must be loaded again, from the new file or from one below. */
static bool is_staged(const history *h, int mount, const history_file *fresh, int name)
{
    int at = model_loaded(h, name);
    if (at == NONE || h->tenants[at].mount == NONE)
        return false;
    if (h->tenants[at].mount != mount)
        return has(fresh, name) &&
               model_is_above(&h->mounts[mount], &h->mounts[h->tenants[at].mount]);
    if (has(fresh, name))
        return !is_equal(file_of(h, mount), fresh, name);
    return model_provider(h, name, mount) != NONE;
}

static kiln_status expect_replace(history *h, int mount, int file, uint32_t *ret_all)
{
    const history_file *fresh = &h->files[file];
    const int old = h->mounts[mount].file;
    uint32_t staged = 0;
    for (int name = 0; name < FILE_NAMES; name++) {
        if (has(fresh, name) && is_another_type(h, mount, fresh, name))
            return KILN_TYPE_MISMATCH;
        if (is_staged(h, mount, fresh, name))
            staged |= history_bit(name);
    }
    h->mounts[mount].file = file;
    bool is_whole = model_closure(h, staged, NONE, ret_all);
    h->mounts[mount].file = old;
    if (!is_whole)
        return KILN_MISSING;
    return model_has_room(h, *ret_all) ? KILN_OK : KILN_LIMIT;
}

/* In the model, the old file becomes the mount `gone`. Everything that still uses the old bytes
 * holds this mount. */
static void move_to_gone(history *h, int mount, int gone)
{
    for (int i = 0; i < TENANTS; i++) {
        history_tenant *tenant = &h->tenants[i];
        if (!tenant->is_alive || tenant->is_detached || tenant->mount != mount)
            continue;
        int name = 0;
        while (tenant->names != history_bit(name))
            name++;
        if (has(file_of(h, mount), name))
            continue;
        tenant->is_detached = true;
        tenant->mount = gone;
        if (tenant->strong == 0 && model_protections(tenant) == 0)
            model_end_tenant(h, tenant);
    }
    for (int i = 0; i < BORROWS; i++)
        if (h->borrows[i].root && h->borrows[i].mount == mount)
            h->borrows[i].mount = gone;
}

/* Notes which pointer words refer to bytes of the mount. */
static void find_pointers(const history *h, int mount, bool *ret_is_pointer)
{
    for (int i = 0; i < WORDS; i++) {
        const history_word *word = &h->words[i];
        ret_is_pointer[i] = word->tenant != NONE && word->mount == mount;
        for (int k = 0; k < TENANTS && word->tenant != NONE; k++)
            ret_is_pointer[i] |= kiln_ref_get_form(word->ref) == KILN_REF_POINTER &&
                                 h->tenants[k].is_alive && h->tenants[k].mount == mount &&
                                 (uintptr_t)h->tenants[k].root == word->ref.bits;
    }
}

/* Pointer words hold the old file, unless an asset of the new file still has the bytes. */
static void move_pointers(history *h, int mount, int gone, const bool *is_pointer)
{
    for (int i = 0; i < WORDS; i++) {
        bool is_current = false;
        for (int k = 0; k < TENANTS; k++)
            is_current |= h->tenants[k].is_alive && h->tenants[k].mount == mount &&
                          (uintptr_t)h->tenants[k].root == h->words[i].ref.bits;
        if (is_pointer[i] && !is_current)
            h->words[i].mount = gone;
    }
}

void history_replace_one(history *h)
{
    int at = (int)history_random(h, MOUNTS), gone = model_free_mount(h);
    int file = (int)history_random(h, FILES);
    bool is_pointer[WORDS];
    uint32_t all = 0;
    if (gone == NONE)
        return;
    history_mount *mount = &h->mounts[at];
    /* Files 4 to 7 are edited versions of files 0 to 3, and so on. */
    if (mount->is_there && history_random(h, 4) && (mount->file ^ 4) < FILES)
        file = mount->file ^ 4;
    kiln_mount_def def = history_mount_def(h, file);
    if (!mount->is_there) {
        history_expect(h, KILN_DEAD,
                       kiln_assets_replace(h->scene.assets, mount->handle, &def, NULL), "replace");
        return;
    }
    kiln_status expected = expect_replace(h, at, file, &all);
    find_pointers(h, at, is_pointer);
    kiln_status status = kiln_assets_replace(h->scene.assets, mount->handle, &def, &h->scene.error);
    if (!history_expect(h, expected, status, "replace") || expected != KILN_OK)
        return;
    h->mounts[gone] = *mount;
    h->mounts[gone].handle = (kiln_mount){0};
    h->mounts[gone].is_there = false;
    h->mounts[gone].is_gone = h->mounts[gone].is_replaced = true;
    mount->file = file;
    history_apply(h, all, NONE);
    move_to_gone(h, at, gone);
    move_pointers(h, at, gone, is_pointer);
}
