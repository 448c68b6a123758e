#include "project_command.h"

#include "bake_memory.h"
#include "bake_options.h"
#include "budget_command.h"
#include "cache_choice.h"
#include "command_run.h"
#include "folder_tree.h"
#include "plan_command.h"
#include "project_glob.h"
#include "project_plan.h"
#include "prove_command.h"
#include "why_command.h"

#include <errno.h>
#include <string.h>

/* ---- the project file ---- */

const char *bake_project_path_of(const bake_options *o, bake_store *store)
{
    static const char name[] = BAKE_PROJECT_NAME;
    if (o->project)
        return o->project;
    if (!o->base || strcmp(o->base, ".") == 0)
        return name;
    size_t length = strlen(o->base);
    while (length > 1 && o->base[length - 1] == '/')
        length--;
    const char *folder = bake_store_text(store, o->base, length);
    return folder ? bake_store_join(store, folder, '/', name) : NULL;
}

/* Also true if memory runs out: the project commands report that, and the help does not. */
bool bake_project_is_here(const bake_options *options)
{
    bake_store store = {0};
    bake_gateway *gateway = bake_gateway_create(NULL);
    const char *path = gateway ? bake_project_path_of(options, &store) : NULL;
    errno = 0;
    bool is_here = !path || bake_gateway_path_kind(gateway, path) == BAKE_PATH_FILE ||
                   errno == ENOMEM || options->project;
    bake_gateway_destroy(gateway);
    bake_store_fini(&store);
    return is_here;
}

/* Without a schema, the single form cannot work. */
bool bake_project_is_used(const bake_options *o)
{
    switch (o->command) {
    case BAKE_COMMAND_LIST_OUTPUTS:
    case BAKE_COMMAND_CLEAN:
    case BAKE_COMMAND_WHY:
    case BAKE_COMMAND_BUDGET:
    case BAKE_COMMAND_PLAN:
        return true;
    case BAKE_COMMAND_BUILD:
    case BAKE_COMMAND_CHECK:
        return o->in_project || o->project || o->profile ||
               (o->schemas.count == 0 && bake_project_is_here(o));
    default:
        return false;
    }
}

static bake_result check_usage(const bake_options *o, bake_failure *failure)
{
    bool bakes = o->command == BAKE_COMMAND_BUILD || o->command == BAKE_COMMAND_CHECK;
    if (o->project && o->base)
        return bake_fail(failure, BAKE_FAILED,
                         "-C and --project cannot be combined; use one of them");
    if (bakes && o->not_of_project)
        return bake_fail(failure, BAKE_FAILED,
                         "%s cannot be used with a project file; to bake without " BAKE_PROJECT_NAME
                         ", give a schema with -s",
                         o->not_of_project);
    if (o->diagnostics_file || o->format == BAKE_FORMAT_SARIF)
        return bake_fail(failure, BAKE_FAILED,
                         "a project cannot write %s, because each bundle has its own diagnostics; "
                         "use --diagnostics=json",
                         o->diagnostics_file ? "a file of diagnostics" : "SARIF");
    bool has_words = bakes || o->command == BAKE_COMMAND_WHY || o->command == BAKE_COMMAND_BUDGET ||
                     o->command == BAKE_COMMAND_PLAN;
    if (o->command == BAKE_COMMAND_PLAN && (!o->output || strcmp(o->output, "-") == 0))
        return bake_fail(failure, BAKE_FAILED, "plan needs the name of a file; use -o FILE");
    if (!has_words && o->inputs.count)
        return bake_fail(failure, BAKE_FAILED, "unexpected argument '%.100s'", o->inputs.items[0]);
    return BAKE_OK;
}

/* A word that is neither a command nor a bundle is probably a misspelt command or a forgotten
 * schema. */
static bake_result check_first_word(const bake_options *o, const bake_project *project,
                                    bake_failure *failure)
{
    const char *word = o->first_input;
    if (!word || bake_project_find(project, word) < project->bundle_count)
        return BAKE_OK;
    const char *close = bake_command_similar(word);
    if (close)
        return bake_fail(failure, BAKE_FAILED,
                         "'%.100s' is neither a command nor a bundle of %s; did you mean %s?", word,
                         project->path, close);
    return BAKE_OK;
}

/* ---- build and check ---- */

/* The state of running a plan. */
typedef struct plan_run {
    const bake_options *options;
    const bake_plan *plan;
    bake_project *project;
    const char *state;    /* the folder of the project's state */
    bake_cache *cache;    /* NULL: none */
    const char *prefix;   /* of paths in the project's folder */
    bake_result *results; /* by step */
    int *scratch; /* by step: descriptor of the nameless file to which `check` bakes for steps that
                     need this one; -1: none */
    char (*paths)[32];         /* by step: the path of that file */
    const char **replaced;     /* by step: the file to which it was baked instead of its output */
    bake_timings *timings;     /* of the whole project; NULL: not requested */
    bake_budget_table *tables; /* by step, for `budget`; NULL for other commands */
    FILE *out, *err;
} plan_run;

/* Prints one message in the format of the diagnostics. */
static bake_result say(const plan_run *p, const char *format, const char *a, const char *b)
{
    bake_run run;
    bake_options own, options = *p->options;
    options.timings = NULL;
    bake_result result = bake_command_begin(&run, &own, &options, p->err);
    return bake_command_end(&run,
                            result ? result : bake_fail(&run.failure, BAKE_FAILED, format, a, b));
}

static bool is_needed(const bake_plan *plan, size_t number)
{
    for (size_t i = number + 1; i < plan->count; i++)
        for (size_t k = 0; k < plan->steps[i].need_count; k++)
            if (plan->steps[i].needs[k] == number)
                return true;
    return false;
}

/* Replaces externs that are outputs of earlier steps by the files to which these were baked. */
static void replace_externs(plan_run *p, const bake_step *step, bake_options *options)
{
    for (size_t i = 0; i < step->need_count; i++) {
        size_t needed = step->needs[i];
        const char *output = p->plan->steps[needed].options.output;
        for (size_t k = 0; k < options->externs.count; k++)
            if (strcmp(options->externs.items[k], output) == 0)
                options->externs.items[k] = p->replaced[needed];
    }
}

/* `check` writes no output. A bundle that others need, or that has budgets, is baked to a file
 * without a name. */
static bool prepare_check(plan_run *p, size_t number, bake_options *options)
{
    const bake_step *step = &p->plan->steps[number];
    options->checked = step->name;
    replace_externs(p, step, options);
    /* Budgets need the file, too. */
    if (!is_needed(p->plan, number) && !options->budgets)
        return true;
    p->scratch[number] = bake_scratch_file(p->paths[number]);
    p->replaced[number] = p->paths[number];
    options->command = BAKE_COMMAND_BUILD;
    options->output = p->paths[number];
    return p->scratch[number] >= 0;
}

/* A child of `prove` bakes everything to its folder. */
static bool prepare_proof(plan_run *p, size_t number, bake_options *options)
{
    replace_externs(p, &p->plan->steps[number], options);
    options->prove_into = p->options->prove_into;
    options->reverse_folders = p->options->reverse_folders;
    bool done = bake_prove_redirect(options, number, &p->project->store);
    p->replaced[number] = options->output;
    errno = ENOMEM;
    return done;
}

static bake_result fail_write(const plan_run *p, const char *path)
{
    return errno == ENOMEM ? say(p, "%s%s", "out of memory", "")
                           : say(p, "cannot write %s: %s", path, strerror(errno));
}

/* Describes the record of a step. Returns false with errno ENOMEM. */
static bool make_recorded(const plan_run *p, size_t number, const bake_options *options,
                          bake_recorded_def *ret_def)
{
    const char *name = p->plan->steps[number].name;
    if (options->command == BAKE_COMMAND_HEADER)
        name = bake_store_join(&p->project->store, "header", ' ', name);
    *ret_def = (bake_recorded_def){
        options,  p->state, name, p->options->force, p->options->compare_contents,
        p->cache, p->prefix};
    errno = ENOMEM;
    return name != NULL;
}

/* Measures the output of a step that was up to date. All others were measured when they ran. */
static bake_result measure_step(const plan_run *p, size_t number, bake_result result)
{
    bake_failure failure = {BAKE_OK, ""};
    if (!result && !p->tables[number].is_measured)
        bake_budget_measure(&p->plan->steps[number].options, &p->tables[number], &failure);
    return failure.result ? say(p, "%s%s", failure.text, "") : result;
}

/* Runs a step whose needs have succeeded. */
static bake_result run_step(plan_run *p, size_t number)
{
    bake_options options = p->plan->steps[number].options;
    options.shared_timings = p->timings;
    const char *outputs[] = {options.output, options.source_map};
    if (p->options->command == BAKE_COMMAND_CHECK && !prepare_check(p, number, &options))
        return fail_write(p, "a temporary file");
    if (p->options->prove_into)
        return prepare_proof(p, number, &options) ? bake_command_run(&options, p->err)
                                                  : fail_write(p, "");
    for (size_t i = 0; p->options->command != BAKE_COMMAND_CHECK && i < 2; i++)
        if (outputs[i] && !bake_make_folders(outputs[i]))
            return fail_write(p, outputs[i]);
    if (p->options->command == BAKE_COMMAND_CHECK)
        return bake_command_run(&options, p->err);
    bake_recorded_def def;
    if (!make_recorded(p, number, &options, &def))
        return fail_write(p, outputs[0]);
    options.budget_table = p->tables ? &p->tables[number] : NULL;
    bake_result result = bake_recorded_run(&def, p->err);
    return p->tables ? measure_step(p, number, result) : result;
}

/* Runs all steps. A failed step stops only the steps that need it. Returns the worst result. */
static bake_result run_steps(plan_run *p)
{
    bake_result worst = BAKE_OK;
    for (size_t i = 0; i < p->plan->count; i++) {
        const bake_step *step = &p->plan->steps[i];
        const char *failed = NULL;
        for (size_t k = 0; k < step->need_count && !failed; k++)
            if (p->results[step->needs[k]])
                failed = p->plan->steps[step->needs[k]].name;
        if (failed)
            say(p,
                p->options->command == BAKE_COMMAND_CHECK ? "%s is not checked, because %s failed"
                                                          : "%s is not baked, because %s failed",
                step->name, failed);
        uint64_t begin = bake_timing_begin(p->timings);
        p->results[i] = failed ? BAKE_BAD_INPUT : run_step(p, i);
        bake_timing_end(p->timings, BAKE_TIMING_STEP, step->name, strlen(step->name), begin);
        worst = p->results[i] > worst ? p->results[i] : worst;
    }
    return worst;
}

/* Prints what `budget` has measured. Returns the worse result. */
static bake_result print_tables(const plan_run *p, bake_result result)
{
    bake_failure failure = {BAKE_OK, ""};
    const bake_budget_output output = {p->plan, p->tables, p->options, p->out};
    if (bake_budget_print(&output, &failure))
        say(p, "%s%s", failure.text, "");
    for (size_t i = 0; i < p->plan->count; i++)
        bake_budget_table_fini(&p->tables[i]);
    return failure.result > result ? failure.result : result;
}

static plan_run make_plan_run(bake_project *project, const bake_plan *plan,
                              const bake_options *options, const bake_run *run)
{
    plan_run p = {.options = options,
                  .plan = plan,
                  .project = project,
                  .timings = run->timings,
                  .err = run->err};
    p.state = bake_project_locate(project, BAKE_PROJECT_STATE);
    return p;
}

/* Opens the caches that options, environment and project choose. */
static bake_result open_cache(plan_run *p)
{
    bake_cache_settings settings;
    bake_failure failure = {BAKE_OK, ""};
    if (p->options->command != BAKE_COMMAND_BUILD && p->options->command != BAKE_COMMAND_BUDGET)
        return BAKE_OK;
    if (!bake_cache_choose(p->options, p->project, &settings))
        return say(p, "%s%s", "out of memory", "");
    if (!bake_cache_is_chosen(&settings))
        return BAKE_OK;
    /* The path of a file of the project, without its name, is the prefix. */
    const char *located = bake_project_locate(p->project, "x");
    if (located)
        p->prefix = bake_store_text(&p->project->store, located, strlen(located) - 1);
    if (!p->prefix)
        return say(p, "%s%s", "out of memory", "");
    p->cache = bake_cache_open(p->options, &settings, &failure);
    return p->cache ? BAKE_OK : say(p, "%s%s", failure.text, "");
}

static bake_result run_plan(bake_project *project, const bake_plan *plan,
                            const bake_options *options, FILE *out, const bake_run *run)
{
    plan_run p = make_plan_run(project, plan, options, run);
    size_t count = plan->count + 1;
    bool is_budget = options->command == BAKE_COMMAND_BUDGET;
    p.out = out;
    p.tables = is_budget ? bake_store_alloc(&project->store, count, sizeof *p.tables) : NULL;
    p.results = bake_store_alloc(&project->store, count, sizeof *p.results);
    p.scratch = bake_store_alloc(&project->store, count, sizeof *p.scratch);
    p.paths = bake_store_alloc(&project->store, count, sizeof *p.paths);
    p.replaced = bake_store_alloc(&project->store, count, sizeof *p.replaced);
    if (!p.results || !p.scratch || !p.paths || !p.replaced || !p.state || (is_budget && !p.tables))
        return say(&p, "%s%s", "out of memory", "");
    for (size_t i = 0; i < plan->count; i++)
        p.scratch[i] = -1;
    /* The children of `prove` must bake. */
    if (!options->prove_into && open_cache(&p))
        return BAKE_FAILED;
    bake_result result = run_steps(&p);
    bake_cache_close(options, p.cache);
    for (size_t i = 0; i < plan->count; i++)
        bake_scratch_close(p.scratch[i]);
    return p.tables ? print_tables(&p, result) : result;
}

/* ---- why ---- */

static bake_result explain(bake_project *project, const bake_plan *plan,
                           const bake_options *options, FILE *out, bake_run *run)
{
    plan_run p = make_plan_run(project, plan, options, run);
    bake_recorded_def *recorded =
        bake_store_alloc(&project->store, plan->count + 1, sizeof *recorded);
    bool done = recorded && p.state;
    for (size_t i = 0; i < plan->count && done; i++)
        done = make_recorded(&p, i, &plan->steps[i].options, &recorded[i]);
    const bake_why_def def = {plan, recorded, &options->inputs, project->path, out};
    return done ? bake_why_run(&def, &run->failure) : bake_fail_memory(&run->failure);
}

/* ---- list-outputs and clean ---- */

static void list_outputs(const bake_project_outputs *outputs, FILE *out)
{
    for (size_t i = 0; i < outputs->count; i++)
        fprintf(out, "%s\n", outputs->items[i].located);
}

static bake_result fail_removal(bake_failure *failure, const char *path)
{
    return bake_fail(failure, BAKE_FAILED, "cannot remove %s: %s", path,
                     errno == EISDIR    ? "it is a folder"
                     : errno == ENODEV  ? "it is not a regular file"
                     : errno == ENOTDIR ? "it is not a folder"
                                        : strerror(errno));
}

static bake_result remove_state(bake_project *project, bake_run *run)
{
    char *failed;
    const char *path = bake_project_locate(project, BAKE_PROJECT_STATE);
    if (!path)
        return bake_fail_memory(&run->failure);
    bake_removal removal = bake_remove_tree(path, &failed);
    if (removal == BAKE_REMOVAL_FAILED)
        fail_removal(&run->failure, failed ? failed : path);
    bake_free(failed);
    if (removal == BAKE_REMOVED && !run->options->quiet)
        fprintf(run->err, "%s: removed\n", path);
    return run->failure.result;
}

/* Checks the files of one list of patterns. A file that is missing does not matter here, so reports
 * about the patterns are dropped. */
static bake_result check_links(bake_project *project, const bake_project_outputs *outputs,
                               const bake_project_paths *patterns, bake_run *run)
{
    bake_list files = {NULL, 0};
    bake_failure dropped = {BAKE_OK, ""};
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    bake_glob_def glob = {project, run->gateway, diagnostics, patterns, NULL, NULL, false};
    if (!diagnostics)
        return bake_fail_memory(&run->failure);
    bake_glob_list(&glob, &files, &dropped);
    bake_diagnostics_destroy(diagnostics);
    return bake_outputs_check_links(project, run->diagnostics, outputs, &files, &run->failure);
}

/* Removes the outputs and the state. An output must not be a source or schema under another name:
 * before the first bake, that file would be lost. */
static bake_result clean(bake_project *project, const bake_project_outputs *outputs, bake_run *run)
{
    bake_result result = check_links(project, outputs, &project->schemas, run);
    for (size_t i = 0; i < project->bundle_count && !result; i++)
        result = check_links(project, outputs, &project->bundles[i].settings.sources, run);
    for (size_t i = 0; i < outputs->count && !result; i++) {
        const char *path = outputs->items[i].located;
        bake_removal removal = bake_remove_file(path);
        if (removal == BAKE_REMOVAL_FAILED)
            result = fail_removal(&run->failure, path);
        else if (removal == BAKE_REMOVED && !run->options->quiet)
            fprintf(run->err, "%s: removed\n", path);
    }
    return result ? result : remove_state(project, run);
}

/* ---- all commands ---- */

/* Each step that runs also checks this, but a step may be up to date or not chosen. */
static bake_result check_trace(const bake_options *o, const bake_project_outputs *outputs,
                               bake_failure *failure)
{
    for (size_t i = 0; o->timings && *o->timings && i < outputs->count; i++)
        if (bake_output_is_same(o->timings, outputs->items[i].located))
            return bake_fail(failure, BAKE_FAILED,
                             "cannot write %s: it is an output of the project", o->timings);
    return BAKE_OK;
}

/* Reads the project and makes the plan. For `list-outputs` and `clean`, only the outputs matter. */
static bake_result prepare(bake_run *run, const bake_options *o, bake_project *project,
                           bake_plan *plan)
{
    bool plans = o->command != BAKE_COMMAND_LIST_OUTPUTS && o->command != BAKE_COMMAND_CLEAN;
    bool is_why = o->command == BAKE_COMMAND_WHY;
    bake_options all = *o;
    const char *path = bake_project_path_of(o, &run->store);
    bake_result result = path ? BAKE_OK : bake_fail_memory(&run->failure);
    if (!result)
        result = bake_project_read(project, path, run->gateway, run->diagnostics, &run->failure);
    if (!result && !is_why)
        result = check_first_word(o, project, &run->failure);
    if (!result)
        result = bake_project_choose(project, o->profile, &run->failure);
    if (!result && !plans)
        return bake_outputs_list(project, run->diagnostics, &plan->outputs, &run->failure);
    /* The words of `why` can be paths, so it plans all steps. */
    if (is_why) {
        all.command = BAKE_COMMAND_BUILD;
        all.inputs.count = 0;
    }
    if (o->command == BAKE_COMMAND_PLAN)
        all.command = BAKE_COMMAND_BUILD;
    bake_plan_def def = {project, run->gateway, run->diagnostics, &all};
    if (!result)
        result = bake_plan_make(&def, plan, &run->failure);
    return result ? result : check_trace(o, &plan->outputs, &run->failure);
}

int bake_project_command(const bake_options *options, FILE *out, FILE *err, bool *ret_is_project)
{
    bake_run run;
    bake_options own;
    bake_project project = {0};
    bake_plan plan = {0};
    *ret_is_project = bake_project_is_used(options);
    if (!*ret_is_project)
        return BAKE_OK;
    bake_result result = bake_command_begin(&run, &own, options, err);
    if (!result &&
        (check_usage(options, &run.failure) || bake_command_check_timings(&own, &run.failure))) {
        result = run.failure.result;
        own.format = BAKE_FORMAT_TEXT;
        own.diagnostics_file = NULL;
    }
    if (!result)
        result = prepare(&run, options, &project, &plan);
    /* Without steps there is nothing to measure. */
    if (result)
        own.timings = NULL;
    if (!result && own.command == BAKE_COMMAND_LIST_OUTPUTS)
        list_outputs(&plan.outputs, out);
    else if (!result && own.command == BAKE_COMMAND_WHY)
        result = explain(&project, &plan, options, out, &run);
    else if (!result && own.command == BAKE_COMMAND_PLAN)
        result = bake_plan_write(&(bake_plan_write_def){&run, &plan, options});
    else if (!result && own.command == BAKE_COMMAND_CLEAN)
        result = clean(&project, &plan.outputs, &run);
    else if (!result && own.proves)
        result = bake_prove_plan(&run, &plan, out);
    else if (!result)
        result = run_plan(&project, &plan, options, out, &run);
    /* The steps have written their own diagnostics, so only those of the project are left. */
    result = bake_command_end(&run, result);
    bake_project_fini(&project);
    return (int)result;
}
