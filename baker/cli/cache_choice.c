#include "cache_choice.h"

#include <stdlib.h>
#include <string.h>

/* The option, or a variable that is not empty. */
static const char *choose(const char *option, const char *variable)
{
    const char *value = getenv(variable);
    if (option)
        return *option ? option : NULL;
    return value && *value ? value : NULL;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* Uses the path of the project if nothing else is chosen. */
static bool choose_path(bake_project *project, const bake_project_path *path, const char **chosen)
{
    if (*chosen || !path->text)
        return true;
    *chosen = bake_project_locate(project, path->text);
    return *chosen != NULL;
}

bool bake_cache_choose(const bake_options *options, bake_project *project,
                       bake_cache_settings *ret_settings)
{
    const bake_cache_settings *given = &options->cache;
    bake_cache_settings chosen = *given;
    memset(ret_settings, 0, sizeof *ret_settings);
    if (options->no_cache)
        return true;
    chosen.local = choose(given->local, "KILN_CACHE");
    chosen.shared = choose(given->shared, "KILN_CACHE_SHARED");
    chosen.url = choose(given->url, "KILN_CACHE_URL");
    chosen.read_only = given->read_only || is_set("KILN_CACHE_READ_ONLY");
    if (project) {
        const bake_project_cache *of = &project->cache;
        if (!choose_path(project, &of->local, &chosen.local) ||
            !choose_path(project, &of->shared, &chosen.shared))
            return false;
        chosen.url = chosen.url ? chosen.url : of->url;
        chosen.read_only = chosen.read_only || of->read_only;
        chosen.size = chosen.size ? chosen.size : of->size;
        chosen.wait = chosen.wait ? chosen.wait : of->wait;
    }
    *ret_settings = chosen;
    return true;
}

bool bake_cache_is_chosen(const bake_cache_settings *settings)
{
    return settings->local || settings->shared || settings->url;
}
