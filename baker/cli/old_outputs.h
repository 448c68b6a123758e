/* The outputs and the memo of a recorded run, from which a later run takes what has not changed.
 *
 * A helper reads and compares large outputs, and then loads the memo unless the caller does that
 * already. Between begin and fini the struct must not move, and of the record only the states of
 * inputs may change. So a helper can begin while files are still compared with the record. */
#ifndef BAKE_OLD_OUTPUTS_H
#define BAKE_OLD_OUTPUTS_H

#include "bake_threads.h"
#include "gateway.h"
#include "memo.h"
#include "record.h"
#include "run_options.h"

#include <kiln/allocator.h>

typedef struct bake_old_outputs {
    kiln_span output, map; /* map: empty if the options name no source map */
    const bake_record *record;
    const bake_options *options;
    bake_gateway *gateway; /* of the thread that reads; has the bytes */
    const char *memo_path; /* NULL: the memo is not needed */
    bake_memo *memo;       /* NULL: there is none, or it cannot be loaded */
    atomic_bool is_memo_claimed;
    bool is_read;
    bool are_same; /* the files still have the recorded contents */
    int held;      /* the open output; -1: none */
    bake_helpers helpers;
} bake_old_outputs;

/* Begins to read the outputs that the options name, and the memo, if `memo_path` is not NULL. */
void bake_old_outputs_begin(bake_old_outputs *outputs, const bake_record *record,
                            const bake_options *options, const char *memo_path);
/* Waits until outputs and memo are read. Returns false if the recorded run had others, if a file
 * has another content now or cannot be read, or if memory runs out. The bytes and the memo exist
 * until fini. */
bool bake_old_outputs_get(bake_old_outputs *outputs);
/* Call it when another file has replaced the output: a helper frees the old file, if it is large,
 * until fini. */
void bake_old_outputs_release(bake_old_outputs *outputs);
void bake_old_outputs_fini(bake_old_outputs *outputs);

#endif
