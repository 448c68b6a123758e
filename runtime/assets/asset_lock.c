/* Every changing call begins and ends here. So the next changing call notices what other threads
 * have released without a lock, and no background thread is needed. */
#include "asset_lock.h"

#include "asset_entry.h"

void kiln_asset_lock(kiln_assets *assets)
{
    pthread_mutex_lock(&assets->lock);
    kiln_asset_entry_sweep(assets);
}

void kiln_asset_unlock(kiln_assets *assets)
{
    kiln_quiescence_settle(&assets->quiescence, assets);
    pthread_mutex_unlock(&assets->lock);
}
