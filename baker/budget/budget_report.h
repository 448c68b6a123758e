/* Messages about budgets that a bundle exceeds or approaches. */
#ifndef BAKE_BUDGET_REPORT_H
#define BAKE_BUDGET_REPORT_H

#include "budget_table.h"

/* Finds where an asset is written. Returns false if that is unknown. */
typedef bool bake_budget_find(void *ctx, const char *asset, bake_mark *ret_mark);

/* Reports rows that exceed their limit as errors, and those that are near it as warnings, at the
 * line of the budget. Each report lists the assets that contribute most, with the lines that `find`
 * returns. Also warns about patterns of a bundle that match nothing. The texts of `budgets` must
 * outlive the diagnostics. Returns false if memory runs out. */
bool bake_budget_report(const bake_budget_table *table, const bake_measures *measures,
                        const bake_budgets *budgets, bake_diagnostics *diagnostics,
                        bake_budget_find *find, void *ctx);

#endif
