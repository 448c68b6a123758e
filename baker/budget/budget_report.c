#include "budget_report.h"

#include "bake_memory.h"
#include "grouped_number.h"

#include <stdio.h>
#include <string.h>

enum {
    REPORTS_MAX = 10,     /* for each budget */
    CONTRIBUTORS_MAX = 5, /* for each report */
    NAME_MAX_SHOWN = 300
};

typedef struct reporting {
    const bake_measures *measures;
    const bake_budgets *budgets;
    bake_diagnostics *diagnostics;
    uint32_t source; /* of the project file */
    bake_budget_find *find;
    void *ctx;
} reporting;

/* Begins a message about a row: `type game.Item: `; empty for a bundle. */
static const char *subject(char out[NAME_MAX_SHOWN + 40], const bake_budget_row *row)
{
    size_t length = strlen(row->name);
    out[0] = '\0';
    if (row->kind != BAKE_BUDGET_BUNDLE)
        snprintf(out, NAME_MAX_SHOWN + 40, "%s %.*s%s: ", bake_budget_kind_words[row->kind],
                 NAME_MAX_SHOWN, row->name, length > NAME_MAX_SHOWN ? "..." : "");
    return out;
}

static const char *measure_text(bake_measure measure)
{
    static const char *const texts[BAKE_MEASURES] = {"bytes on disk", "resident bytes",
                                                     "bytes of load cost"};
    return texts[measure];
}

/* ---- contributors ---- */

typedef struct contributors {
    const bake_measured *items[CONTRIBUTORS_MAX];
    int count;
} contributors;

/* Inserts an asset, the largest first. */
static void consider(contributors *c, const bake_measured *asset, bake_measure measure)
{
    int at = c->count;
    if (asset->used[measure] == 0)
        return;
    while (at > 0 && (c->items[at - 1]->used[measure] < asset->used[measure] ||
                      (c->items[at - 1]->used[measure] == asset->used[measure] &&
                       strcmp(c->items[at - 1]->name, asset->name) > 0)))
        at--;
    if (at == CONTRIBUTORS_MAX)
        return;
    c->count += c->count < CONTRIBUTORS_MAX;
    for (int i = c->count - 1; i > at; i--)
        c->items[i] = c->items[i - 1];
    c->items[at] = asset;
}

/* Adds a hint and a related location for an asset. */
static void add_contributor(reporting *r, const bake_measured *asset, const bake_budget_row *row)
{
    char number[32], share[32], text[NAME_MAX_SHOWN + 120];
    bake_mark mark;
    snprintf(text, sizeof text, "%.*s: %s %s (%s %%)", NAME_MAX_SHOWN, asset->name,
             bake_grouped(number, asset->used[row->measure]), measure_text(row->measure),
             bake_budget_percent(share, asset->used[row->measure], row->used));
    if (!r->find(r->ctx, asset->name, &mark)) {
        bake_hint(r->diagnostics, "%s", text);
        return;
    }
    bake_hint(r->diagnostics, "%s:%u: %s",
              bake_diagnostics_source_name(r->diagnostics, mark.source), (unsigned)mark.line, text);
    bake_related(r->diagnostics, mark, "%s", text);
}

static void add_contributors(reporting *r, const bake_budget_row *row)
{
    const bake_measured *item = &r->measures->items[row->item];
    contributors c = {.count = 0};
    if (!item->parts)
        consider(&c, item, row->measure);
    for (uint32_t i = 0; i < item->part_count; i++)
        if (!r->measures->assets[item->parts[i]].is_payload)
            consider(&c, &r->measures->assets[item->parts[i]], row->measure);
    for (int i = 0; i < c.count; i++)
        add_contributor(r, c.items[i], row);
}

/* ---- reports ---- */

static bake_mark mark_of(const reporting *r, size_t budget)
{
    bake_mark mark = r->budgets->items[budget].mark;
    mark.source = r->source;
    return mark;
}

static void report_row(reporting *r, const bake_budget_row *row, bake_budget_state state)
{
    char used[32], limit[32], rest[32], begin[NAME_MAX_SHOWN + 40];
    bool is_error = state == BAKE_BUDGET_IS_EXCEEDED;
    subject(begin, row);
    bake_grouped(used, row->used);
    bake_grouped(limit, row->limit);
    if (is_error)
        bake_report(r->diagnostics, BAKE_ERROR, mark_of(r, row->budget), "budget",
                    r->budgets->bundle, "%s%s %s exceed the limit of %s by %s", begin, used,
                    measure_text(row->measure), limit, bake_grouped(rest, row->used - row->limit));
    else
        bake_report(r->diagnostics, BAKE_WARNING, mark_of(r, row->budget), "budget",
                    r->budgets->bundle, "%s%s %s are %s %% of the limit of %s", begin, used,
                    measure_text(row->measure), bake_budget_percent(rest, row->used, row->limit),
                    limit);
    add_contributors(r, row);
}

static void report_hidden(reporting *r, const bake_budget_row *last, bake_budget_state state,
                          size_t count)
{
    char number[32];
    bake_hint(r->diagnostics, "%s more %s%s of the bundle %s this limit",
              bake_grouped(number, count), bake_budget_kind_words[last->kind],
              count == 1 ? "" : "s",
              state == BAKE_BUDGET_IS_NEAR ? (count == 1 ? "is near" : "are near")
              : count == 1                 ? "exceeds"
                                           : "exceed");
}

/* Reports the rows of one budget, which are in the order of the table. */
static void report_budget(reporting *r, const bake_budget_table *table, size_t budget)
{
    for (int wanted = BAKE_BUDGET_IS_EXCEEDED; wanted >= BAKE_BUDGET_IS_NEAR; wanted--) {
        size_t count = 0;
        const bake_budget_row *last = NULL;
        for (size_t i = 0; i < table->count; i++) {
            const bake_budget_row *row = &table->rows[i];
            bake_budget_state state = bake_budget_judge(row, r->budgets->warn);
            if (row->budget != budget || (int)state != wanted)
                continue;
            if (count++ < REPORTS_MAX)
                report_row(r, last = row, state);
        }
        if (count > REPORTS_MAX)
            report_hidden(r, last, (bake_budget_state)wanted, count - REPORTS_MAX);
    }
}

static void report_unused(reporting *r, size_t budget)
{
    const bake_budget *of = &r->budgets->items[budget];
    bake_report(r->diagnostics, BAKE_WARNING, mark_of(r, budget), "budget", r->budgets->bundle,
                "no %s of the bundle matches \"%.*s\"", bake_budget_kind_words[of->kind],
                NAME_MAX_SHOWN, of->pattern);
}

/* By budget: whether it has rows, and whether a row is to be reported. */
typedef struct budget_use {
    bool is_used, is_reported;
} budget_use;

bool bake_budget_report(const bake_budget_table *table, const bake_measures *measures,
                        const bake_budgets *budgets, bake_diagnostics *diagnostics,
                        bake_budget_find *find, void *ctx)
{
    reporting r = {measures, budgets, diagnostics, UINT32_MAX, find, ctx};
    bool has_reports = false;
    budget_use *uses = bake_alloc_array(budgets->count + 1, sizeof *uses);
    if (!uses)
        return false;
    for (size_t i = 0; i < table->count; i++) {
        const bake_budget_row *row = &table->rows[i];
        budget_use *use = &uses[row->budget];
        use->is_used = true;
        use->is_reported = use->is_reported || bake_budget_judge(row, budgets->warn);
    }
    for (size_t i = 0; i < budgets->count; i++) {
        uses[i].is_reported =
            uses[i].is_reported || (budgets->items[i].is_of_bundle && !uses[i].is_used);
        has_reports = has_reports || uses[i].is_reported;
    }
    if (has_reports)
        r.source =
            bake_diagnostics_add_source(diagnostics, budgets->path, budgets->text, budgets->size);
    for (size_t i = 0; i < budgets->count; i++)
        if (uses[i].is_reported && uses[i].is_used)
            report_budget(&r, table, i);
        else if (uses[i].is_reported)
            report_unused(&r, i);
    bake_free(uses);
    return !bake_diagnostics_no_memory(diagnostics);
}
