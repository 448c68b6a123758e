/* Baking files of a run, shared by bake_run.c and run_assets.c. */
#ifndef BAKE_RUN_BUILD_H
#define BAKE_RUN_BUILD_H

#include "asset_names.h"
#include "bake_inputs.h"
#include "bake_run.h"
#include "extern_files.h"
#include "value_bake.h"
#include "value_origin.h"

#include <kiln/blob_header.h>
#include <kiln/file_writer.h>

/* One kiln file in the making. */
typedef struct run_target {
    const char *path;
    size_t first, count; /* assets, in their sorted order */
    size_t scenes;       /* of these */
    kiln_file_counts counts;
    uint64_t size;
    bake_output *output;
    unsigned char header[KILN_HEADER_SIZE]; /* the file's first bytes */
} run_target;

typedef struct run_build {
    bake_run *run;
    bake_inputs inputs;
    bake_names names;
    extern_files externs;
    bake_values *values;
    bake_origins *origins; /* NULL: nobody asked for a source map */
    bool is_lacking;       /* an asset was not baked */
    size_t scenes_left;    /* not yet baked */
    run_target *targets;
    size_t target_count;
} run_build;

/* Bakes the assets of a file, into `writer` unless it is NULL. */
bake_result bake_run_assets(run_build *b, const run_target *t, kiln_file_writer *writer);
/* Abstract assets are checked like all others, but go into no file. */
bake_result bake_run_abstracts(run_build *b);
/* Binds the source map, if there is one, to all files. */
bake_result bake_run_bind(run_build *b);
/* Fails for what a writer said of the asset or file of that name. */
bake_result bake_run_writer_failed(run_build *b, const char *name, kiln_status status,
                                   const kiln_error *error);

#endif
