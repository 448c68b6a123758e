/* Mounting and unmounting. */
#include "asset_mount.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_make.h"
#include "asset_slots.h"
#include "asset_stage.h"

#include <stdio.h>
#include <string.h>

kiln_mount_def kiln_mount_def_default(void)
{
    kiln_mount_def def = {.file = kiln_file_def_default()};
    return def;
}

/* ---- the mount itself ---- */

static void free_mount(kiln_assets *assets, asset_mount *mount)
{
    kiln_asset_make_end_mount(assets, mount);
    kiln_file_close(mount->file);
    if (mount->name)
        assets->allocator.free(assets->allocator.ctx, mount->name, mount->name_size);
    assets->allocator.free(assets->allocator.ctx, mount, sizeof(*mount));
}

static void free_retired_mount(void *ctx, kiln_retired *retired)
{
    free_mount(ctx, (asset_mount *)retired);
}

_Static_assert(offsetof(asset_mount, retired) == 0, "a retired mount is its first field");

void kiln_asset_mount_settle(kiln_assets *assets, asset_mount *mount)
{
    bool is_open = assets->mounts[mount->number] == mount;
    if (!is_open || !mount->is_unmounted || mount->blobs || mount->pins)
        return;
    assets->mounts[mount->number] = NULL;
    kiln_quiescence_retire(&assets->quiescence, &mount->retired, 0, free_retired_mount);
}

void kiln_asset_mount_free_all(kiln_assets *assets)
{
    for (uint32_t i = 0; i < assets->mount_count; i++)
        if (assets->mounts[i])
            free_mount(assets, assets->mounts[i]);
    if (assets->mounts)
        assets->allocator.free(assets->allocator.ctx, assets->mounts,
                               assets->mount_capacity * sizeof(*assets->mounts));
}

static const char *name_for(const kiln_mount_def *def)
{
    if (def->name)
        return def->name;
    return def->file.path ? def->file.path : "memory";
}

/* An error that has no path of its own is told with the file's name. */
static kiln_status tell_file(const kiln_mount_def *def, kiln_status status, kiln_error *reterr)
{
    return reterr && !reterr->path[0] ? kiln_fail(reterr, status, reterr->offset, name_for(def))
                                      : status;
}

/* Opens the file; the table is not touched. */
static kiln_status open_mount(kiln_assets *assets, const kiln_mount_def *def,
                              asset_mount **ret_mount, kiln_error *reterr)
{
    const kiln_allocator *allocator = &assets->allocator;
    asset_mount *mount = allocator->alloc(allocator->ctx, sizeof(*mount), _Alignof(asset_mount));
    if (!mount)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(mount, 0, sizeof(*mount));
    mount->name_size = strlen(name_for(def)) + 1;
    mount->name = allocator->alloc(allocator->ctx, mount->name_size, 1);
    mount->order = def->order;
    kiln_status status = mount->name ? KILN_OK : kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (status == KILN_OK) {
        memcpy(mount->name, name_for(def), mount->name_size);
        kiln_file_def file = def->file;
        file.allocator = allocator;
        status = kiln_file_open_sharing(&file, assets->types, &mount->file, reterr);
    }
    if (status != KILN_OK) {
        free_mount(assets, mount);
        return tell_file(def, status, reterr);
    }
    *ret_mount = mount;
    return KILN_OK;
}

static uint32_t free_number(const kiln_assets *assets)
{
    uint32_t i = 0;
    while (i < assets->mount_count && assets->mounts[i])
        i++;
    return i;
}

/* Gives the mount a place, so that it can be named; nothing leads to it yet. */
static kiln_status place_mount(kiln_assets *assets, asset_mount *mount)
{
    uint32_t number = free_number(assets);
    if (number == assets->mount_count) {
        asset_mount **mounts =
            kiln_grow(&assets->allocator, assets->mounts, &assets->mount_capacity,
                      (size_t)number + 1, sizeof(*mounts));
        if (!mounts)
            return KILN_NO_MEMORY;
        assets->mounts = mounts;
        assets->mounts[assets->mount_count++] = NULL;
    }
    mount->number = number;
    mount->serial = ++assets->last_serial;
    assets->mounts[number] = mount;
    return KILN_OK;
}

/* ---- what changes when a file comes or goes ---- */

typedef struct mounting {
    kiln_assets *assets;
    asset_mount *mount;
    asset_stage stage;
    uint32_t shared; /* assets that the table knows, or the base has */
} mounting;

/* A type that the program renamed is one type under both names. */
static bool is_same_type(const kiln_assets *assets, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return true;
    uint32_t type = kiln_asset_program_type(assets, a);
    return type != KILN_TYPE_NONE && type == kiln_asset_program_type(assets, b);
}

/* Two files agree about an id when they agree about its name and type. */
static kiln_status check_clash(const mounting *m, kiln_id id, uint32_t number,
                               const asset_found *found, kiln_error *reterr)
{
    const char *mine = kiln_asset_index_name(m->mount, number);
    const char *mine_type = kiln_string_get(&kiln_asset_index_type(m->mount, number)->name);
    const asset_entry *entry = found->slot != ASSET_NONE ? entry_at(m->assets, found->slot) : NULL;
    const char *other = found->mount ? kiln_asset_index_name(found->mount, found->number)
                                     : kiln_asset_entry_name_of(entry, id);
    const char *other_type =
        found->mount ? kiln_string_get(&kiln_asset_index_type(found->mount, found->number)->name)
                     : entry->blob->type;
    if (strcmp(mine, other) != 0) {
        char path[2 * KILN_PATH_SIZE];
        snprintf(path, sizeof(path), "%s, %s", mine, other);
        return kiln_fail(reterr, KILN_NAME_CLASH, 0, path);
    }
    if (!is_same_type(m->assets, mine_type, other_type))
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, mine);
    return KILN_OK;
}

/* Before: does the asset agree with those that are there, and does it replace a loaded one? */
static kiln_status meet(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    mounting *m = ctx;
    asset_found found;
    if (!kiln_asset_find(m->assets, NULL, id, &found))
        return KILN_OK;
    m->shared++;
    kiln_status status = check_clash(m, id, number, &found, reterr);
    bool is_added = found.slot != ASSET_NONE && !entry_at(m->assets, found.slot)->blob->mount;
    bool is_above = !found.mount || asset_mount_is_above(m->mount, found.mount);
    if (status != KILN_OK || found.slot == ASSET_NONE || is_added || !is_above)
        return status;
    found.mount = m->mount;
    found.number = number;
    return kiln_asset_stage_add(&m->stage, id, &found, ASSET_NONE, reterr);
}

/* After: the file is one of those that have the id. */
static kiln_status join(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    mounting *m = ctx;
    uint32_t cell, known = kiln_asset_ids_enter(m->assets, id, &cell);
    (void)reterr;
    kiln_asset_layers_add(m->assets, known, m->mount, number);
    kiln_asset_ids_publish(m->assets, cell);
    return KILN_OK;
}

/* Whether the new file should be the base: all of the table and of the former base must then be
 * looked up in it, and the latter's assets entered. */
static bool should_be_base(const kiln_assets *assets, const asset_mount *mount)
{
    const asset_mount *base = asset_base(assets);
    uint64_t cost = assets->ids.live + (base ? 2 * (uint64_t)asset_index_count(base) : 0);
    return cost < asset_index_count(mount);
}

static kiln_status enter(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    const mounting *m = ctx;
    uint32_t cell;
    (void)number, (void)reterr;
    kiln_asset_ids_enter(m->assets, id, &cell);
    kiln_asset_ids_publish(m->assets, cell);
    return KILN_OK;
}

/* The former base's assets go where all others' are. Room was reserved. */
static void leave_base(mounting *m)
{
    const asset_mount *base = asset_base(m->assets);
    if (!base)
        return;
    kiln_asset_each_own(m->assets, base, enter, m, NULL);
    atomic_store_explicit(&m->assets->base, NULL, memory_order_release);
}

/* Looks at everything that the new file shares with what is there, and stages what it replaces. */
static kiln_status meet_all(mounting *m, bool as_base, kiln_error *reterr)
{
    asset_mount *base = asset_base(m->assets);
    if (!as_base)
        return m->assets->mounted == 0 && m->assets->ids.live == 0
                   ? KILN_OK
                   : kiln_asset_each_own(m->assets, m->mount, meet, m, reterr);
    kiln_status status = kiln_asset_each_shared(m->assets, m->mount, meet, m, reterr);
    for (uint32_t i = 0; base && i < asset_index_count(base) && status == KILN_OK; i++) {
        kiln_id id = kiln_index_id(base->file->index, i);
        uint32_t number = kiln_asset_number_in(m->mount, id);
        /* Ids in the table were met. */
        if (number != ASSET_NONE && kiln_key_table_get(&m->assets->ids, id) == 0)
            status = meet(m, id, number, reterr);
    }
    return status;
}

/* Room for all ids that are entered beside those of the stage. */
static kiln_status reserve(mounting *m, bool as_base)
{
    const asset_mount *base = asset_base(m->assets);
    uint64_t ids = m->stage.count;
    if (!as_base)
        ids += asset_index_count(m->mount);
    else if (base)
        ids += asset_index_count(base);
    uint64_t providers = as_base ? m->shared : asset_index_count(m->mount);
    return ids + providers < ASSET_NONE
               ? kiln_asset_ids_reserve(m->assets, (uint32_t)ids, (uint32_t)providers)
               : KILN_NO_MEMORY;
}

static kiln_status mount_placed(mounting *m, kiln_error *reterr)
{
    kiln_assets *assets = m->assets;
    bool as_base = should_be_base(assets, m->mount);
    kiln_status status = meet_all(m, as_base, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_prepare(&m->stage, reterr);
    if (status == KILN_OK)
        status = asset_tell(reterr, reserve(m, as_base));
    if (status != KILN_OK)
        return status;
    if (as_base) {
        leave_base(m);
        kiln_asset_each_shared(assets, m->mount, join, m, NULL);
        atomic_store_explicit(&assets->base, m->mount, memory_order_release);
    } else {
        kiln_asset_each_own(assets, m->mount, join, m, NULL);
    }
    kiln_asset_stage_publish(&m->stage);
    assets->mounted++;
    assets->generation++;
    return KILN_OK;
}

kiln_status kiln_assets_mount(kiln_assets *assets, const kiln_mount_def *def, kiln_mount *ret_mount,
                              kiln_error *reterr)
{
    if (!assets || !def || !ret_mount || def->file.types || def->file.allocator)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    mounting m = {.assets = assets};
    kiln_status status = open_mount(assets, def, &m.mount, reterr);
    if (status != KILN_OK)
        return status;
    kiln_asset_lock(assets);
    status = place_mount(assets, m.mount);
    if (status != KILN_OK) {
        kiln_fail(reterr, status, 0, NULL);
        free_mount(assets, m.mount);
    } else {
        kiln_asset_stage_init(&m.stage, assets);
        m.stage.view.more = m.mount;
        status = mount_placed(&m, reterr);
        m.mount->is_unmounted = status != KILN_OK;
        if (status == KILN_OK)
            *ret_mount = (kiln_mount){m.mount->number + 1, (uint32_t)m.mount->serial};
        kiln_asset_stage_fini(&m.stage);
        kiln_asset_mount_settle(assets, m.mount);
    }
    kiln_asset_unlock(assets);
    return status;
}
