#include "recorded_run.h"

#include "bake_memory.h"
#include "cache_choice.h"
#include "cached_step.h"
#include "folder_tree.h"
#include "kept_results.h"
#include "memo_file.h"
#include "old_outputs.h"
#include "option_texts.h"
#include "record_file.h"
#include "record_inputs.h"
#include "record_version.h"
#include "similar.h"

#include <errno.h>
#include <string.h>

/* A step with everything that its record needs. */
typedef struct recorded_step {
    const bake_recorded_def *def;
    bake_store store;
    bake_record_def record;     /* the options of this run */
    char *path;                 /* of the record */
    char *memo;                 /* the path of the memo */
    bake_kept_results *results; /* of importers; NULL: memory ran out */
    FILE *err;
} recorded_step;

/* Returns false if memory runs out. */
static bool prepare(recorded_step *step)
{
    const char *state = step->def->state;
    step->path = state ? bake_record_path(state, step->def->name) : NULL;
    step->memo = state ? bake_state_path(state, "memos", step->def->name) : NULL;
    step->record.variables = bake_gateway_variables;
    step->record.jobs = step->def->options->jobs;
    step->record.version = step->def->options->recorded_version;
    if (!step->record.version)
        step->record.version = bake_record_version(&step->store);
    return bake_option_texts(step->def->options, &step->store, &step->record.options,
                             &step->record.option_count) &&
           (!state || (step->path && step->memo)) && step->record.version;
}

static void fini(recorded_step *step)
{
    bake_free(step->path);
    bake_free(step->memo);
    bake_store_fini(&step->store);
}

/* The step as a run with so many warnings depends on it. */
static bake_record_def record_def(const recorded_step *step, size_t warnings)
{
    bake_record_def def = step->record;
    while (warnings == 0 && def.option_count > 0 &&
           strcmp(def.options[def.option_count - 1].name, BAKE_OPTION_LINES) == 0)
        def.option_count--;
    return def;
}

static const char *output_name(const recorded_step *step)
{
    return step->def->options->output ? step->def->options->output : step->def->name;
}

/* ---- a step that is up to date ---- */

static bake_message_form form_of(const bake_run *run)
{
    if (run->options->format == BAKE_FORMAT_JSON)
        return BAKE_MESSAGES_JSON;
    return run->color ? BAKE_MESSAGES_COLORED : BAKE_MESSAGES_TEXT;
}

/* Gives the record to `watch` if that needs it; then `*record` is NULL. */
static void hand_over(bake_run *run, bake_record **record)
{
    if (!run->options->inputs_used || !*record)
        return;
    run->has_inputs = true;
    bake_record_list_add(run->options->inputs_used, *record);
    *record = NULL;
}

/* Prints the messages of an unchanged step, and saves newer states of its files. `from` is the
 * cache that had the outputs; NULL: they are up to date.
 * `*record_at` may be handed over. */
static bake_result replay(const recorded_step *step, bake_record **record_at, bool is_newer,
                          const char *from)
{
    const bake_record *record = *record_at;
    bake_run run;
    bake_options own;
    bake_result result = bake_command_begin(&run, &own, step->def->options, step->err);
    if (!result && own.timings && *own.timings && bake_record_reads(record, own.timings))
        result = bake_fail(&run.failure, BAKE_FAILED, "cannot write %s: it is an input of this run",
                           own.timings);
    if (!result) {
        size_t size;
        const char *text = bake_record_messages(record, form_of(&run), &size);
        if (!own.quiet)
            fprintf(step->err, "%s: %s%s\n", output_name(step),
                    from ? "from the cache " : "up to date", from ? from : "");
        fwrite(text, 1, size, step->err);
        /* Without the newer states, the next check only takes longer. */
        if (is_newer && step->path)
            (void)bake_record_save(record, run.gateway, step->path);
    }
    hand_over(&run, record_at);
    /* The step did nothing, so there is nothing to measure. */
    own.timings = NULL;
    return bake_command_end(&run, result);
}

static void print_changes(const recorded_step *step, const bake_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        fprintf(step->err, "%s: %s\n", output_name(step), changes->items[i].text);
}

/* ---- caches ---- */

/* Describes the step for the caches. Returns false if they cannot store it. */
static bool describe(const recorded_step *step, bake_cached_def *ret)
{
    const bake_options *o = step->def->options;
    *ret = (bake_cached_def){.cache = step->def->cache,
                             .record = &step->record,
                             .prefix = step->def->prefix,
                             .outputs = {o->output, o->source_map},
                             .is_kiln_file = o->command == BAKE_COMMAND_BUILD,
                             .has_paths = o->source_map || o->command == BAKE_COMMAND_HEADER,
                             .durable = o->durable,
                             .if_changed = o->if_changed};
    return ret->cache && o->output && strcmp(o->output, "-") != 0;
}

/* Returns true if a cache had the step, with the result of the replay. */
static bool is_cached(const recorded_step *step, bake_result *ret_result)
{
    bake_cached_def def;
    const char *label;
    if (!describe(step, &def))
        return false;
    bake_gateway *gateway = bake_gateway_create(NULL);
    bake_record *record = gateway && bake_gateway_keep_details(gateway)
                              ? bake_cached_find(&def, gateway, &label)
                              : NULL;
    bake_gateway_destroy(gateway);
    bake_cache_print_warnings(step->def->cache, step->def->options, step->err);
    if (record) {
        size_t count = record_def(step, bake_record_warnings(record)).option_count;
        bake_record_cut_options(record, count);
        *ret_result = replay(step, &record, true, label);
        bake_record_destroy(record);
        return true;
    }
    return false;
}

static void cache_step(const recorded_step *step, const bake_record *record)
{
    bake_cached_def def;
    if (describe(step, &def))
        bake_cached_keep(&def, record);
    bake_cache_print_warnings(step->def->cache, step->def->options, step->err);
}

/* ---- a step of which only some source files have changed ---- */

/* The changes of the files of a step. */
typedef struct source_changes {
    const char **all; /* `changed` and `missing` */
    size_t all_count;
    const char **changed; /* paths of files with other contents */
    size_t changed_count;
    const char **missing; /* paths with another kind of file, or none */
    size_t missing_count;
    bool has_other_inputs; /* the options name other inputs */
} source_changes;

static void source_changes_fini(source_changes *s)
{
    bake_free(s->all);
    bake_free(s->changed);
    bake_free(s->missing);
}

/* Returns false if anything but files has changed, or memory runs out. */
static bool list_source_changes(const bake_record *record, const bake_changes *changes,
                                source_changes *ret)
{
    bool ok = true;
    memset(ret, 0, sizeof *ret);
    ret->all = bake_alloc_array(changes->count + 1, sizeof *ret->all);
    ret->changed = bake_alloc_array(changes->count + 1, sizeof *ret->changed);
    ret->missing = bake_alloc_array(changes->count + 1, sizeof *ret->missing);
    ok = ret->all && ret->changed && ret->missing;
    for (size_t i = 0; i < changes->count && ok; i++) {
        const bake_change *change = &changes->items[i];
        if (change->kind == BAKE_CHANGE_CONTENT || change->kind == BAKE_CHANGE_INPUT)
            ret->all[ret->all_count++] = change->subject;
        if (change->kind == BAKE_CHANGE_CONTENT)
            ret->changed[ret->changed_count++] = change->subject;
        else if (change->kind == BAKE_CHANGE_INPUT)
            ret->missing[ret->missing_count++] = change->subject;
        else if (change->kind == BAKE_CHANGE_OPTION &&
                 strcmp(change->subject, BAKE_OPTION_INPUT) == 0)
            ret->has_other_inputs = true;
        else /* All messages with hints are made again. */
            ok = change->kind == BAKE_CHANGE_NAMES &&
                 bake_record_only_hints(record, change->subject);
    }
    return ok;
}

/* A rerun and the record that it updates. */
typedef struct recorded_rerun {
    const recorded_step *step;
    bake_record *record;
    const source_changes *sources;
} recorded_rerun;

static bool update_paths(void *ctx, const bake_rerun_view *view)
{
    const recorded_rerun *r = ctx;
    bake_diagnostics *diagnostics = view->run->diagnostics;
    const bake_record_def as = record_def(r->step, bake_diagnostics_warnings(diagnostics));
    const bake_record_update update = {.def = &as,
                                       .gateway = view->run->gateway,
                                       .changed = r->sources->all,
                                       .changed_count = r->sources->all_count,
                                       .added = view->added,
                                       .added_count = view->added_count,
                                       .removed = view->removed,
                                       .removed_count = view->removed_count};
    return bake_record_update_paths(r->record, &update) &&
           bake_record_update_messages(r->record, diagnostics);
}

static bake_rerun_def rerun_def_of(const bake_memo *memo, const source_changes *sources)
{
    return (bake_rerun_def){.memo = memo,
                            .changed = sources->changed,
                            .changed_count = sources->changed_count,
                            .missing = sources->missing,
                            .missing_count = sources->missing_count,
                            .has_other_inputs = sources->has_other_inputs};
}

typedef bool save_function(const bake_record *record, bake_gateway *gateway, const char *path);

/* Warns on failure. `record` may be NULL, because memory ran out. */
static bool save_record(const recorded_step *step, const bake_record *record, bake_gateway *gateway,
                        save_function *save)
{
    if (!step->path)
        return false;
    if (!record)
        errno = ENOMEM;
    if (record && save(record, gateway, step->path))
        return true;
    if (!step->def->options->quiet)
        fprintf(step->err, "kiln-bake: warning: cannot write %s: %s\n", step->path,
                strerror(errno));
    return false;
}

static void save_memo(const recorded_step *step, const bake_record *record, const bake_memo *memo,
                      bake_gateway *gateway)
{
    /* Without the memo, the next run only takes longer. */
    if (memo && bake_make_folders(step->memo))
        (void)bake_memo_save(memo, bake_record_key(record), gateway, step->memo);
}

/* Returns false if the whole step must run; nothing was then printed. */
static bool run_part(recorded_rerun *part, bake_old_outputs *old, bake_result *ret_result)
{
    const bake_memo *memo = old->memo;
    const recorded_step *step = part->step;
    bake_run run;
    bake_options own;
    bake_rerun_def def = rerun_def_of(memo, part->sources);
    def.may_write = update_paths;
    def.ctx = part;
    def.output = old->output;
    def.map = old->map;
    bool done = bake_command_begin(&run, &own, step->def->options, step->err) == BAKE_OK &&
                bake_gateway_keep_details(run.gateway) && bake_rerun(&run, &def);
    if (!done) {
        bake_command_discard(&run);
        return false;
    }
    bake_old_outputs_release(old);
    /* If this process is killed now, the next run is a complete one, because the old record does
     * not fit the new output. */
    if (bake_record_update_outputs(part->record, run.gateway)) {
        if (save_record(step, part->record, run.gateway, bake_record_save_again))
            (void)bake_memo_save_again(run.memo, memo, bake_record_key(part->record), run.gateway,
                                       step->memo);
        cache_step(step, part->record);
    }
    hand_over(&run, &part->record);
    *ret_result = bake_command_end(&run, BAKE_OK);
    return true;
}

/* Reads what a rerun needs as soon as a check finds that a source has changed. */
typedef struct rerun_start {
    const recorded_step *step;
    const bake_record *record;
    bool has_begun;
    bake_old_outputs old;
} rerun_start;

static void begin_rerun(rerun_start *start)
{
    if (!start->has_begun)
        bake_old_outputs_begin(&start->old, start->record, start->step->def->options,
                               start->step->memo);
    start->has_begun = true;
}

static void notice_change(void *ctx, const bake_change *change)
{
    if (change->kind == BAKE_CHANGE_CONTENT)
        begin_rerun(ctx);
}

static void end_rerun(rerun_start *start)
{
    if (start->has_begun)
        bake_old_outputs_fini(&start->old);
    start->has_begun = false;
}

/* Bakes only what the changes affect. Returns false if the whole step must run. `*record_at` may be
 * handed over. */
static bool rerun(rerun_start *start, bake_record **record_at, const bake_changes *changes,
                  bake_result *ret_result)
{
    source_changes sources;
    bool done = false;
    if (!bake_rerun_is_possible(start->step->def->options))
        return false;
    if (list_source_changes(*record_at, changes, &sources)) {
        begin_rerun(start);
        recorded_rerun part = {start->step, *record_at, &sources};
        done = bake_old_outputs_get(&start->old) && start->old.memo &&
               run_part(&part, &start->old, ret_result);
        *record_at = part.record;
    }
    source_changes_fini(&sources);
    return done;
}

/* Returns true if the whole step need not run, with the result. */
static bool is_done(const recorded_step *step, bake_result *ret_result)
{
    const bake_recorded_def *def = step->def;
    bool is_newer, explains = def->options->verbose && !def->options->quiet;
    bool may_rerun = bake_rerun_is_possible(def->options), done = false;
    bake_record *record = step->path ? bake_record_load(step->path) : NULL;
    if (!record)
        return false;
    rerun_start start = {.step = step, .record = record};
    bake_changes changes = {.most = explains || may_rerun ? 0 : 1, .ctx = &start};
    bake_record_def as = record_def(step, bake_record_warnings(record));
    /* A rerun reads the output, and compares it then. */
    as.defers_outputs = may_rerun && !explains;
    if (as.defers_outputs)
        changes.notice = notice_change;
    bake_record_state state =
        bake_record_check(record, &as, !def->compare_contents, &changes, &is_newer);
    if (state == BAKE_RECORD_UNCHANGED)
        *ret_result = replay(step, &record, is_newer, NULL);
    else if (explains && def->options->format == BAKE_FORMAT_TEXT)
        print_changes(step, &changes);
    if (state == BAKE_RECORD_CHANGED)
        done = rerun(&start, &record, &changes, ret_result);
    end_rerun(&start);
    bake_changes_fini(&changes);
    bake_record_destroy(record);
    return done || state == BAKE_RECORD_UNCHANGED;
}

/* ---- a step that runs ---- */

/* Removes what is known about an earlier run. */
static void forget(const recorded_step *step)
{
    if (!step->path)
        return;
    (void)bake_remove_file(step->path);
    (void)bake_remove_file(step->memo);
}

/* Saves the record and the memo of a run that has succeeded. If it cannot be recorded, a record of
 * an earlier run would only explain changes that this run has already seen. */
static void keep(void *ctx, bake_run *run)
{
    const recorded_step *step = ctx;
    const char *path;
    /* The run was complete, so it has used the results of all its importers. */
    bake_kept_results_sweep(step->results);
    const bake_record_def as = record_def(step, bake_diagnostics_warnings(run->diagnostics));
    bake_record *record = bake_record_make(&as, run->gateway, run->diagnostics, &path);
    if (!record && errno == EINVAL) {
        forget(step);
        return;
    }
    if (save_record(step, record, run->gateway, bake_record_save) && run->memo &&
        !bake_rerun_shares_inputs(run))
        save_memo(step, record, run->memo, run->gateway);
    if (record)
        cache_step(step, record);
    hand_over(run, &record);
    bake_record_destroy(record);
}

/* Opens the results of earlier runs. Without them, all importers are started. */
static bake_kept_results *open_results(const bake_recorded_def *def)
{
    char *folder = def->state ? bake_state_path(def->state, "imports", def->name) : NULL;
    bake_kept_results *results = folder ? bake_kept_results_create(folder, !def->force) : NULL;
    bake_free(folder);
    return results;
}

bake_result bake_recorded_run(const bake_recorded_def *given, FILE *err)
{
    bake_options options = *given->options;
    bake_recorded_def def = *given;
    recorded_step step = {.def = &def, .err = err, .results = open_results(given)};
    bake_command_keep kept = {keep, &step, given->state && bake_rerun_is_possible(&options)};
    bake_result result = BAKE_OK;
    options.results = bake_kept_results_get(step.results);
    def.options = &options;
    if (!prepare(&step))
        result = bake_command_run(&options, err);
    else if (def.force || (!is_done(&step, &result) && !is_cached(&step, &result)))
        result = bake_command_run_kept(&options, &kept, err);
    bake_kept_results_destroy(step.results);
    fini(&step);
    return result;
}

bake_recorded_state bake_recorded_check(const bake_recorded_def *def, bake_changes *changes)
{
    recorded_step step = {.def = def};
    bake_recorded_state result = BAKE_RECORDED_NO_MEMORY;
    bool is_newer;
    if (prepare(&step)) {
        bake_record *record = bake_record_load(step.path);
        if (!record)
            result = errno == ENOMEM ? BAKE_RECORDED_NO_MEMORY : BAKE_RECORDED_NEVER;
        const bake_record_def as = record_def(&step, record ? bake_record_warnings(record) : 0);
        bake_record_state state =
            record ? bake_record_check(record, &as, !def->compare_contents, changes, &is_newer)
                   : BAKE_RECORD_CHANGED;
        if (record && state != BAKE_RECORD_NO_MEMORY)
            result =
                state == BAKE_RECORD_UNCHANGED ? BAKE_RECORDED_UNCHANGED : BAKE_RECORDED_CHANGED;
        bake_record_destroy(record);
    }
    fini(&step);
    return result;
}

/* ---- why an asset would be baked ---- */

typedef struct asset_question {
    void (*explain)(void *ctx, const bake_rerun_view *view);
    void *ctx;
    bool is_answered;
} asset_question;

/* Ends the rerun before it writes anything. */
static bool answer(void *ctx, const bake_rerun_view *view)
{
    asset_question *q = ctx;
    q->explain(q->ctx, view);
    q->is_answered = true;
    return false;
}

static bool ask(const recorded_step *step, const bake_record *record, const bake_memo *memo,
                const bake_changes *changes, asset_question *q)
{
    bake_run run;
    bake_options own, options = *step->def->options;
    source_changes sources;
    bake_old_outputs old;
    bool is_possible = list_source_changes(record, changes, &sources);
    bake_rerun_def def = rerun_def_of(memo, &sources);
    def.may_write = answer;
    def.only_asks = true;
    def.ctx = q;
    /* Nothing is printed, so there is no stream whose kind would matter. */
    options.color = BAKE_COLOR_NEVER;
    options.source_map = NULL;
    bake_old_outputs_begin(&old, record, step->def->options, NULL);
    if (is_possible && bake_old_outputs_get(&old)) {
        def.output = old.output;
        def.map = old.map;
        if (bake_command_begin(&run, &own, &options, NULL) == BAKE_OK &&
            bake_gateway_keep_details(run.gateway))
            (void)bake_rerun(&run, &def);
        bake_command_discard(&run);
    }
    bake_old_outputs_fini(&old);
    source_changes_fini(&sources);
    return q->is_answered;
}

bake_recorded_asset_state
bake_recorded_asset(const bake_recorded_def *def, const char *asset, bake_changes *changes,
                    void (*explain)(void *ctx, const bake_rerun_view *view), void *ctx)
{
    recorded_step step = {.def = def};
    asset_question q = {explain, ctx, false};
    bake_recorded_asset_state state = BAKE_ASSET_UNKNOWN;
    bool is_newer;
    errno = ENOMEM;
    bake_record *record = prepare(&step) ? bake_record_load(step.path) : NULL;
    bake_memo *memo = record ? bake_memo_load(step.memo, bake_record_key(record)) : NULL;
    if (!memo && errno == ENOMEM)
        state = BAKE_ASSET_NO_MEMORY;
    if (memo && bake_memo_find(memo, asset, strlen(asset)) != UINT32_MAX) {
        const bake_record_def as = record_def(&step, bake_record_warnings(record));
        bake_record_state found =
            bake_record_check(record, &as, !def->compare_contents, changes, &is_newer);
        if (found == BAKE_RECORD_NO_MEMORY)
            state = BAKE_ASSET_NO_MEMORY;
        else if (found == BAKE_RECORD_UNCHANGED)
            state = BAKE_ASSET_UNCHANGED;
        else
            state = ask(&step, record, memo, changes, &q) ? BAKE_ASSET_EXPLAINED : BAKE_ASSET_ALL;
    }
    bake_memo_destroy(memo);
    bake_record_destroy(record);
    fini(&step);
    return state;
}

/* `names` has room for all rows. Names begin with the kind and a slash. */
static const char *similar_name(const bake_memo *memo, const char *word, const char **names)
{
    bool has_kind = strchr(word, '/') != NULL;
    for (uint32_t i = 0; i < bake_memo_prefabs_at(memo); i++) {
        const char *name = bake_memo_name(memo, i);
        const char *slash = has_kind ? NULL : strchr(name, '/');
        names[i] = slash ? slash + 1 : name;
    }
    const char *found = bake_most_similar(word, strlen(word), names, bake_memo_prefabs_at(memo));
    for (uint32_t i = 0; found && i < bake_memo_prefabs_at(memo); i++)
        if (names[i] == found)
            return bake_memo_name(memo, i);
    return NULL;
}

const char *bake_recorded_similar(const bake_recorded_def *def, const char *word, bake_store *store)
{
    recorded_step step = {.def = def};
    errno = ENOMEM;
    bake_record *record = prepare(&step) ? bake_record_load(step.path) : NULL;
    bake_memo *memo = record ? bake_memo_load(step.memo, bake_record_key(record)) : NULL;
    const char **names = memo ? bake_alloc_array((size_t)memo->count + 1, sizeof *names) : NULL;
    const char *found = names ? similar_name(memo, word, names) : NULL;
    if (memo ? !names : errno == ENOMEM)
        store->failed = true;
    if (found)
        found = bake_store_text(store, found, strlen(found));
    bake_free(names);
    bake_memo_destroy(memo);
    bake_record_destroy(record);
    fini(&step);
    return found;
}
