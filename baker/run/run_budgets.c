#include "run_budgets.h"

#include "bake_text.h"
#include "budget_report.h"

#include <string.h>

bake_result bake_run_budgets_begin(bake_run *run, const bake_inputs *inputs,
                                   bake_asset_marks *ret_marks)
{
    if (!run->options->budgets && !run->part)
        return BAKE_OK;
    bake_mark *marks = bake_store_alloc(&run->store, inputs->asset_count + 1, sizeof *marks);
    if (!marks)
        return bake_fail_memory(&run->failure);
    for (size_t i = 0; i < inputs->asset_count; i++) {
        const bake_asset *asset = &inputs->assets[i];
        marks[i] = bake_node_mark(inputs->inputs[asset->input].tree, asset->named_at);
    }
    *ret_marks =
        (bake_asset_marks){.assets = inputs->assets, .marks = marks, .count = inputs->asset_count};
    return BAKE_OK;
}

static const char *name_at(const void *list, size_t number, size_t *ret_length)
{
    const bake_asset *asset = (const bake_asset *)list + number;
    *ret_length = asset->name_length;
    return asset->name;
}

/* The assets of several outputs are not sorted as a whole, but then there are no budgets. */
static bool find_name(const bake_asset_marks *marks, const char *name, size_t length,
                      bake_mark *ret_mark)
{
    size_t found = bake_find_text(marks->assets, name_at, 0, marks->count, name, length);
    if (found != SIZE_MAX)
        *ret_mark = marks->marks[found];
    return found != SIZE_MAX;
}

/* What find_asset needs. */
typedef struct finding {
    bake_run *run;
    bake_asset_marks *marks;
} finding;

/* The parts of a scene are written where the scene is. Returns NULL if memory runs out. */
static const char *written_name(bake_run *run, const char *name)
{
    static const char *const parts[] = {"SceneChunks/", "SceneData/"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t length = strlen(parts[i]);
        if (strncmp(name, parts[i], length) == 0)
            return bake_store_join(&run->store, "Scene", '/', name + length);
    }
    return name;
}

/* Also marks the row of the asset, so that each later run parses its file. */
static bool find_as(const finding *f, const char *name, bake_mark *ret_mark)
{
    bake_memo *memo = f->marks->memo;
    uint32_t row = memo ? bake_memo_find(memo, name, strlen(name)) : UINT32_MAX;
    bool is_found = find_name(f->marks, name, strlen(name), ret_mark);
    if (row == UINT32_MAX)
        return is_found;
    memo->all[row].flags |= BAKE_MEMO_REPORTED;
    f->marks->is_incomplete = f->marks->is_incomplete || !is_found;
    return is_found;
}

static bool find_asset(void *ctx, const char *name, bake_mark *ret_mark)
{
    const finding *f = ctx;
    const char *scene = written_name(f->run, name);
    bool has_own_row = scene != name && f->marks->memo &&
                       bake_memo_find(f->marks->memo, name, strlen(name)) != UINT32_MAX;
    bake_mark own;
    if (scene == name || has_own_row || find_name(f->marks, name, strlen(name), &own))
        return find_as(f, name, ret_mark);
    f->marks->is_incomplete = f->marks->is_incomplete || !scene;
    return scene && find_as(f, scene, ret_mark);
}

static bake_result compare(bake_run *run, bake_asset_marks *marks, const bake_measures *measures,
                           bake_budget_table *table)
{
    finding f = {run, marks};
    const bake_budgets *budgets = run->options->budgets;
    if (!bake_budget_compare(measures, budgets, table) ||
        !bake_budget_report(table, measures, budgets, run->diagnostics, find_asset, &f))
        return bake_fail_memory(&run->failure);
    return BAKE_OK;
}

/* A file that is measured. */
typedef struct measured {
    bake_measure_read *read;
    void *ctx;
    uint64_t size;
} measured;

static bake_result check(bake_run *run, bake_asset_marks *marks, const measured *what,
                         bake_budget_table *table)
{
    kiln_error error;
    bake_measures measures = {0};
    kiln_status status = bake_measure_file(what->read, what->ctx, what->size, &measures, &error);
    bake_result result = BAKE_OK;
    if (status == KILN_NO_MEMORY)
        result = bake_fail_memory(&run->failure);
    else if (status == KILN_IO)
        result = bake_fail_errno(&run->failure, "measure", run->options->output);
    else if (status)
        result = bake_fail_bug(&run->failure, run->options->output, status, &error);
    else
        result = compare(run, marks, &measures, table);
    bake_measures_fini(&measures);
    return result;
}

bake_result bake_run_budgets_check(bake_run *run, bake_asset_marks *marks, bake_output *output,
                                   uint64_t size)
{
    const measured what = {bake_output_read_back, output, size};
    bake_budget_table own = {0};
    bake_budget_table *table = run->options->budget_table;
    bake_result result = check(run, marks, &what, table ? table : &own);
    bake_budget_table_fini(&own);
    return result;
}

static bool read_span(void *ctx, uint64_t at, void *to, size_t size)
{
    const kiln_span *span = ctx;
    if (at > span->size || size > span->size - at)
        return false;
    memcpy(to, (const char *)span->data + at, size);
    return true;
}

bool bake_run_budgets_check_some(bake_run *run, const bake_inputs *inputs, bake_memo *memo,
                                 bake_output *output, kiln_span what)
{
    bake_asset_marks marks = {0};
    bake_budget_table table = {0};
    const bake_budgets *budgets = run->options->budgets;
    if (!budgets || budgets->count == 0)
        return true;
    for (uint32_t i = 0; i < memo->count; i++)
        memo->all[i].flags &= ~(uint32_t)BAKE_MEMO_REPORTED;
    if (bake_run_budgets_begin(run, inputs, &marks))
        return false;
    marks.memo = memo;
    const measured new = {bake_output_read_back, output, what.size},
                   old = {read_span, &what, what.size};
    bake_result result = check(run, &marks, output ? &new : &old, &table);
    bake_budget_table_fini(&table);
    return result == BAKE_OK && !marks.is_incomplete &&
           bake_diagnostics_errors(run->diagnostics) == 0 &&
           !bake_diagnostics_no_memory(run->diagnostics);
}
