#include "recorded_run.h"

#include "bake_memory.h"
#include "cached_step.h"
#include "option_texts.h"
#include "record_file.h"
#include "record_version.h"

#include <errno.h>
#include <string.h>

/* A step with everything that its record needs. */
typedef struct recorded_step {
    const bake_recorded_def *def;
    bake_store store;
    bake_record_def record; /* the options of this run */
    char *path;             /* of the record */
    FILE *err;
} recorded_step;

/* Returns false if memory runs out. */
static bool prepare(recorded_step *step)
{
    step->path = bake_record_path(step->def->state, step->def->name);
    step->record.version = bake_record_version(&step->store);
    return bake_option_texts(step->def->options, &step->store, &step->record.options,
                             &step->record.option_count) &&
           step->path && step->record.version;
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

/* Prints the messages of an unchanged step, and saves newer states of its files. `from` is the
 * cache that had the outputs; NULL: they are up to date. */
static bake_result replay(const recorded_step *step, const bake_record *record, bool is_newer,
                          const char *from)
{
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
        if (is_newer)
            (void)bake_record_save(record, run.gateway, step->path);
    }
    /* The step did nothing, so there is nothing to measure. */
    own.timings = NULL;
    return bake_command_end(&run, result);
}

static void print_changes(const recorded_step *step, const bake_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        fprintf(step->err, "%s: %s\n", output_name(step), changes->items[i].text);
}

/* Returns true if the step is up to date, with the result of the replay. */
static bool is_up_to_date(const recorded_step *step, bake_result *ret_result)
{
    const bake_recorded_def *def = step->def;
    bool is_newer, explains = def->options->verbose && !def->options->quiet;
    bake_record *record = bake_record_load(step->path);
    if (!record)
        return false;
    bake_changes changes = {.most = explains ? 0 : 1};
    const bake_record_def as = record_def(step, bake_record_warnings(record));
    bake_record_state state =
        bake_record_check(record, &as, !def->compare_contents, &changes, &is_newer);
    if (state == BAKE_RECORD_UNCHANGED)
        *ret_result = replay(step, record, is_newer, NULL);
    else if (explains && def->options->format == BAKE_FORMAT_TEXT)
        print_changes(step, &changes);
    bake_changes_fini(&changes);
    bake_record_destroy(record);
    return state == BAKE_RECORD_UNCHANGED;
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

static void print_warnings(const recorded_step *step)
{
    const bake_options *o = step->def->options;
    for (const char *text; (text = bake_cache_next_warning(step->def->cache));)
        if (!o->quiet && o->format == BAKE_FORMAT_TEXT)
            fprintf(step->err, "kiln-bake: warning: %s\n", text);
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
    print_warnings(step);
    if (record) {
        size_t count = record_def(step, bake_record_warnings(record)).option_count;
        bake_record_cut_options(record, count);
        *ret_result = replay(step, record, true, label);
    }
    bake_record_destroy(record);
    return record != NULL;
}

/* ---- a step that runs ---- */

/* Saves the record of a run that has succeeded. A run that cannot be recorded leaves an old record,
 * which no longer fits the outputs. */
static void keep(void *ctx, bake_run *run)
{
    const recorded_step *step = ctx;
    const char *path;
    const bake_record_def as = record_def(step, bake_diagnostics_warnings(run->diagnostics));
    bake_record *record = bake_record_make(&as, run->gateway, run->diagnostics, &path);
    if (!record && errno == EINVAL)
        return;
    bool is_saved = record && bake_record_save(record, run->gateway, step->path);
    int error = errno;
    bake_cached_def def;
    if (record && describe(step, &def))
        bake_cached_keep(&def, record);
    print_warnings(step);
    bake_record_destroy(record);
    if (!is_saved && !run->options->quiet)
        fprintf(step->err, "kiln-bake: warning: cannot write %s: %s\n", step->path,
                strerror(error));
}

bake_result bake_recorded_run(const bake_recorded_def *def, FILE *err)
{
    recorded_step step = {.def = def, .err = err};
    bake_command_keep kept = {keep, &step};
    bake_result result = BAKE_OK;
    if (!prepare(&step))
        result = bake_command_run(def->options, err);
    else if (def->force || (!is_up_to_date(&step, &result) && !is_cached(&step, &result)))
        result = bake_command_run_kept(def->options, &kept, err);
    bake_free(step.path);
    bake_store_fini(&step.store);
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
    bake_free(step.path);
    bake_store_fini(&step.store);
    return result;
}
