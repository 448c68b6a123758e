/* Mounts, and the lock that every changing call takes. */
#ifndef KILN_ASSET_MOUNT_H
#define KILN_ASSET_MOUNT_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Closes every file; the table ends. */
void kiln_asset_mount_free_all(kiln_assets *assets);

/* The mount of a handle; NULL for one that was unmounted or never was. */
asset_mount *kiln_asset_mount_of(const kiln_assets *assets, kiln_mount mount);

/* Begins and ends a changing call: what was deferred until something was given back, and what no
 * thread reads any more, goes. */
void kiln_asset_lock(kiln_assets *assets);
void kiln_asset_unlock(kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
