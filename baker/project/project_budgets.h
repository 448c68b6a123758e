/* Reads `budgets` of a project file (PROJECT.md, "Budgets"). */
#ifndef BAKE_PROJECT_BUDGETS_H
#define BAKE_PROJECT_BUDGETS_H

#include "budget.h"
#include "project_values.h"

/* The maximum number of patterns for each kind. */
enum { BAKE_PROJECT_PATTERNS_MAX = 1000 };

/* Reads a mapping of budgets; null is an empty one. `path` is its location for messages, and
 * `is_of_bundle` is whether it belongs to one bundle. Mistakes are reported, and such keys are
 * skipped. Returns NULL after a report for the whole mapping, or if memory runs out. The store of
 * the reader owns the layer. */
const bake_budget_layer *bake_project_budgets_read(bake_project_reader *reader, bake_node_id node,
                                                   const char *path, bool is_of_bundle);

#endif
