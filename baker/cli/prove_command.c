/* For access. */
#define _POSIX_C_SOURCE 200809L

#include "prove_command.h"

#include "prove.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- files in the folder of a child ---- */

static const char *file_name(bake_store *store, size_t number, const char *extension)
{
    char name[64];
    int length = snprintf(name, sizeof name, "%zu%s", number, extension);
    return bake_store_text(store, name, (size_t)length);
}

static const char *file_path(const bake_options *options, size_t number, const char *extension,
                             bake_store *store)
{
    const char *name = file_name(store, number, extension);
    return name ? bake_store_join(store, options->prove_into, '/', name) : NULL;
}

static const char OUTPUT[] = ".kiln", MAP[] = ".map";

bool bake_prove_redirect(bake_options *options, size_t number, bake_store *store)
{
    options->output = file_path(options, number, OUTPUT, store);
    if (options->source_map)
        options->source_map = file_path(options, number, MAP, store);
    return !store->failed;
}

FILE *bake_prove_child(bake_options *options, bake_store *store)
{
    const char *messages = bake_store_join(store, options->prove_into, '/', BAKE_PROVE_MESSAGES);
    errno = ENOMEM;
    options->quiet = true;
    options->verbose = false;
    options->command = BAKE_COMMAND_BUILD;
    return messages && bake_prove_redirect(options, 0, store) ? fopen(messages, "w") : NULL;
}

/* ---- in the parent ---- */

/* On Linux the name in the command line may be ambiguous, because it is relative to PATH. */
static const char *program_of(const bake_options *options)
{
    static const char self[] = "/proc/self/exe";
    return access(self, X_OK) == 0 ? self : options->program;
}

/* A pipe can be read only once. */
static bool can_be_read_again(bake_run *run, const bake_list *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        const char *path = paths->items[i];
        if (strcmp(path, "-") == 0 ||
            bake_gateway_path_kind(run->gateway, path) == BAKE_PATH_OTHER) {
            bake_fail(&run->failure, BAKE_FAILED,
                      "cannot read %s: prove reads each input several times, so it must be a file "
                      "or a folder",
                      strcmp(path, "-") == 0 ? "standard input" : path);
            return false;
        }
    }
    return true;
}

static bake_result check_usage(bake_run *run)
{
    const bake_options *o = run->options;
    if (o->jobs)
        return bake_fail(&run->failure, BAKE_FAILED,
                         "prove does not accept -j, because it bakes with several numbers of "
                         "threads");
    return can_be_read_again(run, &o->inputs) && can_be_read_again(run, &o->schemas) &&
                   can_be_read_again(run, &o->externs)
               ? BAKE_OK
               : run->failure.result;
}

static bake_result prove_outputs(bake_run *run, const bake_prove_output *outputs, size_t count,
                                 FILE *out)
{
    const bake_options *o = run->options;
    const bake_prove_def def = {.program = program_of(o),
                                .arguments = o->arguments,
                                .argument_count = o->argument_count,
                                .outputs = outputs,
                                .output_count = count,
                                .most = o->max_errors,
                                .quiet = o->quiet,
                                .verbose = o->verbose,
                                .out = out,
                                .err = run->err};
    return bake_prove(&def, &run->failure);
}

bake_result bake_prove_single(const bake_options *options, FILE *out, FILE *err)
{
    bake_run run;
    bake_options own;
    bake_result result = bake_command_begin(&run, &own, options, err);
    if (!result)
        result = check_usage(&run);
    if (!result) {
        const char *file = file_name(&run.store, 0, OUTPUT);
        const bake_prove_output output = {"output", file, true};
        result = file ? prove_outputs(&run, &output, 1, out) : bake_fail_memory(&run.failure);
    }
    return bake_command_end(&run, result);
}

bake_result bake_prove_plan(bake_run *run, const bake_plan *plan, FILE *out)
{
    size_t count = 0;
    bake_prove_output *outputs =
        bake_store_alloc(&run->store, 2 * plan->count + 1, sizeof *outputs);
    for (size_t i = 0; outputs && i < plan->count; i++) {
        const bake_options *step = &plan->steps[i].options;
        outputs[count++] = (bake_prove_output){step->output, file_name(&run->store, i, OUTPUT),
                                               step->command == BAKE_COMMAND_BUILD};
        if (step->source_map)
            outputs[count++] =
                (bake_prove_output){step->source_map, file_name(&run->store, i, MAP), false};
    }
    if (run->store.failed)
        return bake_fail_memory(&run->failure);
    bake_result result = check_usage(run);
    return result ? result : prove_outputs(run, outputs, count, out);
}
