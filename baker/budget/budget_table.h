/* Compares the measures of a bundle with its budgets. The result is a table: one row for each size
 * that has a limit, and the three sizes of the bundle. */
#ifndef BAKE_BUDGET_TABLE_H
#define BAKE_BUDGET_TABLE_H

#include "budget_measure.h"

typedef struct bake_budget_row {
    bake_budget_kind kind;
    bake_measure measure;
    const char *name; /* "" for the bundle */
    uint64_t used;
    uint64_t limit; /* BAKE_BUDGET_NONE: no limit, only for the bundle */
    size_t budget;  /* index of the budget; ignored without a limit */
    size_t item;    /* index in `items` of the measures */
} bake_budget_row;

typedef struct bake_budget_table {
    bake_budget_row *rows; /* the highest share of the limit first; then those without a limit */
    size_t count, capacity;
    bool is_measured; /* the bundle was measured, so the table is complete */
    bake_store store;
} bake_budget_table;

/* Fills `table`, which must be zeroed, and copies all texts to its store. Returns false if memory
 * runs out; the table is then incomplete. Call bake_budget_table_fini in each case. */
bool bake_budget_compare(const bake_measures *measures, const bake_budgets *budgets,
                         bake_budget_table *table);
void bake_budget_table_fini(bake_budget_table *table);

/* The order of rows, for qsort: the highest share of the limit first, then by kind, name and size;
 * rows without a limit last. */
int bake_budget_compare_rows(const bake_budget_row *a, const bake_budget_row *b);

typedef enum bake_budget_state {
    BAKE_BUDGET_FITS,
    BAKE_BUDGET_IS_NEAR, /* at least the percentage `warn` of the limit */
    BAKE_BUDGET_IS_EXCEEDED
} bake_budget_state;

bake_budget_state bake_budget_judge(const bake_budget_row *row, unsigned warn);

#endif
