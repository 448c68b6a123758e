/* What diagnostics consist of, and what all ways to write them share. Private to diagnostics*.c. */
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

/* Another place that a diagnostic is about, and what is there. */
typedef struct bake_related_place {
    bake_mark mark;
    char *message;
} bake_related_place;

typedef struct bake_diagnostic {
    bake_severity severity;
    bake_mark mark;
    size_t arrival;
    bool is_again;    /* dropped where another has the same place and rule: */
    bool is_repeated; /* it is to be */
    char *rule;
    char *path; /* NULL: none */
    char *message;
    char *hints; /* NULL: none; each ends with a NUL, an empty one ends them all */
    bake_related_place *related;
    size_t related_count;
    size_t related_capacity;
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
    bool is_cut[2];    /* whether reports of the severity were dropped */
    bake_mark cut[2];  /* if so, the place from which on they are */
    bool last_is_kept; /* whether the last report is reports[report_count - 1] */
    bool no_memory;
};

/* Sorts what was reported and drops what is beyond the limits. */
void bake_diagnostics_sort(bake_diagnostics *diagnostics);

/* Room for what bake_diagnostics_tell_hidden says. */
#define BAKE_HIDDEN_SIZE 128

/* `3 errors and 1 warning more are not shown`; false, and nothing, when all sorted ones are all. */
bool bake_diagnostics_tell_hidden(const bake_diagnostics *diagnostics, char out[BAKE_HIDDEN_SIZE]);

/* Brings the cursor to the line of the mark; false where that line is not known. A cursor is zero
 * at first and goes forward only while the marks are sorted. */
bool bake_diagnostics_go(const bake_diagnostics *diagnostics, bake_line_cursor *cursor,
                         bake_mark mark);

/* The first column behind the mark, on its line; 0 where that is not known. */
uint32_t bake_diagnostics_end(const bake_diagnostics *diagnostics, bake_line_cursor *cursor,
                              bake_mark mark);

/* The same for a related place, whose line nobody looks for: they do not come sorted. */
uint32_t bake_diagnostics_related_end(bake_mark mark);

/* Why the run could not go on; NULL: it could. */
const char *bake_diagnostics_failure(const bake_diagnostics *diagnostics, const bake_run_end *end);
/* The rule that stands for such a failure. */
const char *bake_run_rule(const bake_run_end *end);

/* What a rule is about, a sentence; NULL for one that is not known. */
const char *bake_rule_sentence(const char *rule);

#endif
