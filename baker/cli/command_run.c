/* Runs one command: creates the shared state, checks usage before anything is read, and writes
 * diagnostics at the end. */

/* For isatty and fileno. */
#define _POSIX_C_SOURCE 200809L

#include "command_run.h"

#include "bake_commands.h"
#include "bake_options.h"
#include "budget_file.h"
#include "gateway_inputs.h"
#include "record_inputs.h"
#include "schema_command.h"

#include <errno.h>
#include <kiln/blob_header.h>
#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
static bool is_terminal(FILE *file)
{
    return isatty(fileno(file)) == 1;
}
#else
static bool is_terminal(FILE *file)
{
    (void)file;
    return false;
}
#endif

/* Any nonempty value of NO_COLOR disables colors (https://no-color.org). Options override it. */
static bool wants_color(const bake_options *options, FILE *err)
{
    const char *no_color = getenv("NO_COLOR");
    if (options->color != BAKE_COLOR_AUTO)
        return options->color == BAKE_COLOR_ALWAYS;
    return !(no_color && *no_color) && is_terminal(err);
}

static bool has(const bake_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], name) == 0)
            return true;
    return false;
}

static bake_result check_repack(const bake_options *o, bake_failure *failure)
{
    if (o->inputs.count != 1)
        return bake_fail(failure, BAKE_FAILED, "repack needs exactly one kiln file, %zu given",
                         o->inputs.count);
    if (!o->output && !o->dry_run)
        return bake_fail(failure, BAKE_FAILED, "no output given; use -o FILE");
    return BAKE_OK;
}

/* A file of diagnostics or timings must not replace an input. The gateway detects only inputs that
 * were already read, and a run may end before that. So names are compared here, too. A folder of
 * inputs may contain any YAML file, and is not listed yet, so all names of YAML files are
 * rejected. */
static bake_result check_report(const bake_options *o, const char *file, const char *what,
                                bake_failure *failure)
{
    if (strcmp(file, "-") == 0)
        return BAKE_OK;
    if (has(&o->inputs, file) || has(&o->schemas, file) || has(&o->externs, file) ||
        (o->first && strcmp(o->first, file) == 0))
        return bake_fail(failure, BAKE_FAILED, "cannot write %s: it is an input", file);
    if (bake_is_yaml_name(file))
        return bake_fail(failure, BAKE_FAILED,
                         "cannot write %s: the name of a %s file must not end in .yaml "
                         "or .yml, because a folder of inputs may contain it",
                         file, what);
    return BAKE_OK;
}

static bake_result check_diagnostics(const bake_options *o, bake_failure *failure)
{
    if (!o->diagnostics_file)
        return BAKE_OK;
    if (o->format == BAKE_FORMAT_TEXT)
        return bake_fail(failure, BAKE_FAILED,
                         "--diagnostics-file needs --diagnostics=json or --diagnostics=sarif");
    return check_report(o, o->diagnostics_file, "diagnostics", failure);
}

bake_result bake_command_check_timings(const bake_options *o, bake_failure *failure)
{
    if (!o->timings)
        return BAKE_OK;
    if (!*o->timings)
        return o->quiet ? bake_fail(failure, BAKE_FAILED,
                                    "--timings prints nothing with %s; use --timings=FILE",
                                    o->format == BAKE_FORMAT_TEXT ? "-q" : "--diagnostics")
                        : BAKE_OK;
    if (o->diagnostics_file && strcmp(o->timings, o->diagnostics_file) == 0)
        return bake_fail(failure, BAKE_FAILED, "two outputs have the target %s", o->timings);
    return check_report(o, o->timings, "timings", failure);
}

/* A misspelt command would otherwise be an input that is missing, reported after other errors. */
static bake_result check_first_input(const bake_run *run, bake_failure *failure)
{
    const char *word = run->options->first_input;
    const char *close = word ? bake_command_similar(word) : NULL;
    if (close && bake_gateway_path_kind(run->gateway, word) == BAKE_PATH_MISSING)
        return bake_fail(failure, BAKE_FAILED,
                         "'%.100s' is neither a command nor a file; did you mean %s?", word, close);
    return BAKE_OK;
}

/* A part is only an intermediate file, so what depends on the whole bundle belongs to `link`. */
static bake_result check_part(const bake_options *o, bake_failure *failure)
{
    const char *with = o->each                ? "--each"
                       : o->source_map        ? "--source-map"
                       : o->compress          ? "--compress"
                       : has(&o->inputs, "-") ? "standard input"
                                              : NULL;
    if (o->command == BAKE_COMMAND_LINK && !o->names)
        return bake_fail(failure, BAKE_FAILED, "no names file given; use --names FILE");
    if (o->command == BAKE_COMMAND_BUILD && o->names && with)
        return bake_fail(failure, BAKE_FAILED, "--names and %s cannot be combined", with);
    if (o->command == BAKE_COMMAND_NAMES && has(&o->inputs, "-"))
        return bake_fail(failure, BAKE_FAILED, "names cannot read standard input");
    return BAKE_OK;
}

/* Rejects usage errors before anything is read. */
static bake_result check_usage(const bake_options *o, bake_failure *failure)
{
    bool header = o->command == BAKE_COMMAND_HEADER;
    bool writes = o->command != BAKE_COMMAND_CHECK && !o->dry_run;
    if (o->targets.count && o->quoted_targets.count)
        return bake_fail(failure, BAKE_FAILED, "-MT and -MQ cannot be combined; use one of them");
    if (!o->depend && (o->depfile || o->targets.count || o->quoted_targets.count || o->phony))
        return bake_fail(failure, BAKE_FAILED, "-MF, -MT, -MQ and -MP need -MD");
    if (check_diagnostics(o, failure) || bake_command_check_timings(o, failure))
        return failure->result;
    if (o->command == BAKE_COMMAND_REPACK)
        return check_repack(o, failure);
    if (o->command == BAKE_COMMAND_SCHEMA && !o->schema_command) {
        bake_schema_command_find(NULL, failure);
        return failure->result;
    }
    if (o->command == BAKE_COMMAND_SCHEMA)
        return o->schema_command->check(o, failure);
    if (o->schemas.count == 0)
        return bake_fail(failure, BAKE_FAILED, "no schema given; use -s FILE%s",
                         header ? "" : ", or write a kiln.yaml (kiln-bake init)");
    if (header && o->inputs.count > 0)
        return bake_fail(failure, BAKE_FAILED,
                         "unexpected input '%.100s': header reads only schemas (-s)",
                         o->inputs.items[0]);
    if (!header && o->inputs.count == 0)
        return bake_fail(failure, BAKE_FAILED, "no inputs given; give files, folders or -");
    if (check_part(o, failure))
        return failure->result;
    /* Standard input can only be read once. */
    if (has(&o->schemas, "-") && has(&o->inputs, "-"))
        return bake_fail(failure, BAKE_FAILED,
                         "standard input cannot be both a schema and an input");
    if (o->output && o->each)
        return bake_fail(failure, BAKE_FAILED, "-o and --each cannot be combined; use one of them");
    if (!header && !writes)
        return BAKE_OK;
    if (!o->output && !o->each)
        return bake_fail(failure, BAKE_FAILED,
                         header ? "no output given; use -o FILE.h"
                                : "no output given; use -o FILE or "
                                  "--each DIR");
    if (o->patch && o->externs.count == 0)
        return bake_fail(failure, BAKE_FAILED, "--patch needs the file to patch; use -x FILE");
    /* The default depfile name comes from the output, but --each has many outputs. */
    if (o->depend && o->each && !o->depfile)
        return bake_fail(failure, BAKE_FAILED, "-MD with --each needs -MF");
    return BAKE_OK;
}

static bake_result work(bake_run *run)
{
    const bake_options *o = run->options;
    switch (o->command) {
    case BAKE_COMMAND_HEADER:
        return bake_run_header(run);
    case BAKE_COMMAND_REPACK:
        return bake_run_repack(run);
    case BAKE_COMMAND_LINK:
        return bake_run_link(run);
    case BAKE_COMMAND_SCHEMA:
        return o->schema_command->run(run);
    default:
        return bake_run_build(run);
    }
}

/* Outputs are staged in the folder of their target, so it has room for large files. */
static bool limit_memory(bake_run *run, const bake_options *o)
{
    const char *folder = o->each, *slash = o->output ? strrchr(o->output, '/') : NULL;
    if (slash)
        folder = bake_store_text(&run->store, o->output, (size_t)(slash - o->output) + 1);
    else if (o->output && strcmp(o->output, "-") != 0)
        folder = ".";
    return !run->store.failed && bake_gateway_limit_memory(run->gateway, o->memory, folder);
}

bake_result bake_command_begin(bake_run *run, bake_options *own, const bake_options *options,
                               FILE *err)
{
    *own = *options;
    /* With JSON or SARIF on standard error, print nothing else there. */
    if (own->format != BAKE_FORMAT_TEXT && !own->diagnostics_file) {
        own->quiet = true;
        own->verbose = false;
    }
    memset(run, 0, sizeof *run);
    run->options = own;
    run->err = err;
    run->color = wants_color(options, err);
    run->gateway = bake_gateway_create(NULL);
    run->diagnostics = bake_diagnostics_create();
    run->timings = own->shared_timings ? own->shared_timings
                   : own->timings      ? bake_timings_create()
                                       : NULL;
    if (!run->gateway || !run->diagnostics || (own->timings && !run->timings))
        return bake_fail_memory(&run->failure);
    if (own->inputs_used && !bake_gateway_keep_details(run->gateway))
        return bake_fail_memory(&run->failure);
    bake_gateway_set_timings(run->gateway, run->timings);
    /* Check the host before writing anything: files are written in the host's memory layout. */
    if (kiln_host_check())
        return bake_fail(&run->failure, BAKE_FAILED, "%s", kiln_status_text(kiln_host_check()));
    if (own->no_importers)
        bake_gateway_refuse_programs(run->gateway);
    bake_gateway_set_results(run->gateway, own->results);
    if (own->reverse_folders)
        bake_gateway_reverse_folders(run->gateway);
    bake_gateway_set_input_max(run->gateway, own->max_input);
    if (!limit_memory(run, own))
        return bake_fail_memory(&run->failure);
    bake_diagnostics_set_max_errors(run->diagnostics, own->max_errors);
    return BAKE_OK;
}

bake_result bake_command_end(bake_run *run, bake_result result)
{
    if (run->diagnostics && bake_diagnostics_no_memory(run->diagnostics))
        result = BAKE_FAILED;
    if (run->options->inputs_used && run->gateway && !run->has_inputs)
        bake_record_list_add(run->options->inputs_used, bake_record_make_inputs(run->gateway));
    result = bake_run_finish(run, result);
    bake_command_discard(run);
    return result;
}

void bake_command_discard(bake_run *run)
{
    bake_schema_destroy(run->schema);
    bake_memo_destroy(run->memo);
    /* Diagnostics quote lines of files that the gateway owns, so the gateway is destroyed after
     * them. */
    bake_diagnostics_destroy(run->diagnostics);
    bake_gateway_destroy(run->gateway);
    if (!run->options->shared_timings)
        bake_timings_destroy(run->timings);
    bake_store_fini(&run->store);
}

static bake_result read_budgets(bake_run *run, bake_options *own)
{
    size_t size;
    const char *data = bake_gateway_read(run->gateway, own->budget_file, &size);
    if (!data)
        return bake_fail_read(&run->failure, run->gateway, own->budget_file);
    own->budgets = bake_budgets_read(data, size, &run->store);
    if (own->budgets)
        return BAKE_OK;
    return errno == ENOMEM
               ? bake_fail_memory(&run->failure)
               : bake_fail(&run->failure, BAKE_FAILED,
                           "cannot read %s: it was not written by `kiln-bake plan` of this version",
                           own->budget_file);
}

static bake_result run_command(const bake_options *options, const bake_command_keep *keep,
                               FILE *err)
{
    bake_run run;
    bake_options own;
    bake_result result = bake_command_begin(&run, &own, options, err);
    if (!result && keep && !bake_gateway_keep_details(run.gateway))
        result = bake_fail_memory(&run.failure);
    run.wants_memo = keep && keep->wants_memo;
    if (!result)
        result = check_first_input(&run, &run.failure);
    if (!result)
        result = check_usage(&own, &run.failure);
    /* Report a usage error on standard error, because the diagnostics file may itself be the
     * mistake. Also, such a run has nothing to measure. */
    if (result && own.diagnostics_file) {
        own.diagnostics_file = NULL;
        own.format = BAKE_FORMAT_TEXT;
    }
    if (result)
        own.timings = NULL;
    if (!result && own.budget_file)
        result = read_budgets(&run, &own);
    if (!result)
        result = work(&run);
    if (!result && keep && !bake_diagnostics_no_memory(run.diagnostics))
        keep->keep(keep->ctx, &run);
    return bake_command_end(&run, result);
}

bake_result bake_command_run(const bake_options *options, FILE *err)
{
    return run_command(options, NULL, err);
}

bake_result bake_command_run_kept(const bake_options *options, const bake_command_keep *keep,
                                  FILE *err)
{
    return run_command(options, keep, err);
}
