/* Block scalars, behind `|` or `>`. */
#include "tree_quick.h"

/* What stands behind `|` or `>`. */
typedef struct block_header {
    bool folded;
    char chomping; /* `-`, `+`, or NUL */
    ptrdiff_t increment;
} block_header;

static bool read_header(quick_reader *r, block_header *ret)
{
    ret->folded = *r->at++ == '>';
    ret->chomping = '\0';
    ret->increment = 0;
    for (int i = 0; i < 2; i++) {
        char c = quick_byte(r, r->at);
        if ((c == '-' || c == '+') && !ret->chomping)
            ret->chomping = c;
        else if (c >= '1' && c <= '9' && !ret->increment)
            ret->increment = c - '0';
        else
            break;
        r->at++;
    }
    r->at = quick_skip_blanks(r, r->at);
    if (quick_byte(r, r->at) == '#')
        r->at = quick_skip_comment(r, r->at);
    if (r->at >= r->end)
        return true;
    if (!quick_is_break(*r->at))
        return quick_give_up(r);
    r->line = r->at = quick_skip_break(r->at);
    return true;
}

/* Over empty lines, to the first byte of a line that is not its indentation; `*indent` is found
 * where it is 0. `*ret_end` is behind the last line end. */
static bool skip_empty_lines(quick_reader *r, ptrdiff_t *indent, ptrdiff_t smallest,
                             size_t *ret_breaks, const char **ret_end)
{
    ptrdiff_t widest = 0;
    *ret_breaks = 0;
    *ret_end = r->at;
    for (;;) {
        while (quick_byte(r, r->at) == ' ' && (*indent == 0 || r->at - r->line < *indent))
            r->at++;
        ptrdiff_t column = r->at - r->line;
        widest = column > widest ? column : widest;
        if (quick_byte(r, r->at) == '\t' && (*indent == 0 || column < *indent))
            return quick_give_up(r);
        if (!quick_is_break(quick_byte(r, r->at)))
            break;
        *ret_end = r->line = r->at = quick_skip_break(r->at);
        ++*ret_breaks;
    }
    if (*indent == 0)
        *indent = widest > smallest ? widest : smallest;
    return true;
}

/* The lines at `indent` or deeper. `breaks` counts the empty lines before the present one. */
static bool block_lines(quick_reader *r, const block_header *header, ptrdiff_t indent,
                        size_t breaks, const char **ret_end)
{
    bool after_line = false, after_blank = false;
    while (r->at - r->line == indent && r->at < r->end) {
        bool blank = quick_is_blank(*r->at);
        bool joined = header->folded && after_line && !after_blank && !blank;
        if (joined ? breaks == 0 && !bake_quick_append(r, " ", 1)
                   : after_line && !bake_quick_append(r, "\n", 1))
            return false;
        if (!bake_quick_append_breaks(r, breaks))
            return false;
        after_blank = blank;
        const char *end = quick_skip_comment(r, r->at);
        if (!bake_quick_append(r, r->at, (size_t)(end - r->at)))
            return false;
        after_line = end < r->end;
        r->line = r->at = after_line ? quick_skip_break(end) : end;
        if (!skip_empty_lines(r, &indent, indent, &breaks, ret_end))
            return false;
    }
    return (header->chomping == '-' || !after_line || bake_quick_append(r, "\n", 1)) &&
           (header->chomping != '+' || bake_quick_append_breaks(r, breaks));
}

bool bake_quick_block_scalar(quick_reader *r, ptrdiff_t indent, quick_scalar *ret)
{
    const char *begin = r->at, *end;
    block_header header;
    size_t breaks;
    ptrdiff_t smallest = indent + 1 > 1 ? indent + 1 : 1;
    r->length = 0;
    if (!read_header(r, &header))
        return false;
    ptrdiff_t own = header.increment ? (indent > 0 ? indent : 0) + header.increment : 0;
    if (!skip_empty_lines(r, &own, smallest, &breaks, &end) ||
        !block_lines(r, &header, own, breaks, &end))
        return false;
    if (r->at < r->end)
        r->at = r->line;
    bake_quick_finish(r, begin, BAKE_FORM_COPIED, ret);
    ret->scalar.end = quick_place(r, end);
    ret->one_line = false;
    return true;
}
