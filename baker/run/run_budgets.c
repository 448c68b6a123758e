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
    *ret_marks = (bake_asset_marks){inputs->assets, marks, inputs->asset_count};
    return BAKE_OK;
}

/* Binary search by name. The assets of several outputs are not sorted as a whole, but then there
 * are no budgets. */
static bool find_name(const bake_asset_marks *marks, const char *name, size_t length,
                      bake_mark *ret_mark)
{
    size_t first = 0, end = marks->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const bake_asset *asset = &marks->assets[middle];
        int order = bake_compare_text(asset->name, asset->name_length, name, length);
        if (order == 0) {
            *ret_mark = marks->marks[middle];
            return true;
        }
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}

/* What find_asset needs. */
typedef struct finding {
    bake_run *run;
    const bake_asset_marks *marks;
} finding;

/* The parts of a scene are written where the scene is. */
static bool find_asset(void *ctx, const char *name, bake_mark *ret_mark)
{
    static const char *const parts[] = {"SceneChunks/", "SceneData/"};
    const finding *f = ctx;
    if (find_name(f->marks, name, strlen(name), ret_mark))
        return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t length = strlen(parts[i]);
        if (strncmp(name, parts[i], length) != 0)
            continue;
        const char *scene = bake_store_join(&f->run->store, "Scene", '/', name + length);
        return scene && find_name(f->marks, scene, strlen(scene), ret_mark);
    }
    return false;
}

static bake_result compare(bake_run *run, const bake_asset_marks *marks,
                           const bake_measures *measures, bake_budget_table *table)
{
    finding f = {run, marks};
    const bake_budgets *budgets = run->options->budgets;
    if (!bake_budget_compare(measures, budgets, table) ||
        !bake_budget_report(table, measures, budgets, run->diagnostics, find_asset, &f))
        return bake_fail_memory(&run->failure);
    return BAKE_OK;
}

bake_result bake_run_budgets_check(bake_run *run, const bake_asset_marks *marks,
                                   bake_output *output, uint64_t size)
{
    kiln_error error;
    bake_measures measures = {0};
    bake_budget_table own = {0};
    bake_budget_table *table = run->options->budget_table;
    kiln_status status = bake_measure_file(bake_output_read_back, output, size, &measures, &error);
    bake_result result = BAKE_OK;
    if (status == KILN_NO_MEMORY)
        result = bake_fail_memory(&run->failure);
    else if (status == KILN_IO)
        result = bake_fail_errno(&run->failure, "measure", run->options->output);
    else if (status)
        result = bake_fail_bug(&run->failure, run->options->output, status, &error);
    else
        result = compare(run, marks, &measures, table ? table : &own);
    bake_budget_table_fini(&own);
    bake_measures_fini(&measures);
    return result;
}

static bool find_nothing(void *ctx, const char *asset, bake_mark *ret_mark)
{
    (void)ctx;
    (void)asset;
    (void)ret_mark;
    return false;
}

/* Whether there would be no report, also not about a pattern that matches nothing. */
static bool is_silent(const bake_measures *measures, const bake_budgets *budgets)
{
    bake_budget_table table = {0};
    bake_diagnostics *reports = bake_diagnostics_create();
    bool silent = reports && bake_budget_compare(measures, budgets, &table) &&
                  bake_budget_report(&table, measures, budgets, reports, find_nothing, NULL) &&
                  bake_diagnostics_errors(reports) == 0 && bake_diagnostics_warnings(reports) == 0;
    bake_budget_table_fini(&table);
    bake_diagnostics_destroy(reports);
    return silent;
}

bool bake_run_budgets_fit(const bake_run *run, bake_output *output, uint64_t size)
{
    kiln_error error;
    bake_measures measures = {0};
    const bake_budgets *budgets = run->options->budgets;
    if (!budgets || budgets->count == 0)
        return true;
    bool fits = !bake_measure_file(bake_output_read_back, output, size, &measures, &error) &&
                is_silent(&measures, budgets);
    bake_measures_fini(&measures);
    return fits;
}
