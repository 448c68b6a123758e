/* Mounts have numbers, which are reused, and serials, which are unique. A public handle has both,
 * so a stale handle is recognized.
 *
 * An unmounted file stays open while its bytes are in use or a load has pinned it. The last user
 * closes it through kiln_asset_mount_settle. Like all other memory, the mount is freed only when no
 * reader can still use it. */
#include "asset_mount.h"

#include "asset_conversions.h"
#include "asset_marks.h"
#include "asset_plan.h"

#include <string.h>

void kiln_asset_mount_free(kiln_assets *assets, asset_mount *mount)
{
    kiln_asset_conversions_fini(assets, mount);
    kiln_asset_marks_remove_mount(assets, mount);
    kiln_file_redirects_fini(&mount->redirects, &assets->allocator);
    kiln_file_close(mount->file);
    if (mount->name)
        assets->allocator.free(assets->allocator.ctx, mount->name, mount->name_size);
    assets->allocator.free(assets->allocator.ctx, mount, sizeof(*mount));
}

static void free_retired_mount(void *ctx, kiln_retired *retired)
{
    kiln_asset_mount_free(ctx, (asset_mount *)retired);
}

_Static_assert(offsetof(asset_mount, retired) == 0,
               "`retired` must come first: it is cast to its asset_mount");

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
            kiln_asset_mount_free(assets, assets->mounts[i]);
    if (assets->mounts)
        assets->allocator.free(assets->allocator.ctx, assets->mounts,
                               assets->mount_capacity * sizeof(*assets->mounts));
}

const char *kiln_asset_mount_name(const kiln_mount_def *def)
{
    if (def->name)
        return def->name;
    return def->file.path ? def->file.path : "memory";
}

/* Adds the file's name to an error without a path. */
static kiln_status fail_with_name(const kiln_mount_def *def, kiln_status status, kiln_error *reterr)
{
    return reterr && !reterr->path[0]
               ? kiln_fail(reterr, status, reterr->offset, kiln_asset_mount_name(def))
               : status;
}

kiln_status kiln_asset_mount_open(kiln_assets *assets, const kiln_mount_def *def,
                                  asset_mount **ret_mount, kiln_error *reterr)
{
    const kiln_allocator *allocator = &assets->allocator;
    asset_mount *mount = allocator->alloc(allocator->ctx, sizeof(*mount), _Alignof(asset_mount));
    if (!mount)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(mount, 0, sizeof(*mount));
    mount->name_size = strlen(kiln_asset_mount_name(def)) + 1;
    mount->name = allocator->alloc(allocator->ctx, mount->name_size, 1);
    mount->order = def->order;
    mount->current = mount;
    kiln_status status = mount->name ? KILN_OK : kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (status == KILN_OK) {
        memcpy(mount->name, kiln_asset_mount_name(def), mount->name_size);
        kiln_file_def file = def->file;
        file.allocator = allocator;
        status = kiln_file_open_sharing(&file, assets->types, &mount->file, reterr);
    }
    if (status == KILN_OK)
        status = kiln_file_redirects_read(mount->file, allocator, &mount->redirects, reterr);
    if (status != KILN_OK) {
        kiln_asset_mount_free(assets, mount);
        return fail_with_name(def, status, reterr);
    }
    /* Collectors are created and destroyed while no other call uses the table. */
    if (assets->marks)
        mount->plan = kiln_asset_plan_read(assets, mount->file);
    *ret_mount = mount;
    return KILN_OK;
}

static uint32_t free_number(const kiln_assets *assets)
{
    /* During a cycle, nodes of the gray stack may still contain the number of an unmounted file. */
    if (assets->marks && asset_phase_of(assets->marks) != PHASE_IDLE)
        return assets->mount_count;
    uint32_t i = 0;
    while (i < assets->mount_count && assets->mounts[i])
        i++;
    return i;
}

kiln_status kiln_asset_mount_register(kiln_assets *assets, asset_mount *mount)
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

asset_mount *kiln_asset_mount_of(const kiln_assets *assets, kiln_mount mount)
{
    if (mount.number == 0 || mount.number > assets->mount_count)
        return NULL;
    asset_mount *found = assets->mounts[mount.number - 1];
    bool is_current = found && (uint32_t)found->serial == mount.version && !found->is_unmounted;
    return is_current ? found : NULL;
}
