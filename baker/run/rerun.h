/* Bakes only what a change of some source files affects.
 *
 * The run before was complete, and only the contents of these files have changed. The result, with
 * all its bytes and messages, equals that of a complete run; whenever this is not certain, the
 * whole run must be repeated:
 *
 *     a file is parsed if it has changed, or if it has an asset that is baked or an ancestor of one
 *     an asset is baked if the meaning of its node, or of that of an ancestor, has changed
 *
 * Assets are baked as helpers bake them (value_bake.h), so an asset with any effect besides its
 * blob ends the attempt, and so does any message. */
#ifndef BAKE_RERUN_H
#define BAKE_RERUN_H

#include "asset_input.h"
#include "bake_run.h"
#include "file_patch.h"
#include "memo.h"

/* Whether the options allow it. */
bool bake_rerun_is_possible(const bake_options *options);

/* What a change affects, before anything is written. Everything belongs to the rerun. */
typedef struct bake_rerun_view {
    const bake_run *run;
    const bake_memo *memo;        /* of the new run */
    bake_inputs *inputs;          /* the parsed files */
    kiln_span output;             /* of the run before */
    const unsigned char *changed; /* by row of the memo: the meaning of its own node has changed */
    const unsigned char *baked;   /* by row: it is baked */
    const bake_patched_asset *made; /* the baked assets, without abstract ones */
    size_t made_count;
} bake_rerun_view;

typedef struct bake_rerun_def {
    bake_memo *memo;            /* of the run before; replaced by those of the new run */
    const char *const *changed; /* paths of the changed files */
    size_t changed_count;
    kiln_span output; /* the output of the run before, whose bytes are known to be correct */
    /* Called before anything is written. Returns false to give up. */
    bool (*may_write)(void *ctx, const bake_rerun_view *view);
    void *ctx;
} bake_rerun_def;

/* Bakes the affected assets, and writes and commits the output if it changes. The gateway of the
 * run keeps details, and afterwards has only the paths that this run used. Returns false if the
 * whole run must be repeated; nothing was then written or printed, and the run must be discarded.
 */
bool bake_rerun(bake_run *run, const bake_rerun_def *def);

#endif
