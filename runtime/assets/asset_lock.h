/* The lock of a table, and what is done whenever it is taken or released. */
#ifndef KILN_ASSET_LOCK_H
#define KILN_ASSET_LOCK_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Begins a changing call. Ends deferred assets that nothing holds any more. */
void kiln_asset_lock(kiln_assets *assets);
/* Ends a changing call. Memory that no thread reads any more is freed. */
void kiln_asset_unlock(kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
