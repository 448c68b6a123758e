/* Hashes the files that a record says were read, ahead of their turn, on several threads.
 *
 * The owner of the record needs the files in their order, and takes each hash when it needs it. If
 * there is none, because the file is large or cannot be read, the owner hashes the file itself. So
 * results, messages and failures are the same for any number of threads. */
#ifndef BAKE_HASH_AHEAD_H
#define BAKE_HASH_AHEAD_H

#include "file_state.h"
#include "record.h"

typedef struct bake_hash_ahead bake_hash_ahead;

/* Starts the threads; `jobs` as for bake_threads_for. They hash files of at most `most` bytes: a
 * record from elsewhere may have many names of one file. The paths must not change before the end.
 * Returns NULL if there is nothing to do for threads, or memory runs out. */
bake_hash_ahead *bake_hash_ahead_begin(const bake_record *record, uint64_t most, size_t jobs);

/* Takes the result for the path `number` of the record. The owner calls this for each path in turn,
 * also for those that were not read. `ret_state` is older than
 * the content that was hashed. Returns false if the owner must hash the file. May hash other files
 * until the result exists. `ahead` may be NULL. */
bool bake_hash_ahead_take(bake_hash_ahead *ahead, size_t number, bake_file_state *ret_state,
                          kiln_hash128 *ret_hash);

/* Stops the threads. Accepts NULL. */
void bake_hash_ahead_end(bake_hash_ahead *ahead);

#endif
