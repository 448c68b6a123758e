#define _POSIX_C_SOURCE 200809L

#include "budget_command.h"

#include "bake_memory.h"
#include "budget_print.h"
#include "file_append.h"
#include "file_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- measuring ---- */

static bool read_output(void *ctx, uint64_t at, void *to, size_t size)
{
    return bake_file_read_part(*(const int *)ctx, at, to, size);
}

bake_result bake_budget_measure(const bake_options *step, bake_budget_table *table,
                                bake_failure *failure)
{
    uint64_t size;
    bake_measures measures = {0};
    kiln_error error;
    int file = bake_file_open(step->output, &size);
    if (file < 0)
        return bake_fail_errno(failure, "measure", step->output);
    kiln_status status = bake_measure_file(read_output, &file, size, &measures, &error);
    if (status == KILN_IO)
        bake_fail_errno(failure, "measure", step->output);
    else if (status && status != KILN_NO_MEMORY)
        bake_fail(failure, BAKE_FAILED, "cannot measure %s: %s", step->output,
                  kiln_status_text(status));
    else if (status || !bake_budget_compare(&measures, step->budgets, table))
        bake_fail_memory(failure);
    bake_file_close(file);
    bake_measures_fini(&measures);
    return failure->result;
}

/* ---- printing ---- */

static int compare_lines(const void *a, const void *b)
{
    const bake_budget_line *left = a, *right = b;
    int order = bake_budget_compare_rows(left->row, right->row);
    return order ? order : (left->step > right->step) - (left->step < right->step);
}

/* Lists the rows of all bundles in one order. Returns NULL if memory runs out. */
static bake_budget_line *list_lines(const bake_budget_output *output, size_t *ret_count)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < output->plan->count; i++)
        count += output->tables[i].is_measured ? output->tables[i].count : 0;
    bake_budget_line *lines = bake_alloc_array(count + 1, sizeof *lines);
    for (size_t i = 0; lines && i < output->plan->count; i++)
        for (size_t k = 0; output->tables[i].is_measured && k < output->tables[i].count; k++)
            lines[at++] = (bake_budget_line){&output->tables[i].rows[k],
                                             output->plan->steps[i].options.budgets, i};
    if (lines && count > 1)
        qsort(lines, count, sizeof *lines, compare_lines);
    *ret_count = count;
    return lines;
}

static bake_result print(const bake_budget_output *output, bake_failure *failure)
{
    size_t count;
    bool done = true;
    bake_budget_line *lines = list_lines(output, &count);
    if (!lines)
        return bake_fail_memory(failure);
    switch (output->options->report_format) {
    case BAKE_REPORT_TEXT:
        done = bake_budget_print_text(lines, count, output->out);
        break;
    case BAKE_REPORT_CSV:
        bake_budget_print_csv(lines, count, output->out);
        break;
    case BAKE_REPORT_JSON:
        bake_budget_print_json(output);
        break;
    case BAKE_REPORT_NINJA:
    case BAKE_REPORT_MAKE:
        break; /* only of `plan` */
    }
    bake_free(lines);
    return done ? BAKE_OK : bake_fail_memory(failure);
}

/* ---- the history ---- */

/* The time in seconds since 1970, from SOURCE_DATE_EPOCH if it is set. Returns false if that is no
 * such number. */
static bool get_time(time_t *ret_time)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end;
    if (!text || !*text) {
        *ret_time = time(NULL);
        return *ret_time != (time_t)-1;
    }
    errno = 0;
    long long seconds = strtoll(text, &end, 10);
    *ret_time = (time_t)seconds;
    return *text >= '0' && *text <= '9' && !*end && !errno && (long long)*ret_time == seconds;
}

static bake_result append_history(const bake_budget_output *output, bake_failure *failure)
{
    time_t now;
    struct tm parts;
    char text[64];
    size_t size;
    if (!get_time(&now) || !gmtime_r(&now, &parts) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts))
        return bake_fail(failure, BAKE_FAILED,
                         "SOURCE_DATE_EPOCH is not a number of seconds since 1970");
    char *lines = bake_budget_history(output, text, &size);
    if (!lines)
        return bake_fail_memory(failure);
    if (size > 0 && !bake_file_append(output->options->history, lines, size))
        bake_fail_errno(failure, "write", output->options->history);
    bake_free(lines);
    return failure->result;
}

bake_result bake_budget_print(const bake_budget_output *output, bake_failure *failure)
{
    if (!print(output, failure) && output->options->history)
        append_history(output, failure);
    return failure->result;
}
