/* A recursive descent parser driven by columns. Functions return false if the reader gives up or
 * memory runs out; r->result distinguishes the two. `column` is the only state between lines: a
 * node ends where the next content is not indented deeper than its parent. */
#include "tree_quick.h"

#include "bake_memory.h"
#include "excerpt.h"
#include "utf8.h"

static const bake_properties no_properties;

/* Whether libyaml reads a character unchanged: printable UTF-8, tab, LF and CR LF. */
static bool is_usual_byte(const char *at, const char *end, size_t *ret_width)
{
    unsigned char c = (unsigned char)*at;
    uint32_t code_point;
    *ret_width = 1;
    if (c < 0x80)
        return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' ||
               (c == '\r' && at + 1 < end && at[1] == '\n');
    *ret_width = utf8_decode(at, (size_t)(end - at), &code_point);
    return *ret_width > 0 && code_point >= 0xa0 && code_point != 0x2028 && code_point != 0x2029 &&
           code_point != 0xfeff && code_point != 0xfffe && code_point != 0xffff;
}

static bool is_usual_text(const char *text, const char *end)
{
    enum { PART = 64 };
    while (text < end) {
        size_t width, count = end - text < PART ? (size_t)(end - text) : PART;
        unsigned char odd = count < PART;
        if (count == PART)
            for (size_t i = 0; i < PART; i++) {
                /* One comparison finds control characters, DEL and non-ASCII bytes. */
                unsigned char c = (unsigned char)text[i];
                odd |= (unsigned char)((unsigned char)(c - 0x20) >= 0x5f) & (c != '\n');
            }
        const char *part_end = text + count;
        if (!odd)
            text = part_end;
        for (; text < part_end; text += width)
            if (!is_usual_byte(text, end, &width))
                return false;
    }
    return true;
}

static bool begins_properties(const quick_reader *r)
{
    char c = quick_byte(r, r->at);
    return c == '&' || c == '!';
}

/* ---- block scalars, after `|` or `>` ---- */

/* The indicators after `|` or `>`. */
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

/* Skips empty lines and the indentation of the next line. If `*indent` is 0, sets it to the largest
 * indentation of these lines, but at least to `smallest`. `*ret_breaks` is the number of skipped
 * line breaks, `*ret_end` the position after the last one. */
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

/* Reads the lines at `indent` or deeper. `breaks` is the number of empty lines before the current
 * one. */
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

static bool read_block_scalar(quick_reader *r, ptrdiff_t indent, quick_scalar *ret)
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

/* ---- flow collections, over any number of lines ---- */

static bool read_flow(quick_reader *r, const bake_properties *properties);
static bool flow_node(quick_reader *r);

/* Skips whitespace, line breaks and comments up to the next token. */
static bool skip_space(quick_reader *r)
{
    for (;;) {
        const char *at = quick_skip_blanks(r, r->at);
        if (quick_byte(r, at) == '#')
            at = quick_skip_comment(r, at);
        r->at = at;
        if (at >= r->end)
            return quick_give_up(r);
        if (!quick_is_break(*at))
            return true;
        r->line = r->at = quick_skip_break(at);
        if (quick_is_marker(r, r->at))
            return quick_give_up(r);
    }
}

/* If a colon on the same line follows the scalar that begins at `begin`, the scalar is a key: moves
 * to the colon and returns true. */
static bool is_flow_key(quick_reader *r, const char *begin, bool one_line)
{
    const char *at = quick_skip_blanks(r, r->at);
    if (!one_line || quick_byte(r, at) != ':' || at - begin > QUICK_KEY_MAX)
        return false;
    r->at = at;
    return true;
}

/* Reads the value after the colon of a key. */
static bool flow_value(quick_reader *r)
{
    r->at++;
    if (!skip_space(r))
        return false;
    char c = *r->at;
    return c == ',' || c == '}' || c == ']' ? quick_add_empty(r, &no_properties, r->at)
                                            : flow_node(r);
}

/* Reads properties and moves to the node. If no node follows, adds an empty one and sets
 * `*ret_empty`. */
static bool read_properties(quick_reader *r, bake_properties *ret, char buffer[QUICK_TAG_MAX],
                            bool *ret_empty)
{
    *ret_empty = false;
    memset(ret, 0, sizeof *ret);
    ret->place = quick_place(r, r->at);
    if (!begins_properties(r))
        return true;
    if (!bake_quick_properties(r, true, ret, buffer))
        return false;
    const char *end = r->at, *line = r->line;
    if (!skip_space(r) || r->line != line)
        return quick_give_up(r);
    if (*r->at != ',' && *r->at != ']' && *r->at != '}')
        return true;
    *ret_empty = true;
    return quick_add_empty(r, ret, end);
}

/* Reads one node. In a sequence, it may be the key of a mapping with one entry. */
static bool flow_entry(quick_reader *r, bool in_sequence)
{
    char buffer[QUICK_TAG_MAX];
    bake_properties properties;
    quick_scalar scalar;
    bool empty;
    const char *begin = r->at;
    if (!read_properties(r, &properties, buffer, &empty) || empty)
        return r->result == BAKE_BUILD_OK;
    if (*r->at == '[' || *r->at == '{')
        return read_flow(r, &properties);
    if (!bake_quick_scalar(r, true, r->indent, &scalar))
        return false;
    if (!in_sequence || !is_flow_key(r, begin, scalar.one_line))
        return quick_add(r, &properties, &scalar);
    bake_properties pair = {.place = properties.place};
    return quick_build(r, bake_builder_open(r->b, BAKE_NODE_MAPPING, &pair)) &&
           quick_add(r, &properties, &scalar) && flow_value(r) &&
           quick_build(r, bake_builder_close(r->b));
}

static bool flow_node(quick_reader *r)
{
    return flow_entry(r, false);
}

/* Reads a key and its value; without a colon the value is empty. */
static bool flow_pair(quick_reader *r)
{
    char buffer[QUICK_TAG_MAX];
    bake_properties properties;
    quick_scalar scalar;
    bool empty;
    const char *begin = r->at;
    if (!read_properties(r, &properties, buffer, &empty))
        return false;
    if (empty)
        return quick_give_up(r);
    if (!bake_quick_scalar(r, true, r->indent, &scalar) || !quick_add(r, &properties, &scalar))
        return false;
    if (is_flow_key(r, begin, scalar.one_line))
        return flow_value(r);
    return skip_space(r) && (*r->at == ',' || *r->at == '}' || quick_give_up(r)) &&
           quick_add_empty(r, &no_properties, r->at);
}

static bool read_flow(quick_reader *r, const bake_properties *properties)
{
    bool in_sequence = *r->at == '[';
    char close = in_sequence ? ']' : '}';
    bake_properties own = *properties;
    if (!own.anchor && !own.tag)
        own.place = quick_place(r, r->at);
    r->at++;
    if (!quick_build(
            r, bake_builder_open(r->b, in_sequence ? BAKE_NODE_SEQUENCE : BAKE_NODE_MAPPING, &own)))
        return false;
    while (skip_space(r) && *r->at != close) {
        if (!(in_sequence ? flow_entry(r, true) : flow_pair(r)) || !skip_space(r))
            return false;
        if (*r->at == close)
            break;
        if (*r->at != ',')
            return quick_give_up(r);
        r->at++;
    }
    if (r->result != BAKE_BUILD_OK)
        return false;
    r->at++;
    return quick_build(r, bake_builder_close(r->b));
}

/* ---- block collections, and documents ---- */

/* Moves from the start of a line to the content of this line or a later one. */
static bool find_line(quick_reader *r)
{
    for (;;) {
        const char *at = r->line = r->at;
        while (at < r->end && *at == ' ')
            at++;
        r->column = at - r->line;
        if (quick_byte(r, at) == '\t')
            return quick_give_up(r);
        if (quick_byte(r, at) == '#')
            at = quick_skip_comment(r, at);
        r->at = at;
        if (at >= r->end || (r->column == 0 && (quick_is_marker(r, at) || *at == '%'))) {
            r->column = -1;
            return true;
        }
        if (!quick_is_break(*at))
            return true;
        r->at = quick_skip_break(at);
    }
}

/* Whether the rest of the line from `at` on is empty or a comment. */
static bool is_line_end(const quick_reader *r, const char *at)
{
    char c = quick_byte(r, at);
    return c == '\0' || c == '#' || quick_is_break(c);
}

/* Moves from the last token of a line to the next content. Only a comment may follow the token. */
static bool next_line(quick_reader *r)
{
    const char *at = quick_skip_blanks(r, r->at);
    if (!is_line_end(r, at))
        return quick_give_up(r);
    if (quick_byte(r, at) == '#')
        at = quick_skip_comment(r, at);
    r->at = at < r->end ? quick_skip_break(at) : at;
    return find_line(r);
}

/* Whether the `-` of a sequence entry is at r->at. */
static bool is_entry(const quick_reader *r)
{
    return quick_byte(r, r->at) == '-' && quick_is_space(quick_byte(r, r->at + 1));
}

static bool is_key(const quick_reader *r, const char *begin, const quick_scalar *scalar)
{
    const char *at = quick_skip_blanks(r, r->at);
    return scalar->one_line && quick_byte(r, at) == ':' && quick_is_space(quick_byte(r, at + 1)) &&
           at - begin <= QUICK_KEY_MAX;
}

static bool is_set(const bake_properties *properties)
{
    return properties->anchor || properties->tag;
}

static bool block_node(quick_reader *r, ptrdiff_t indent, bool fresh, bool of_key);

/* Reads a sequence with entries at `column`. It is `indentless` if it is the value of a key in the
 * same column. */
static bool block_sequence(quick_reader *r, ptrdiff_t column, bool indentless,
                           const bake_properties *properties)
{
    bake_properties own = *properties;
    if (!is_set(&own))
        own.place = quick_place(r, r->at);
    if (!quick_build(r, bake_builder_open(r->b, BAKE_NODE_SEQUENCE, &own)))
        return false;
    do {
        const char *after = ++r->at;
        while (quick_byte(r, r->at) == ' ')
            r->at++;
        if (quick_byte(r, r->at) == '\t')
            return quick_give_up(r);
        bool later = is_line_end(r, r->at);
        if (later && !next_line(r))
            return false;
        bool empty = later && r->column <= column;
        if (!(empty ? quick_add_empty(r, &no_properties, after)
                    : block_node(r, column, true, false)))
            return false;
    } while (r->column == column && is_entry(r));
    if (r->column > column || (r->column == column && !indentless))
        return quick_give_up(r);
    return quick_build(r, bake_builder_close(r->b));
}

/* Reads the value after the colon at r->at, for a key of the mapping at `column`. */
static bool block_value(quick_reader *r, ptrdiff_t column)
{
    const char *after = ++r->at;
    r->at = quick_skip_blanks(r, after);
    if (!is_line_end(r, r->at))
        return block_node(r, column, false, true);
    if (!next_line(r))
        return false;
    if (r->column > column)
        return block_node(r, column, true, true);
    if (r->column == column && is_entry(r))
        return block_sequence(r, column, true, &no_properties);
    return quick_add_empty(r, &no_properties, after);
}

/* Reads the key at r->at and its value. */
static bool block_entry(quick_reader *r, ptrdiff_t column)
{
    char buffer[QUICK_TAG_MAX];
    bake_properties own = no_properties;
    quick_scalar key;
    const char *begin = r->at;
    if (begins_properties(r)) {
        if (!bake_quick_properties(r, false, &own, buffer))
            return false;
        r->at = quick_skip_blanks(r, r->at);
    }
    if (!bake_quick_scalar(r, false, column, &key))
        return false;
    if (!is_key(r, begin, &key))
        return quick_give_up(r);
    if (!quick_add(r, &own, &key))
        return false;
    r->at = quick_skip_blanks(r, r->at);
    return block_value(r, column);
}

/* Reads a mapping with keys at `column`; the first key has already been read. */
static bool block_mapping(quick_reader *r, ptrdiff_t column, const bake_properties *outer,
                          const bake_properties *own, const quick_scalar *first)
{
    bake_properties properties = *outer;
    if (!is_set(outer))
        properties.place = is_set(own) ? own->place : first->scalar.place;
    if (!quick_build(r, bake_builder_open(r->b, BAKE_NODE_MAPPING, &properties)) ||
        !quick_add(r, own, first))
        return false;
    r->at = quick_skip_blanks(r, r->at);
    if (!block_value(r, column))
        return false;
    while (r->column == column)
        if (!block_entry(r, column))
            return false;
    return r->column < column ? quick_build(r, bake_builder_close(r->b)) : quick_give_up(r);
}

/* Reads a node after its properties: `outer` ones are on an earlier line, `own` ones on this line
 * from `begin` on. A block collection may begin here only if `fresh`. */
static bool block_content(quick_reader *r, ptrdiff_t indent, bool fresh,
                          const bake_properties *outer, const bake_properties *own,
                          const char *begin)
{
    quick_scalar scalar;
    const bake_properties *properties = is_set(own) ? own : outer;
    bool both = is_set(own) && is_set(outer);
    char c = quick_byte(r, r->at);
    if (fresh && !is_set(own) && is_entry(r))
        return block_sequence(r, r->at - r->line, false, outer);
    if (c == '[' || c == '{') {
        r->indent = indent;
        return (!both || quick_give_up(r)) && read_flow(r, properties) && next_line(r);
    }
    if (c == '|' || c == '>')
        return (!both || quick_give_up(r)) && read_block_scalar(r, indent, &scalar) &&
               quick_add(r, properties, &scalar) && find_line(r);
    if (!bake_quick_scalar(r, false, indent, &scalar))
        return false;
    if (is_key(r, begin, &scalar))
        return fresh ? block_mapping(r, begin - r->line, outer, own, &scalar) : quick_give_up(r);
    return (!both || quick_give_up(r)) && quick_add(r, properties, &scalar) && next_line(r);
}

/* Reads the node at r->at, which is indented deeper than `indent`, and moves to the next content.
 * `of_key`: the node is the value of a key in the mapping at `indent`. */
static bool block_node(quick_reader *r, ptrdiff_t indent, bool fresh, bool of_key)
{
    char buffer[QUICK_TAG_MAX], other_buffer[QUICK_TAG_MAX];
    bake_properties outer = no_properties, own = no_properties;
    const char *begin = r->at;
    if (!begins_properties(r))
        return block_content(r, indent, fresh, &outer, &own, begin);
    if (!bake_quick_properties(r, false, &own, buffer))
        return false;
    const char *after = r->at;
    r->at = quick_skip_blanks(r, after);
    if (r->stripped && r->at == r->stripped)
        r->at = quick_skip_blanks(r, r->at + BAKE_STRIPPED_LENGTH);
    if (!is_line_end(r, r->at))
        return r->at > after ? block_content(r, indent, fresh, &outer, &own, begin)
                             : quick_give_up(r);
    outer = own;
    own = no_properties;
    if (!next_line(r))
        return false;
    if (of_key && r->column == indent && is_entry(r))
        return block_sequence(r, indent, true, &outer);
    if (r->column <= indent)
        return quick_add_empty(r, &outer, after);
    begin = r->at;
    if (begins_properties(r)) {
        if (!bake_quick_properties(r, false, &own, other_buffer))
            return false;
        r->at = quick_skip_blanks(r, r->at);
    }
    return block_content(r, indent, true, &outer, &own, begin);
}

/* Reads the document that begins at r->at. */
static bool document(quick_reader *r)
{
    bool fresh = r->column >= 0;
    if (!quick_build(r, bake_builder_document(r->b)))
        return false;
    if (!fresh) {
        r->stripped = r->b->directives.size ? bake_stripped_mark(r->at, r->end) : NULL;
        r->at = quick_skip_blanks(r, r->at + 3);
        if (is_line_end(r, r->at)) {
            if (!next_line(r))
                return false;
            if (r->column < 0)
                return true;
            fresh = true;
        }
    }
    return block_node(r, -1, fresh, false) && (r->column < 0 || quick_give_up(r));
}

static bool documents(quick_reader *r)
{
    if ((r->b->directives.size && !bake_quick_directives(r)) || !find_line(r))
        return false;
    for (bool first = true; r->at < r->end; first = false) {
        bool marked = r->column < 0;
        if (marked ? *r->at == '%' || (first && *r->at == '.') : !first)
            return quick_give_up(r);
        if (marked && *r->at == '.') {
            r->at += 3;
            if (!next_line(r))
                return false;
        } else if (!document(r)) {
            return false;
        }
    }
    return true;
}

bake_build bake_read_quick(bake_builder *b)
{
    const char *text = b->tree->source_text;
    size_t size = b->tree->source_size;
    size_t skipped = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    quick_reader r = {.b = b, .text = text, .at = text + skipped, .end = text + size};
    if (!is_usual_text(r.at, r.end))
        return BAKE_BUILD_STOPPED;
    documents(&r);
    bake_free(r.buffer);
    return r.result;
}
