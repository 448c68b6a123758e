/* A run: the state shared by all commands, and the `build` and `check` commands. A command fills
 * `outputs` and `failure`; command_run.c creates and destroys the rest. run_output.c handles
 * outputs and diagnostics, timings_report.c the timings. */
#ifndef BAKE_RUN_H
#define BAKE_RUN_H

#include "gateway.h"
#include "memo.h"
#include "run_options.h"
#include "schema.h"

#include <kiln/file_writer.h>
#include <string.h>

/* The work of a run, and the work that a complete run of the same inputs has. */
typedef struct bake_run_work {
    size_t baked, assets; /* assets, including abstract ones */
    size_t parsed, files;
    size_t mapped; /* assets whose values were read only for the source map */
} bake_run_work;

typedef struct bake_run {
    const bake_options *options;
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    bake_schema *schema;
    bake_store store;
    bake_failure failure;
    bake_timings *timings; /* NULL: not requested; also in `gateway` */
    uint64_t time;         /* of the whole run in nanoseconds, set by bake_run_finish */
    const char **outputs;  /* paths of all outputs so far, for the depfile */
    size_t output_count;
    FILE *err;
    struct bake_part *part; /* of a bundle (run_part.h); NULL: the run bakes all inputs */
    bool wants_memo;        /* set before the run begins: fill `memo` and `work` */
    bake_memo *memo;        /* of a run that has succeeded; NULL: they are impossible */
    bake_run_work work;     /* zeroed if it is not known */
    bool color;             /* determined by options, environment and `err` */
    bool has_inputs;        /* `options->inputs_used` has the record of this run */
} bake_run;

/* The `build` and `check` commands. */
bake_result bake_run_build(bake_run *run);
/* Prints the summary of an output, and with --verbose the work, if it is known. */
void bake_run_print_output(const bake_run *run, const char *path, kiln_file_counts counts,
                           size_t scenes, uint64_t size);
/* With --verbose, prints how many importers were started, if any was needed. */
void bake_run_print_imports(const bake_run *run);
/* Reads the schemas of the options into `run->schema`. */
bake_result bake_run_schema(bake_run *run);

/* Ends the phase `name`, which began with bake_timing_begin. */
static inline void bake_run_end_phase(const bake_run *run, const char *name, uint64_t begin)
{
    bake_timing_end(run->timings, BAKE_TIMING_PHASE, name, strlen(name), begin);
}

/* ---- run_output.c ---- */

/* Sets how the writer compresses the following assets, which have the type `type`. */
kiln_status bake_run_compress(const bake_options *options, kiln_file_writer *writer,
                              const char *type);
/* Begins the output at `path` and adds it to `outputs`. On failure, sets `run->failure` and returns
 * NULL. */
bake_output *bake_run_begin(bake_run *run, const char *path);
/* Like bake_run_begin, for a file that is not a target of the depfile, such as a source map. */
bake_output *bake_run_begin_extra(bake_run *run, const char *path);
/* Writes the depfile, if requested, and commits all outputs. Commits nothing if there are warnings
 * and -Werror is given. */
bake_result bake_run_commit(bake_run *run);

/* Ends a run: writes the timings, the diagnostics and the failure in the selected format, and
 * discards uncommitted outputs. Returns the result of the run, or BAKE_FAILED if writing fails. */
bake_result bake_run_finish(bake_run *run, bake_result result);

#endif
