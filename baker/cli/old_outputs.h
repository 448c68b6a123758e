/* The outputs of a recorded run, from which a later run takes what has not changed.
 *
 * A helper reads and compares large outputs while the caller loads the memo; both take about as
 * long. The record must not change, and the struct must not move, between begin and fini. */
#ifndef BAKE_OLD_OUTPUTS_H
#define BAKE_OLD_OUTPUTS_H

#include "bake_threads.h"
#include "gateway.h"
#include "record.h"
#include "run_options.h"

#include <kiln/allocator.h>

typedef struct bake_old_outputs {
    kiln_span output, map; /* map: empty if the options name no source map */
    const bake_record *record;
    const bake_options *options;
    bake_gateway *gateway; /* of the thread that reads; has the bytes */
    bool is_read;
    bool are_same; /* the files still have the recorded contents */
    int held;      /* the open output; -1: none */
    bake_helpers helpers;
} bake_old_outputs;

/* Begins to read the outputs that the options name. */
void bake_old_outputs_begin(bake_old_outputs *outputs, const bake_record *record,
                            const bake_options *options);
/* Waits until the outputs are read. Returns false if the recorded run had others, if a file has
 * another content now or cannot be read, or if memory runs out. The bytes exist until fini. */
bool bake_old_outputs_get(bake_old_outputs *outputs);
/* Call it when another file has replaced the output: a helper frees the old file, if it is large,
 * until fini. */
void bake_old_outputs_release(bake_old_outputs *outputs);
void bake_old_outputs_fini(bake_old_outputs *outputs);

#endif
