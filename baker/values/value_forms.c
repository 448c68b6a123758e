/* Structs that are not written as a mapping of their fields: what a node is, and who reads it. */
#include "value_scalar.h"

#include "ascii.h"
#include "node_words.h"

#include <stdio.h>
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

bool bake_value_is_said(const bake_values *b, size_t said, uint32_t member)
{
    uint32_t head = UINT32_MAX;
    if (said != SIZE_MAX)
        memcpy(&head, b->scratch + said + member * sizeof head, sizeof head);
    return head != UINT32_MAX;
}

void bake_value_formed(bake_values *b, bake_node_id node, value_form form, size_t said,
                       uint32_t type, void *dst, const value_step *step)
{
    switch (form) {
    case FORM_TUPLE:
        bake_value_tuple(b, node, type, dst, step);
        break;
    case FORM_TUPLE_TEXT:
        bake_value_tuple_text(b, node, said, type, dst, step);
        break;
    case FORM_COLOUR:
        bake_value_colour(b, node, said, type, dst, step);
        break;
    case FORM_SHORT:
        bake_short(b, node, type, dst, step);
        break;
    case FORM_NONE:
        break;
    }
}

/* "x, y", as the fields of a struct follow one another in a text. */
static void put_names(const kiln_type *of, char *out, size_t size)
{
    size_t at = 0;
    for (uint32_t m = 0; m < of->member_count && at < size; m++) {
        int more = snprintf(out + at, size - at, "%s%s", m ? ", " : "", of->members[m].name);
        at += more > 0 ? (size_t)more : 0;
    }
    if (at >= size)
        snprintf(out, size, "...");
}

void bake_value_expected(const bake_values *b, uint32_t type, char *out, size_t size)
{
    const kiln_type *of = value_type(b, type);
    uint32_t forms = b->schema->info[type].forms;
    char ways[4][100];
    size_t count = 0;
    kiln_type_expression(b->types, value_shown_type(b, type), out, size);
    if (of->kind != KILN_KIND_STRUCT || forms == 0)
        return;
    if (forms & BAKE_TUPLE)
        snprintf(ways[count++], sizeof *ways, "a list of %u", of->member_count);
    if (forms & BAKE_TUPLE_TEXT) {
        char names[72];
        put_names(of, names, sizeof names);
        snprintf(ways[count++], sizeof *ways, "a text \"%s\"", names);
    }
    if (forms & BAKE_COLOUR)
        snprintf(ways[count++], sizeof *ways, "a colour as #RRGGBB or by name");
    if (forms & BAKE_SHORT)
        snprintf(ways[count++], sizeof *ways, "the value of %.70s alone",
                 of->members[b->schema->info[type].short_field].name);
    size_t at = strlen(out);
    for (size_t i = 0; i < count && at < size; i++) {
        int more = snprintf(out + at, size - at, "%s%s%s", i == 0 ? " (a mapping" : "",
                            i + 1 < count ? ", "
                            : i == 0      ? " or "
                                          : ", or ",
                            ways[i]);
        at += more > 0 ? (size_t)more : 0;
    }
    if (at < size)
        snprintf(out + at, size - at, ")");
}
