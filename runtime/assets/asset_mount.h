/* The end of all mounts. */
#ifndef KILN_ASSET_MOUNT_H
#define KILN_ASSET_MOUNT_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Closes every file; the table ends. */
void kiln_asset_mount_free_all(kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
