#include "cache_command.h"

#include "cache_care.h"
#include "cache_choice.h"
#include "command_run.h"
#include "grouped_number.h"
#include "project_command.h"
#include "similar.h"

#include <errno.h>
#include <string.h>

/* What a subcommand works with. */
typedef struct cache_work {
    const char *folder;
    uint64_t most; /* bytes */
    bool quiet;
    size_t damaged;
    FILE *out;
} cache_work;

static void print_count(const cache_work *work, uint64_t count, const char *one, const char *end)
{
    char text[32];
    fprintf(work->out, "%s %s%s%s", bake_grouped(text, count), one, count == 1 ? "" : "s", end);
}

static void print_totals(const cache_work *work, const bake_cache_totals *totals, const char *end)
{
    print_count(work, totals->results, "result", ", ");
    print_count(work, totals->contents, "content", ", ");
    print_count(work, totals->bytes, "byte", end);
}

static bool print_stat(cache_work *work)
{
    bake_cache_totals totals;
    char text[32];
    if (!bake_cache_count(work->folder, &totals))
        return false;
    fprintf(work->out, "%s: ", work->folder);
    print_totals(work, &totals, "");
    fprintf(work->out, " of at most %s\n", bake_grouped(text, work->most));
    return true;
}

static bool collect(cache_work *work)
{
    bake_cache_totals left, removed;
    if (!bake_cache_collect(work->folder, work->most, &left, &removed))
        return false;
    if (work->quiet)
        return true;
    fprintf(work->out, "%s: removed ", work->folder);
    print_totals(work, &removed, "; left ");
    print_totals(work, &left, "\n");
    return true;
}

static void print_damaged(void *ctx, const char *name, bool is_removed)
{
    cache_work *work = ctx;
    work->damaged++;
    fprintf(work->out, "%s/%s: damaged, %s\n", work->folder, name,
            is_removed ? "removed" : "but cannot be removed");
}

static bool verify(cache_work *work)
{
    bake_cache_totals totals;
    char text[32];
    if (!bake_cache_verify(work->folder, print_damaged, work, &totals))
        return false;
    if (work->quiet)
        return true;
    fprintf(work->out, "%s: checked ", work->folder);
    print_totals(work, &totals, "");
    fprintf(work->out, "; %s damaged\n", bake_grouped(text, work->damaged));
    return true;
}

static const struct {
    const char *name;
    bool (*run)(cache_work *work);
} subcommands[] = {{"stat", print_stat}, {"gc", collect}, {"verify", verify}};
enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof *subcommands };

/* Finds the subcommand; `SUBCOMMAND_COUNT` after a failure. */
static size_t find(const bake_options *o, bake_failure *failure)
{
    const char *names[SUBCOMMAND_COUNT];
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        names[i] = subcommands[i].name;
    if (o->inputs.count != 1) {
        bake_fail(failure, BAKE_FAILED, "cache needs one of stat, gc and verify");
        return SUBCOMMAND_COUNT;
    }
    const char *word = o->inputs.items[0];
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    const char *close = bake_most_similar(word, strlen(word), names, SUBCOMMAND_COUNT);
    bake_fail(failure, BAKE_FAILED, "unknown command 'cache %.100s'%s%s%s", word,
              close ? "; did you mean " : "; use stat, gc or verify", close ? close : "",
              close ? "?" : "");
    return SUBCOMMAND_COUNT;
}

/* Chooses the folder. The project file is read only if nothing else names one. */
static bake_result choose(bake_run *run, bake_project *project, bake_cache_settings *settings)
{
    const bake_options *o = run->options;
    if (!bake_cache_choose(o, NULL, settings))
        return bake_fail_memory(&run->failure);
    if (!settings->local && bake_project_is_here(o)) {
        const char *path = bake_project_path_of(o, &run->store);
        if (!path)
            return bake_fail_memory(&run->failure);
        bake_result result =
            bake_project_read(project, path, run->gateway, run->diagnostics, &run->failure);
        if (result)
            return result;
        if (!bake_cache_choose(o, project, settings))
            return bake_fail_memory(&run->failure);
    }
    if (!settings->local && (settings->shared || settings->url))
        return bake_fail(
            &run->failure, BAKE_FAILED, "the only cache is %s %s; use --cache DIR for %s folder",
            settings->shared ? "the shared folder" : "the HTTP store",
            settings->shared ? settings->shared : settings->url, settings->shared ? "this" : "a");
    if (!settings->local)
        return bake_fail(&run->failure, BAKE_FAILED,
                         "no cache given; use --cache DIR, KILN_CACHE or `cache: {local: DIR}` in "
                         "kiln.yaml");
    return BAKE_OK;
}

static bake_result work_on(bake_run *run, const bake_cache_settings *settings, size_t subcommand,
                           FILE *out)
{
    cache_work work = {settings->local, settings->size ? settings->size : BAKE_CACHE_SIZE,
                       run->options->quiet, 0, out};
    if (!subcommands[subcommand].run(&work))
        return errno == ENOMEM
                   ? bake_fail_memory(&run->failure)
                   : bake_fail(&run->failure, BAKE_FAILED, "cannot use the cache %s: %s",
                               work.folder, strerror(errno));
    return work.damaged ? BAKE_BAD_INPUT : BAKE_OK;
}

int bake_cache_command(const bake_options *options, FILE *out, FILE *err)
{
    bake_run run;
    bake_options own;
    bake_project project = {0};
    bake_cache_settings settings;
    bake_result result = bake_command_begin(&run, &own, options, err);
    size_t subcommand = result ? SUBCOMMAND_COUNT : find(options, &run.failure);
    if (!result)
        result = run.failure.result;
    if (!result)
        result = choose(&run, &project, &settings);
    if (!result)
        result = work_on(&run, &settings, subcommand, out);
    result = bake_command_end(&run, result);
    bake_project_fini(&project);
    return (int)result;
}
