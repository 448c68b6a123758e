/* Collects mistakes in the input, and prints them sorted, each with its line, a caret and hints.
 *
 *     items.yaml:14:12: error: Item/sword.price: 300 exceeds 255 [range]
 *       14 |     price: 300
 *          |            ^~~
 *       hint: ...
 *
 * Columns count code points from 1, as editors and libyaml do. Sorted by source (in order of
 * registration), line, column, then order of arrival. Control characters and bytes that are not
 * UTF-8 are printed as \xNN, code points that move or hide text as \uNNNN, so that no input can
 * control a terminal. A tab in a source line becomes one space, which keeps the caret in place. Of
 * a line longer than 160 columns only the part around the caret is shown.
 *
 * Messages and hints are cut to 1,000 bytes in their middle, paths at their end. If memory runs out
 * the object stays usable: reports that could not be stored are counted, and one line says so. One
 * thread.
 *
 * Parts: diagnostics_text.c, diagnostics_json.c and diagnostics_sarif.c write the formats. */
#ifndef BAKE_DIAGNOSTICS_H
#define BAKE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum bake_severity { BAKE_ERROR, BAKE_WARNING } bake_severity;

/* A place in a source; line 0 means the source as a whole. */
typedef struct bake_mark {
    uint32_t source; /* number from bake_diagnostics_add_source */
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, code points */
    uint32_t length; /* code points underlined; at least 1; cut at the line's end when printed */
} bake_mark;

/* The length of a mark that reaches to the end of its line. */
#define BAKE_MARK_TO_LINE_END UINT32_MAX

typedef struct bake_diagnostics bake_diagnostics;

/* NULL if memory runs out. */
bake_diagnostics *bake_diagnostics_create(void);
void bake_diagnostics_destroy(bake_diagnostics *diagnostics);

/* Registers a source under the name that is printed; `text` (may be NULL) must live as long as the
 * diagnostics. */
uint32_t bake_diagnostics_add_source(bake_diagnostics *diagnostics, const char *name,
                                     const char *text, size_t size);
/* Sets a hint that is added to each report about a line of the source. */
void bake_diagnostics_set_note(bake_diagnostics *diagnostics, uint32_t source, const char *note);
/* The registered name of `source`; "" for an unknown number. */
const char *bake_diagnostics_source_name(const bake_diagnostics *diagnostics, uint32_t source);

/* `rule` is the short word in brackets; `path` (may be NULL) the value's path; the message is
 * printf-like. Always returns false, so that a failing check can end with `return
 * bake_report(...)`. The first `max_errors` (default 100) in the order of places are printed, the
 * others only counted; the same limit holds for warnings. */
bool bake_report(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark,
                 const char *rule, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* If a report at this place would not be printed any more, counts it and returns true; otherwise
 * does nothing. Lets callers skip the cost of a message. */
bool bake_report_beyond(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark);
/* Adds a hint to the last report; hints are printed in the order of the calls. */
void bake_hint(bake_diagnostics *diagnostics, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Adds `hint: did you mean "x"?` if one of `names` is similar to `word` (similar.h). */
void bake_hint_similar(bake_diagnostics *diagnostics, const char *word, size_t length,
                       const char *const *names, size_t count);

/* Whether the last report should get hints that cost a search through many names: not after 1,000
 * errors, so that a file full of mistakes does not take quadratic time. */
bool bake_hints_wanted(const bake_diagnostics *diagnostics);

/* Marks the last report as a possible repetition: it is dropped if there is another one with the
 * same rule and place. */
void bake_report_again(bake_diagnostics *diagnostics);

/* Adds a related place to the last report, for JSON and SARIF. The printed text names the place in
 * its message or in a hint. */
void bake_related(bake_diagnostics *diagnostics, bake_mark mark, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Remembers that memory ran out: printing then says "out of memory", and the number of errors is
 * not zero. Always returns false. */
bool bake_report_no_memory(bake_diagnostics *diagnostics);
bool bake_diagnostics_no_memory(const bake_diagnostics *diagnostics);

void bake_diagnostics_set_max_errors(bake_diagnostics *diagnostics, size_t max_errors);
/* All that were reported, also those beyond the limit; at least 1 if memory ran out. */
size_t bake_diagnostics_errors(const bake_diagnostics *diagnostics);
size_t bake_diagnostics_warnings(const bake_diagnostics *diagnostics);

/* Prints all, sorted, and a closing line `2 errors, 1 warning`; nothing if there are none. After
 * this no hint can be added to the last report. */
void bake_diagnostics_print(bake_diagnostics *diagnostics, FILE *err, bool color);

/* How a run ended, for JSON and SARIF. */
typedef struct bake_run_end {
    int exit_code;
    const char *failure; /* why the run stopped early; NULL or empty: it did not */
} bake_run_end;

/* Writes bytes; false on failure. */
typedef bool (*bake_write_function)(void *ctx, const void *data, size_t size);

/* Writes all, sorted, one JSON object on each line; kiln-bake's manual page lists the members.
 * False if a write failed. */
bool bake_diagnostics_write_json(bake_diagnostics *diagnostics, const bake_run_end *end,
                                 bake_write_function write, void *ctx);
/* Writes all, sorted, as one log of SARIF 2.1.0. */
bool bake_diagnostics_write_sarif(bake_diagnostics *diagnostics, const bake_run_end *end,
                                  bake_write_function write, void *ctx);

#endif
