#include "watch_command.h"

#include "bake_memory.h"
#include "cache_choice.h"
#include "project_command.h"
#include "record_version.h"
#include "single_run.h"
#include "watch_notify.h"
#include "watch_report.h"
#include "watcher.h"

#include <string.h>

typedef struct watching {
    const bake_options *given;
    bake_options options; /* of the bakes */
    bake_watcher *watcher;
    bake_kept_cache cache; /* of all bakes */
    FILE *out, *err;
} watching;

/* Rejects options that cannot work with several bakes. */
static bake_result check_usage(const bake_options *o, bake_failure *failure)
{
    for (size_t i = 0; i < o->inputs.count + o->schemas.count; i++) {
        const char *path =
            i < o->inputs.count ? o->inputs.items[i] : o->schemas.items[i - o->inputs.count];
        if (strcmp(path, "-") == 0)
            return bake_fail(failure, BAKE_FAILED, "watch cannot read standard input");
    }
    if (o->output && strcmp(o->output, "-") == 0)
        return bake_fail(failure, BAKE_FAILED,
                         "watch cannot write to standard output; use -o FILE");
    if (o->format == BAKE_FORMAT_SARIF && !o->diagnostics_file)
        return bake_fail(failure, BAKE_FAILED,
                         "watch writes SARIF only to a file; use --diagnostics-file, or "
                         "--diagnostics=json");
    if (o->timings && !*o->timings)
        return bake_fail(failure, BAKE_FAILED, "watch does not print timings; use --timings=FILE");
    return BAKE_OK;
}

/* Bakes once, and watches the inputs of that bake. */
static bake_result bake(watching *w, const bake_changes *changes)
{
    bool is_project;
    bake_record_list inputs = {0};
    watch_event event = {.changes = changes};
    int64_t begin = bake_watch_clock();
    w->options.inputs_used = &inputs;
    event.result = (bake_result)bake_project_command(&w->options, w->out, w->err, &is_project);
    if (!is_project)
        event.result = bake_single_run(&w->options, w->err);
    event.time = bake_watch_clock() - begin;
    /* Those of quiet bakes. */
    bake_cache_print_warnings(w->cache.cache, w->given, w->err);
    w->options.inputs_used = NULL;
    if (!changes && event.result >= BAKE_FAILED) {
        bake_record_list_fini(&inputs);
        return event.result;
    }
    if (!bake_watcher_set(w->watcher, &inputs)) {
        bake_record_list_fini(&inputs);
        fputs("kiln-bake: out of memory\n", w->err);
        return BAKE_FAILED;
    }
    event.paths = bake_watcher_path_count(w->watcher);
    event.folders = bake_watcher_folder_count(w->watcher);
    bake_watch_report_event(w->given, &event, w->err);
    const char *notice = bake_watcher_take_notice(w->watcher);
    if (notice)
        bake_watch_report_notice(w->given, notice, w->err);
    /* Nobody would notice a watch whose messages are lost. */
    return ferror(w->err) ? BAKE_FAILED : BAKE_OK;
}

/* Bakes after each change. */
static bake_result watch(watching *w)
{
    bake_result result = bake(w, NULL);
    /* From now on, the line of each event replaces the summaries. */
    w->options.quiet = !w->given->verbose;
    while (!result) {
        bake_changes changes = {0};
        if (bake_watcher_wait(w->watcher, &changes)) {
            result = bake(w, &changes);
        } else {
            fputs("kiln-bake: out of memory\n", w->err);
            result = BAKE_FAILED;
        }
        bake_changes_fini(&changes);
    }
    return result;
}

bake_result bake_watch_run(const bake_options *options, FILE *out, FILE *err)
{
    bake_store store = {0};
    bake_failure failure = {BAKE_OK, ""};
    const bake_watcher_def def = {(int)options->debounce, (int)options->poll};
    watching w = {.given = options, .options = *options, .out = out, .err = err};
    bake_result result = check_usage(options, &failure);
    w.options.command = BAKE_COMMAND_BUILD;
    w.options.kept_cache = &w.cache;
    w.options.in_project = bake_project_is_used(&w.options);
    w.options.recorded_version = bake_record_version(&store);
    if (!result)
        w.watcher = bake_watcher_create(&def);
    if (!result && (!w.watcher || !w.options.recorded_version))
        result = bake_fail_memory(&failure);
    if (result)
        fprintf(err, "kiln-bake: %s\n", failure.text);
    else
        result = watch(&w);
    bake_watcher_destroy(w.watcher);
    bake_kept_cache_fini(&w.cache);
    bake_store_fini(&store);
    return result;
}
