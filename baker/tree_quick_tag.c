/* What stands before a node: an anchor, a tag, or both. */
#include "tree_quick.h"

static const char core[] = "tag:yaml.org,2002:";

static bool is_tag_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-_.:/=+", c));
}

/* `!a`, which stands for itself, `!!a`, and `!` alone. */
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
    if (!(quick_is_space(c) || (flow && c == ',')) || length + sizeof core > QUICK_TAG_MAX ||
        (is_core && length == 0))
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
