/* Counts the lines of a source as libyaml does, and prints the excerpt with a caret below a
 * diagnostic.
 *
 * A line ends at LF, CR, CR LF, NEL, LS or PS. Columns count code points; an invalid byte counts as
 * one code point. A BOM at the start of the source has no column. */
#ifndef BAKE_EXCERPT_H
#define BAKE_EXCERPT_H

#include "diagnostics.h"

/* An iterator over the lines of a source: `offset` is the first byte of line `line`. The iterator
 * caches the length of the line and a column in it, so that many sorted marks on a long line cost
 * about as much as one. */
typedef struct bake_line_cursor {
    const char *text;
    size_t size;
    size_t offset;
    uint32_t line; /* from 1 */
    bool measured; /* whether `length` and `columns` are set */
    size_t length; /* in bytes, without the line break */
    size_t columns;
    size_t at; /* an offset into the line, and its column from 0 */
    size_t at_column;
} bake_line_cursor;

bake_line_cursor bake_line_cursor_init(const char *text, size_t size);
/* The length in bytes of the cursor's line, without its line break. */
size_t bake_line_length(const bake_line_cursor *cursor);
/* Moves to the next line. If there is none, returns false and does not move. */
bool bake_line_next(bake_line_cursor *cursor);

/* Returns a mark of one code point for the byte at `offset` (at most `size`). Takes time linear in
 * `offset`. */
bake_mark bake_mark_at(uint32_t source, const char *text, size_t size, size_t offset);

/* Prints `text` and escapes every code point that is not visible, such as tabs and line breaks. */
void bake_print_escaped(FILE *out, const char *text, size_t size);

/* Prints the cursor's line, and below it a caret and tildes under `mark`. */
void bake_print_excerpt(FILE *out, bake_line_cursor *cursor, bake_mark mark, bool color);

/* The first column after `mark` on the cursor's line. */
uint32_t bake_mark_end(bake_line_cursor *cursor, bake_mark mark);

#endif
