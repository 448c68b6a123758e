/* An escaped character takes one column of the source, but several of the terminal. So the terminal
 * columns before the caret are counted while the line is printed. */
#include "excerpt.h"

#include "code_point.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

/* Only this many columns of a longer line are printed ... */
#define WINDOW 160
/* ... at most this many of them before the caret. */
#define WINDOW_BEFORE 100

#define COLOR_CARET "\033[1;32m"
#define COLOR_END "\033[0m"

/* The size in bytes of the character at `text`, which takes one column. */
static size_t step(const char *text, size_t size)
{
    uint32_t code_point;
    size_t width = utf8_decode(text, size, &code_point);
    return width ? width : 1;
}

/* The size in bytes of the line break at `text`; 0 if there is none. */
static size_t line_end(const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] == '\n')
        return 1;
    if (bytes[0] == '\r')
        return size > 1 && bytes[1] == '\n' ? 2 : 1;
    if (bytes[0] == 0xc2)
        return size > 1 && bytes[1] == 0x85 ? 2 : 0;
    if (bytes[0] == 0xe2)
        return size > 2 && bytes[1] == 0x80 && (bytes[2] == 0xa8 || bytes[2] == 0xa9) ? 3 : 0;
    return 0;
}

/* Skips a BOM, as libyaml does. */
bake_line_cursor bake_line_cursor_init(const char *text, size_t size)
{
    size_t bom = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    bake_line_cursor cursor = {.text = text, .size = size, .offset = bom, .line = 1};
    return cursor;
}

size_t bake_line_length(const bake_line_cursor *cursor)
{
    size_t end = cursor->offset;
    if (cursor->measured)
        return cursor->length;
    while (end < cursor->size && !line_end(cursor->text + end, cursor->size - end))
        end++;
    return end - cursor->offset;
}

bool bake_line_next(bake_line_cursor *cursor)
{
    size_t end = cursor->offset + bake_line_length(cursor);
    if (end >= cursor->size)
        return false;
    cursor->offset = end + line_end(cursor->text + end, cursor->size - end);
    cursor->line++;
    cursor->measured = false;
    cursor->at = cursor->at_column = 0;
    return true;
}

bake_mark bake_mark_at(uint32_t source, const char *text, size_t size, size_t offset)
{
    bake_line_cursor cursor = bake_line_cursor_init(text, size);
    bake_line_cursor next = cursor;
    while (bake_line_next(&next) && next.offset <= offset)
        cursor = next;
    uint32_t column = 1;
    for (size_t at = cursor.offset; at < offset && at < size; at += step(text + at, size - at))
        column++;
    bake_mark mark = {source, cursor.line, column, 1};
    return mark;
}

/* Writes the code point at `text` to `shown`, escaped if necessary. Returns its number of terminal
 * columns; `ret_bytes` is the number of bytes read. */
static size_t show(const char *text, size_t size, char shown[12], size_t *ret_bytes)
{
    uint32_t code_point = 0;
    size_t width = utf8_decode(text, size, &code_point);
    *ret_bytes = width ? width : 1;
    if (width == 0 || code_point < 0x20 || code_point == 0x7f)
        return (size_t)snprintf(shown, 12, "\\x%02x", (unsigned)(unsigned char)text[0]);
    if (!code_point_is_visible(code_point))
        return (size_t)snprintf(shown, 12, code_point > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32,
                                code_point);
    memcpy(shown, text, width);
    shown[width] = '\0';
    return 1;
}

void bake_print_escaped(FILE *out, const char *text, size_t size)
{
    char shown[12];
    size_t bytes;
    for (size_t at = 0; at < size; at += bytes) {
        show(text + at, size - at, shown, &bytes);
        fputs(shown, out);
    }
}

/* Prints the columns [from, to) of the line, counted from 0; column `from` begins at `line->at`.
 * Returns the number of terminal columns before `caret`. `ret_underlined` is the number of terminal
 * columns that the `length` columns from `caret` on take. */
static size_t print_columns(FILE *out, const bake_line_cursor *line, size_t from, size_t to,
                            size_t caret, size_t length, size_t *ret_underlined)
{
    const char *text = line->text + line->offset;
    size_t before = 0;
    size_t underlined = 0;
    size_t bytes;
    for (size_t at = line->at, column = from; column < to; at += bytes, column++) {
        char shown[12];
        size_t taken = 1;
        if (text[at] == '\t') {
            bytes = 1;
            fputc(' ', out);
        } else {
            taken = show(text + at, line->length - at, shown, &bytes);
            fputs(shown, out);
        }
        if (column < caret)
            before += taken;
        else if (column - caret < length)
            underlined += taken;
    }
    *ret_underlined = underlined;
    return before;
}

static void print_repeated(FILE *out, char c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputc(c, out);
}

/* A line may be as long as the file, so its length is computed once for all marks on it. */
static void measure(bake_line_cursor *cursor)
{
    const char *line = cursor->text + cursor->offset;
    if (cursor->measured)
        return;
    cursor->length = bake_line_length(cursor);
    cursor->columns = 0;
    for (size_t at = 0; at < cursor->length; at += step(line + at, cursor->length - at))
        cursor->columns++;
    cursor->measured = true;
}

/* Moves `at` to a column of the line, which must be measured. */
static void go_to_column(bake_line_cursor *cursor, size_t column)
{
    const char *line = cursor->text + cursor->offset;
    if (column < cursor->at_column)
        cursor->at = cursor->at_column = 0;
    for (; cursor->at_column < column; cursor->at_column++)
        cursor->at += step(line + cursor->at, cursor->length - cursor->at);
}

/* Clamps the column of a mark to the end of the line. The column just after the last character is
 * valid, because a mark may show that something is missing there. */
static size_t caret_column(const bake_line_cursor *cursor, bake_mark mark)
{
    size_t caret = mark.column ? mark.column - 1 : 0;
    return caret < cursor->columns ? caret : cursor->columns;
}

uint32_t bake_mark_end(bake_line_cursor *cursor, bake_mark mark)
{
    measure(cursor);
    size_t caret = caret_column(cursor, mark), left = cursor->columns - caret;
    size_t covered = mark.length < left ? mark.length : left;
    return (uint32_t)(caret + 1 + (covered ? covered : 1));
}

void bake_print_excerpt(FILE *out, bake_line_cursor *cursor, bake_mark mark, bool color)
{
    measure(cursor);
    size_t columns = cursor->columns, caret = caret_column(cursor, mark);
    size_t from = columns > WINDOW && caret > WINDOW_BEFORE ? caret - WINDOW_BEFORE : 0;
    size_t to = columns > WINDOW && columns - from > WINDOW ? from + WINDOW : columns;

    int indent = fprintf(out, "  %" PRIu32 " |", cursor->line);
    if (cursor->length)
        fputs(from ? " ..." : " ", out);
    size_t underlined;
    go_to_column(cursor, from);
    size_t before = print_columns(out, cursor, from, to, caret, mark.length, &underlined);
    fputs(to < columns ? "...\n" : "\n", out);

    print_repeated(out, ' ', indent > 1 ? (size_t)indent - 1 : 0);
    fputs("| ", out);
    print_repeated(out, ' ', before + (from ? 3 : 0));
    fputs(color ? COLOR_CARET "^" : "^", out);
    if (underlined > 1)
        print_repeated(out, '~', underlined - 1);
    fputs(color ? COLOR_END "\n" : "\n", out);
}
