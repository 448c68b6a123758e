/* A table has few mounts, and a replacement reads two whole indexes, so the functions search all
 * mounts instead of following a list. */
#include "asset_older.h"

#include "asset_mount.h"

/* The mount with this number if it is the mounted file or an older version of it; else NULL. */
static asset_mount *version_at(const kiln_assets *assets, uint32_t number, const asset_mount *mount)
{
    asset_mount *at = assets->mounts[number];
    return at && at->current == mount ? at : NULL;
}

uint32_t kiln_asset_older_count(const kiln_assets *assets, const asset_mount *mount)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < assets->mount_count; i++)
        count += assets->mounts[i] != mount && version_at(assets, i, mount);
    return count;
}

const asset_mount *kiln_asset_older_largest(const kiln_assets *assets, const asset_mount *mount)
{
    const asset_mount *largest = mount;
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        const asset_mount *at = version_at(assets, i, mount);
        if (at && at->blobs > largest->blobs)
            largest = at;
    }
    return largest;
}

uint64_t kiln_asset_older_records(const kiln_assets *assets, const asset_mount *mount)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        const asset_mount *at = version_at(assets, i, mount);
        count += at ? at->blobs : 0;
    }
    return count;
}

uint64_t kiln_asset_older_borrows(const kiln_assets *assets, const asset_mount *mount)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        const asset_mount *at = version_at(assets, i, mount);
        count += at ? at->borrowed : 0;
    }
    return count;
}

void kiln_asset_older_adopt(const kiln_assets *assets, asset_mount *old, asset_mount *fresh)
{
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        asset_mount *at = version_at(assets, i, old);
        if (at)
            at->current = fresh;
    }
}

void kiln_asset_older_end(kiln_assets *assets, const asset_mount *mount, const asset_mount *but)
{
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        asset_mount *at = version_at(assets, i, mount);
        if (!at || at == mount || at == but)
            continue;
        at->current = at;
        kiln_asset_mount_settle(assets, at);
    }
}
