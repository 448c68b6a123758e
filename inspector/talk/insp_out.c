/* Buffered output with a limit.
 *
 * Output passes through three stages: the buffer, write_limited, which stops at the limit, and
 * write_raw, which calls fwrite. `written` counts the bytes that fwrite accepted, and never exceeds
 * `limit` until the output is truncated. After an error or truncation, `error` remains set and all
 * further output is dropped. */
#define _POSIX_C_SOURCE 200809L
#include "insp_out.h"

#include "insp_number.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const char *const style_codes[INSP_STYLE_COUNT] = {
    [INSP_STYLE_PLAIN] = "\033[0m",     [INSP_STYLE_ASSET] = "\033[1m",
    [INSP_STYLE_NAME] = "\033[36m",     [INSP_STYLE_TYPE] = "\033[2m",
    [INSP_STYLE_TEXT] = "\033[32m",     [INSP_STYLE_NUMBER] = "\033[33m",
    [INSP_STYLE_WORD] = "\033[35m",     [INSP_STYLE_FAINT] = "\033[2m",
    [INSP_STYLE_BROKEN] = "\033[1;31m",
};

static void init(insp_out *out, FILE *file, bool color)
{
    /* Set each field separately, because a struct literal would also clear the 32 KB of
     * `buffer`. */
    int number = file ? fileno(file) : -1;
    out->file = file;
    out->color = color;
    out->terminal = number >= 0 && isatty(number);
    out->eager = true;
    out->error = 0;
    out->column = out->used = 0;
    out->limit = UINT64_MAX;
    out->written = out->cut_at = out->whole = out->units = 0;
    out->units_name = NULL;
}

void insp_out_init(insp_out *out, FILE *file, bool color)
{
    init(out, file, color);
}

void insp_out_init_text(insp_out *out)
{
    init(out, NULL, false);
    out->eager = false;
}

/* Retries after EINTR. For an unbuffered stream, fwrite returns exactly how much was written. */
static void write_raw(insp_out *out, const char *text, size_t length)
{
    while (!out->error && length) {
        errno = 0;
        size_t done = fwrite(text, 1, length, out->file);
        if (done < length && errno != EINTR)
            out->error = errno ? errno : EIO;
        out->written += done;
        text += done;
        length -= done;
    }
}

/* Makes truncated output invalid, so that no parser accepts it. In YAML, no value may begin with
 * `@`. The first `@` follows a colon, in case the output ends in a plain scalar; the second begins
 * a line, in case the output ends in a comment. Inside quotes, the string is never closed. The
 * result is not valid JSON either. */
static void end_cut(insp_out *out)
{
    static const char mark[] = ": @ cut\n@ cut: output truncated\n";
    out->cut_at = out->written;
    if (out->color)
        write_raw(out, style_codes[INSP_STYLE_PLAIN], strlen(style_codes[INSP_STYLE_PLAIN]));
    write_raw(out, mark, sizeof mark - 1);
    if (!out->error)
        out->error = INSP_CUT;
}

static void write_limited(insp_out *out, const char *text, size_t length)
{
    bool is_cut = length > out->limit - out->written;
    if (out->error)
        return;
    write_raw(out, text, is_cut ? (size_t)(out->limit - out->written) : length);
    if (is_cut)
        end_cut(out);
}

void insp_out_drain(insp_out *out)
{
    if (!out->file) {
        /* The beginning of a text that does not fit remains, and there must be room again. */
        out->error = INSP_CUT;
        out->used = out->used < INSP_OUT_SIZE - INSP_ROOM ? out->used : INSP_OUT_SIZE - INSP_ROOM;
        return;
    }
    write_limited(out, out->buffer, out->used);
    out->used = 0;
}

void insp_out_cut(insp_out *out)
{
    insp_out_drain(out);
    if (!out->error)
        end_cut(out);
}

void insp_out_count(insp_out *out, const char *name, uint64_t count)
{
    if (out->error)
        return;
    out->units_name = name;
    out->units = count;
    out->whole = 0;
}

/* Writes a long string without copying it, after flushing the buffer to keep the order. */
void insp_put_long_word(insp_out *out, const char *text, size_t length)
{
    insp_out_drain(out);
    if (out->file)
        write_limited(out, text, length);
    out->column += length;
}

void insp_put_bytes(insp_out *out, const char *text, size_t length)
{
    size_t line = 0, column = out->column;
    while (line < length && text[length - 1 - line] != '\n')
        line++;
    insp_put_word(out, text, length);
    out->column = line == length ? column + line : line;
}

void insp_put(insp_out *out, const char *text)
{
    insp_put_bytes(out, text, strlen(text));
}

void insp_put_spaces(insp_out *out, size_t count)
{
    while (count) {
        size_t part = count < INSP_ROOM ? count : INSP_ROOM;
        char *to = insp_room(out);
        memset(to, ' ', part);
        insp_wrote(out, to + part);
        count -= part;
    }
}

void insp_put_line(insp_out *out, size_t indent)
{
    char *to = insp_room(out);
    if (indent >= INSP_ROOM) {
        insp_put_char(out, '\n');
        insp_put_spaces(out, indent);
        return;
    }
    *to = '\n';
    memset(to + 1, ' ', indent);
    insp_wrote(out, to + 1 + indent);
    out->column = indent;
}

void insp_putf(insp_out *out, const char *format, ...)
{
    char text[512];
    va_list values;
    int length;
    va_start(values, format);
    length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (length > 0)
        insp_put_bytes(out, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void insp_put_style(insp_out *out, insp_style style)
{
    size_t column = out->column; /* an escape sequence takes no columns */
    if (!out->color)
        return;
    insp_put_word(out, style_codes[style], strlen(style_codes[style]));
    out->column = column;
}

void insp_put_styled(insp_out *out, insp_style style, const char *text)
{
    insp_put_style(out, style);
    insp_put(out, text);
    insp_put_style(out, INSP_STYLE_PLAIN);
}

void insp_put_to_column(insp_out *out, size_t column)
{
    insp_put_spaces(out, out->column < column ? column - out->column : 1);
}

void insp_put_count(insp_out *out, uint64_t count, size_t width)
{
    char text[INSP_NUMBER_SIZE];
    size_t length = (size_t)(insp_format_count(text, count) - text);
    if (width)
        insp_put_spaces(out, length < width ? width - length : 1);
    insp_put_word(out, text, length);
}

bool insp_out_finish(insp_out *out)
{
    insp_out_drain(out);
    errno = 0;
    if (fflush(out->file) != 0 && !out->error)
        out->error = errno ? errno : EIO;
    return !out->error;
}
