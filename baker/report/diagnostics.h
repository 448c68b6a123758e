/* Collects errors and warnings about the input, and prints them sorted, each with its source line,
 * a caret and hints.
 *
 *     items.yaml:14:12: error: Item/sword.price: 300 exceeds 255 [range]
 *       14 |     price: 300
 *          |            ^~~
 *       hint: ...
 *
 * Columns count code points from 1, as editors and libyaml do. Reports are sorted by source (in
 * order of registration), line, column, then order of arrival. So that no input can control a
 * terminal, control characters and invalid UTF-8 are printed as \xNN, and code points that move or
 * hide text as \uNNNN. A tab in a source line becomes one space, to keep the caret aligned. Of a
 * line longer than 160 columns, only the part around the caret is printed.
 *
 * Messages and hints of more than 1,000 bytes are shortened in the middle, and such paths at the
 * end. If memory runs out, the object stays usable: reports that could not be stored are counted,
 * and printing adds the line "out of memory". Not thread-safe.
 *
 * diagnostics_text.c, diagnostics_json.c and diagnostics_sarif.c write the output formats. */
#ifndef BAKE_DIAGNOSTICS_H
#define BAKE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum bake_severity { BAKE_ERROR, BAKE_WARNING } bake_severity;

/* A location in a source; line 0 means the source as a whole. */
typedef struct bake_mark {
    uint32_t source; /* id from bake_diagnostics_add_source */
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, code points */
    uint32_t length; /* code points to underline; at least 1; clamped to the end of the line */
} bake_mark;

/* The length of a mark that extends to the end of its line. */
#define BAKE_MARK_TO_LINE_END UINT32_MAX

typedef struct bake_diagnostics bake_diagnostics;

/* Returns NULL if memory runs out. */
bake_diagnostics *bake_diagnostics_create(void);
void bake_diagnostics_destroy(bake_diagnostics *diagnostics);

/* Registers a source and returns its id; UINT32_MAX if memory runs out. `name` is printed in
 * reports. `text` (may be NULL) must outlive the diagnostics. */
uint32_t bake_diagnostics_add_source(bake_diagnostics *diagnostics, const char *name,
                                     const char *text, size_t size);
/* Sets a hint that is added to each report about a line of the source. */
void bake_diagnostics_set_note(bake_diagnostics *diagnostics, uint32_t source, const char *note);
/* The registered name of `source`; "" for an unknown id. */
const char *bake_diagnostics_source_name(const bake_diagnostics *diagnostics, uint32_t source);

/* Reports a mistake. `rule` is the short word in brackets, `path` (may be NULL) is the path of the
 * value, `format` is as for printf. Always returns false, so that a failing check can end with
 * `return bake_report(...)`. The first `max_errors` (default 100) by location are printed; all
 * others are only counted. The same limit applies to warnings. */
bool bake_report(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark,
                 const char *rule, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* If a report at `mark` would exceed the limit, counts it and returns true; otherwise does nothing.
 * Lets callers avoid the cost of a message that is not printed. */
bool bake_report_exceeds_limit(bake_diagnostics *diagnostics, bake_severity severity,
                               bake_mark mark);
/* Adds a hint to the last report. Hints are printed in the order of the calls. */
void bake_hint(bake_diagnostics *diagnostics, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Adds `hint: did you mean "x"?` if one of `names` is similar to `word` (similar.h). */
void bake_hint_similar(bake_diagnostics *diagnostics, const char *word, size_t length,
                       const char *const *names, size_t count);

/* Whether the caller should compute an expensive hint for the last report. False after 1,000
 * errors, so that a file full of mistakes does not take quadratic time. */
bool bake_hints_wanted(const bake_diagnostics *diagnostics);

/* For a message that counts the places of a mistake: `, here and in 2 more places`; empty for one
 * place. Returns `out`. */
enum { BAKE_PLACES_SIZE = 64 };
const char *bake_places_text(char out[BAKE_PLACES_SIZE], size_t count);
/* Adds one of these places to the last report. All of them are added, including its own. */
void bake_report_add_place(bake_diagnostics *diagnostics, bake_mark mark);

/* Flags the last report as a possible duplicate: it is dropped if a report without this flag has
 * the same severity, rule and location. */
void bake_report_possible_duplicate(bake_diagnostics *diagnostics);

/* Adds a related location to the last report, for JSON and SARIF. The text output does not show it,
 * so also name the location in the message or in a hint. */
void bake_related(bake_diagnostics *diagnostics, bake_mark mark, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* A report in the order in which it is printed. */
typedef struct bake_report_view {
    bake_severity severity;
    bake_mark mark;
    const char *rule, *path, *message; /* `path` is NULL if there is none */
    const char *hints; /* NUL-terminated strings, and an empty one at the end; NULL: none */
    const char *line;  /* the line of the mark, without its line break; NULL if unknown */
    size_t line_size;
    const bake_mark *places; /* see bake_report_add_place */
    size_t place_count;
    size_t related_count;
} bake_report_view;

/* Sorts the reports and returns the number of those that are printed. After this, no hint can be
 * added to the last report. */
size_t bake_diagnostics_count(bake_diagnostics *diagnostics);
/* `i` is below that number. Linear in the size of the source. */
bake_report_view bake_diagnostics_view(const bake_diagnostics *diagnostics, size_t i);
/* Adds a hint to report `i`, until the next report is made. */
void bake_diagnostics_hint(bake_diagnostics *diagnostics, size_t i, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* The text and the mark of a related place of report `i`. */
const char *bake_diagnostics_related(const bake_diagnostics *diagnostics, size_t i, size_t number,
                                     bake_mark *ret_mark);
/* Drops each report for which `drops` returns true, as if it had not been made. Of the view, only
 * severity, mark and rule are set. No hint can be added to the last report after this. */
void bake_diagnostics_drop(bake_diagnostics *diagnostics,
                           bool (*drops)(void *ctx, const bake_report_view *view), void *ctx);
/* Forgets the reports that are not printed, and returns their number. Call it after
 * bake_diagnostics_count. The other function counts such reports. */
uint64_t bake_diagnostics_take_hidden(bake_diagnostics *diagnostics, bake_severity severity);
void bake_diagnostics_add_hidden(bake_diagnostics *diagnostics, bake_severity severity,
                                 uint64_t count);

/* Records that memory ran out: the output then contains "out of memory", and the error count is not
 * zero. Always returns false. */
bool bake_report_no_memory(bake_diagnostics *diagnostics);
bool bake_diagnostics_no_memory(const bake_diagnostics *diagnostics);

void bake_diagnostics_set_max_errors(bake_diagnostics *diagnostics, size_t max_errors);
/* The number of reports, including those beyond the limit. The number of errors is at least 1 if
 * memory ran out. */
size_t bake_diagnostics_errors(const bake_diagnostics *diagnostics);
size_t bake_diagnostics_warnings(const bake_diagnostics *diagnostics);

/* Prints all reports, sorted, and a summary line `2 errors, 1 warning`; prints nothing if there are
 * none. After this, no hint can be added to the last report. */
void bake_diagnostics_print(bake_diagnostics *diagnostics, FILE *err, bool color);

/* How a run ended, for JSON and SARIF. */
typedef struct bake_run_end {
    int exit_code;
    const char *failure; /* why the run stopped early; NULL or "" if it did not */
} bake_run_end;

/* Writes `size` bytes; returns false on failure. */
typedef bool (*bake_write_function)(void *ctx, const void *data, size_t size);

/* Writes all reports, sorted, as one JSON object per line; kiln-bake(1) lists the members. Returns
 * false if a write failed. */
bool bake_diagnostics_write_json(bake_diagnostics *diagnostics, const bake_run_end *end,
                                 bake_write_function write, void *ctx);
/* A line about files as a whole, which is no report. `rule` classifies it. The first file is that
 * of the line, and all are related files with their texts. */
typedef struct bake_note_file {
    const char *path, *text;
} bake_note_file;
typedef struct bake_note {
    const char *severity, *rule, *message;
    const bake_note_file *files;
    size_t file_count;
} bake_note;

/* Writes a note as a JSON object with the members of a report. Returns false if a write failed. */
bool bake_note_write_json(const bake_note *note, bake_write_function write, void *ctx);
/* Writes all reports, sorted, as a SARIF 2.1.0 log. Returns false on failure. */
bool bake_diagnostics_write_sarif(bake_diagnostics *diagnostics, const bake_run_end *end,
                                  bake_write_function write, void *ctx);

#endif
