#include "single_run.h"

#include "cache_choice.h"
#include "command_run.h"
#include "recorded_run.h"

#include <string.h>

static bool has_stdin(const bake_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], "-") == 0)
            return true;
    return false;
}

/* The option because of which a bake uses no cache; NULL: it can. A cache has no depfiles, no files
 * of diagnostics and no intermediate files. */
static const char *without_cache(const bake_options *o)
{
    return o->each                                           ? "--each"
           : o->depend                                       ? "-MD"
           : o->dry_run                                      ? "--dry-run"
           : o->names                                        ? "--names"
           : o->budget_file                                  ? "--budget-file"
           : o->diagnostics_file                             ? "--diagnostics-file"
           : o->format == BAKE_FORMAT_SARIF                  ? "--diagnostics=sarif"
           : has_stdin(&o->inputs) || has_stdin(&o->schemas) ? "standard input"
           : !o->output || strcmp(o->output, "-") == 0       ? "standard output"
                                                             : NULL;
}

static bool is_asked_for(const bake_cache_settings *c)
{
    return c->local || c->shared || c->url || c->read_only || c->size || c->wait;
}

static bake_result fail(bake_failure *failure, FILE *err)
{
    fprintf(err, "kiln-bake: %s\n", failure->text);
    return failure->result;
}

bake_result bake_single_run(const bake_options *options, FILE *err)
{
    bake_cache_settings settings;
    bake_failure failure = {BAKE_OK, ""};
    bool bakes = options->command == BAKE_COMMAND_BUILD;
    const char *without = bakes ? without_cache(options) : NULL;
    if (without && is_asked_for(&options->cache)) {
        bake_fail(&failure, BAKE_FAILED, "--cache and %s cannot be combined", without);
        return fail(&failure, err);
    }
    /* The children of `prove` must bake. Without a project file, this allocates nothing. */
    bool is_chosen = bakes && !without && !options->prove_into &&
                     bake_cache_choose(options, NULL, &settings) && bake_cache_is_chosen(&settings);
    if (!is_chosen)
        return bake_command_run(options, err);
    bake_cache *cache = bake_cache_open(options, &settings, &failure);
    if (!cache)
        return fail(&failure, err);
    const bake_recorded_def def = {
        .options = options, .force = options->force, .cache = cache, .prefix = ""};
    bake_result result = bake_recorded_run(&def, err);
    bake_cache_close(options, cache);
    return result;
}
