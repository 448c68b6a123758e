/* The formats of the command `budget`. */
#ifndef BAKE_BUDGET_PRINT_H
#define BAKE_BUDGET_PRINT_H

#include "budget_command.h"

/* A row of any bundle. */
typedef struct bake_budget_line {
    const bake_budget_row *row;
    const bake_budgets *budgets;
    size_t step;
} bake_budget_line;

/* Prints the rows, which are sorted: text has at most ten rows of each limit. Returns false if
 * memory runs out. */
bool bake_budget_print_text(const bake_budget_line *lines, size_t count, FILE *out);
void bake_budget_print_csv(const bake_budget_line *lines, size_t count, FILE *out);
void bake_budget_print_json(const bake_budget_output *output);

/* The lines that the history gets. The caller frees the text with bake_free. Returns NULL if memory
 * runs out. `time` is in ISO 8601. */
char *bake_budget_history(const bake_budget_output *output, const char *time, size_t *ret_size);

#endif
