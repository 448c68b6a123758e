#include "watch_report.h"

#include "diagnostics.h"

#include <string.h>

/* The most changes that are listed for one event. */
enum { SHOWN_MAX = 20 };

static bool write_stream(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size;
}

static const char *outcome(const watch_event *event)
{
    return event->result ? "failed" : "baked";
}

/* ---- text ---- */

/* Prints a text in one line: names can contain line breaks and codes that control a terminal. */
static void print_line(const char *text, FILE *err)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, err);
}

static void print_event(const watch_event *event, bool verbose, FILE *err)
{
    const bake_changes *changes = event->changes;
    long long time = (long long)event->time;
    fputs("kiln-bake: ", err);
    if (!changes) {
        fprintf(err, "%s in %lld ms; watching %zu paths in %zu folders\n", outcome(event), time,
                event->paths, event->folders);
        return;
    }
    for (size_t i = 0; verbose && i < changes->count && i < SHOWN_MAX; i++) {
        print_line(changes->items[i].text, err);
        fputs("\nkiln-bake: ", err);
    }
    if (verbose) {
        fprintf(err, "%zu change%s", changes->count, changes->count == 1 ? "" : "s");
    } else {
        print_line(changes->items[0].text, err);
        if (changes->count > 1)
            fprintf(err, ", and %zu other change%s", changes->count - 1,
                    changes->count == 2 ? "" : "s");
    }
    fprintf(err, "; %s in %lld ms\n", outcome(event), time);
}

/* ---- JSON ---- */

static void write_event(const watch_event *event, FILE *err)
{
    const bake_changes *changes = event->changes;
    bake_note_file files[SHOWN_MAX];
    char message[100];
    bake_note note = {.severity = "note",
                      .rule = event->result ? "watch-failed" : "watch-baked",
                      .message = message,
                      .files = files};
    if (changes)
        snprintf(message, sizeof message, "%zu change%s; %s in %lld ms", changes->count,
                 changes->count == 1 ? "" : "s", outcome(event), (long long)event->time);
    else
        snprintf(message, sizeof message, "%s in %lld ms; watching %zu paths in %zu folders",
                 outcome(event), (long long)event->time, event->paths, event->folders);
    for (size_t i = 0; changes && i < changes->count && i < SHOWN_MAX; i++)
        files[note.file_count++] =
            (bake_note_file){changes->items[i].subject, changes->items[i].text};
    bake_note_write_json(&note, write_stream, err);
}

void bake_watch_report_event(const bake_options *options, const watch_event *event, FILE *err)
{
    if (options->quiet && !event->result)
        return;
    if (options->format == BAKE_FORMAT_JSON && !options->diagnostics_file)
        write_event(event, err);
    else
        print_event(event, options->verbose && !options->quiet, err);
    fflush(err);
}

void bake_watch_report_notice(const bake_options *options, const char *text, FILE *err)
{
    bake_note note = {.severity = "warning", .rule = "watch", .message = text};
    if (options->format == BAKE_FORMAT_JSON && !options->diagnostics_file)
        bake_note_write_json(&note, write_stream, err);
    else
        fprintf(err, "kiln-bake: warning: %s\n", text);
    fflush(err);
}
