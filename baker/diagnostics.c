#include "diagnostics.h"

#include "bake_memory.h"
#include "excerpt.h"
#include "similar.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX_ERRORS 100

typedef struct source {
    char *name;
    const char *text;
    size_t size;
} source;

typedef struct report {
    bake_severity severity;
    bake_mark mark;
    size_t arrival;
    char *rule;
    char *path; /* NULL: none */
    char *message;
    char *hints; /* NULL: none; each ends with a NUL, an empty one ends them all */
} report;

struct bake_diagnostics {
    source *sources;
    size_t source_count;
    size_t source_capacity;
    report *reports;
    size_t report_count;
    size_t report_capacity;
    size_t kept[2]; /* by severity */
    size_t seen[2];
    size_t max_errors;
    bool is_cut[2];    /* whether reports of the severity were dropped */
    bake_mark cut[2];  /* if so, the place from which on they are */
    bool last_is_kept; /* whether the last report is reports[report_count - 1] */
    bool no_memory;
};

bake_diagnostics *bake_diagnostics_create(void)
{
    bake_diagnostics *diagnostics = bake_alloc_array(1, sizeof *diagnostics);
    if (diagnostics)
        diagnostics->max_errors = DEFAULT_MAX_ERRORS;
    return diagnostics;
}

static void report_fini(report *r)
{
    bake_free(r->rule);
    bake_free(r->path);
    bake_free(r->message);
    bake_free(r->hints);
}

void bake_diagnostics_destroy(bake_diagnostics *diagnostics)
{
    if (!diagnostics)
        return;
    for (size_t i = 0; i < diagnostics->source_count; i++)
        bake_free(diagnostics->sources[i].name);
    for (size_t i = 0; i < diagnostics->report_count; i++)
        report_fini(&diagnostics->reports[i]);
    bake_free(diagnostics->sources);
    bake_free(diagnostics->reports);
    bake_free(diagnostics);
}

uint32_t bake_diagnostics_add_source(bake_diagnostics *diagnostics, const char *name,
                                     const char *text, size_t size)
{
    source *sources = bake_grow(diagnostics->sources, &diagnostics->source_capacity,
                                diagnostics->source_count + 1, sizeof *sources);
    if (sources)
        diagnostics->sources = sources;
    char *copy = sources ? bake_copy_text(name, strlen(name)) : NULL;
    if (!copy) {
        bake_report_no_memory(diagnostics);
        return UINT32_MAX;
    }
    source added = {copy, text, text ? size : 0};
    sources[diagnostics->source_count] = added;
    return (uint32_t)diagnostics->source_count++;
}

const char *bake_diagnostics_source_name(const bake_diagnostics *diagnostics, uint32_t number)
{
    return number < diagnostics->source_count ? diagnostics->sources[number].name : "";
}

/* What printf would print, in memory of its own; NULL when there is none. */
static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : bake_alloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

static int compare_marks(bake_mark x, bake_mark y)
{
    if (x.source != y.source)
        return x.source < y.source ? -1 : 1;
    if (x.line != y.line)
        return x.line < y.line ? -1 : 1;
    if (x.column != y.column)
        return x.column < y.column ? -1 : 1;
    return 0;
}

static int compare_reports(const void *a, const void *b)
{
    const report *x = a;
    const report *y = b;
    int order = compare_marks(x->mark, y->mark);
    if (order)
        return order;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

/* Sorts the reports and keeps the first `max_errors` of a severity. */
static void cut_reports(bake_diagnostics *diagnostics, bake_severity severity)
{
    size_t count = 0, kept = 0;
    if (diagnostics->report_count > 1)
        qsort(diagnostics->reports, diagnostics->report_count, sizeof *diagnostics->reports,
              compare_reports);
    for (size_t i = 0; i < diagnostics->report_count; i++) {
        report *r = &diagnostics->reports[i];
        if (r->severity == severity && kept == diagnostics->max_errors) {
            report_fini(r);
            continue;
        }
        if (r->severity == severity) {
            kept++;
            diagnostics->cut[severity] = r->mark;
        }
        diagnostics->reports[count++] = *r;
    }
    diagnostics->is_cut[severity] = kept < diagnostics->kept[severity];
    diagnostics->kept[severity] = kept;
    diagnostics->report_count = count;
}

/* Whether a report is known to come after all that will be shown. Reports come in no order of
 * places, so twice the limit is kept before the later half is dropped. */
static bool is_beyond(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark)
{
    if (diagnostics->max_errors == 0)
        return true;
    if (diagnostics->kept[severity] / 2 >= diagnostics->max_errors)
        cut_reports(diagnostics, severity);
    return diagnostics->is_cut[severity] && compare_marks(mark, diagnostics->cut[severity]) >= 0;
}

static bool keep_report(bake_diagnostics *diagnostics, report r)
{
    report *reports = bake_grow(diagnostics->reports, &diagnostics->report_capacity,
                                diagnostics->report_count + 1, sizeof *reports);
    if (!reports)
        return false;
    diagnostics->reports = reports;
    reports[diagnostics->report_count++] = r;
    diagnostics->kept[r.severity]++;
    diagnostics->last_is_kept = true;
    return true;
}

bool bake_report(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark,
                 const char *rule, const char *path, const char *format, ...)
{
    diagnostics->last_is_kept = false;
    size_t arrival = diagnostics->seen[severity]++;
    if (is_beyond(diagnostics, severity, mark))
        return false;
    report r = {.severity = severity, .mark = mark};
    r.arrival = arrival + diagnostics->seen[severity == BAKE_ERROR ? BAKE_WARNING : BAKE_ERROR];
    va_list arguments;
    va_start(arguments, format);
    r.message = format_text(format, arguments);
    va_end(arguments);
    r.rule = bake_copy_text(rule, strlen(rule));
    r.path = path && *path ? bake_copy_text(path, strlen(path)) : NULL;
    bool complete = r.message && r.rule && (r.path || !path || !*path);
    if (!complete || !keep_report(diagnostics, r)) {
        report_fini(&r);
        bake_report_no_memory(diagnostics);
    }
    return false;
}

static size_t hints_size(const char *hints)
{
    size_t size = 0;
    while (hints && hints[size])
        size += strlen(hints + size) + 1;
    return size;
}

void bake_hint(bake_diagnostics *diagnostics, const char *format, ...)
{
    if (!diagnostics->last_is_kept)
        return;
    report *r = &diagnostics->reports[diagnostics->report_count - 1];
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    size_t old_size = hints_size(r->hints);
    size_t length = text ? strlen(text) : 0;
    char *hints = text ? bake_realloc(r->hints, old_size + length + 2) : NULL;
    if (hints) {
        memcpy(hints + old_size, text, length + 1);
        hints[old_size + length + 1] = '\0';
        r->hints = hints;
    } else {
        bake_report_no_memory(diagnostics);
    }
    bake_free(text);
}

void bake_hint_similar(bake_diagnostics *diagnostics, const char *word, size_t length,
                       const char *const *names, size_t count)
{
    if (!diagnostics->last_is_kept)
        return;
    const char *name = bake_most_similar(word, length, names, count);
    if (name)
        bake_hint(diagnostics, "did you mean \"%s\"?", name);
}

bool bake_report_no_memory(bake_diagnostics *diagnostics)
{
    diagnostics->no_memory = true;
    return false;
}

bool bake_diagnostics_no_memory(const bake_diagnostics *diagnostics)
{
    return diagnostics->no_memory;
}

void bake_diagnostics_set_max_errors(bake_diagnostics *diagnostics, size_t max_errors)
{
    diagnostics->max_errors = max_errors;
}

size_t bake_diagnostics_errors(const bake_diagnostics *diagnostics)
{
    size_t errors = diagnostics->seen[BAKE_ERROR];
    return errors == 0 && diagnostics->no_memory ? 1 : errors;
}

size_t bake_diagnostics_warnings(const bake_diagnostics *diagnostics)
{
    return diagnostics->seen[BAKE_WARNING];
}

static void print_text(FILE *err, const char *text)
{
    bake_print_escaped(err, text, strlen(text));
}

static void print_headline(const bake_diagnostics *diagnostics, FILE *err, const report *r,
                           bool color)
{
    fputs(color ? "\033[1m" : "", err);
    const char *name = bake_diagnostics_source_name(diagnostics, r->mark.source);
    print_text(err, name);
    if (r->mark.line)
        fprintf(err, ":%" PRIu32 ":%" PRIu32, r->mark.line, r->mark.column);
    fputs(*name || r->mark.line ? ": " : "", err);
    bool is_error = r->severity == BAKE_ERROR;
    fputs(color ? is_error ? "\033[31m" : "\033[35m" : "", err);
    fputs(is_error ? "error: " : "warning: ", err);
    fputs(color ? "\033[0m" : "", err);
    if (r->path) {
        print_text(err, r->path);
        fputs(": ", err);
    }
    print_text(err, r->message);
    fputs(" [", err);
    print_text(err, r->rule);
    fputs("]\n", err);
}

/* Reports come sorted, so the cursor only ever goes forward within a source. */
static void print_report(const bake_diagnostics *diagnostics, FILE *err, const report *r,
                         bake_line_cursor *cursor, bool color)
{
    print_headline(diagnostics, err, r, color);
    uint32_t number = r->mark.source;
    if (r->mark.line && number < diagnostics->source_count && diagnostics->sources[number].text) {
        const source *s = &diagnostics->sources[number];
        if (cursor->text != s->text || cursor->size != s->size || cursor->line > r->mark.line)
            *cursor = bake_line_cursor_init(s->text, s->size);
        while (cursor->line < r->mark.line && bake_line_next(cursor)) {
        }
        if (cursor->line == r->mark.line)
            bake_print_excerpt(err, cursor, r->mark, color);
    }
    for (const char *hint = r->hints; hint && *hint; hint += strlen(hint) + 1) {
        fputs("  hint: ", err);
        print_text(err, hint);
        fputc('\n', err);
    }
}

static void print_count(FILE *err, size_t count, const char *word)
{
    fprintf(err, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

void bake_diagnostics_print(bake_diagnostics *diagnostics, FILE *err, bool color)
{
    diagnostics->last_is_kept = false;
    cut_reports(diagnostics, BAKE_ERROR);
    cut_reports(diagnostics, BAKE_WARNING);
    bake_line_cursor cursor = {0};
    for (size_t i = 0; i < diagnostics->report_count; i++)
        print_report(diagnostics, err, &diagnostics->reports[i], &cursor, color);
    size_t errors = diagnostics->seen[BAKE_ERROR];
    size_t warnings = diagnostics->seen[BAKE_WARNING];
    if (errors)
        print_count(err, errors, "error");
    if (errors && warnings)
        fputs(", ", err);
    if (warnings)
        print_count(err, warnings, "warning");
    if (errors + warnings > diagnostics->report_count)
        fprintf(err, " (%zu not shown)", errors + warnings - diagnostics->report_count);
    if (errors || warnings)
        fputc('\n', err);
    if (diagnostics->no_memory)
        fputs("kiln-bake: out of memory\n", err);
}
