/* Bakes only what a change of some source files affects.
 *
 * The run before was complete, and only files have changed since: the contents of sources, or which
 * sources there are, schemas, and files that assets and importers use. The result, with all its
 * bytes and messages, equals that of a complete run; whenever this is not certain, the whole run
 * must be repeated:
 *
 *     a file is parsed if it is new or has changed, if it has an asset that is baked or an
 *     ancestor of one, or if it has patches or patched assets
 *     an asset is baked if it is new, or if the meaning of its node, or of that of an ancestor, has
 *     changed
 *
 * With a source map, the values of further assets are read, but not written: of those whose
 * records have places that have changed. If only lines have, records are copied from the old map
 * with their new lines, as are all others.
 *
 * If names and references stay the same, the old output is patched (file_patch.h). Otherwise the
 * file is written from its blobs (file_rebuild.h). Assets with warnings are baked, too, so that
 * their messages are printed again. Any other message ends the attempt. */
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
    const unsigned char *changed; /* by row of the memo: the asset is new, or the meaning of its own
                                     node has changed */
    const unsigned char *affected;  /* by row: the same, or it inherits from such an asset */
    const unsigned char *retyped;   /* by row: the schema has changed for its type, so values of the
                                       old output may have another layout */
    const bake_patched_asset *made; /* the baked assets, without abstract ones */
    size_t made_count;
    const char *const *added;   /* paths of source files */
    const char *const *removed; /* the same, and changed paths that nobody uses any more */
    size_t added_count, removed_count;
    /* Changed paths that are neither sources nor schemas: their numbers in the memo before. */
    const bake_memo *before;
    const uint32_t *others;
    size_t other_count;
    const uint32_t *from; /* by row: its row in the memo before; UINT32_MAX: none */
} bake_rerun_view;

typedef struct bake_rerun_def {
    const bake_memo *memo;      /* of the run before */
    const char *const *changed; /* paths of files whose contents have changed */
    size_t changed_count;
    const char *const *missing; /* paths at which there is another kind of file now, or none */
    size_t missing_count;
    bool has_other_inputs; /* the inputs of the options are others than before */
    kiln_span output;      /* the output of the run before, whose bytes are known to be correct, in
                              memory that may be written: a patch replaces its index */
    kiln_span map;         /* its source map, if the options name one */
    /* Nothing is written, and importers are not started. `may_write` is called when the assets are
     * baked, or when one of them needs an importer; later ones are then not baked. */
    bool only_asks;
    /* Called before anything is committed, when all messages are known. Returns false to give up.
     */
    bool (*may_write)(void *ctx, const bake_rerun_view *view);
    void *ctx;
} bake_rerun_def;

/* Bakes the affected assets, and writes and commits the output if it changes. Sets `run->memo`. The
 * gateway of the run keeps details, and afterwards has only the paths that this run used. Returns
 * false if the whole run must be repeated; nothing was then written or printed, and the run must be
 * discarded. */
bool bake_rerun(bake_run *run, const bake_rerun_def *def);

/* Whether a complete run used a source or a schema file for another purpose, too, such as the
 * content of a value. A change of that file then affects more than its assets or types. */
bool bake_rerun_shares_inputs(const bake_run *run);

#endif
