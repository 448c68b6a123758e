/* Lines of a source text as libyaml counts them, and the excerpt with a caret below a diagnostic.
 *
 * A line ends at LF, CR, CR LF, NEL, LS or PS. Columns count code points; a byte that is not UTF-8
 * counts as one. A BOM at the start of the text has no column. */
#ifndef BAKE_EXCERPT_H
#define BAKE_EXCERPT_H

#include "diagnostics.h"

/* An iterator over the lines of a text: `offset` is the first byte of line `line`. It caches the
 * length of its line and a column in it, so that many sorted marks on a long line cost about as
 * much as one. */
typedef struct bake_line_cursor {
    const char *text;
    size_t size;
    size_t offset;
    uint32_t line; /* from 1 */
    bool measured; /* whether the next two are known */
    size_t length; /* in bytes, without its end */
    size_t columns;
    size_t at; /* a byte of the line, from its start, and its column from 0 */
    size_t at_column;
} bake_line_cursor;

bake_line_cursor bake_line_cursor_init(const char *text, size_t size);
/* The number of bytes in the cursor's line, its end not counted. */
size_t bake_line_length(const bake_line_cursor *cursor);
/* Moves to the next line; false if there is none, and then the cursor stays. */
bool bake_line_next(bake_line_cursor *cursor);

/* The mark, one code point long, of the byte at `offset` (at most `size`). Linear in `offset`. */
bake_mark bake_mark_at(uint32_t source, const char *text, size_t size, size_t offset);

/* Prints `text` and escapes every code point that is not visible, tabs and line ends included. */
void bake_print_escaped(FILE *out, const char *text, size_t size);

/* Prints the cursor's line and, below it, a caret and tildes for `mark`. */
void bake_print_excerpt(FILE *out, bake_line_cursor *cursor, bake_mark mark, bool color);

/* The column after the last one that `mark` covers on the cursor's line. */
uint32_t bake_mark_end(bake_line_cursor *cursor, bake_mark mark);

#endif
