/* The command `budget`: prints the sizes of bundles with their limits, and appends them to a
 * history. PROJECT.md, "Budgets", describes both. */
#ifndef BAKE_BUDGET_COMMAND_H
#define BAKE_BUDGET_COMMAND_H

#include "budget_table.h"
#include "project_plan.h"

/* Measures the output of a step, whose options have budgets, and fills `table`. On failure, fills
 * `failure`. */
bake_result bake_budget_measure(const bake_options *step, bake_budget_table *table,
                                bake_failure *failure);

typedef struct bake_budget_output {
    const bake_plan *plan;
    const bake_budget_table *tables; /* by step; empty ones are left out */
    const bake_options *options;     /* of the command */
    FILE *out;
} bake_budget_output;

/* Prints all tables in the format of the options, and then appends the history. Returns BAKE_FAILED
 * after filling `failure`. Errors of `out` are left to the caller. */
bake_result bake_budget_print(const bake_budget_output *output, bake_failure *failure);

#endif
