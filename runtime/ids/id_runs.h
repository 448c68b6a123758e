/* The ids of many entities that are about to be created. */
#ifndef KILN_ID_RUNS_H
#define KILN_ID_RUNS_H

#include "id_store.h"
#include "list.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct kiln_id_runs {
    kiln_list runs; /* of kiln_id_run */
} kiln_id_runs;

/* Takes up to `most` consecutive ids and adds them to the runs. */
kiln_status kiln_id_runs_take_more(kiln_id_store *store, kiln_id_runs *runs, uint32_t most,
                                   kiln_id_run *ret_run);
/* Takes all ids of a stale or new block and adds them to the runs. Returns false if `most` is less
 * than a block, if the next block is neither stale nor new, or if memory runs out. */
bool kiln_id_runs_take_whole(kiln_id_store *store, kiln_id_runs *runs, uint32_t most,
                             kiln_id_whole *ret_whole);
/* Adds `count` ids. After a failure some may have been added. */
kiln_status kiln_id_runs_add(kiln_id_store *store, uint32_t count, kiln_id_runs *runs);
/* Takes `count` ids, all or none. Blocks that were stale are hidden (id_hidden.h). */
kiln_status kiln_id_runs_take(kiln_id_store *store, uint32_t count, kiln_id_runs *ret_runs);
/* Makes all entities with these ids visible, including those in hidden blocks. */
void kiln_id_runs_reveal(const kiln_id_store *store, const kiln_id_runs *runs);
/* Releases all ids, none of which has an entity. */
void kiln_id_runs_release(kiln_id_store *store, const kiln_id_runs *runs);
void kiln_id_runs_fini(kiln_id_store *store, kiln_id_runs *runs);

/* A position in the runs. */
typedef struct kiln_id_cursor {
    uint32_t run, at;
} kiln_id_cursor;

/* Returns the next consecutive ids, at most `most`. */
static inline kiln_id_run id_runs_next(const kiln_id_runs *runs, kiln_id_cursor *cursor,
                                       uint32_t most)
{
    const kiln_id_run *run = (const kiln_id_run *)runs->runs.items + cursor->run;
    kiln_id_run next = {run->first + cursor->at, run->count - cursor->at};
    if (next.count > most) {
        next.count = most;
        cursor->at += most;
    } else {
        cursor->run++;
        cursor->at = 0;
    }
    return next;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
