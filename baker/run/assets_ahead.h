/* Bakes the assets of a file ahead of their turn, on several threads.
 *
 * One thread, the owner, adds the assets of a file in order of their names. Threads bake assets
 * ahead of it, each with its own value baker, which is a helper: it only makes blobs. The owner
 * takes a blob when it is the turn of that asset. Assets with reports, files or anything else that
 * could be noticed have no result, and the owner bakes them itself. So bytes, messages and failures
 * are the same for any number of threads.
 *
 * Only the owner releases trees, in the same order as with one thread: a tree exists until the turn
 * of the last asset that needs it. */
#ifndef BAKE_ASSETS_AHEAD_H
#define BAKE_ASSETS_AHEAD_H

#include "asset_input.h"
#include "bake_run.h"
#include "value_bake.h"

typedef struct bake_assets_ahead bake_assets_ahead;

typedef struct bake_assets_ahead_def {
    const bake_schema *schema;
    const bake_inputs *inputs;
    bake_names *names;
    uint32_t output;
    size_t first, count; /* a range of the assets */
    size_t jobs;         /* as for bake_threads_for */
    bake_values *values; /* the baker of the owner; it waits for helpers before it changes names */
    bake_timings *timings; /* may be NULL */
} bake_assets_ahead_def;

/* Starts the threads. Returns NULL if there is nothing to do for them, or memory runs out. */
bake_assets_ahead *bake_assets_ahead_begin(const bake_assets_ahead_def *def);

typedef struct bake_early_asset {
    kiln_finished_asset asset; /* empty if no blob was needed */
    uint32_t *imports;         /* indices of names */
    size_t import_count;
} bake_early_asset;

/* Takes the result for the asset `number`; numbers ascend. Returns false if the owner must bake the
 * asset. With `writes` false, this and later assets need no blob. May work on later assets until
 * the result is complete. */
bool bake_assets_ahead_take(bake_assets_ahead *ahead, size_t number, bool writes,
                            bake_early_asset *ret);
void bake_early_asset_fini(bake_early_asset *asset);

/* Lists the layers of an asset, and releases their inputs as bake_bases_release does. Other threads
 * list layers, too, so the owner must call these functions until bake_assets_ahead_end. The list is
 * valid until the next call by the owner. Both return false if memory runs out. */
bool bake_assets_ahead_list(bake_assets_ahead *ahead, uint32_t base, bake_asset_layers *ret_layers);
bool bake_assets_ahead_release(bake_assets_ahead *ahead, bake_inputs *inputs, uint32_t base);

/* Stops the threads, and discards results that were not taken. Accepts NULL. */
void bake_assets_ahead_end(bake_assets_ahead *ahead);

#endif
