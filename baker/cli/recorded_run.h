/* Runs a step of a project, unless its record shows that nothing has changed. */
#ifndef BAKE_RECORDED_RUN_H
#define BAKE_RECORDED_RUN_H

#include "bake_cache.h"
#include "command_run.h"
#include "record_check.h"
#include "rerun.h"

typedef struct bake_recorded_def {
    const bake_options *options; /* of the run */
    const char *state;           /* the folder of the project's state; NULL: without a project,
                                    nothing is recorded, and only caches avoid runs */
    const char *name;            /* of the step; no other step of the project has it */
    bool force;                  /* run it even if nothing has changed */
    bool compare_contents;       /* read all files instead of trusting their states */
    bake_cache *cache;           /* asked before the step runs; NULL: none */
    const char *prefix;          /* of paths in the project's folder (record_shape.h) */
} bake_recorded_def;

/* Runs the step like bake_command_run and saves its record. If its record is unchanged, only prints
 * that the output is up to date, and the messages of the recorded run. If a cache has its result,
 * writes the outputs from there and prints that, and the messages. A step that runs is stored in
 * the caches. A cache that fails is a warning, once. With -v, prints why the step runs. A record
 * that cannot be saved is a warning: the outputs are complete. Returns the exit code. */
bake_result bake_recorded_run(const bake_recorded_def *def, FILE *err);

typedef enum bake_recorded_state {
    BAKE_RECORDED_UNCHANGED,
    BAKE_RECORDED_CHANGED,
    BAKE_RECORDED_NEVER, /* there is no valid record */
    BAKE_RECORDED_NO_MEMORY
} bake_recorded_state;

typedef enum bake_recorded_asset_state {
    BAKE_ASSET_UNKNOWN,   /* the step has no memo, or the asset is not in it */
    BAKE_ASSET_UNCHANGED, /* the step is up to date */
    BAKE_ASSET_EXPLAINED, /* `explain` was called */
    BAKE_ASSET_ALL,       /* all assets of the step would be baked, because of the changes */
    BAKE_ASSET_NO_MEMORY
} bake_recorded_asset_state;

/* Calls `explain` with everything that the changes of a step affect. Nothing is written. */
bake_recorded_asset_state
bake_recorded_asset(const bake_recorded_def *def, const char *asset, bake_changes *changes,
                    void (*explain)(void *ctx, const bake_rerun_view *view), void *ctx);

/* Returns the name of a baked asset of the step that `word` probably means: a similar name, or one
 * with a similar id if the word has no slash. Returns NULL if there is none, the step has no memo,
 * or memory runs out, which `store` remembers. */
const char *bake_recorded_similar(const bake_recorded_def *def, const char *word,
                                  bake_store *store);

/* Adds the differences between the record of a step and the current state to `changes`. */
bake_recorded_state bake_recorded_check(const bake_recorded_def *def, bake_changes *changes);

#endif
