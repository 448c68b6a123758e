#include "diagnostics_store.h"

#include <inttypes.h>
#include <string.h>

static void print_text(FILE *err, const char *text)
{
    bake_print_escaped(err, text, strlen(text));
}

static void print_headline(const bake_diagnostics *diagnostics, FILE *err, const bake_diagnostic *r,
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

static void print_report(const bake_diagnostics *diagnostics, FILE *err, const bake_diagnostic *r,
                         bake_line_cursor *cursor, bool color)
{
    print_headline(diagnostics, err, r, color);
    if (bake_diagnostics_go(diagnostics, cursor, r->mark))
        bake_print_excerpt(err, cursor, r->mark, color);
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
    bake_diagnostics_sort(diagnostics);
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
