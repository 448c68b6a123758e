#include "why_command.h"

#include "bake_memory.h"
#include "similar.h"
#include "why_asset.h"

#include <errno.h>
#include <string.h>

static const char *output_of(const bake_step *step)
{
    return step->options.output ? step->options.output : step->name;
}

/* Whether the word names the step: the bundle, its output or its source map. */
static bool is_named(const bake_step *step, const char *word)
{
    const char *const paths[] = {step->options.output, step->options.source_map};
    if (strcmp(step->name, word) == 0)
        return true;
    for (size_t i = 0; i < 2; i++)
        if (paths[i] && (strcmp(paths[i], word) == 0 || bake_output_is_same(paths[i], word)))
            return true;
    return false;
}

static bake_result fail_unknown(const bake_why_def *def, const char *word, bake_failure *failure)
{
    size_t count = 0;
    const char **names = bake_alloc_array(2 * def->plan->count + 1, sizeof *names);
    if (!names)
        return bake_fail_memory(failure);
    for (size_t i = 0; i < def->plan->count; i++) {
        names[count++] = def->plan->steps[i].name;
        names[count++] = output_of(&def->plan->steps[i]);
    }
    bake_store store = {0};
    const char *close = bake_most_similar(word, strlen(word), names, count);
    for (size_t i = 0; i < def->plan->count && !close && !store.failed; i++)
        close = bake_recorded_similar(&def->recorded[i], word, &store);
    if (store.failed)
        bake_fail_memory(failure);
    else
        bake_fail(failure, BAKE_FAILED,
                  "'%.100s' is neither an output, a bundle nor a baked asset of %s%s%s%s", word,
                  def->project, close ? "; did you mean " : "", close ? close : "",
                  close ? "?" : "");
    bake_store_fini(&store);
    bake_free(names);
    return failure->result;
}

/* Prints why an asset would be baked. Fails if no output is known to have it. */
static bake_result explain_asset(const bake_why_def *def, const char *name, bake_failure *failure)
{
    bool is_known = false;
    for (size_t i = 0; i < def->plan->count && !failure->result; i++) {
        bake_why_asset asset = {name, def->out};
        bake_changes changes = {0};
        const char *output = output_of(&def->plan->steps[i]);
        bake_recorded_asset_state state =
            bake_recorded_asset(&def->recorded[i], name, &changes, bake_why_asset_explain, &asset);
        if (state == BAKE_ASSET_UNCHANGED)
            fprintf(def->out, "%s: unchanged in %s\n", name, output);
        for (size_t k = 0; k < changes.count && state == BAKE_ASSET_ALL; k++)
            fprintf(def->out, "%s: baked with all of %s: %s\n", name, output,
                    changes.items[k].text);
        is_known = is_known || state != BAKE_ASSET_UNKNOWN;
        bake_changes_fini(&changes);
        if (state == BAKE_ASSET_NO_MEMORY)
            bake_fail_memory(failure);
    }
    return is_known || failure->result ? failure->result : fail_unknown(def, name, failure);
}

/* Sets `chosen` for each step that a word names. Explains assets at once. */
static bake_result choose(const bake_why_def *def, bool *chosen, bake_failure *failure)
{
    for (size_t w = 0; w < def->words->count; w++) {
        bool is_known = false;
        for (size_t i = 0; i < def->plan->count; i++)
            if (is_named(&def->plan->steps[i], def->words->items[w]))
                is_known = chosen[i] = true;
        if (!is_known && explain_asset(def, def->words->items[w], failure))
            return failure->result;
    }
    for (size_t i = 0; i < def->plan->count && def->words->count == 0; i++)
        chosen[i] = true;
    return BAKE_OK;
}

/* Prints the changes of a step. Returns whether it is not up to date. */
static bool explain(const bake_why_def *def, size_t number, const bool *changed, FILE *out,
                    bake_failure *failure)
{
    const bake_step *step = &def->plan->steps[number];
    const char *output = output_of(step);
    bool is_changed = false;
    for (size_t i = 0; i < step->need_count; i++) {
        if (!changed[step->needs[i]])
            continue;
        is_changed = true;
        if (out)
            fprintf(out, "%s: reads %s, which is not up to date\n", output,
                    output_of(&def->plan->steps[step->needs[i]]));
    }
    bake_changes changes = {.most = out ? 0 : 1};
    bake_recorded_state state = bake_recorded_check(&def->recorded[number], &changes);
    for (size_t i = 0; i < changes.count && out; i++)
        fprintf(out, "%s: %s\n", output, changes.items[i].text);
    bake_changes_fini(&changes);
    if (state == BAKE_RECORDED_NO_MEMORY)
        bake_fail_memory(failure);
    if (out && state == BAKE_RECORDED_NEVER)
        fprintf(out, "%s: no record of an earlier bake\n", output);
    if (out && state == BAKE_RECORDED_UNCHANGED && !is_changed)
        fprintf(out, "%s: up to date\n", output);
    return is_changed || state != BAKE_RECORDED_UNCHANGED;
}

bake_result bake_why_run(const bake_why_def *def, bake_failure *failure)
{
    size_t count = def->plan->count;
    bool *chosen = bake_alloc_array(count + 1, sizeof *chosen);
    bool *changed = bake_alloc_array(count + 1, sizeof *changed);
    if (!chosen || !changed)
        bake_fail_memory(failure);
    else
        choose(def, chosen, failure);
    /* The steps are in an order in which each one comes after those that it needs. */
    for (size_t i = 0; i < count && !failure->result; i++)
        changed[i] = explain(def, i, changed, chosen[i] ? def->out : NULL, failure);
    bake_free(chosen);
    bake_free(changed);
    return failure->result;
}
