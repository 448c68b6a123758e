/* JSON Lines, so that a reader can parse the output line by line. Every line has the same members;
 * unknown ones are null. */
#include "diagnostics_store.h"
#include "json_writer.h"

#include <stdio.h>
#include <string.h>

static const char *severity_word(bake_severity severity)
{
    return severity == BAKE_ERROR ? "error" : "warning";
}

/* 0 means unknown: lines and columns count from 1. */
static void write_number_or_null(bake_json *json, const char *key, uint32_t number)
{
    if (number)
        bake_json_number(json, key, number);
    else
        bake_json_null(json, key);
}

static void write_place(bake_json *json, const bake_diagnostics *diagnostics, bake_mark mark,
                        uint32_t end)
{
    const char *name = bake_diagnostics_source_name(diagnostics, mark.source);
    bake_json_text(json, "file", *name ? name : NULL);
    write_number_or_null(json, "line", mark.line);
    /* Without a line, the mark applies to the whole source, which has no column. */
    write_number_or_null(json, "column", mark.line ? mark.column : 0);
    write_number_or_null(json, "end", end);
}

static bool write_diagnostic(bake_json *json, const bake_diagnostics *diagnostics,
                             const bake_diagnostic *r, bake_line_cursor *cursor)
{
    bake_json_open(json, NULL, '{');
    bake_json_text(json, "severity", severity_word(r->severity));
    bake_json_text(json, "rule", r->rule);
    bake_json_text(json, "message", r->message);
    write_place(json, diagnostics, r->mark,
                bake_diagnostics_end_column(diagnostics, cursor, r->mark));
    bake_json_text(json, "path", r->path);
    bake_json_open(json, "hints", '[');
    for (const char *hint = r->hints; hint && *hint; hint += strlen(hint) + 1)
        bake_json_text(json, NULL, hint);
    bake_json_close(json, '[');
    bake_json_open(json, "related", '[');
    for (size_t i = 0; i < r->related_count; i++) {
        bake_mark mark = r->related[i].mark;
        bake_json_open(json, NULL, '{');
        bake_json_text(json, "message", r->related[i].message);
        write_place(json, diagnostics, mark, bake_related_end_column(mark));
        bake_json_close(json, '{');
    }
    bake_json_close(json, '[');
    bake_json_close(json, '{');
    return bake_json_end_line(json);
}

/* Writes a place of which only the file is known; NULL: not even that. */
static void write_file(bake_json *json, const char *file)
{
    static const char *const unknown[] = {"line", "column", "end"};
    bake_json_text(json, "file", file);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        bake_json_null(json, unknown[i]);
}

static bool write_note(bake_json *json, const bake_note *note)
{
    bake_json_open(json, NULL, '{');
    bake_json_text(json, "severity", note->severity);
    bake_json_text(json, "rule", note->rule);
    bake_json_text(json, "message", note->message);
    write_file(json, note->file_count ? note->files[0].path : NULL);
    bake_json_null(json, "path");
    bake_json_open(json, "hints", '[');
    bake_json_close(json, '[');
    bake_json_open(json, "related", '[');
    for (size_t i = 0; i < note->file_count; i++) {
        bake_json_open(json, NULL, '{');
        bake_json_text(json, "message", note->files[i].text);
        write_file(json, note->files[i].path);
        bake_json_close(json, '{');
    }
    bake_json_close(json, '[');
    bake_json_close(json, '{');
    return bake_json_end_line(json);
}

bool bake_note_write_json(const bake_note *note, bake_write_function write, void *ctx)
{
    bake_json json;
    bake_json_init(&json, false, write, ctx);
    return write_note(&json, note);
}

/* Writes a line about the run as a whole, with the same members. */
static bool write_run_note(bake_json *json, const char *severity, const char *rule,
                           const char *message)
{
    bake_note note = {.severity = severity, .rule = rule, .message = message};
    return write_note(json, &note);
}

bool bake_diagnostics_write_json(bake_diagnostics *diagnostics, const bake_run_end *end,
                                 bake_write_function write, void *ctx)
{
    bake_line_cursor cursor = {0};
    char hidden[BAKE_HIDDEN_SIZE];
    bake_json json;
    bake_json_init(&json, false, write, ctx);
    bake_diagnostics_sort(diagnostics);
    bool ok = true;
    for (size_t i = 0; i < diagnostics->report_count && ok; i++)
        ok = write_diagnostic(&json, diagnostics, &diagnostics->reports[i], &cursor);
    if (ok && bake_diagnostics_format_hidden(diagnostics, hidden))
        ok = write_run_note(&json, "note", "max-errors", hidden);
    const char *failure = bake_diagnostics_failure(diagnostics, end);
    if (ok && failure)
        ok = write_run_note(&json, "error", bake_run_rule(end), failure);
    return ok;
}
