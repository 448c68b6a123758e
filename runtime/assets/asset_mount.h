/* An open file in a table, without the entries that use it. */
#ifndef KILN_ASSET_MOUNT_H
#define KILN_ASSET_MOUNT_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Opens the file; the table stays as it is. */
kiln_status kiln_asset_mount_open(kiln_assets *assets, const kiln_mount_def *def,
                                  asset_mount **ret_mount, kiln_error *reterr);
/* Gives the mount a number, so that it has a handle. No asset uses it yet. */
kiln_status kiln_asset_mount_place(kiln_assets *assets, asset_mount *mount);
/* Closes the file of a mount that has no number. */
void kiln_asset_mount_free(kiln_assets *assets, asset_mount *mount);

/* The mount of a handle; NULL for one that was unmounted or never was. */
asset_mount *kiln_asset_mount_of(const kiln_assets *assets, kiln_mount mount);

/* Closes the file if it was unmounted and none of its bytes are in use. */
void kiln_asset_mount_settle(kiln_assets *assets, asset_mount *mount);
/* Closes every file, because the table is being destroyed. */
void kiln_asset_mount_free_all(kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
