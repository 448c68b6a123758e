/* Mounts: the open files of a table. */
#ifndef KILN_ASSET_MOUNT_H
#define KILN_ASSET_MOUNT_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The name of the file in messages. */
const char *kiln_asset_mount_name(const kiln_mount_def *def);
/* Opens the file without changing the table. */
kiln_status kiln_asset_mount_open(kiln_assets *assets, const kiln_mount_def *def,
                                  asset_mount **ret_mount, kiln_error *reterr);
/* Adds the mount to the table under a free number, so that it has a handle. No asset uses it yet.
 */
kiln_status kiln_asset_mount_register(kiln_assets *assets, asset_mount *mount);
/* Closes the file of a mount that has no number. */
void kiln_asset_mount_free(kiln_assets *assets, asset_mount *mount);

/* The mount of a handle; NULL if it was unmounted or never existed. */
asset_mount *kiln_asset_mount_of(const kiln_assets *assets, kiln_mount mount);

/* Closes the file if it was unmounted and none of its bytes are in use. */
void kiln_asset_mount_settle(kiln_assets *assets, asset_mount *mount);
/* Closes every file, because the table is being destroyed. */
void kiln_asset_mount_free_all(kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
