/* Structs that are not written as a mapping of their fields: what a node is, and who reads it. */
#include "value_baker.h"

#include <stdio.h>
#include <string.h>

value_form bake_value_form(const bake_values *b, bake_node_id node, uint32_t type)
{
    uint32_t forms = b->schema->info[type].forms;
    if (forms == 0)
        return FORM_NONE;
    switch (bake_node_kind_of(b->tree, node)) {
    case BAKE_NODE_SEQUENCE:
        return forms & BAKE_TUPLE ? FORM_TUPLE : FORM_NONE;
    case BAKE_NODE_SCALAR:
        if (bake_value_is_null(b, node) || bake_node_is_placeholder(b->tree, node))
            return FORM_NONE;
        return forms & BAKE_TUPLE_TEXT ? FORM_TUPLE_TEXT : FORM_NONE;
    default:
        return FORM_NONE;
    }
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
    char ways[3][100];
    size_t count = 0;
    kiln_type_expression(b->types, type, out, size);
    if (of->kind != KILN_KIND_STRUCT || forms == 0)
        return;
    if (forms & BAKE_TUPLE)
        snprintf(ways[count++], sizeof *ways, "a list of %u", of->member_count);
    if (forms & BAKE_TUPLE_TEXT) {
        char names[72];
        put_names(of, names, sizeof names);
        snprintf(ways[count++], sizeof *ways, "a text \"%s\"", names);
    }
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
