/* A run: what all commands share, and the commands build and check. A command fills `outputs` and
 * `failure`; bake_main creates and ends the rest. Parts: run_output.c. */
#ifndef BAKE_RUN_H
#define BAKE_RUN_H

#include "gateway.h"
#include "run_options.h"
#include "schema.h"

#include <kiln/file_writer.h>

typedef struct bake_run {
    const bake_options *options;
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    bake_schema *schema;
    bake_store store;
    bake_failure failure;
    const char **outputs; /* paths of the outputs begun, for the depfile */
    size_t output_count;
    FILE *err;
    bool color; /* decided from options, environment and `err` */
} bake_run;

/* The commands build and check. */
bake_result bake_run_build(bake_run *run);
/* Reads the schemas of the options into `run->schema`. */
bake_result bake_run_schema(bake_run *run);

/* ---- run_output.c ---- */

/* Sets how the writer compresses the assets of the type named `type` that are added next. */
kiln_status bake_run_compress(const bake_options *options, kiln_file_writer *writer,
                              const char *type);
/* Begins the output at `path` and adds it to `outputs`; NULL after filling the failure. */
bake_output *bake_run_begin(bake_run *run, const char *path);
/* The same for a file that is not a target of the depfile, such as a source map. */
bake_output *bake_run_begin_extra(bake_run *run, const char *path);
/* Writes the depfile, if wanted, and commits everything, unless warnings are errors and there are
 * some. */
bake_result bake_run_commit(bake_run *run);

/* Ends a run: writes the diagnostics, and why the run stopped, in the format of the options.
 * Discards outputs that are not committed. Returns the result of the run: CANNOT if writing fails.
 */
bake_result bake_run_finish(bake_run *run, bake_result result);

/* A number in groups of three digits, as in `35,240`. */
const char *bake_grouped(char out[32], uint64_t number);

#endif
