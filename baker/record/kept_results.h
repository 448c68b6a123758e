/* The outputs of importers that a step keeps for its later runs.
 *
 * A folder has one file for each run of a program: for a command, its working folder, its source
 * and the names of the inputs that its importer lists. The next run with other inputs replaces it,
 * and files of runs that no longer exist are removed. So all files together are about as large as
 * the outputs of one bake. Only outputs of programs that exited with code 0 have files. What such a
 * program wrote to standard error is not shown, so there are no messages to keep. Failures are kept
 * in memory: if a partial bake fails, the complete one that follows does not start the program
 * again.
 *
 * The files belong to the version of kiln-bake that wrote them, and can be deleted at any time: the
 * importers are then started again. The name of a file is the first hash of its key. A header of 72
 * bytes comes first: `KILNRUNS`, the version of this file format, zero, both hashes of the key, and
 * the hash and the size of the output, which follows. Failures to write are ignored. One thread at
 * a time. */
#ifndef BAKE_KEPT_RESULTS_H
#define BAKE_KEPT_RESULTS_H

#include "gateway.h"

typedef struct bake_kept_results bake_kept_results;

/* `folder` need not exist. If `finds` is false, results are only kept, never found. Returns NULL if
 * memory runs out. */
bake_kept_results *bake_kept_results_create(const char *folder, bool finds);
/* Accepts NULL. */
void bake_kept_results_destroy(bake_kept_results *results);
/* For bake_gateway_set_results. The result belongs to `results`; NULL for NULL. */
const bake_run_results *bake_kept_results_get(const bake_kept_results *results);
/* Removes all results that were neither found nor kept since `results` was created. Accepts
 * NULL. */
void bake_kept_results_sweep(bake_kept_results *results);

#endif
