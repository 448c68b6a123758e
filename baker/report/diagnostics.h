/* Collects what is wrong with the input, and prints it sorted, with the line, a caret and a hint.
 *
 *     items.yaml:14:12: error: Item/sword.price: 300 exceeds 255 [range]
 *       14 |     price: 300
 *          |            ^~~
 *       hint: ...
 *
 * Columns count code points from 1, as editors and libyaml do. Sorted by source (in order of
 * registration), line, column, then order of arrival. Control characters and bytes that are not
 * UTF-8 are printed as \xNN, code points that move or hide text as \uNNNN, so that no input can
 * play tricks with a terminal; a tab in a source line becomes one space, so the caret stands right.
 * Of a line longer than 160 columns the part around the caret is shown.
 *
 * Messages and hints are cut to 1,000 bytes in their middle, paths at their end. When memory runs
 * out the object stays usable: what could not be kept is counted, and one line says so. One thread.
 */
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

/* The length of a mark that goes to the end of its line, wherever that is. */
#define BAKE_MARK_TO_LINE_END UINT32_MAX

typedef struct bake_diagnostics bake_diagnostics;

/* NULL when there is no memory. */
bake_diagnostics *bake_diagnostics_create(void);
void bake_diagnostics_destroy(bake_diagnostics *diagnostics);

/* Registers a source under the name that is printed; `text` (may be NULL) must live as long as the
 * diagnostics. */
uint32_t bake_diagnostics_add_source(bake_diagnostics *diagnostics, const char *name,
                                     const char *text, size_t size);
/* A hint that each report about a line of the source gets. */
void bake_diagnostics_set_note(bake_diagnostics *diagnostics, uint32_t source, const char *note);
/* The name given for `source`; "" for a number that was never given out. */
const char *bake_diagnostics_source_name(const bake_diagnostics *diagnostics, uint32_t source);

/* `rule` is the short word in brackets; `path` (may be NULL) the value's path; the message is
 * printf-like. Returns false always, so that "return bake_report(...)" reads well. The
 * first `max_errors` (default 100) in the order of places are printed, the others only counted;
 * warnings likewise. */
bool bake_report(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark,
                 const char *rule, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* Counts a report of which it is known that it will not be shown, and returns true; does nothing
 * otherwise. Saves those who report much the words. */
bool bake_report_beyond(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark);
/* Adds a hint to the last report; several are printed in the order they came. */
void bake_hint(bake_diagnostics *diagnostics, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Adds `hint: did you mean "x"?` when one of `names` is close to `word`: at most a third of its
 * length, and at least one, of letters added, left out, changed or swapped; of equally close ones
 * the first. A word over 64 bytes gets no hint. */
void bake_hint_similar(bake_diagnostics *diagnostics, const char *word, size_t length,
                       const char *const *names, size_t count);

/* Whether hints to the last report are worth a look at every name: beyond 1,000 errors nobody reads
 * them. */
bool bake_hints_wanted(const bake_diagnostics *diagnostics);

/* The last report says what another one may say too, by the same rule at the same place: then that
 * one is enough. */
void bake_report_again(bake_diagnostics *diagnostics);

/* Adds another place that the last report is about, and what is there, for those who read
 * diagnostics as data: the text says it in its message or a hint. */
void bake_related(bake_diagnostics *diagnostics, bake_mark mark, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Remembers that memory ran out, so that printing says "out of memory" and the count of errors is
 * not zero. Returns false always. */
bool bake_report_no_memory(bake_diagnostics *diagnostics);
bool bake_diagnostics_no_memory(const bake_diagnostics *diagnostics);

void bake_diagnostics_set_max_errors(bake_diagnostics *diagnostics, size_t max_errors);
/* All that were reported, kept or not; at least 1 when memory ran out. */
size_t bake_diagnostics_errors(const bake_diagnostics *diagnostics);
size_t bake_diagnostics_warnings(const bake_diagnostics *diagnostics);

/* Prints all, sorted, and a closing line `2 errors, 1 warning`; nothing when there are none. Hints
 * can no longer be added to what was printed. */
void bake_diagnostics_print(bake_diagnostics *diagnostics, FILE *err, bool color);

/* How a run ended, for those who read that as data. */
typedef struct bake_run_end {
    int exit_code;
    const char *failure; /* why the run could not go on; NULL or empty: it could */
} bake_run_end;

/* Takes bytes; false when they could not be written. */
typedef bool (*bake_write_function)(void *ctx, const void *data, size_t size);

/* Writes all, sorted, as one JSON object a line; kiln-bake's manual page has the members. False
 * when a write failed. */
bool bake_diagnostics_write_json(bake_diagnostics *diagnostics, const bake_run_end *end,
                                 bake_write_function write, void *ctx);
/* Writes all, sorted, as one log of SARIF 2.1.0. */
bool bake_diagnostics_write_sarif(bake_diagnostics *diagnostics, const bake_run_end *end,
                                  bake_write_function write, void *ctx);

#endif
