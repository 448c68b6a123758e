/* Every changing call begins and ends here. Each call cleans up after threads that released handles
 * without the lock, so no background thread is needed. */
#include "asset_lock.h"

#include "asset_entry.h"
#include "asset_marks.h"

/* With a collector, one call frees at most this many objects, so that no call takes long. The
 * collector's steps free the rest. */
enum { FREED_PER_CALL = 64 };

void kiln_asset_relock(kiln_assets *assets)
{
    pthread_mutex_lock(&assets->lock);
    if (assets->marks)
        kiln_asset_marks_pause(assets);
}

void kiln_asset_lock(kiln_assets *assets)
{
    kiln_asset_relock(assets);
    kiln_asset_entry_sweep(assets);
}

void kiln_asset_unlock(kiln_assets *assets)
{
    kiln_quiescence_settle(&assets->quiescence, assets, assets->marks ? FREED_PER_CALL : SIZE_MAX);
    pthread_mutex_unlock(&assets->lock);
}
