/* The internals of diagnostics, private to diagnostics*.c. diagnostics.c collects and sorts;
 * diagnostics_text.c, diagnostics_json.c and diagnostics_sarif.c each write one format. */
#ifndef BAKE_DIAGNOSTICS_STORE_H
#define BAKE_DIAGNOSTICS_STORE_H

#include "diagnostics.h"
#include "excerpt.h"

typedef struct bake_source {
    char *name;
    char *note; /* NULL: none */
    const char *text;
    size_t size;
} bake_source;

/* A related location of a diagnostic, and a message about it. */
typedef struct bake_related_place {
    bake_mark mark;
    char *message;
} bake_related_place;

typedef struct bake_diagnostic {
    bake_severity severity;
    bake_mark mark;
    size_t arrival;
    bool may_be_duplicate; /* drop it if an unflagged report has equal severity, rule, location */
    bool is_duplicate;     /* such a report exists, so this one is dropped */
    char *rule;
    char *path; /* NULL: none */
    char *message;
    char *hints; /* NULL: none; NUL-terminated strings, and an empty one at the end */
    bake_related_place *related;
    size_t related_count;
    size_t related_capacity;
    bake_mark *places;
    size_t place_count, place_capacity;
} bake_diagnostic;

struct bake_diagnostics {
    bake_source *sources;
    size_t source_count;
    size_t source_capacity;
    bake_diagnostic *reports;
    size_t report_count;
    size_t report_capacity;
    size_t kept[2]; /* by severity */
    size_t seen[2];
    size_t max_errors;
    bool is_cut[2];    /* by severity: whether reports were dropped ... */
    bake_mark cut[2];  /* ... all of them at this location or later */
    bool last_is_kept; /* whether the last report is reports[report_count - 1] */
    bool no_memory;
};

/* Sorts the reports and drops those beyond the limits. */
void bake_diagnostics_sort(bake_diagnostics *diagnostics);

/* The buffer size for bake_diagnostics_format_hidden. */
#define BAKE_HIDDEN_SIZE 128

/* Formats how many reports were dropped: `3 more errors and 1 more warning are not shown`. Returns
 * false if no report was dropped. */
bool bake_diagnostics_format_hidden(const bake_diagnostics *diagnostics,
                                    char out[BAKE_HIDDEN_SIZE]);

/* Moves the cursor to the line of the mark; returns false if that line is unknown. Zero the cursor
 * before the first call. If marks are sorted, the cursor only moves forward, so finding all lines
 * of a source takes linear time. */
bool bake_diagnostics_find_line(const bake_diagnostics *diagnostics, bake_line_cursor *cursor,
                                bake_mark mark);

/* The first column after the mark on its line; 0 if unknown. */
uint32_t bake_diagnostics_end_column(const bake_diagnostics *diagnostics, bake_line_cursor *cursor,
                                     bake_mark mark);

/* The first column after the mark of a related location. The line is not read, because related
 * locations are not sorted, so finding their lines could take quadratic time. */
uint32_t bake_related_end_column(bake_mark mark);

/* Why the run stopped early; NULL if it did not. */
const char *bake_diagnostics_failure(const bake_diagnostics *diagnostics, const bake_run_end *end);
/* The rule name under which the failure is reported. */
const char *bake_run_rule(const bake_run_end *end);

/* A sentence that states the rule; NULL for an unknown one. */
const char *bake_rule_sentence(const char *rule);

#endif
