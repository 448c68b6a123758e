#include "budget_print.h"

#include "bake_memory.h"
#include "excerpt.h"
#include "grouped_number.h"
#include "json_writer.h"

#include <inttypes.h>
#include <string.h>

static const char *const state_words[] = {"fits", "near", "exceeded"};

static bool has_limit(const bake_budget_row *row)
{
    return row->limit != BAKE_BUDGET_NONE;
}

/* ---- text ---- */

enum { TEXT_ROWS_MAX = 10, COLUMNS = 6 };

/* Counts the rows of each limit that were printed. Bundles have different limits, so there is one
 * list for each step. */
typedef struct row_counts {
    size_t *first; /* by step: where its counts begin */
    size_t *counts;
} row_counts;

static bool make_counts(const bake_budget_line *lines, size_t count, row_counts *ret)
{
    size_t steps = 0, total = 0;
    for (size_t i = 0; i < count; i++)
        steps = lines[i].step >= steps ? lines[i].step + 1 : steps;
    ret->first = bake_alloc_array(steps + 1, sizeof *ret->first);
    for (size_t i = 0; ret->first && i < count; i++)
        ret->first[lines[i].step] = lines[i].budgets->count;
    for (size_t i = 0; ret->first && i < steps; i++) {
        size_t own = ret->first[i];
        ret->first[i] = total;
        total += own;
    }
    ret->counts = bake_alloc_array(total + 1, sizeof *ret->counts);
    return ret->first && ret->counts;
}

/* Whether a row is one of the first of its limit. */
static bool is_shown(const bake_budget_line *line, row_counts *counts)
{
    if (!has_limit(line->row))
        return true;
    return counts->counts[counts->first[line->step] + line->row->budget]++ < TEXT_ROWS_MAX;
}

static void print_row(const bake_budget_line *line, FILE *out)
{
    const bake_budget_row *row = line->row;
    char used[32], limit[32] = "-", percent[34] = "-";
    bake_grouped(used, row->used);
    if (has_limit(row)) {
        bake_grouped(limit, row->limit);
        bake_budget_percent(percent, row->used, row->limit);
    }
    fprintf(out, "%8s %17s %17s  %-8s  ", percent, used, limit, bake_measure_words[row->measure]);
    bake_print_escaped(out, line->budgets->bundle, strlen(line->budgets->bundle));
    if (row->kind != BAKE_BUDGET_BUNDLE) {
        fprintf(out, ": %s ", bake_budget_kind_words[row->kind]);
        bake_print_escaped(out, row->name, strlen(row->name));
    }
    fputc('\n', out);
}

bool bake_budget_print_text(const bake_budget_line *lines, size_t count, FILE *out)
{
    char number[32];
    size_t hidden = 0;
    row_counts counts = {NULL, NULL};
    bool done = make_counts(lines, count, &counts);
    if (done && count > 0)
        fprintf(out, "%8s %17s %17s  %-8s  %s\n", "percent", "used", "limit", "size", "of");
    for (size_t i = 0; done && i < count; i++)
        if (is_shown(&lines[i], &counts))
            print_row(&lines[i], out);
        else
            hidden++;
    if (hidden)
        fprintf(out, "%s more row%s: only the first %d of each limit are printed\n",
                bake_grouped(number, hidden), hidden == 1 ? "" : "s", TEXT_ROWS_MAX);
    bake_free(counts.first);
    bake_free(counts.counts);
    return done;
}

/* ---- CSV ---- */

/* Quotes as RFC 4180 does. */
static void print_field(const char *text, FILE *out)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void bake_budget_print_csv(const bake_budget_line *lines, size_t count, FILE *out)
{
    fputs("bundle,kind,name,size,used,limit,percent,state,line\n", out);
    for (size_t i = 0; i < count; i++) {
        const bake_budget_row *row = lines[i].row;
        const bake_budgets *budgets = lines[i].budgets;
        char percent[32];
        print_field(budgets->bundle, out);
        fprintf(out, ",%s,", bake_budget_kind_words[row->kind]);
        print_field(row->name, out);
        fprintf(out, ",%s,%" PRIu64 ",", bake_measure_words[row->measure], row->used);
        if (has_limit(row))
            fprintf(out, "%" PRIu64 ",%s,%s,%u\n", row->limit,
                    bake_budget_percent(percent, row->used, row->limit),
                    state_words[bake_budget_judge(row, budgets->warn)],
                    (unsigned)budgets->items[row->budget].mark.line);
        else
            fputs(",,,\n", out);
    }
}

/* ---- JSON ---- */

static void write_sizes(bake_json *json, const bake_budget_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].kind == BAKE_BUDGET_BUNDLE)
            bake_json_number(json, bake_measure_words[table->rows[i].measure], table->rows[i].used);
}

static void write_row(bake_json *json, const bake_budget_row *row, const bake_budgets *budgets)
{
    char percent[32];
    const bake_budget *budget = &budgets->items[row->budget];
    bake_json_open(json, NULL, '{');
    bake_json_text(json, "kind", bake_budget_kind_words[row->kind]);
    bake_json_text(json, "pattern", budget->pattern);
    bake_json_text(json, "name", row->name);
    bake_json_text(json, "size", bake_measure_words[row->measure]);
    bake_json_number(json, "used", row->used);
    bake_json_number(json, "limit", row->limit);
    bake_json_raw(json, "percent", bake_budget_percent(percent, row->used, row->limit));
    bake_json_text(json, "state", state_words[bake_budget_judge(row, budgets->warn)]);
    bake_json_number(json, "line", budget->mark.line);
    bake_json_close(json, '{');
}

static bool write_file(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size;
}

void bake_budget_print_json(const bake_budget_output *output)
{
    bake_json json;
    bake_json_init(&json, false, write_file, output->out);
    bake_json_open(&json, NULL, '{');
    bake_json_number(&json, "format", 1);
    bake_json_open(&json, "bundles", '[');
    for (size_t i = 0; i < output->plan->count; i++) {
        const bake_budget_table *table = &output->tables[i];
        const bake_budgets *budgets = output->plan->steps[i].options.budgets;
        if (!table->is_measured)
            continue;
        bake_json_break(&json);
        bake_json_open(&json, NULL, '{');
        bake_json_text(&json, "bundle", budgets->bundle);
        write_sizes(&json, table);
        bake_json_open(&json, "rows", '[');
        for (size_t k = 0; k < table->count; k++) {
            if (!has_limit(&table->rows[k]))
                continue;
            bake_json_break(&json);
            write_row(&json, &table->rows[k], budgets);
        }
        bake_json_close(&json, '[');
        bake_json_close(&json, '{');
    }
    bake_json_close(&json, '[');
    bake_json_close(&json, '{');
    bake_json_end_line(&json);
}

/* ---- the history ---- */

typedef struct history_text {
    char *text;
    size_t size, capacity;
    bool failed;
} history_text;

static bool write_text(void *ctx, const void *data, size_t size)
{
    history_text *to = ctx;
    char *text = to->failed ? NULL : bake_grow(to->text, &to->capacity, to->size + size, 1);
    if (!text) {
        to->failed = true;
        return false;
    }
    to->text = text;
    memcpy(text + to->size, data, size);
    to->size += size;
    return true;
}

/* Writes the largest row of each limit: the first one in the table. */
static bool write_largest(bake_json *json, const bake_budget_table *table,
                          const bake_budgets *budgets)
{
    bool *seen = bake_alloc_array(budgets->count + 1, sizeof *seen);
    if (!seen)
        return false;
    for (size_t i = 0; i < table->count; i++) {
        const bake_budget_row *row = &table->rows[i];
        if (!has_limit(row) || seen[row->budget])
            continue;
        seen[row->budget] = true;
        write_row(json, row, budgets);
    }
    bake_free(seen);
    return true;
}

char *bake_budget_history(const bake_budget_output *output, const char *time, size_t *ret_size)
{
    bake_json json;
    history_text to = {.text = bake_alloc(1), .capacity = 1};
    to.failed = !to.text;
    bake_json_init(&json, false, write_text, &to);
    for (size_t i = 0; i < output->plan->count && !to.failed; i++) {
        const bake_budget_table *table = &output->tables[i];
        const bake_budgets *budgets = output->plan->steps[i].options.budgets;
        if (!table->is_measured)
            continue;
        bake_json_open(&json, NULL, '{');
        bake_json_text(&json, "time", time);
        if (output->options->commit)
            bake_json_text(&json, "commit", output->options->commit);
        bake_json_text(&json, "bundle", budgets->bundle);
        write_sizes(&json, table);
        bake_json_open(&json, "limits", '[');
        to.failed = !write_largest(&json, table, budgets) || to.failed;
        bake_json_close(&json, '[');
        bake_json_close(&json, '{');
        bake_json_end_line(&json);
    }
    if (to.failed) {
        bake_free(to.text);
        return NULL;
    }
    *ret_size = to.size;
    return to.text;
}
