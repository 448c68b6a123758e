/* Reads inputs ahead of their turn, on several threads.
 *
 * The inputs of a run are processed in order by one thread, the owner. Threads read and parse
 * inputs ahead of it, without any effect that others could notice. The owner takes a result when it
 * is the turn of that input. There is a result only if nothing had to be reported: the owner itself
 * reads every other input, so messages, the record of files and failures are the same for any
 * number of threads.
 *
 * No input is read before an importer of an earlier input has ended, because an importer is a
 * program that may change files. */
#ifndef BAKE_READ_AHEAD_H
#define BAKE_READ_AHEAD_H

#include "asset_input.h"
#include "gateway.h"

typedef struct bake_read_ahead bake_read_ahead;

/* Returns whether the baker treats the input as empty, although it contains text. */
typedef bool bake_is_empty_input(const bake_input *input, const bake_schema *schema,
                                 const char *text, size_t size);

typedef struct bake_read_ahead_def {
    const bake_inputs *inputs; /* must not change before bake_read_ahead_end, except trees */
    const bake_gateway *gateway;
    const bake_schema *schema; /* may be NULL */
    bake_is_empty_input *is_empty;
    size_t jobs; /* as for bake_threads_for */
} bake_read_ahead_def;

/* Starts the threads. Returns NULL if there is nothing to do for them, or memory runs out. */
bake_read_ahead *bake_read_ahead_begin(const bake_read_ahead_def *def);

/* A file and its tree. */
typedef struct bake_early_input {
    bake_early_text *text;
    bake_tree *tree; /* its source id is not set */
    size_t size;     /* of the text for the tree */
} bake_early_input;

/* Takes the result for input `number`; numbers ascend. Returns false if the owner must read the
 * input. May work on later inputs until the result is complete. Passes ownership of the result. */
bool bake_read_ahead_take(bake_read_ahead *ahead, size_t number, bake_early_input *ret);
void bake_early_input_fini(bake_early_input *input);

/* Opens the file of the spool if it wants one. Threads begin again, because each has a table of
 * descriptors of its own. `ahead` may be NULL. */
void bake_read_ahead_open_spool(bake_read_ahead *ahead, bake_spool *spool);

/* Stops the threads, and discards results that were not taken. Accepts NULL. */
void bake_read_ahead_end(bake_read_ahead *ahead);

#endif
