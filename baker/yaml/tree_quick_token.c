/* Tokens: plain and quoted scalars, names of anchors and aliases, tags, and the directives that
 * tags depend on.
 *
 * A scalar is copied only when an escape or a line break makes it differ from the source. Plain
 * scalars take most of the parsing time, so their bytes are skipped 16 at a time. */
#include "tree_quick.h"

#include "ascii.h"
#include "bake_memory.h"
#include "utf8.h"

#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#endif

bool bake_quick_append(quick_reader *r, const char *text, size_t length)
{
    char *grown = bake_grow(r->buffer, &r->capacity, r->length + length + 1, 1);
    if (!grown)
        return quick_build(r, BAKE_BUILD_NO_MEMORY);
    r->buffer = grown;
    if (length)
        memcpy(grown + r->length, text, length);
    r->length += length;
    return true;
}

bool bake_quick_append_breaks(quick_reader *r, size_t count)
{
    while (count > 0) {
        size_t part = count < 8 ? count : 8;
        if (!bake_quick_append(r, "\n\n\n\n\n\n\n\n", part))
            return false;
        count -= part;
    }
    return true;
}

/* Folds line breaks: a single one becomes a space, and each empty line becomes a newline. */
static bool append_fold(quick_reader *r, size_t breaks)
{
    return breaks == 1 ? bake_quick_append(r, " ", 1) : bake_quick_append_breaks(r, breaks - 1);
}

void bake_quick_finish(quick_reader *r, const char *begin, bake_form form, quick_scalar *ret)
{
    bake_scalar *s = &ret->scalar;
    s->form = form;
    s->place = quick_place(r, begin);
    s->end = quick_place(r, r->at);
    ret->is_alias = false;
    if (form >= BAKE_FORM_COPIED) {
        s->text = r->buffer ? r->buffer : "";
        s->length = r->length;
    } else {
        size_t quote = form == BAKE_FORM_QUOTED;
        s->text = begin + quote;
        s->length = (size_t)(r->at - begin) - 2 * quote;
    }
}

/* The bytes that may end a plain scalar or a line of it. */
enum { ENDS_BLOCK = 1, ENDS_FLOW = 2 };
static const unsigned char plain_ends[256] = {
    [0] = 3,   [' '] = 3, ['\t'] = 3, ['\n'] = 3, ['\r'] = 3, [':'] = 3,
    [','] = 2, ['['] = 2, [']'] = 2,  ['{'] = 2,  ['}'] = 2,
};

/* Skips bytes that cannot end a plain scalar, in block context 16 at a time. */
static const char *skip_plain(const quick_reader *r, const char *at, bool flow)
{
    unsigned char ends = flow ? ENDS_FLOW : ENDS_BLOCK;
#if defined(__SSE2__) && defined(__GNUC__)
    const __m128i space = _mm_set1_epi8(' '), colon = _mm_set1_epi8(':');
    while (!flow && r->end - at >= (ptrdiff_t)sizeof(__m128i)) {
        __m128i bytes;
        memcpy(&bytes, at, sizeof bytes);
        /* Stop at every byte up to the space. Such bytes are blanks and line breaks, because
         * is_usual_text rejects other control characters. */
        __m128i found = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes),
                                     _mm_cmpeq_epi8(bytes, colon));
        int mask = _mm_movemask_epi8(found);
        if (mask)
            return at + __builtin_ctz((unsigned)mask);
        at += sizeof bytes;
    }
#endif
    while (at < r->end && !(plain_ends[(unsigned char)*at] & ends))
        at++;
    return at;
}

/* The end of the part of a plain scalar on this line, from `at` on; NULL if the reader gives up. */
static const char *plain_line(quick_reader *r, const char *at, bool flow)
{
    for (;;) {
        at = skip_plain(r, at, flow);
        char c = quick_byte(r, at), next = quick_byte(r, at + 1);
        if (c == ':') {
            if (flow && next && strchr(",?[]{}", next)) {
                quick_give_up(r);
                return NULL;
            }
            if (quick_is_space(next))
                return at;
            at++;
        } else if (quick_is_blank(c)) {
            const char *after = quick_skip_blanks(r, at);
            next = quick_byte(r, after);
            if (quick_is_break(next) || next == '\0' || next == '#' ||
                (next == ':' && quick_is_space(quick_byte(r, after + 1))) ||
                (flow && plain_ends[(unsigned char)next] == ENDS_FLOW))
                return at;
            at = after;
        } else {
            return at;
        }
    }
}

/* The position at which the scalar continues after the line break at `at`, `*ret_breaks` lines
 * later; NULL if it ends or the reader gives up. */
static const char *next_part(quick_reader *r, const char *at, bool flow, ptrdiff_t indent,
                             size_t *ret_breaks)
{
    *ret_breaks = 0;
    const char *line = at;
    while (quick_is_break(quick_byte(r, at))) {
        line = at = quick_skip_break(at);
        ++*ret_breaks;
        while (at < r->end && *at == ' ')
            at++;
        if (quick_byte(r, at) == '\t') {
            if (!flow || at - line <= indent) {
                quick_give_up(r);
                return NULL;
            }
            at = quick_skip_blanks(r, at);
        }
    }
    char c = quick_byte(r, at);
    if (c == '\0' || c == '#' || (!flow && at - line <= indent) ||
        (at == line && quick_is_marker(r, at)))
        return NULL;
    r->line = line;
    return at;
}

static bool read_plain(quick_reader *r, bool flow, ptrdiff_t indent, quick_scalar *ret)
{
    const char *begin = r->at, *part = begin, *line = r->line;
    size_t breaks = 0;
    ret->one_line = true;
    for (;;) {
        const char *end = plain_line(r, part, flow);
        if (!end)
            return false;
        if (end == part) {
            /* The text after the line break does not belong to the scalar. */
            r->line = line;
            break;
        }
        if (part != begin && ret->one_line) {
            r->length = 0;
            ret->one_line = false;
            if (!bake_quick_append(r, begin, (size_t)(r->at - begin)))
                return false;
        }
        if (part != begin &&
            (!append_fold(r, breaks) || !bake_quick_append(r, part, (size_t)(end - part))))
            return false;
        r->at = end;
        line = r->line;
        part = quick_skip_blanks(r, end);
        if (!quick_is_break(quick_byte(r, part)))
            break;
        part = next_part(r, part, flow, indent, &breaks);
        if (!part)
            break;
    }
    bake_quick_finish(r, begin, ret->one_line ? BAKE_FORM_PLAIN : BAKE_FORM_FOLDED, ret);
    return r->result == BAKE_BUILD_OK;
}

static bool append_code_point(quick_reader *r, uint32_t c)
{
    char bytes[4];
    return bake_quick_append(r, bytes, utf8_encode(c, bytes));
}

static bool append_digits(quick_reader *r, size_t count)
{
    uint32_t c = 0;
    if ((size_t)(r->end - r->at) < count)
        return quick_give_up(r);
    for (; count > 0; count--, r->at++) {
        uint32_t value = bake_hex_digit(*r->at);
        if (value == 16)
            return quick_give_up(r);
        c = c << 4 | value;
    }
    if ((c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
        return quick_give_up(r);
    return append_code_point(r, c);
}

/* Appends the escape at r->at. An escaped line break is handled in quoted_rest. */
static bool append_escape(quick_reader *r)
{
    static const char letters[] = "0abtnvfre \"/\\";
    static const char bytes[] = "\0\a\b\t\n\v\f\r\x1b \"/\\";
    char c = quick_byte(r, r->at + 1);
    const char *letter = c ? strchr(letters, c) : NULL;
    r->at += 2;
    if (letter)
        return bake_quick_append(r, &bytes[letter - letters], 1);
    switch (c) {
    case 'N':
        return append_code_point(r, 0x85);
    case '_':
        return append_code_point(r, 0xa0);
    case 'L':
        return append_code_point(r, 0x2028);
    case 'P':
        return append_code_point(r, 0x2029);
    case 'x':
        return append_digits(r, 2);
    case 'u':
        return append_digits(r, 4);
    case 'U':
        return append_digits(r, 8);
    default:
        return quick_give_up(r);
    }
}

/* Appends blanks and line breaks inside quotes. `escaped`: a backslash precedes the first line
 * break. */
static bool append_spaces(quick_reader *r, bool escaped)
{
    const char *begin = r->at;
    size_t breaks = 0;
    r->at = quick_skip_blanks(r, begin);
    const char *blanks_end = r->at;
    while (quick_is_break(quick_byte(r, r->at))) {
        r->line = r->at = quick_skip_break(r->at);
        breaks++;
        if (quick_is_marker(r, r->at))
            return quick_give_up(r);
        r->at = quick_skip_blanks(r, r->at);
    }
    if (escaped)
        return bake_quick_append_breaks(r, breaks - 1);
    return breaks ? append_fold(r, breaks)
                  : bake_quick_append(r, begin, (size_t)(blanks_end - begin));
}

/* Appends the rest of a quoted scalar, whose bytes differ from the source, to the buffer. */
static bool quoted_rest(quick_reader *r, char quote)
{
    for (;;) {
        char c = quick_byte(r, r->at);
        if (c == '\0')
            return quick_give_up(r);
        bool ok = true;
        if (c == quote && quote == '\'' && quick_byte(r, r->at + 1) == '\'') {
            ok = bake_quick_append(r, "'", 1);
            r->at += 2;
        } else if (c == quote) {
            r->at++;
            return true;
        } else if (c == '\\' && quote == '"') {
            bool broken = quick_is_break(quick_byte(r, r->at + 1));
            r->at += broken;
            ok = broken ? append_spaces(r, true) : append_escape(r);
        } else if (quick_is_blank(c) || quick_is_break(c)) {
            ok = append_spaces(r, false);
        } else {
            const char *begin = r->at;
            while (r->at < r->end && *r->at != quote && *r->at != '\\' && !quick_is_space(*r->at))
                r->at++;
            if (r->at == begin)
                r->at++; /* a backslash between single quotes */
            ok = bake_quick_append(r, begin, (size_t)(r->at - begin));
        }
        if (!ok)
            return false;
    }
}

static bool read_quoted(quick_reader *r, quick_scalar *ret)
{
    const char *begin = r->at, *line = r->line, *at = begin + 1;
    char quote = *begin;
    while (at < r->end && *at != quote && *at != '\n' && *at != '\r' &&
           !(*at == '\\' && quote == '"'))
        at++;
    ret->one_line = true;
    if (quick_byte(r, at) == quote && !(quote == '\'' && quick_byte(r, at + 1) == quote)) {
        r->at = at + 1;
        bake_quick_finish(r, begin, BAKE_FORM_QUOTED, ret);
        return true;
    }
    /* Go back to the start of the trailing blanks, which are dropped if a line break follows. */
    while (quick_is_blank(at[-1]))
        at--;
    r->length = 0;
    if (!bake_quick_append(r, begin + 1, (size_t)(at - begin - 1)))
        return false;
    r->at = at;
    if (!quoted_rest(r, quote))
        return false;
    ret->one_line = r->line == line;
    bake_quick_finish(r, begin, BAKE_FORM_COPIED, ret);
    return true;
}

static bool read_name(quick_reader *r, const char **ret_name, size_t *ret_length)
{
    const char *begin = ++r->at;
    while (r->at < r->end) {
        if (!bake_is_word(*r->at) && *r->at != '-')
            break;
        r->at++;
    }
    *ret_name = begin;
    *ret_length = (size_t)(r->at - begin);
    char c = quick_byte(r, r->at);
    return (*ret_length > 0 && (quick_is_space(c) || strchr(":,]}", c))) || quick_give_up(r);
}

bool bake_quick_scalar(quick_reader *r, bool flow, ptrdiff_t indent, quick_scalar *ret)
{
    const char *begin = r->at;
    char c = quick_byte(r, begin);
    if (c == '"' || c == '\'')
        return read_quoted(r, ret);
    if (c != '*')
        return quick_begins_plain(r, begin, flow) ? read_plain(r, flow, indent, ret)
                                                  : quick_give_up(r);
    if (!read_name(r, &ret->scalar.text, &ret->scalar.length))
        return false;
    ret->is_alias = ret->one_line = true;
    ret->scalar.place = quick_place(r, begin);
    ret->scalar.end = quick_place(r, r->at);
    return true;
}

/* ---- anchors and tags before a node, and directives ---- */

static const char core[] = "tag:yaml.org,2002:";

static bool is_tag_byte(char c)
{
    return bake_is_word(c) || (c != '\0' && strchr("-.:/=+", c));
}

static bool ends_tag(char c, bool flow)
{
    return quick_is_space(c) || (flow && c == ',');
}

/* Reads the rest of `!a!b`, with r->at at the second `!`. */
static bool read_handle_tag(quick_reader *r, bool flow, bake_properties *ret, const char *begin,
                            char buffer[QUICK_TAG_MAX])
{
    size_t handle_length = (size_t)(++r->at - begin);
    const quick_handle *handle = NULL;
    for (unsigned i = 0; i < r->handle_count; i++)
        if (r->handles[i].handle_length == handle_length &&
            memcmp(r->handles[i].handle, begin, handle_length) == 0)
            handle = &r->handles[i];
    const char *word = r->at;
    while (is_tag_byte(quick_byte(r, r->at)))
        r->at++;
    size_t length = (size_t)(r->at - word);
    if (!handle || length == 0 || !ends_tag(quick_byte(r, r->at), flow) ||
        handle->prefix_length + length >= QUICK_TAG_MAX)
        return quick_give_up(r);
    memcpy(buffer, handle->prefix, handle->prefix_length);
    memcpy(buffer + handle->prefix_length, word, length);
    ret->tag = buffer;
    ret->tag_length = handle->prefix_length + length;
    return true;
}

/* Reads a tag: `!a`, `!!a`, `!a!b` or `!`. Only `!!a` and `!a!b` are expanded. */
static bool read_tag(quick_reader *r, bool flow, bake_properties *ret, char buffer[QUICK_TAG_MAX])
{
    const char *begin = r->at++;
    bool is_core = quick_byte(r, r->at) == '!';
    r->at += is_core;
    const char *word = r->at;
    while (is_tag_byte(quick_byte(r, r->at)))
        r->at++;
    size_t length = (size_t)(r->at - word);
    char c = quick_byte(r, r->at);
    if (c == '!' && !is_core && length > 0)
        return read_handle_tag(r, flow, ret, begin, buffer);
    if (!ends_tag(c, flow) || length + sizeof core > QUICK_TAG_MAX || (is_core && length == 0))
        return quick_give_up(r);
    ret->tag = begin;
    ret->tag_length = 1 + length;
    if (!is_core)
        return true;
    memcpy(buffer, core, sizeof core - 1);
    memcpy(buffer + sizeof core - 1, word, length);
    ret->tag = buffer;
    ret->tag_length = sizeof core - 1 + length;
    return true;
}

bool bake_quick_properties(quick_reader *r, bool flow, bake_properties *ret,
                           char buffer[QUICK_TAG_MAX])
{
    memset(ret, 0, sizeof *ret);
    ret->place = quick_place(r, r->at);
    for (;;) {
        char c = quick_byte(r, r->at);
        if (c == '&' && !ret->anchor) {
            if (!read_name(r, &ret->anchor, &ret->anchor_length) || quick_byte(r, r->at) == ':')
                return quick_give_up(r);
        } else if (c == '!' && !ret->tag) {
            if (!read_tag(r, flow, ret, buffer))
                return false;
        } else {
            return c != '&' && c != '!' ? true : quick_give_up(r);
        }
        /* Leave r->at at the start of the trailing blanks: the position of an empty node is
         * directly after its properties. */
        const char *after = quick_skip_blanks(r, r->at);
        c = quick_byte(r, after);
        if (c != '&' && c != '!')
            return true;
        r->at = after;
    }
}

static bool is_handle_byte(char c)
{
    return bake_is_word(c) || c == '-';
}

/* Reads `!a! prefix` at r->at, up to the end of the line. */
static bool read_handle(quick_reader *r)
{
    quick_handle *handle = &r->handles[r->handle_count];
    handle->handle = r->at;
    if (r->handle_count == QUICK_HANDLES_MAX || quick_byte(r, r->at++) != '!')
        return quick_give_up(r);
    while (is_handle_byte(quick_byte(r, r->at)))
        r->at++;
    if (r->at - handle->handle < 2 || quick_byte(r, r->at++) != '!')
        return quick_give_up(r);
    handle->handle_length = (size_t)(r->at - handle->handle);
    for (unsigned i = 0; i < r->handle_count; i++)
        if (r->handles[i].handle_length == handle->handle_length &&
            memcmp(r->handles[i].handle, handle->handle, handle->handle_length) == 0)
            return quick_give_up(r);
    const char *blank = r->at;
    handle->prefix = r->at = quick_skip_blanks(r, r->at);
    while (is_tag_byte(quick_byte(r, r->at)) || quick_byte(r, r->at) == ',')
        r->at++;
    handle->prefix_length = (size_t)(r->at - handle->prefix);
    r->handle_count++;
    return (handle->prefix > blank && handle->prefix_length > 0 &&
            quick_is_break(quick_byte(r, r->at))) ||
           quick_give_up(r);
}

static bool is_version(const quick_reader *r)
{
    return r->end - r->at > 9 && memcmp(r->at, "%YAML 1.", 8) == 0 &&
           (r->at[8] == '1' || r->at[8] == '2') && quick_is_break(r->at[9]);
}

bool bake_quick_directives(quick_reader *r)
{
    const char *end = r->b->directives.text + r->b->directives.size;
    bool has_version = false;
    for (r->at = r->b->directives.text; r->at < end; r->at = quick_skip_break(r->at)) {
        if (!has_version && is_version(r)) {
            r->at += 9;
            has_version = true;
        } else if (r->end - r->at > 5 && memcmp(r->at, "%TAG ", 5) == 0) {
            r->at += 5;
            if (!read_handle(r))
                return false;
        } else if (*r->at == '#') {
            r->at = quick_skip_comment(r, r->at);
        } else if (!quick_is_break(*r->at)) {
            return quick_give_up(r);
        }
    }
    for (const char *at = end; at < r->end; at = quick_skip_comment(r, at), at += at < r->end)
        if (*at == '%')
            return quick_give_up(r);
    r->at = end;
    return true;
}
