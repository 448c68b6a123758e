/* Structs that are not written as a mapping of their fields: what a node is, and who reads it. */
#include "value_compose.h"

#include "ascii.h"
#include "node_words.h"
#include "value_scalar.h"

#include <string.h>

/* A text that begins like a number is none of a colour. */
static bool is_colour(const bake_values *b, bake_node_id node, uint32_t forms)
{
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    if (!(forms & BAKE_COLOUR))
        return false;
    if (!(forms & BAKE_TUPLE_TEXT) || length == 0)
        return true;
    return text[0] == '#' || bake_is_alphabetic(text[0]);
}

/* Whether the node has a tag that is for the field which is written alone. */
static bool has_own_tag(const bake_values *b, bake_node_id node)
{
    const char *tag = bake_node_tag(b->tree, node);
    return tag && !bake_core_tag(tag) && !bake_value_tag_is_taken(b, node);
}

value_form bake_value_form(const bake_values *b, bake_node_id node, uint32_t type)
{
    const bake_type_info *info = &b->schema->info[type];
    uint32_t forms = info->forms;
    if (forms == 0 || bake_node_is_placeholder(b->tree, node))
        return FORM_NONE;
    bool is_short = (forms & BAKE_SHORT) != 0;
    switch (bake_node_kind_of(b->tree, node)) {
    case BAKE_NODE_SEQUENCE:
        return forms & BAKE_TUPLE ? FORM_TUPLE : is_short ? FORM_SHORT : FORM_NONE;
    case BAKE_NODE_SCALAR:
        if (bake_value_is_null(b, node) &&
            !(is_short &&
              bake_type_has_empty(b->types, value_type(b, type)->members[info->short_field].type)))
            return FORM_NONE;
        if (is_colour(b, node, forms))
            return FORM_COLOUR;
        return forms & BAKE_TUPLE_TEXT ? FORM_TUPLE_TEXT : is_short ? FORM_SHORT : FORM_NONE;
    default:
        return is_short && has_own_tag(b, node) ? FORM_SHORT : FORM_NONE;
    }
}

static void bake_short(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                       const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    const bake_type_info *info = &b->schema->info[type];
    bake_value_written(b, node, type, info->short_field, dst, step);
    for (uint32_t m = 0; m < of->member_count && !b->stopped; m++)
        if (m != info->short_field && m != info->rest)
            bake_value_missing(b, node, type, m, (unsigned char *)dst + of->members[m].offset,
                               step);
}

void bake_value_formed(bake_values *b, bake_node_id node, value_form form, size_t given,
                       uint32_t type, void *dst, const value_step *step)
{
    switch (form) {
    case FORM_TUPLE:
        bake_value_tuple(b, node, type, dst, step);
        break;
    case FORM_TUPLE_TEXT:
        bake_value_tuple_text(b, node, given, type, dst, step);
        break;
    case FORM_COLOUR:
        bake_value_colour(b, node, given, type, dst, step);
        break;
    case FORM_SHORT:
        bake_short(b, node, type, dst, step);
        break;
    case FORM_NONE:
        break;
    }
}
