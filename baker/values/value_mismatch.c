/* Nodes that do not match their types: tag checks and reports.
 *
 * Descriptions of types and forms are only built for errors. All buffers have fixed sizes and
 * longer text is truncated, so no schema can make a report fail. */
#include "value_mismatch.h"

#include "bake_memory.h"
#include "node_words.h"
#include "similar.h"
#include "value_node.h"

#include <stdio.h>
#include <string.h>

/* Writes the fields of a struct in tuple order, such as "x, y". */
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

/* Describes how to write values of a type: its name and its other forms. */
static void describe(const bake_values *b, uint32_t type, char *out, size_t size)
{
    const kiln_type *of = value_type(b, type);
    uint32_t forms = b->schema->info[type].forms;
    char also[4][100];
    size_t count = 0;
    kiln_type_expression(b->types, value_shown_type(b, type), out, size);
    if (of->kind != KILN_KIND_STRUCT || forms == 0)
        return;
    if (forms & BAKE_TUPLE)
        snprintf(also[count++], sizeof *also, "a list of %u", of->member_count);
    if (forms & BAKE_TUPLE_TEXT) {
        char names[72];
        put_names(of, names, sizeof names);
        snprintf(also[count++], sizeof *also, "a string \"%s\"", names);
    }
    if (forms & BAKE_COLOUR)
        snprintf(also[count++], sizeof *also, "a colour as #RRGGBB or by name");
    if (forms & BAKE_SHORT)
        snprintf(also[count++], sizeof *also, "the value of %.70s alone",
                 of->members[b->schema->info[type].short_field].name);
    size_t at = strlen(out);
    for (size_t i = 0; i < count && at < size; i++) {
        int more = snprintf(out + at, size - at, "%s%s%s", i == 0 ? " (a mapping" : "",
                            i + 1 < count ? ", "
                            : i == 0      ? " or "
                                          : ", or ",
                            also[i]);
        at += more > 0 ? (size_t)more : 0;
    }
    if (at < size)
        snprintf(out + at, size - at, ")");
}

bool bake_value_unexpected(bake_values *b, bake_node_id node, uint32_t type, const value_step *step)
{
    char expected[320], quote[VALUE_QUOTE_SIZE];
    const char *found = "null";
    size_t length;
    describe(b, type, expected, sizeof expected);
    if (!bake_value_is_null(b, node)) {
        bake_node_kind kind = bake_node_kind_of(b->tree, node);
        if (kind == BAKE_NODE_SCALAR) {
            const char *text = bake_node_text(b->tree, node, &length);
            found = bake_value_quote(quote, text, length);
        } else {
            found = kind == BAKE_NODE_SEQUENCE ? "a list" : "a mapping";
        }
    }
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step, "expected %s, found %s",
                      expected, found);
    const kiln_type *of = value_type(b, type);
    if (of->kind == KILN_KIND_STRING && bake_value_is_null(b, node))
        bake_hint(b->report.to, "to write a string that looks like null, put it in quotes");
    /* An unquoted # begins a comment, so YAML reads a colour such as #fff as null. */
    if ((b->schema->info[type].forms & BAKE_COLOUR) && bake_value_is_null(b, node))
        bake_hint(b->report.to, "to write a string that begins with #, put it in quotes");
    if (of->kind == KILN_KIND_ARRAY && !bake_value_is_null(b, node))
        bake_hint(b->report.to, "write a list of one element as [...] or with a dash");
    if (of->kind == KILN_KIND_STRUCT && of->member_count &&
        bake_node_kind_of(b->tree, node) == BAKE_NODE_SCALAR && !bake_value_is_null(b, node)) {
        const char *text = bake_node_text(b->tree, node, &length);
        if (memchr(text, '=', length))
            bake_hint(b->report.to, "write a field as \"name: value\"");
    }
    if (of->kind == KILN_KIND_STRUCT && !of->member_count)
        bake_hint(b->report.to, "the type has no fields: write {}");
    return false;
}

bool bake_value_text_unexpected(bake_values *b, bake_node_id node, const char *text, size_t length,
                                uint32_t type, const value_step *step)
{
    char expected[320], quote[VALUE_QUOTE_SIZE];
    describe(b, type, expected, sizeof expected);
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step, "expected %s, found %s",
                      expected, bake_value_quote(quote, text, length));
    if (length > 1 && text[length - 1] == ',')
        bake_hint(b->report.to, "remove the comma: outside brackets, lines end without one");
    return false;
}

/* Words for inheritance in other programs. */
static bool means_parent(const char *text, size_t length)
{
    static const char *const words[] = {"extends", "inherits", "inherit", "base", "prototype"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
            return true;
    return false;
}

bool bake_value_is_like_parent(const bake_values *b, uint32_t type, const char *text, size_t length)
{
    const char *parent = b->schema->info[type].parent;
    return parent && (means_parent(text, length) || bake_most_similar(text, length, &parent, 1));
}

void bake_value_hint_members(bake_values *b, uint32_t type, const char *text, size_t length)
{
    const kiln_type *of = value_type(b, type);
    if (!bake_hints_wanted(b->report.to))
        return;
    const bake_type_info *info = &b->schema->info[type];
    const char **names = bake_alloc_array((size_t)of->member_count + 2, sizeof *names);
    /* If memory runs out, there is just no hint. */
    if (!names)
        return;
    size_t count = 0;
    for (uint32_t i = 0; i < of->member_count; i++)
        if (!(of->members[i].flags & KILN_MEMBER_REST))
            names[count++] = of->members[i].name;
    if (info->parent)
        names[count++] = info->parent;
    if (info->abstract)
        names[count++] = info->abstract;
    /* For an enum, flag set or union with few names, list them all unless one is similar. */
    char list[160];
    size_t at = 0;
    bool fits = count > 0 && of->kind != KILN_KIND_STRUCT;
    for (size_t i = 0; fits && i < count; i++) {
        int more = snprintf(list + at, sizeof list - at, "%s%s", i == 0 ? "" : ", ", names[i]);
        fits = more >= 0 && (size_t)more < sizeof list - at;
        at += fits ? (size_t)more : 0;
    }
    if (info->parent && means_parent(text, length))
        bake_hint(b->report.to, "to inherit from another asset, write \"%s\"", info->parent);
    else if (fits && !bake_most_similar(text, length, names, count))
        bake_hint(b->report.to, "%s is one of %s", of->name, list);
    else
        bake_hint_similar(b->report.to, text, length, names, count);
    bake_free(names);
}

/* Whether a tag of the YAML core schema is valid for a kind of type. Floats accept !!int, since 1
 * is a valid float, and bytes are base64 (!!binary, !!str) or a list. */
static bool tag_fits_kind(kiln_kind kind, const char *tag, bool null)
{
    if (strcmp(tag, "null") == 0)
        return null;
    switch (kind) {
    case KILN_KIND_BOOL:
        return strcmp(tag, "bool") == 0;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        return strcmp(tag, "float") == 0 || strcmp(tag, "int") == 0;
    case KILN_KIND_STRING:
    case KILN_KIND_ENUM:
    case KILN_KIND_REF:
        return strcmp(tag, "str") == 0;
    case KILN_KIND_ENTITY:
        return strcmp(tag, "str") == 0 || strcmp(tag, "int") == 0;
    case KILN_KIND_BYTES:
        return strcmp(tag, "binary") == 0 || strcmp(tag, "str") == 0 || strcmp(tag, "seq") == 0;
    case KILN_KIND_FLAGS:
        return strcmp(tag, "str") == 0 || strcmp(tag, "seq") == 0 || strcmp(tag, "map") == 0;
    case KILN_KIND_STRUCT:
    case KILN_KIND_MAP:
        return strcmp(tag, "map") == 0;
    case KILN_KIND_UNION:
        return strcmp(tag, "map") == 0 || strcmp(tag, "str") == 0;
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
        return strcmp(tag, "seq") == 0;
    default:
        return kiln_kind_is_integer(kind) && strcmp(tag, "int") == 0;
    }
}

/* `!!seq` needs a list and `!!map` a mapping; all others need a scalar. */
static bool tag_fits_node(bake_node_kind kind, const char *tag)
{
    bool seq = strcmp(tag, "seq") == 0, map = strcmp(tag, "map") == 0;
    return seq == (kind == BAKE_NODE_SEQUENCE) && map == (kind == BAKE_NODE_MAPPING);
}

bool bake_value_check_tag_of(bake_values *b, bake_node_id node, kiln_kind kind,
                             const char *expected, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    const char *tag = bake_node_tag(b->tree, node);
    if (!tag || bake_value_tag_is_taken(b, node))
        return true;
    const char *word = bake_core_tag(tag);
    if (word && tag_fits_kind(kind, word, bake_node_is_null(b->tree, node)) &&
        tag_fits_node(bake_node_kind_of(b->tree, node), word))
        return true;
    const char *shown = word ? word : tag;
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "tag", step,
                      word ? "the tag !!%s does not match %s" : "unknown tag %s for %s",
                      bake_value_cut(quote, shown, strlen(shown)), expected);
    if (!word && kind == KILN_KIND_ARRAY && bake_node_kind_of(b->tree, node) != BAKE_NODE_SEQUENCE)
        bake_hint(b->report.to, "write a list of one element as [...] or with a dash");
    return false;
}

bool bake_value_check_tag(bake_values *b, bake_node_id node, uint32_t type, const value_step *step)
{
    char expected[200];
    if (!bake_node_tag(b->tree, node))
        return true;
    kiln_type_expression(b->types, type, expected, sizeof expected);
    return bake_value_check_tag_of(b, node, value_type(b, type)->kind, expected, step);
}
