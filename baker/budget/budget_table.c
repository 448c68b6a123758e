#include "budget_table.h"

#include <stdlib.h>
#include <string.h>

static bool add_row(bake_budget_table *table, const bake_budget_row *row)
{
    bake_budget_row *rows = bake_store_grow(&table->store, table->rows, &table->capacity,
                                            table->count + 1, sizeof *rows);
    if (!rows)
        return false;
    table->rows = rows;
    rows[table->count] = *row;
    rows[table->count].name = bake_store_text(&table->store, row->name, strlen(row->name));
    return rows[table->count++].name != NULL;
}

/* Compares a / b with c / d exactly: first the whole parts, then the reciprocals of the rests, as
 * in Euclid's algorithm. Products could overflow. */
static int compare_shares(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    for (int sign = 1;; sign = -sign) {
        uint64_t left = a / b, right = c / d;
        if (left != right)
            return left < right ? -sign : sign;
        a %= b;
        c %= d;
        if (a == 0 || c == 0)
            return sign * ((a > 0) - (c > 0));
        uint64_t rest = a;
        a = b;
        b = rest;
        rest = c;
        c = d;
        d = rest;
    }
}

int bake_budget_compare_rows(const bake_budget_row *left, const bake_budget_row *right)
{
    bool no_left = left->limit == BAKE_BUDGET_NONE, no_right = right->limit == BAKE_BUDGET_NONE;
    int order = no_left - no_right;
    if (!order && !no_left)
        order = -compare_shares(left->used, left->limit, right->used, right->limit);
    if (!order)
        order = (left->kind > right->kind) - (left->kind < right->kind);
    if (!order)
        order = strcmp(left->name, right->name);
    if (!order)
        order = (left->measure > right->measure) - (left->measure < right->measure);
    return order ? order : (left->budget > right->budget) - (left->budget < right->budget);
}

static int compare_rows(const void *a, const void *b)
{
    return bake_budget_compare_rows(a, b);
}

/* Adds the rows of one budget. */
static bool compare_one(const bake_measures *measures, const bake_budgets *budgets, size_t number,
                        bake_budget_table *table)
{
    const bake_budget *budget = &budgets->items[number];
    for (size_t i = 0; i < measures->count; i++) {
        const bake_measured *item = &measures->items[i];
        if (item->kind != budget->kind || item->is_payload ||
            !bake_budget_matches(budget->pattern, item->name))
            continue;
        bake_budget_row row = {
            item->kind,    budget->measure, item->name, item->used[budget->measure],
            budget->limit, number,          i};
        if (!add_row(table, &row))
            return false;
    }
    return true;
}

/* Adds the sizes of the bundle that have no limit. */
static bool add_rest(const bake_measures *measures, const bake_budgets *budgets,
                     bake_budget_table *table)
{
    bool has_limit[BAKE_MEASURES] = {false};
    const bake_measured *bundle = measures->items;
    for (size_t i = 0; i < budgets->count; i++)
        if (budgets->items[i].kind == BAKE_BUDGET_BUNDLE)
            has_limit[budgets->items[i].measure] = true;
    for (int i = 0; i < BAKE_MEASURES; i++) {
        bake_budget_row row = {BAKE_BUDGET_BUNDLE,
                               (bake_measure)i,
                               bundle->name,
                               bundle->used[i],
                               BAKE_BUDGET_NONE,
                               budgets->count,
                               0};
        if (!has_limit[i] && !add_row(table, &row))
            return false;
    }
    return true;
}

bool bake_budget_compare(const bake_measures *measures, const bake_budgets *budgets,
                         bake_budget_table *table)
{
    for (size_t i = 0; i < budgets->count; i++)
        if (!compare_one(measures, budgets, i, table))
            return false;
    if (!add_rest(measures, budgets, table))
        return false;
    if (table->count > 1)
        qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
    table->is_measured = true;
    return true;
}

void bake_budget_table_fini(bake_budget_table *table)
{
    bake_store_fini(&table->store);
    memset(table, 0, sizeof *table);
}

bake_budget_state bake_budget_judge(const bake_budget_row *row, unsigned warn)
{
    if (row->limit == BAKE_BUDGET_NONE)
        return BAKE_BUDGET_FITS;
    if (row->used > row->limit)
        return BAKE_BUDGET_IS_EXCEEDED;
    /* Exact: a limit of 100 * whole + rest has a share of warn * whole + warn * rest / 100. */
    uint64_t whole = row->limit / 100, rest = row->limit % 100;
    uint64_t share = whole * warn + (rest * warn + 99) / 100;
    return warn < 100 && row->used >= share ? BAKE_BUDGET_IS_NEAR : BAKE_BUDGET_FITS;
}
