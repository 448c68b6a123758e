/* The work behind the commands: what an options struct asks for, from reading to renaming. */
#ifndef BAKE_RUN_H
#define BAKE_RUN_H

#include "gateway.h"
#include "run_options.h"
#include "schema.h"

/* What all commands share. */
typedef struct bake_run {
    const bake_options *options;
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    bake_schema *schema;
    bake_store store;
    bake_failure failure;
    const char **outputs; /* paths begun, for the depfile and the closing lines */
    size_t output_count;
    FILE *err;
    bool color; /* decided from options, environment and `err` */
} bake_run;

/* build and check: bake_run.c. */
bake_result bake_run_build(bake_run *run);
/* header: header_command.c. */
bake_result bake_run_header(bake_run *run);

/* repack: repack_command.c. */
bake_result bake_run_repack(bake_run *run);

/* For both: the schema into `run->schema`. */
bake_result bake_run_schema(bake_run *run);
/* run_output.c. Begins the output at `path` and notes it; NULL after filling the failure. */
bake_output *bake_run_begin(bake_run *run, const char *path);
/* The same for what stands beside the outputs, which nobody is told of. */
bake_output *bake_run_begin_beside(bake_run *run, const char *path);
/* Writes the depfile, if wanted, and commits everything, unless warnings are errors and there are
 * some. */
bake_result bake_run_commit(bake_run *run);

/* run_output.c. Writes the diagnostics and why the run could not go on as the options say; how the
 * run ends in the end, for writing may fail. Uncommitted outputs are discarded. */
bake_result bake_run_tell(bake_run *run, bake_result result);

/* A number in groups of three digits, as in `35,240`. */
const char *bake_grouped(char out[32], uint64_t number);

#endif
