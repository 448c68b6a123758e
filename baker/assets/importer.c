/* The last lines of an importer's standard error become hints, because they usually explain the
 * mistake in the source. bake_hint escapes them, so they cannot control the terminal. */
#define _POSIX_C_SOURCE 200809L

#include "importer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

enum { LINES_SHOWN = 10 };

const bake_program_end *bake_importer_run(bake_gateway *gateway, const bake_importer *importer,
                                          const char *base, const char *source)
{
    const bake_program_call call = {.command = importer->command,
                                    .source = source,
                                    .folder = base,
                                    .time_max = importer->time_max,
                                    .inputs = importer->inputs,
                                    .has_unknown_inputs = importer->has_unknown_inputs};
    return bake_gateway_run(gateway, &call);
}

const char *bake_importer_reason(const bake_importer *importer, const bake_program_end *end,
                                 char out[BAKE_IMPORTER_REASON_SIZE])
{
    const char *name = importer->name, *program = importer->command[0];
    switch (end->kind) {
    case BAKE_PROGRAM_EXITED:
        snprintf(out, BAKE_IMPORTER_REASON_SIZE, "the importer \"%.100s\" exited with code %d",
                 name, end->code);
        break;
    case BAKE_PROGRAM_KILLED:
        snprintf(out, BAKE_IMPORTER_REASON_SIZE,
                 "the importer \"%.100s\" was killed by signal %d (%.60s)", name, end->code,
                 strsignal(end->code));
        break;
    case BAKE_PROGRAM_TOO_LARGE:
        snprintf(out, BAKE_IMPORTER_REASON_SIZE,
                 "the importer \"%.100s\" wrote more than the limit of %zu byte%s (--max-input)",
                 name, end->output_max, end->output_max == 1 ? "" : "s");
        break;
    case BAKE_PROGRAM_TIMED_OUT:
        snprintf(out, BAKE_IMPORTER_REASON_SIZE,
                 "the importer \"%.100s\" took longer than %.60s and was killed", name,
                 importer->timeout);
        break;
    case BAKE_PROGRAM_NOT_STARTED:
        snprintf(out, BAKE_IMPORTER_REASON_SIZE,
                 "the importer \"%.100s\" cannot be started: %.160s: %.60s", name, program,
                 strerror(end->code));
        break;
    default:
        snprintf(out, BAKE_IMPORTER_REASON_SIZE,
                 "the importer \"%.100s\" was not run because of --no-importers", name);
        break;
    }
    return out;
}

/* Two common mistakes with new importers. */
static void hint_start(bake_diagnostics *diagnostics, int error)
{
    if (error == EACCES)
        bake_hint(diagnostics, "make the file executable: chmod +x");
    else if (error == ENOEXEC)
        bake_hint(diagnostics, "start the script with an interpreter line: #!/usr/bin/env python3");
}

/* Returns the offset of the last LINES_SHOWN lines. */
static size_t first_shown(const char *errors, size_t size)
{
    size_t at = size, lines = 0;
    while (at > 0 && !(errors[at - 1] == '\n' && ++lines == LINES_SHOWN))
        at--;
    return at;
}

void bake_importer_hint(bake_diagnostics *diagnostics, const bake_program_end *end)
{
    const char *errors = end->errors;
    size_t size = end->errors_size;
    if (end->kind == BAKE_PROGRAM_TIMED_OUT)
        bake_hint(diagnostics, "if the importer needs more time, set `timeout: 10min`, or `none`");
    if (end->kind == BAKE_PROGRAM_NOT_STARTED)
        hint_start(diagnostics, end->code);
    while (size > 0 && (errors[size - 1] == '\n' || errors[size - 1] == '\r'))
        size--;
    size_t at = errors ? first_shown(errors, size) : size;
    /* Only the first hint shows `...`, if earlier output is omitted. */
    bool cut = at > 0 || end->is_errors_cut;
    while (at < size) {
        const char *newline = memchr(errors + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - (errors + at)) : size - at, shown = length;
        while (shown > 0 && errors[at + shown - 1] == '\r')
            shown--;
        /* A NUL becomes a space, so that the rest of the line is shown as well. */
        char line[1001];
        size_t kept = shown < sizeof line - 1 ? shown : sizeof line - 1;
        for (size_t i = 0; i < kept; i++)
            line[i] = errors[at + i] ? errors[at + i] : ' ';
        line[kept] = '\0';
        if (kept > 0)
            bake_hint(diagnostics, "%sit printed: %s", cut ? "... " : "", line);
        cut = false;
        at += length + 1;
    }
}
