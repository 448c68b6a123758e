/* Steps that add assets and remove them. */
#include "asset_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t history_random(history *h, uint32_t below)
{
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t mixed = (h->random ^ h->random >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed >> 32) * below >> 32);
}

void history_threaten(history *h)
{
    world_memory *memory = &h->scene.memory;
    memory->fail_at =
        h->def->fails && history_random(h, 8) == 0 ? memory->calls + 1 + history_random(h, 6) : 0;
}

bool history_expect(history *h, kiln_status expected, kiln_status is, const char *what)
{
    if (is == KILN_NO_MEMORY && h->scene.memory.failed) {
        h->scene.memory.failed = 0;
        h->scene.memory.fail_at = 0;
        return false;
    }
    if (is != expected)
        fail_msg("step %zu, %s: %s for %s (%s)", (size_t)h->steps, what, kiln_status_name(is),
                 kiln_status_name(expected), h->scene.error.path);
    return true;
}

void history_note_roots(history *h)
{
    for (int i = 0; i < TENANTS; i++) {
        history_tenant *tenant = &h->tenants[i];
        if (tenant->is_alive)
            tenant->root = kiln_ref_get(kiln_assets_get_slots(h->scene.assets), tenant->handle);
    }
}

/* ---- loading ---- */

/* Sets the mount and value of a file's asset, which is newly loaded or replaces an earlier one. */
static void set_bytes(history *h, history_tenant *tenant, int name, int less)
{
    tenant->mount = model_provider(h, name, less);
    tenant->value = h->files[h->mounts[tenant->mount].file].value[name];
}

void history_apply(history *h, uint32_t names, int less)
{
    for (int name = 0; name < FILE_NAMES; name++) {
        if (!(names & history_bit(name)))
            continue;
        int at = model_loaded(h, name);
        history_tenant *tenant = at == NONE ? model_new_tenant(h) : &h->tenants[at];
        set_bytes(h, tenant, name, less);
        tenant->names = history_bit(name);
        if (at != NONE)
            continue;
        const void *root = kiln_assets_get(h->scene.assets, scene_id(h->names[name]));
        assert_non_null(root);
        tenant->root = root;
        /* Names that share a member have the same root, but separate slots. */
        for (kiln_ref ref = kiln_assets_next(h->scene.assets, (kiln_ref){0}); ref.bits;
             ref = kiln_assets_next(h->scene.assets, ref)) {
            kiln_asset_info info;
            EXPECT_STATUS(KILN_OK, kiln_assets_get_info(h->scene.assets, ref, &info));
            if (info.id == scene_id(h->names[name]) && info.root == root)
                tenant->handle = ref;
        }
        assert_true(tenant->handle.bits != 0);
    }
    history_note_roots(h);
}

static uint32_t count_new(const history *h, uint32_t names)
{
    uint32_t count = 0;
    for (int name = 0; name < FILE_NAMES; name++)
        count += (names & history_bit(name)) && model_loaded(h, name) == NONE;
    return count;
}

bool model_has_room(const history *h, uint32_t names)
{
    return count_new(h, names) <= h->def->max_assets - model_used_slots(h);
}

void history_load(history *h)
{
    int name = (int)history_random(h, NAMES), at = model_loaded(h, name);
    kiln_load_args args = {.by = history_by[0], .allow_missing = history_random(h, 3) == 0};
    kiln_ref ref = {0};
    kiln_status expected = KILN_OK;
    uint32_t all = 0;
    if (history_random(h, 2))
        args.name = h->names[name];
    else
        args.id = scene_id(h->names[name]);
    if (at == NONE && model_provider(h, name, NONE) == NONE)
        expected = KILN_NOT_FOUND;
    else if (at == NONE && !model_closure(h, history_bit(name), NONE, &all) && !args.allow_missing)
        expected = KILN_MISSING;
    else if (at == NONE && !model_has_room(h, all))
        expected = KILN_LIMIT;
    kiln_status status = kiln_assets_load(h->scene.assets, &args, &ref, &h->scene.error);
    if (!history_expect(h, expected, status, "load") || expected != KILN_OK)
        return;
    history_apply(h, at == NONE ? all : 0, NONE);
    history_keep(h, ref, model_loaded(h, name));
}

/* ---- mounting ---- */

/* Whether the type of this asset in `file` differs from that of the mounted or loaded asset. */
static bool is_another_type(const history *h, const history_file *file, int name)
{
    int other = model_provider(h, name, NONE), at = model_loaded(h, name);
    bool is_plate = file->plates & history_bit(name), other_plate = false;
    if (other != NONE)
        other_plate = h->files[h->mounts[other].file].plates & history_bit(name);
    return (other != NONE || at != NONE) && is_plate != other_plate;
}

/* Computes the status of a mount, and which assets it loads. */
static kiln_status expect_mount(const history *h, int mount, uint32_t *ret_all)
{
    const history_file *file = &h->files[h->mounts[mount].file];
    uint32_t replaced = 0;
    for (int name = 0; name < FILE_NAMES; name++) {
        if (!(file->names & history_bit(name)))
            continue;
        int at = model_loaded(h, name);
        if (is_another_type(h, file, name))
            return KILN_TYPE_MISMATCH;
        if (at != NONE && h->tenants[at].mount != NONE &&
            model_is_above(&h->mounts[mount], &h->mounts[h->tenants[at].mount]))
            replaced |= history_bit(name);
    }
    *ret_all = replaced;
    return KILN_OK;
}

int model_free_mount(const history *h)
{
    for (int i = 0; i < MOUNTS; i++)
        if (!h->mounts[i].is_there && !h->mounts[i].is_gone)
            return i;
    return NONE;
}

static bool is_used(const history *h, int file)
{
    for (int i = 0; i < MOUNTS; i++)
        if ((h->mounts[i].is_there || h->mounts[i].is_gone) && h->mounts[i].file == file)
            return true;
    return false;
}

kiln_mount_def history_mount_def(history *h, int file)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.order = (int32_t)history_random(h, 3);
    def.file.data = h->files[file].image.data;
    def.file.size = h->files[file].image.size;
    def.file.source = is_used(h, file) ? KILN_SOURCE_COPY : KILN_SOURCE_MAP;
    def.file.level = (kiln_verify_level)history_random(h, 3);
    return def;
}

void history_mount_one(history *h)
{
    int at = model_free_mount(h);
    uint32_t all = 0;
    if (at == NONE)
        return;
    history_mount *mount = &h->mounts[at];
    int file = (int)history_random(h, FILES);
    kiln_mount_def def = history_mount_def(h, file);
    *mount = (history_mount){.file = file, .order = def.order, .serial = ++h->serial};
    kiln_status expected = expect_mount(h, at, &all);
    mount->is_there = true;
    if (expected == KILN_OK && !model_closure(h, all, NONE, &all))
        expected = KILN_MISSING;
    if (expected == KILN_OK && !model_has_room(h, all))
        expected = KILN_LIMIT;
    mount->is_there = false;
    kiln_status status = kiln_assets_mount(h->scene.assets, &def, &mount->handle, &h->scene.error);
    if (!history_expect(h, expected, status, "mount") || expected != KILN_OK)
        return;
    mount->is_there = true;
    history_apply(h, all, NONE);
}

static bool has_borrowed_bytes(const history *h, int mount)
{
    for (int i = 0; i < BORROWS; i++)
        if (h->borrows[i].root && h->borrows[i].mount == mount)
            return true;
    return false;
}

/* Returns the assets of a removed mount that other mounted files also have. `*ret_is_held` receives
 * whether anything holds one of the other assets, or borrows bytes of the mount. */
static uint32_t replaced_by_others(const history *h, int mount, bool *ret_is_held)
{
    uint32_t replaced = 0;
    *ret_is_held = has_borrowed_bytes(h, mount);
    for (int i = 0; i < TENANTS; i++) {
        const history_tenant *tenant = &h->tenants[i];
        if (!tenant->is_alive || tenant->is_detached || tenant->mount != mount)
            continue;
        int name = 0;
        while (tenant->names != history_bit(name))
            name++;
        if (model_provider(h, name, mount) != NONE)
            replaced |= tenant->names;
        else
            *ret_is_held |= tenant->strong || model_protections(tenant);
    }
    return replaced;
}

/* Detaches the remaining assets of an unmounted mount, and removes those that nothing holds. */
static void leave(history *h, int mount)
{
    for (int i = 0; i < TENANTS; i++) {
        history_tenant *tenant = &h->tenants[i];
        if (!tenant->is_alive || tenant->is_detached || tenant->mount != mount)
            continue;
        tenant->is_detached = true;
        if (tenant->strong == 0 && model_protections(tenant) == 0)
            model_end_tenant(h, tenant);
    }
}

void history_unmount_one(history *h)
{
    int at = (int)history_random(h, MOUNTS);
    history_mount *mount = &h->mounts[at];
    bool defer = history_random(h, 3) == 0, is_held = false;
    kiln_status expected = KILN_OK;
    uint32_t all = 0;
    if (!mount->is_there) {
        EXPECT_STATUS(KILN_DEAD, kiln_assets_unmount(h->scene.assets, mount->handle,
                                                     KILN_UNMOUNT_DEFER, NULL));
        return;
    }
    uint32_t replaced = replaced_by_others(h, at, &is_held);
    model_closure(h, replaced, at, &all);
    if (is_held && !defer)
        expected = KILN_HELD;
    else if (!model_has_room(h, all))
        expected = KILN_LIMIT;
    kiln_status status =
        kiln_assets_unmount(h->scene.assets, mount->handle,
                            defer ? KILN_UNMOUNT_DEFER : KILN_UNMOUNT_REFUSE, &h->scene.error);
    if (!history_expect(h, expected, status, "unmount") || expected != KILN_OK)
        return;
    history_apply(h, all, at);
    leave(h, at);
    mount->is_there = false;
    mount->is_gone = true;
}

/* ---- adding and disposing ---- */

static void free_blob(void *ctx, const void *blob, size_t size)
{
    history *h = ctx;
    kiln_allocator libc = kiln_allocator_default();
    h->freed++;
    libc.free(libc.ctx, (void *)(uintptr_t)blob, size);
}

/* A copy that the table frees. */
static void give(history *h, kiln_add_args *args)
{
    kiln_allocator libc = kiln_allocator_default();
    void *copy = libc.alloc(libc.ctx, args->size, 64);
    assert_non_null(copy);
    memcpy(copy, args->blob, args->size);
    args->blob = copy;
    args->in_place = true;
    args->free = free_blob;
    args->free_ctx = h;
}

static int tenant_with(const history *h, uint32_t value)
{
    for (int i = 0; i < TENANTS; i++)
        if (h->tenants[i].is_alive && h->tenants[i].mount == NONE && h->tenants[i].value == value)
            return i;
    return NONE;
}

static kiln_status expect_add(const history *h, int name, int equal)
{
    int loaded = name == NONE ? NONE : model_loaded(h, name);
    bool is_known = name != NONE && (loaded != NONE || model_provider(h, name, NONE) != NONE);
    if (is_known && (equal == NONE || loaded != equal))
        return KILN_DUPLICATE;
    return equal == NONE && model_used_slots(h) == h->def->max_assets ? KILN_LIMIT : KILN_OK;
}

void history_add(history *h)
{
    uint32_t which = history_random(h, ADDED_VALUES), how = history_random(h, 3);
    int name = history_random(h, 3) == 0 ? NONE : (int)history_random(h, NAMES);
    int equal = tenant_with(h, 90000 + which);
    kiln_add_args args = {.name = name == NONE ? NULL : h->names[name],
                          .type = &h->type,
                          .blob = h->added[which].data,
                          .size = h->added[which].size,
                          .is_trusted = history_random(h, 2),
                          .in_place = how == 1,
                          .by = history_by[1]};
    if (how == 2)
        give(h, &args);
    kiln_ref ref = {0};
    kiln_status expected = expect_add(h, name, equal);
    kiln_status status = kiln_assets_add(h->scene.assets, &args, &ref, &h->scene.error);
    h->given += args.free != NULL;
    if (!history_expect(h, expected, status, "add") || expected != KILN_OK) {
        if (args.free)
            args.free(h, args.blob, args.size);
        return;
    }
    history_tenant *tenant = equal == NONE ? model_new_tenant(h) : &h->tenants[equal];
    tenant->value = 90000 + which;
    tenant->names |= name == NONE ? 0 : history_bit(name);
    if (equal == NONE) {
        tenant->is_foreign = how == 1;
        tenant->handle.bits = ref.bits & ~(uint64_t)KILN_REF_STRONG_BIT;
    }
    history_note_roots(h);
    history_keep(h, ref, (int)(tenant - h->tenants));
}

static kiln_status expect_dispose(const history *h, const history_tenant *tenant, bool own)
{
    if (!tenant->is_alive)
        return KILN_DEAD;
    if (model_protections(tenant))
        return KILN_PROTECTED;
    if (model_borrowed(h, tenant->root))
        return KILN_BORROWED;
    if (tenant->mount != NONE && history_memory(h, tenant->mount) == KILN_ASSET_MAPPED)
        return KILN_MAPPED;
    if (tenant->is_foreign)
        return KILN_FOREIGN;
    return tenant->strong > own ? KILN_HELD : KILN_OK;
}

void history_dispose(history *h)
{
    history_word *word = history_pick(h);
    if (!word || kiln_ref_get_form(word->ref) == KILN_REF_POINTER)
        return;
    history_tenant *tenant = &h->tenants[word->tenant];
    bool own = kiln_ref_get_form(word->ref) == KILN_REF_STRONG;
    kiln_status expected = expect_dispose(h, tenant, own);
    EXPECT_STATUS(expected, kiln_assets_dispose(h->scene.assets, word->ref, &h->scene.error));
    if (expected != KILN_OK)
        return;
    if (own)
        word->tenant = NONE;
    model_end_tenant(h, tenant);
}
