/* Flow collections, over any number of lines. */
#include "tree_quick.h"

static bool flow_node(quick_reader *r);

/* To the next token. */
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

/* Whether the colon of a key comes next, the key having begun at `begin` on this line. */
static bool is_key(quick_reader *r, const char *begin, bool one_line)
{
    const char *at = quick_skip_blanks(r, r->at);
    if (!one_line || quick_byte(r, at) != ':' || at - begin > QUICK_KEY_MAX)
        return false;
    r->at = at;
    return true;
}

/* The value behind the colon of a key. */
static bool flow_value(quick_reader *r)
{
    static const bake_properties none = {0};
    r->at++;
    if (!skip_space(r))
        return false;
    char c = *r->at;
    return c == ',' || c == '}' || c == ']' ? quick_add_empty(r, &none, r->at) : flow_node(r);
}

static bool begins_properties(const quick_reader *r)
{
    char c = quick_byte(r, r->at);
    return c == '&' || c == '!';
}

/* Properties of a node, and the way to it; `*ret_empty` where none follows. */
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

/* One node; in a sequence it may be the key of a mapping of one entry. */
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
        return bake_quick_flow(r, &properties);
    if (!bake_quick_scalar(r, true, r->indent, &scalar))
        return false;
    if (!in_sequence || !is_key(r, begin, scalar.one_line))
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

/* A key with its value; without a colon the value is nothing. */
static bool flow_pair(quick_reader *r)
{
    static const bake_properties none = {0};
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
    if (is_key(r, begin, scalar.one_line))
        return flow_value(r);
    return skip_space(r) && (*r->at == ',' || *r->at == '}' || quick_give_up(r)) &&
           quick_add_empty(r, &none, r->at);
}

bool bake_quick_flow(quick_reader *r, const bake_properties *properties)
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
