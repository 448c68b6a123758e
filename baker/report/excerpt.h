/* Lines of a source text as libyaml counts them, and the excerpt with a caret below a diagnostic.
 *
 * A line ends at LF, CR, CR LF, NEL, LS or PS; columns count code points, a byte that is not UTF-8
 * counting as one. A BOM at the start of the text belongs to no column. */
#ifndef BAKE_EXCERPT_H
#define BAKE_EXCERPT_H

#include "diagnostics.h"

/* Where a walk over the lines of a text stands: `offset` is the first byte of line `line`. What was
 * found out about the line is kept, so that many marks on a long one cost no more than one, as long
 * as they come sorted. */
typedef struct bake_line_cursor {
    const char *text;
    size_t size;
    size_t offset;
    uint32_t line; /* from 1 */
    bool measured; /* whether these two are known */
    size_t length; /* in bytes, without its end */
    size_t columns;
    size_t at; /* a byte of the line, from its start, and its column from 0 */
    size_t at_column;
} bake_line_cursor;

bake_line_cursor bake_line_cursor_init(const char *text, size_t size);
/* The number of bytes in the cursor's line, its end not counted. */
size_t bake_line_length(const bake_line_cursor *cursor);
/* Goes to the next line; false, and no move, when there is none. */
bool bake_line_next(bake_line_cursor *cursor);

/* The mark, one code point long, of the byte at `offset` (at most `size`). Linear in `offset`. */
bake_mark bake_mark_at(uint32_t source, const char *text, size_t size, size_t offset);

/* Prints `text` with everything escaped that is not plainly printable; tabs and line ends too. */
void bake_print_escaped(FILE *out, const char *text, size_t size);

/* Prints the cursor's line and, below it, a caret and tildes for `mark`. */
void bake_print_excerpt(FILE *out, bake_line_cursor *cursor, bake_mark mark, bool color);

/* The column behind the last that `mark`, on the cursor's line, covers. */
uint32_t bake_mark_end(bake_line_cursor *cursor, bake_mark mark);

#endif
