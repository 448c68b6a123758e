/* The lock of a table, and the clean-up whenever it is taken or released. */
#ifndef KILN_ASSET_LOCK_H
#define KILN_ASSET_LOCK_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Begins a changing call: takes the lock and removes the deferred assets that nothing holds. */
void kiln_asset_lock(kiln_assets *assets);
/* Takes the lock again in a changing call that has released it temporarily. */
void kiln_asset_relock(kiln_assets *assets);
/* Ends a changing call: frees memory that no thread can still read, and releases the lock. */
void kiln_asset_unlock(kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
