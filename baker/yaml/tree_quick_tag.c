/* What stands before a node: an anchor, a tag, or both; and the directives that tags rely on. */
#include "tree_quick.h"

#include "ascii.h"

static const char core[] = "tag:yaml.org,2002:";

static bool is_tag_byte(char c)
{
    return bake_is_word(c) || (c != '\0' && strchr("-.:/=+", c));
}

static bool ends_tag(char c, bool flow)
{
    return quick_is_space(c) || (flow && c == ',');
}

/* The rest of `!a!b`, whose second `!` is at r->at. */
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

/* `!a`, which stands for itself, `!!a`, `!a!b`, and `!` alone. */
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
            if (!bake_quick_name(r, &ret->anchor, &ret->anchor_length) ||
                quick_byte(r, r->at) == ':')
                return quick_give_up(r);
        } else if (c == '!' && !ret->tag) {
            if (!read_tag(r, flow, ret, buffer))
                return false;
        } else {
            return c != '&' && c != '!' ? true : quick_give_up(r);
        }
        /* Blanks that are no part of an empty node. */
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

/* `!a! prefix` at r->at, to the end of the line. */
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
