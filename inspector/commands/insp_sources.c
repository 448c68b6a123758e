/* Finds the source files that a source map names, and prints lines from them.
 *
 * A missing source is not an error, because the location alone is useful; a source that exists but
 * cannot be read is an error. Only one source is in memory at a time, because the owners of a byte
 * usually come from the same source. Lines and columns are counted as in kiln-bake, so that the
 * caret is below the right character. */
#define _POSIX_C_SOURCE 200809L
#include "insp_sources.h"

#include "insp_escape.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_read.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MAX = 1 << 28, SHOWN_MAX = 160, LEFT_MAX = 60 };

/* Returns `folder`/`name`, or only `name` if the folder is empty; NULL if memory runs out. */
static char *join(const char *folder, size_t length, const char *name, size_t name_length)
{
    char *path = insp_alloc(length + name_length + 2, 1);
    if (!path)
        return NULL;
    memcpy(path, folder, length);
    if (length > 0 && folder[length - 1] != '/')
        path[length++] = '/';
    memcpy(path + length, name, name_length);
    return path;
}

/* Decodes a name, which is quoted if it contains control characters. `text` has room for the
 * result; returns its length. */
static size_t unquote(insp_text name, char *text)
{
    size_t length = 0, i;
    if (!name.length || name.data[0] != '"') {
        memcpy(text, name.data, name.length);
        return name.length;
    }
    for (i = 1; i + 1 < name.length; i++) {
        char c = name.data[i];
        if (c == '\\' && i + 5 < name.length && name.data[i + 1] == 'u') {
            char digits[5] = {0};
            memcpy(digits, name.data + i + 2, 4);
            c = (char)strtoul(digits, NULL, 16);
            i += 5;
        } else if (c == '\\' && i + 2 < name.length) {
            c = name.data[++i];
        }
        text[length++] = c;
    }
    return length;
}

static bool is_absence(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG;
}

/* Opens only regular files, because a map may name any path and the program must not block on a
 * pipe or access a device. Returns false if there is no such file, or if it is too large. */
static bool read_source(insp_sources *s, const char *path)
{
    struct stat facts;
    unsigned char *data = NULL;
    size_t size = 0;
    int error = stat(path, &facts) != 0 ? errno : 0;
    if (is_absence(error) || (!error && (!S_ISREG(facts.st_mode) || facts.st_size > SOURCE_MAX)))
        return false;
    if (!error)
        error = insp_read(path, SOURCE_MAX, &data, &size);
    if (error)
        s->result = insp_cannot_read(s->run, path, error);
    s->text = (char *)data;
    s->size = size;
    return true;
}

/* Opens a source relative to the folder of -C or of the map. Without -C, also tries the current
 * folder, and opens absolute names. */
static void open_source(insp_sources *s, uint32_t file)
{
    insp_text name = insp_origins_file(s->origins, file);
    char *plain = insp_alloc(name.length + (size_t)1, 1), *path = NULL;
    const char *folder = s->base ? s->base : s->map_path, *slash = strrchr(s->map_path, '/');
    size_t length = s->base ? strlen(s->base) : slash ? (size_t)(slash + 1 - s->map_path) : 0;
    size_t size;
    insp_free(s->text);
    s->text = NULL;
    s->size = 0;
    s->file = file;
    if (!plain) {
        s->result = insp_no_memory(s->run);
        return;
    }
    size = unquote(name, plain);
    /* A name with a NUL would be truncated, and a different file would be opened. */
    if (memchr(plain, '\0', size) == NULL) {
        bool is_relative = size > 0 && plain[0] != '/';
        if (is_relative && !(path = join(folder, length, plain, size)))
            s->result = insp_no_memory(s->run);
        else if ((!path || !read_source(s, path)) && !s->base)
            read_source(s, plain);
    }
    insp_free(path);
    insp_free(plain);
}

/* The size of the line break whose last byte is at `at`; 0 if there is none. As in kiln-bake, the
 * line breaks are LF, CR without LF, NEL, LS and PS. */
static size_t line_end_at(const char *text, size_t size, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)text;
    switch (bytes[at]) {
    case '\n':
        return 1;
    case '\r':
        return at + 1 >= size || bytes[at + 1] != '\n';
    case 0x85:
        return at >= 1 && bytes[at - 1] == 0xc2 ? 2 : 0;
    case 0xa8:
    case 0xa9:
        return at >= 2 && bytes[at - 1] == 0x80 && bytes[at - 2] == 0xe2 ? 3 : 0;
    default:
        return 0;
    }
}

/* Finds a line, without its line break. Returns false if there is no such line. */
static bool find_line(const insp_sources *s, uint32_t number, const char **ret_line,
                      size_t *ret_length)
{
    size_t at = s->size >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, start = at;
    size_t end = s->size;
    uint32_t line = 1;
    for (; at < s->size && line <= number; at++) {
        size_t closed = line_end_at(s->text, s->size, at);
        if (!closed)
            continue;
        if (line == number) {
            end = at + 1 - closed;
            break;
        }
        line++;
        start = at + 1;
    }
    if (line != number || start > s->size)
        return false;
    *ret_line = s->text + start;
    *ret_length = end - start;
    while (*ret_length > 0 && ((*ret_line)[*ret_length - 1] == '\r'))
        --*ret_length;
    return true;
}

/* Writes the code points [from, to) of a line, counted from 1; an invalid byte counts as one. */
static void put_columns(insp_out *out, const char *line, size_t length, uint32_t from, uint32_t to)
{
    uint32_t column = 1, code;
    size_t at = 0, start;
    while (at < length && column < from) {
        size_t size = utf8_decode(line + at, length - at, &code);
        at += size ? size : 1;
        column++;
    }
    for (start = at; at < length && column < to; column++) {
        size_t size = utf8_decode(line + at, length - at, &code);
        at += size ? size : 1;
    }
    for (; start < at; start++) {
        const char *tab = memchr(line + start, '\t', at - start);
        size_t stop = tab ? (size_t)(tab - line) : at;
        insp_put_escaped(out, line + start, stop - start);
        if (tab)
            insp_put_char(out, ' ');
        start = stop;
    }
}

void insp_sources_put_line(insp_sources *s, insp_out *out, const insp_origin_place *place)
{
    const char *line;
    size_t length;
    uint32_t from = 1, covered;
    if (s->file != place->file)
        open_source(s, place->file);
    if (!s->text || !find_line(s, place->line, &line, &length))
        return;
    if (place->column > LEFT_MAX)
        from = place->column - LEFT_MAX;
    insp_putf(out, "%5" PRIu32 " | %s", place->line, from > 1 ? ".." : "");
    put_columns(out, line, length, from, from + SHOWN_MAX);
    insp_put(out, "\n      |");
    insp_put_spaces(out, 1 + (from > 1 ? 2 : 0) + place->column - from);
    insp_put_style(out, INSP_STYLE_NAME);
    insp_put_char(out, '^');
    for (covered = place->length; covered > 1 && covered < SHOWN_MAX - LEFT_MAX; covered--)
        insp_put_char(out, '~');
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put_char(out, '\n');
}
