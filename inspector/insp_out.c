#define _POSIX_C_SOURCE 200809L
#include "insp_out.h"

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

void insp_out_init(insp_out *out, FILE *file, bool color)
{
    int number = fileno(file);
    *out = (insp_out){.file = file, .color = color, .terminal = number >= 0 && isatty(number)};
}

static void write_raw(insp_out *out, const char *text, size_t length)
{
    if (out->error || !length)
        return;
    errno = 0;
    if (fwrite(text, 1, length, out->file) != length)
        out->error = errno ? errno : EIO;
}

void insp_put_bytes(insp_out *out, const char *text, size_t length)
{
    size_t line = 0;
    write_raw(out, text, length);
    while (line < length && text[length - 1 - line] != '\n')
        line++;
    out->column = line == length ? out->column + line : line;
}

void insp_put(insp_out *out, const char *text)
{
    insp_put_bytes(out, text, strlen(text));
}

void insp_put_char(insp_out *out, char c)
{
    insp_put_bytes(out, &c, 1);
}

void insp_put_spaces(insp_out *out, size_t count)
{
    static const char spaces[] = "                                                                ";
    const size_t most = sizeof spaces - 1;
    for (; count > most; count -= most)
        insp_put_bytes(out, spaces, most);
    insp_put_bytes(out, spaces, count);
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
    if (out->color)
        write_raw(out, style_codes[style], strlen(style_codes[style]));
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

bool insp_out_finish(insp_out *out)
{
    errno = 0;
    if (fflush(out->file) != 0 && !out->error)
        out->error = errno ? errno : EIO;
    return !out->error;
}
