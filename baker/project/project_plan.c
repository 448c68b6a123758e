#include "project_plan.h"

#include "project_options.h"
#include "similar.h"

#include <stdio.h>
#include <string.h>

typedef enum visit { VISIT_NEW, VISIT_BUSY, VISIT_DONE } visit;

/* The state of ordering the bundles: a depth-first search along their externs. */
typedef struct planning {
    bake_step_maker maker;
    bake_plan *plan;
    visit *visits; /* by bundle */
    size_t *steps; /* by bundle: its step */
    size_t *path;  /* the bundles that are busy */
    size_t *next;  /* by bundle: its next extern */
    size_t depth;
    bake_result result; /* the worst so far */
} planning;

static void keep(planning *p, bake_result result)
{
    p->result = result > p->result ? result : p->result;
}

static const bake_settings *settings_of(const planning *p, size_t bundle)
{
    return &p->maker.def->project->bundles[bundle].settings;
}

/* Reports the bundles on the path from `first` on, which need each other. */
static void report_circle(planning *p, size_t first, const bake_project_path *item)
{
    const bake_project *project = p->maker.def->project;
    char text[800] = "";
    size_t at = 0, i = 0;
    while (p->path[i] != first)
        i++;
    for (; i < p->depth && at < sizeof text - 200; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s needs ",
                               project->bundles[p->path[i]].name);
    bake_report(p->maker.def->diagnostics, BAKE_ERROR, item->mark, "project", "bundles",
                "the bundles form a cycle: %s%s", text, project->bundles[first].name);
    keep(p, BAKE_BAD_INPUT);
}

/* Adds the step of a bundle after those that it needs. */
static void add_step(planning *p, size_t bundle)
{
    bake_project *project = p->maker.def->project;
    const bake_project_paths *externs = &settings_of(p, bundle)->externs;
    bake_step *step = &p->plan->steps[p->plan->count];
    size_t *needs = bake_store_alloc(&project->store, externs->count + 1, sizeof *needs);
    if (!needs) {
        keep(p, bake_fail_memory(p->maker.failure));
        return;
    }
    step->name = project->bundles[bundle].name;
    step->bundle = bundle;
    step->needs = needs;
    for (size_t i = 0; i < externs->count; i++) {
        size_t needed = bake_extern_bundle(&p->maker, &externs->items[i]);
        if (needed < project->bundle_count && p->visits[needed] == VISIT_DONE)
            needs[step->need_count++] = p->steps[needed];
    }
    keep(p, bake_step_bundle(&p->maker, &project->bundles[bundle], &step->options));
    p->steps[bundle] = p->plan->count++;
}

/* Adds the bundle and all bundles that it needs. Without recursion, because a project can have any
 * number of bundles. */
static void visit_bundle(planning *p, size_t bundle)
{
    const bake_project *project = p->maker.def->project;
    if (p->visits[bundle] != VISIT_NEW)
        return;
    p->path[p->depth++] = bundle;
    p->visits[bundle] = VISIT_BUSY;
    while (p->depth > 0) {
        size_t top = p->path[p->depth - 1];
        const bake_project_paths *externs = &settings_of(p, top)->externs;
        if (p->next[top] == externs->count) {
            add_step(p, top);
            p->visits[top] = VISIT_DONE;
            p->depth--;
            continue;
        }
        const bake_project_path *item = &externs->items[p->next[top]++];
        size_t needed = bake_extern_bundle(&p->maker, item);
        if (needed == project->bundle_count || p->visits[needed] == VISIT_DONE)
            continue;
        if (p->visits[needed] == VISIT_BUSY) {
            report_circle(p, needed, item);
            continue;
        }
        p->path[p->depth++] = needed;
        p->visits[needed] = VISIT_BUSY;
    }
}

static bake_result unknown_bundle(const planning *p, const char *name)
{
    bake_project *project = p->maker.def->project;
    const char **names =
        bake_store_alloc(&project->store, project->bundle_count + 1, sizeof *names);
    for (size_t i = 0; names && i < project->bundle_count; i++)
        names[i] = project->bundles[i].name;
    const char *close =
        names ? bake_most_similar(name, strlen(name), names, project->bundle_count) : NULL;
    return bake_fail(p->maker.failure, BAKE_FAILED, "%s has no bundle '%.100s'%s%s%s",
                     project->path, name, close ? "; did you mean " : "", close ? close : "",
                     close ? "?" : "");
}

static void visit_chosen(planning *p)
{
    const bake_project *project = p->maker.def->project;
    const bake_list *names = &p->maker.def->options->inputs;
    for (size_t i = 0; i < names->count; i++) {
        size_t bundle = bake_project_find(project, names->items[i]);
        if (bundle < project->bundle_count)
            visit_bundle(p, bundle);
        else
            keep(p, unknown_bundle(p, names->items[i]));
    }
    for (size_t i = 0; names->count == 0 && i < project->bundle_count; i++)
        visit_bundle(p, i);
}

static void add_headers(planning *p)
{
    const bake_project *project = p->maker.def->project;
    const bake_options *options = p->maker.def->options;
    bool wanted = options->inputs.count == 0 && options->command == BAKE_COMMAND_BUILD;
    for (size_t i = 0; wanted && i < project->header_count; i++) {
        bake_step *step = &p->plan->steps[p->plan->count++];
        step->name = project->headers[i].path.text;
        step->bundle = project->bundle_count;
        keep(p, bake_step_header(&p->maker, &project->headers[i], &step->options));
    }
}

bake_result bake_plan_make(const bake_plan_def *def, bake_plan *ret_plan, bake_failure *failure)
{
    bake_project *project = def->project;
    size_t count = project->bundle_count + 1;
    bake_store *store = &project->store;
    planning p = {.plan = ret_plan};
    p.result = bake_outputs_list(project, def->diagnostics, &ret_plan->outputs, failure);
    if (p.result == BAKE_FAILED)
        return p.result;
    keep(&p, bake_step_maker_init(&p.maker, def, &ret_plan->outputs, failure));
    if (failure->result)
        return failure->result;
    ret_plan->steps =
        bake_store_alloc(store, count + project->header_count, sizeof *ret_plan->steps);
    p.visits = bake_store_alloc(store, count, sizeof *p.visits);
    p.steps = bake_store_alloc(store, count, sizeof *p.steps);
    p.path = bake_store_alloc(store, count, sizeof *p.path);
    p.next = bake_store_alloc(store, count, sizeof *p.next);
    if (!ret_plan->steps || !p.visits || !p.steps || !p.path || !p.next)
        return bake_fail_memory(failure);
    visit_chosen(&p);
    add_headers(&p);
    if (failure->result)
        return failure->result;
    return project->store.failed ? bake_fail_memory(failure) : p.result;
}
