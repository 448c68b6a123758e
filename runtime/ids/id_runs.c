/* Takes the ids of a whole batch before any of its entities is created. So a lack of memory or ids
 * is detected before anything changes, and the batch fails as a whole. */
#include "id_runs.h"

#include "id_hidden.h"
#include "record_fill.h"

#include <string.h>

/* Adds a run, or extends the last run if the new one continues it, which may be in the next block.
 */
static bool push_run(kiln_id_store *store, kiln_list *runs, kiln_id_run run)
{
    kiln_id_run *last = runs->count ? (kiln_id_run *)runs->items + runs->count - 1 : NULL;
    if (last && last->first + last->count == run.first) {
        last->count += run.count;
        return true;
    }
    if (!kiln_list_grow(store->allocator, runs, sizeof run))
        return false;
    ((kiln_id_run *)runs->items)[runs->count++] = run;
    return true;
}

kiln_status kiln_id_runs_take_more(kiln_id_store *store, kiln_id_runs *runs, uint32_t most,
                                   kiln_id_run *ret_run)
{
    kiln_status status = kiln_id_take(store, ID_CHANGING, most, ret_run);
    if (!status && !push_run(store, &runs->runs, *ret_run)) {
        kiln_id_release(store, *ret_run);
        status = KILN_NO_MEMORY;
    }
    return status;
}

bool kiln_id_runs_take_whole(kiln_id_store *store, kiln_id_runs *runs, uint32_t most,
                             kiln_id_whole *ret_whole)
{
    kiln_id_run run = {0, KILN_BLOCK_ENTITIES};
    if (most < run.count || !kiln_id_take_whole(store, ret_whole))
        return false;
    run.first = ret_whole->first;
    if (push_run(store, &runs->runs, run))
        return true;
    /* Without memory for the run, the block is released as if its entities had been created and
     * destroyed. */
    record_fill fill = {ret_whole->records, run.count, ret_whole->version - 1, false};
    record_fill_free(&fill);
    kiln_id_show(store, ret_whole);
    kiln_id_release(store, run);
    ret_whole->records = NULL;
    return false;
}

kiln_status kiln_id_runs_add(kiln_id_store *store, uint32_t count, kiln_id_runs *runs)
{
    kiln_status status = KILN_OK;
    for (uint32_t left = count; left > 0 && !status;) {
        kiln_id_run run = {0, KILN_BLOCK_ENTITIES};
        kiln_id_whole whole;
        if (kiln_id_runs_take_whole(store, runs, left, &whole))
            kiln_id_hide(store, &whole);
        else
            status = kiln_id_runs_take_more(store, runs, left, &run);
        if (!status)
            left -= run.count;
    }
    return status;
}

kiln_status kiln_id_runs_take(kiln_id_store *store, uint32_t count, kiln_id_runs *ret_runs)
{
    kiln_id_runs runs;
    memset(&runs, 0, sizeof runs);
    kiln_status status = kiln_id_could_hold(store, count) ? KILN_OK : KILN_LIMIT;
    if (!status)
        status = kiln_id_runs_add(store, count, &runs);
    if (status) {
        kiln_id_runs_release(store, &runs);
        kiln_id_runs_fini(store, &runs);
    } else {
        *ret_runs = runs;
    }
    return status;
}

void kiln_id_runs_reveal(const kiln_id_store *store, const kiln_id_runs *runs)
{
    const kiln_id_run *run = runs->runs.items;
    for (uint32_t i = 0; i < runs->runs.count; i++) {
        uint32_t last = (run[i].first + run[i].count - 1) / KILN_BLOCK_ENTITIES;
        for (uint32_t block = run[i].first / KILN_BLOCK_ENTITIES; block <= last; block++)
            kiln_id_reveal(store, block * KILN_BLOCK_ENTITIES);
    }
}

void kiln_id_runs_release(kiln_id_store *store, const kiln_id_runs *runs)
{
    kiln_id_runs_reveal(store, runs);
    const kiln_id_run *run = runs->runs.items;
    for (uint32_t i = 0; i < runs->runs.count; i++)
        kiln_id_release(store, run[i]);
}

void kiln_id_runs_fini(kiln_id_store *store, kiln_id_runs *runs)
{
    kiln_list_fini(store->allocator, &runs->runs, sizeof(kiln_id_run));
}
