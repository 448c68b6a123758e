/* Checks the budgets of a run before its outputs are committed, so that a bundle that exceeds one
 * leaves the earlier output in place. */
#ifndef BAKE_RUN_BUDGETS_H
#define BAKE_RUN_BUDGETS_H

#include "asset_input.h"
#include "bake_run.h"

/* Where the assets of a run are written. Trees are destroyed while assets are baked, so these
 * locations are collected before. Zeroed, it is empty. */
typedef struct bake_asset_marks {
    const bake_asset *assets;
    bake_mark *marks; /* by asset */
    size_t count;
    bake_memo *memo;    /* may be NULL; its rows receive BAKE_MEMO_REPORTED */
    bool is_incomplete; /* it has an asset that was reported without its location */
} bake_asset_marks;

/* Collects the locations, if the run has budgets or is a part, which states them. Call it when the
 * assets are sorted by name. */
bake_result bake_run_budgets_begin(bake_run *run, const bake_inputs *inputs,
                                   bake_asset_marks *ret_marks);

/* Measures an output of `size` bytes, reports what exceeds a budget, and fills the table of the
 * options. Call it only for runs with budgets. Returns BAKE_OK even after reports. */
bake_result bake_run_budgets_check(bake_run *run, bake_asset_marks *marks, bake_output *output,
                                   uint64_t size);

/* The same for a run that has read only some inputs. If `output` is NULL, measures a file in
 * memory, otherwise `what.size` bytes of the output. Returns false if anything exceeds a budget, if
 * a location is unknown, or if the file cannot be measured. True without budgets. */
bool bake_run_budgets_check_some(bake_run *run, const bake_inputs *inputs, bake_memo *memo,
                                 bake_output *output, kiln_span what);

#endif
