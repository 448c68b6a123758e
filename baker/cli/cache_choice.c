#include "cache_choice.h"

#include "diagnostics.h"
#include "record_version.h"

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
        chosen.is_project_url = !chosen.url && of->url;
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

/* ---- caches of several bakes ---- */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same(const bake_cache_settings *a, const bake_cache_settings *b)
{
    return is_same_text(a->local, b->local) && is_same_text(a->shared, b->shared) &&
           is_same_text(a->url, b->url) && a->is_project_url == b->is_project_url &&
           a->read_only == b->read_only && a->size == b->size && a->wait == b->wait;
}

/* Replaces a text by a copy. */
static void keep_text(bake_kept_cache *kept, const char **text)
{
    *text = *text ? bake_store_text(&kept->store, *text, strlen(*text)) : NULL;
}

void bake_kept_cache_fini(bake_kept_cache *kept)
{
    bake_cache_destroy(kept->cache);
    bake_store_fini(&kept->store);
    *kept = (bake_kept_cache){0};
}

bake_cache *bake_cache_open(const bake_options *options, const bake_cache_settings *settings,
                            bake_failure *failure)
{
    bake_kept_cache *kept = options->kept_cache;
    if (!kept)
        return bake_cache_create(settings, failure);
    if (kept->cache && is_same(&kept->settings, settings))
        return kept->cache;
    bake_kept_cache_fini(kept);
    kept->settings = *settings;
    keep_text(kept, &kept->settings.local);
    keep_text(kept, &kept->settings.shared);
    keep_text(kept, &kept->settings.url);
    /* The files of this program may be replaced before a cache needs to know their contents. */
    (void)bake_record_identity(&kept->store);
    if (kept->store.failed)
        bake_fail_memory(failure);
    else
        kept->cache = bake_cache_create(settings, failure);
    return kept->cache;
}

static bool write_stream(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size;
}

void bake_cache_print_warnings(bake_cache *cache, const bake_options *options, FILE *err)
{
    bake_note note = {.severity = "warning", .rule = "cache"};
    while (!options->quiet && (note.message = bake_cache_next_warning(cache))) {
        if (options->format == BAKE_FORMAT_JSON)
            (void)bake_note_write_json(&note, write_stream, err);
        else
            fprintf(err, "kiln-bake: warning: %s\n", note.message);
    }
}

void bake_cache_close(const bake_options *options, bake_cache *cache)
{
    if (options->kept_cache)
        bake_cache_end_run(cache);
    else
        bake_cache_destroy(cache);
}
