/* Structs that are not written as mappings: colours, tuples, or the value of one field.
 *
 * The kind and the tag of the node, and for a string its first character, select the form, so no
 * value is ambiguous. bake_value_form reports nothing. Single nodes and merged layers both call it,
 * so the same forms are valid in both. Parts of a tuple string and channels of a colour are baked
 * like ordinary numbers, so that ranges and reports need no second implementation. */
#include "value_compose.h"

#include "ascii.h"
#include "colour.h"
#include "node_words.h"
#include "origin_record.h"
#include "value_fields.h"
#include "value_scalar.h"

#include <string.h>

/* ---- colours: `#RGB` to `#RRGGBBAA`, and the names of CSS ---- */

/* A hint compares all names, which is not worth the time after this many errors. */
enum { HINTS_MAX = 1000 };

static bool report_unknown(bake_values *b, bake_node_id node, const char *text, size_t length,
                           uint32_t type, const value_step *step)
{
    bake_value_text_unexpected(b, node, text, length, type, step);
    if (length > 0 && text[0] == '#') {
        bake_hint(b->report.to, "use 3, 4, 6 or 8 hexadecimal digits after the #");
        return false;
    }
    if (bake_diagnostics_errors(b->report.to) > HINTS_MAX)
        return false;
    const char *names[BAKE_COLOURS];
    for (size_t i = 0; i < BAKE_COLOURS; i++)
        names[i] = bake_colour_name(i);
    bake_hint_similar(b->report.to, text, length, names, BAKE_COLOURS);
    return false;
}

/* Formats `value` / 255 with 32 decimals, more than a double can hold, so that parsing rounds only
 * once. */
static size_t fraction_text(unsigned value, char out[40])
{
    size_t length = 2;
    memcpy(out, "0.", 2);
    for (unsigned rest = value; length < 34; rest %= 255) {
        rest *= 10;
        out[length++] = (char)('0' + rest / 255);
    }
    return length;
}

/* Formats a channel as a YAML number, so that it is parsed and checked like any other. */
static size_t channel_text(const bake_values *b, uint32_t type, unsigned value, char out[40])
{
    const kiln_type *of = value_type(b, value_unwrapped(b, type));
    size_t length = 0;
    if (of->kind != KILN_KIND_U8 && value != 0 && value != 255)
        return fraction_text(value, out);
    if (of->kind != KILN_KIND_U8)
        value = value != 0;
    for (unsigned unit = 100; unit > 0; unit /= 10)
        out[length++] = (char)('0' + value / unit % 10);
    return length;
}

static void colour(bake_values *b, bake_node_id node, size_t given, uint32_t type, void *dst,
                   const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    unsigned char channels[BAKE_CHANNELS];
    size_t length;
    if (!bake_value_check_tag_of(b, node, KILN_KIND_STRING, of->name, step))
        return;
    const char *text = bake_node_text(b->tree, node, &length);
    if (!bake_colour_read(text, length, channels)) {
        report_unknown(b, node, text, length, type, step);
        return;
    }
    if (of->member_count < BAKE_CHANNELS && channels[3] != 255) {
        char quote[VALUE_QUOTE_SIZE];
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                          "%s is not opaque, but %s has no alpha field",
                          bake_value_quote(quote, text, length), of->name);
        return;
    }
    for (uint32_t m = 0; m < of->member_count && !b->stopped; m++) {
        const kiln_member *field = &of->members[m];
        char number[40];
        value_step inner = {step, STEP_NAME, field->name, strlen(field->name), 0};
        size_t size = channel_text(b, field->type, channels[m], number);
        if (!bake_value_is_given(b, given, m))
            bake_value_part(b, node, number, size, field->type, field,
                            (unsigned char *)dst + field->offset, &inner);
    }
}

/* ---- tuples: lists of fields, or comma-separated strings ---- */

bool bake_value_check_tuple(bake_values *b, bake_node_id node, uint32_t type,
                            const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    uint32_t count = bake_node_count(b->tree, node);
    if (count <= of->member_count)
        return true;
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                             "the list has %u elements, but %s has %u field%s", count, of->name,
                             of->member_count, of->member_count == 1 ? "" : "s");
}

/* Fills all fields that no higher layer sets, starting with the field at index `from`. */
static void fill_missing(bake_values *b, bake_node_id node, size_t given, uint32_t type,
                         uint32_t from, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    for (uint32_t m = from; m < of->member_count && !b->stopped; m++)
        if (!bake_value_is_given(b, given, m))
            bake_value_missing(b, node, type, m, (unsigned char *)dst + of->members[m].offset,
                               step);
}

static void tuple(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                  const value_step *step)
{
    uint32_t m = 0;
    if (!bake_value_check_tag_of(b, node, KILN_KIND_ARRAY, value_type(b, type)->name, step) ||
        !bake_value_check_tuple(b, node, type, step))
        return;
    for (bake_iterator it = bake_iterator_begin(b->tree, node);
         !b->stopped && bake_iterator_next(&it);) {
        if (b->origins)
            bake_origin_via(b, node, &it);
        bake_value_written(b, it.value, type, m++, dst, step);
    }
    fill_missing(b, node, SIZE_MAX, type, m, dst, step);
}

static void tuple_text(bake_values *b, bake_node_id node, size_t given, uint32_t type, void *dst,
                       const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    size_t length, part_length;
    uint32_t parts = 0;
    if (!bake_value_check_tag_of(b, node, KILN_KIND_STRING, of->name, step))
        return;
    const char *text = bake_node_text(b->tree, node, &length);
    for (size_t at = 0; at <= length && parts <= of->member_count; parts++)
        bake_value_next_part(text, length, ",", &at, &part_length);
    bool fits = parts <= of->member_count;
    for (uint32_t m = parts; fits && m < of->member_count; m++)
        fits = bake_value_is_given(b, given, m) || bake_value_may_be_missing(b, type, m);
    if (!fits) {
        bake_value_text_unexpected(b, node, text, length, type, step);
        return;
    }
    size_t at = 0;
    for (uint32_t m = 0; m < parts && !b->stopped; m++) {
        const kiln_member *field = &of->members[m];
        const char *part = bake_value_next_part(text, length, ",", &at, &part_length);
        value_step inner = {step, STEP_NAME, field->name, strlen(field->name), 0};
        if (!bake_value_is_given(b, given, m))
            bake_value_part(b, node, part, part_length, field->type, field,
                            (unsigned char *)dst + field->offset, &inner);
    }
    fill_missing(b, node, given, type, parts, dst, step);
}

/* ---- all forms ---- */

/* If tuples may be strings as well, only a string that begins with `#` or a letter is a colour. */
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

/* Whether the node has a tag that is neither a core tag nor used by an enclosing value
 * (bake_value_tag_is_taken). Such a tag belongs to the field of the short form. */
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

static void put_short(bake_values *b, bake_node_id node, uint32_t type, void *dst,
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

void bake_value_struct_form(bake_values *b, bake_node_id node, value_form form, size_t given,
                            uint32_t type, void *dst, const value_step *step)
{
    switch (form) {
    case FORM_TUPLE:
        tuple(b, node, type, dst, step);
        break;
    case FORM_TUPLE_TEXT:
        tuple_text(b, node, given, type, dst, step);
        break;
    case FORM_COLOUR:
        colour(b, node, given, type, dst, step);
        break;
    case FORM_SHORT:
        put_short(b, node, type, dst, step);
        break;
    case FORM_NONE:
        break;
    }
}
