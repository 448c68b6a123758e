/* Values written as a single scalar: numbers with or without units, bools, names, references,
 * flags, and fixed-length arrays.
 *
 * The text may be only a part of its node, such as a coordinate of `1,2,3`. So functions take the
 * text separately, and the node only for the position of reports. Numbers are stored in `dst`
 * before their range is checked, because nothing uses them after an error.
 *
 * Few fields have a unit, and units are looked up only if the text is not a plain number. So fields
 * with units are in a sorted array, which costs other fields nothing. */
#include "value_scalar.h"

#include "bake_memory.h"
#include "node_words.h"
#include "origin_record.h"
#include "scalar_parse.h"
#include "value_limits.h"
#include "value_mismatch.h"
#include "value_node.h"
#include "value_ref.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- units of numbers ---- */

static int compare_units(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const value_field_unit *)a)->member;
    uintptr_t y = (uintptr_t)((const value_field_unit *)b)->member;
    return x < y ? -1 : x > y;
}

bool bake_values_list_units(bake_values *b)
{
    const bake_schema *schema = b->schema;
    if (!schema->has_units)
        return true;
    b->units.all = bake_alloc_array(schema->member_count, sizeof *b->units.all);
    if (!b->units.all)
        return false;
    for (uint32_t i = 0; i < schema->member_count; i++)
        if (schema->members[i].unit)
            b->units.all[b->units.count++] =
                (value_field_unit){b->fields.all[i].member, schema->members[i].unit};
    qsort(b->units.all, b->units.count, sizeof *b->units.all, compare_units);
    return true;
}

/* Returns the unit of the field, or 0 if it has none. `field` may be NULL. */
static bake_unit unit_of(const bake_values *b, const kiln_member *field)
{
    value_field_unit key = {field, 0};
    if (!field || b->units.count == 0)
        return 0;
    const value_field_unit *found =
        bsearch(&key, b->units.all, b->units.count, sizeof key, compare_units);
    return found ? found->unit : 0;
}

/* Reports text that is not a number, with or without a unit. Returns false. */
static bool reject_number(bake_values *b, bake_node_id node, const char *text, size_t length,
                          uint32_t type, const kiln_member *field, const value_step *step)
{
    bake_unit unit = unit_of(b, field);
    char units[80], number[BAKE_UNIT_TEXT_SIZE], quote[VALUE_QUOTE_SIZE];
    bake_value_text_unexpected(b, node, text, length, type, step);
    if (!unit)
        return false;
    if (bake_unit_convert(unit, text, length, number)) {
        bake_hint(b->report.to, "%s is not a whole number of %s",
                  bake_value_quote(quote, text, length), bake_unit_name(unit));
        return false;
    }
    bake_unit_list(unit, units, sizeof units);
    if (strcmp(bake_unit_name(unit), "1") == 0)
        bake_hint(b->report.to, "write a number, or a number with a unit: %s", units);
    else
        bake_hint(b->report.to, "write a number of %s, or a number with a unit: %s",
                  bake_unit_name(unit), units);
    return false;
}

/* ---- scalars ---- */

static const char *print_bits(char *out, size_t size, kiln_kind kind, uint64_t bits)
{
    double number;
    if (kiln_kind_is_signed(kind)) {
        snprintf(out, size, "%" PRId64, (int64_t)bits);
    } else if (kiln_kind_is_float(kind)) {
        memcpy(&number, &bits, sizeof number);
        bool narrow = kind == KILN_KIND_F32;
        /* The shortest form that parses back to the same value. */
        for (int digits = narrow ? 6 : 15; digits <= (narrow ? 9 : 17); digits++) {
            snprintf(out, size, "%.*g", digits, number);
            if (narrow ? strtof(out, NULL) == (float)number : strtod(out, NULL) == number)
                break;
        }
    } else {
        snprintf(out, size, "%" PRIu64, bits);
    }
    return out;
}

static bool report_bound(bake_values *b, bake_node_id node, const char *text, size_t length,
                         bool above, const char *bound, const value_step *step)
{
    char cut[VALUE_QUOTE_SIZE];
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "range", step, "%s %s %s",
                             bake_value_cut(cut, text, length), above ? "exceeds" : "is below",
                             bound);
}

static bool report_nan(bake_values *b, bake_node_id node, const kiln_member *field, kiln_kind kind,
                       const value_step *step)
{
    char min[40] = "-inf", max[40] = "inf";
    if (field->flags & KILN_MEMBER_HAS_MIN)
        print_bits(min, sizeof min, kind, field->min);
    if (field->flags & KILN_MEMBER_HAS_MAX)
        print_bits(max, sizeof max, kind, field->max);
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "range", step,
                             "NaN is not in the range %s to %s", min, max);
}

static bool check_range(bake_values *b, bake_node_id node, const char *text, size_t length,
                        const kiln_member *field, kiln_kind kind, uint64_t bits,
                        const value_step *step)
{
    char bound[40];
    switch (bake_value_range(field, kind, bits)) {
    case RANGE_NAN:
        return report_nan(b, node, field, kind, step);
    case RANGE_BELOW:
        return report_bound(b, node, text, length, false,
                            print_bits(bound, sizeof bound, kind, field->min), step);
    case RANGE_ABOVE:
        return report_bound(b, node, text, length, true,
                            print_bits(bound, sizeof bound, kind, field->max), step);
    case RANGE_WITHIN:
        break;
    }
    return true;
}

static bool report_integer_size(bake_values *b, bake_node_id node, const char *text, size_t length,
                                kiln_kind kind, bool above, const value_step *step)
{
    char bound[40], low[40];
    print_bits(bound, sizeof bound, kind, above ? bake_kind_max(kind) : bake_kind_min(kind));
    report_bound(b, node, text, length, above, bound, step);
    bake_hint(b->report.to, "%s holds %s to %" PRIu64, kiln_kind_name(kind),
              print_bits(low, sizeof low, kind, bake_kind_min(kind)), bake_kind_max(kind));
    return false;
}

/* Converts a number with a unit, such as `3s` to 3000 in a field in milliseconds. An exponent in
 * the converted number means that it is not whole, or too large for any integer. */
static bake_parse integer_with_unit(const bake_values *b, kiln_kind kind, const char *text,
                                    size_t length, const kiln_member *field, uint64_t *ret_bits)
{
    char number[BAKE_UNIT_TEXT_SIZE];
    bake_unit unit = unit_of(b, field);
    size_t size = unit ? bake_unit_convert(unit, text, length, number) : 0;
    const char *exponent = size ? memchr(number, 'e', size) : NULL;
    if (!exponent)
        return bake_parse_integer(kind, number, size, ret_bits);
    if (exponent[1] == '-')
        return BAKE_PARSE_MALFORMED;
    return number[0] == '-' ? BAKE_PARSE_TOO_SMALL : BAKE_PARSE_TOO_LARGE;
}

static bake_parse parse_float(kiln_kind kind, const char *text, size_t length, float *ret_narrow,
                              double *ret_wide)
{
    bake_parse parse;
    if (kind != KILN_KIND_F32)
        return bake_parse_f64(text, length, ret_wide);
    parse = bake_parse_f32(text, length, ret_narrow);
    *ret_wide = *ret_narrow;
    return parse;
}

/* A number in the unit of the field is parsed directly, since a conversion could round. */
static bake_parse float_with_unit(kiln_kind kind, const char *text, size_t length, bake_unit unit,
                                  float *ret_narrow, double *ret_wide)
{
    char number[BAKE_UNIT_TEXT_SIZE];
    size_t size = bake_unit_same(unit, text, length);
    if (size > 0)
        return parse_float(kind, text, size, ret_narrow, ret_wide);
    size = bake_unit_convert(unit, text, length, number);
    return size ? parse_float(kind, number, size, ret_narrow, ret_wide) : BAKE_PARSE_MALFORMED;
}

static bool integer(bake_values *b, bake_node_id node, const char *text, size_t length,
                    uint32_t type, const kiln_member *field, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    uint64_t bits;
    bake_parse parse = bake_parse_integer(of->kind, text, length, &bits);
    if (parse == BAKE_PARSE_MALFORMED)
        parse = integer_with_unit(b, of->kind, text, length, field, &bits);
    if (parse == BAKE_PARSE_MALFORMED)
        return reject_number(b, node, text, length, type, field, step);
    if (parse) {
        bool above = parse == BAKE_PARSE_TOO_LARGE;
        char bound[40];
        if (field && (field->flags & (above ? KILN_MEMBER_HAS_MAX : KILN_MEMBER_HAS_MIN)))
            return report_bound(
                b, node, text, length, above,
                print_bits(bound, sizeof bound, of->kind, above ? field->max : field->min), step);
        return report_integer_size(b, node, text, length, of->kind, above, step);
    }
    /* Only little-endian hosts are supported, so the low bytes come first. */
    memcpy(dst, &bits, of->size);
    return check_range(b, node, text, length, field, of->kind, bits, step);
}

static bool floating(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    double wide = 0;
    float narrow = 0;
    uint64_t bits;
    bake_parse parse = parse_float(of->kind, text, length, &narrow, &wide);
    bake_unit unit = parse == BAKE_PARSE_MALFORMED ? unit_of(b, field) : 0;
    if (unit)
        parse = float_with_unit(of->kind, text, length, unit, &narrow, &wide);
    if (parse == BAKE_PARSE_MALFORMED)
        return reject_number(b, node, text, length, type, field, step);
    if (parse)
        return report_bound(b, node, text, length, parse == BAKE_PARSE_TOO_LARGE,
                            of->kind == KILN_KIND_F32 ? "the range of f32" : "the range of f64",
                            step);
    memcpy(dst, of->kind == KILN_KIND_F32 ? (void *)&narrow : (void *)&wide, of->size);
    memcpy(&bits, &wide, sizeof bits);
    return check_range(b, node, text, length, field, of->kind, bits, step);
}

/* Finds a value of an enum or flag set by name. Returns NULL after a report under `rule`. */
static const kiln_member *named_value(bake_values *b, bake_node_id node, const char *text,
                                      size_t length, uint32_t type, const char *rule,
                                      const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    bool was;
    const kiln_member *member = bake_schema_value(b->schema, type, text, length, &was);
    if (member) {
        bake_value_warn_member(b, node, member, was, step);
        return member;
    }
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), rule, step, "unknown value %s for %s %s",
                      bake_value_quote(quote, text, length), rule, value_type(b, type)->name);
    size_t prefix = bake_schema_prefix(b->schema, type, text, length);
    bake_value_hint_members(b, type, text + prefix, length - prefix);
    return NULL;
}

static bool enumerated(bake_values *b, bake_node_id node, const char *text, size_t length,
                       uint32_t type, void *dst, const value_step *step)
{
    const kiln_member *member = named_value(b, node, text, length, type, "enum", step);
    if (member)
        memcpy(dst, &member->value, value_type(b, type)->size);
    return member != NULL;
}

bool bake_value_is_scalar_type(const bake_values *b, uint32_t type)
{
    const kiln_type *of = value_type(b, value_unwrapped(b, type));
    if (of->kind == KILN_KIND_OPTIONAL)
        return bake_value_is_scalar_type(b, of->element);
    return of->kind <= KILN_KIND_STRING || of->kind == KILN_KIND_REF || of->kind == KILN_KIND_ENUM;
}

/* strchr would match NUL as well, so exclude it first. */
const char *bake_value_next_part(const char *text, size_t length, const char *separators,
                                 size_t *at, size_t *ret_length)
{
    size_t start = *at, end = start;
    while (end < length && !(text[end] && strchr(separators, text[end])))
        end++;
    *at = end + 1;
    while (start < end && text[start] == ' ')
        start++;
    while (end > start && text[end - 1] == ' ')
        end--;
    *ret_length = end - start;
    return text + start;
}

bool bake_value_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    bool truth;
    switch (of->kind) {
    case KILN_KIND_BOOL:
        if (bake_parse_bool(text, length, &truth)) {
            bake_value_text_unexpected(b, node, text, length, type, step);
            bake_hint(b->report.to, "write a bool as true or false, or 1 or 0");
            return false;
        }
        *(unsigned char *)dst = truth;
        return true;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        return floating(b, node, text, length, type, field, dst, step);
    case KILN_KIND_ENUM:
        return enumerated(b, node, text, length, type, dst, step);
    case KILN_KIND_REF:
        return bake_value_ref(b, node, text, length, type, dst, step);
    case KILN_KIND_FIXED:
        return bake_value_fixed_text(b, node, text, length, type, dst, step);
    default:
        return integer(b, node, text, length, type, field, dst, step);
    }
}

/* Like bake_value_any, for text that is not a whole node. Unwraps newtypes and optionals itself; an
 * empty part is an empty optional. */
bool bake_value_part(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    size_t errors = b->report.errors;
    if (b->origins)
        bake_origin_value(b, node, step);
    if (of->flags & KILN_TYPE_TRANSPARENT) {
        field = &of->members[0];
        return bake_value_part(b, node, text, length, field->type, field,
                               (unsigned char *)dst + field->offset, step);
    }
    if (of->kind == KILN_KIND_STRING) {
        bake_value_string(b, node, text, length, field, dst, step);
        return b->report.errors == errors;
    }
    if (of->kind != KILN_KIND_OPTIONAL)
        return bake_value_text(b, node, text, length, type, field, dst, step);
    if (length == 0 || !value_enter(b, node, step))
        return length == 0;
    const kiln_type *element = value_type(b, of->element);
    void *value = kiln_builder_pointer(b->builder, dst, element->size, element->align);
    if (value)
        bake_value_part(b, node, text, length, of->element, field, value, step);
    else
        value_stop(b);
    value_leave(b);
    return b->report.errors == errors;
}

bool bake_value_fixed_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                           uint32_t type, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    uint32_t size = value_type(b, of->element)->size;
    size_t at = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        size_t part_length;
        const char *part = bake_value_next_part(text, length, ",", &at, &part_length);
        /* Only the last part may end at the end of the text. */
        if ((at <= length) != (i + 1 < of->count))
            return bake_value_text_unexpected(b, node, text, length, type, step);
        if (!bake_value_part(b, node, part, part_length, of->element, NULL,
                             (unsigned char *)dst + (size_t)i * size, step))
            return false;
    }
    return true;
}

static bool add_flag(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, uint64_t *bits, const value_step *step)
{
    if (bake_schema_is_none(b->schema, type, text, length))
        return true;
    const kiln_member *member = named_value(b, node, text, length, type, "flags", step);
    if (member)
        *bits |= member->value;
    return member != NULL;
}

/* Reads a name, or names joined by `,` or `|`. Tries the whole text first, since names may contain
 * these characters. */
static void flags_text(bake_values *b, bake_node_id node, uint32_t type, uint64_t *bits,
                       const value_step *step)
{
    size_t length, at = 0;
    bool was;
    const char *text = bake_node_text(b->tree, node, &length);
    if (bake_schema_value(b->schema, type, text, length, &was)) {
        add_flag(b, node, text, length, type, bits, step);
        return;
    }
    while (at <= length) {
        size_t part_length;
        const char *part = bake_value_next_part(text, length, ",|", &at, &part_length);
        add_flag(b, node, part, part_length, type, bits, step);
    }
}

/* Reads the value of a flag in a mapping. Returns false after a report. */
static bool read_bool(bake_values *b, bake_node_id node, bool *ret_truth, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    if (!bake_value_check_tag_of(b, node, KILN_KIND_BOOL, "a bool", step) ||
        bake_node_is_placeholder(b->tree, node))
        return false;
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_SCALAR &&
        bake_parse_bool(text, length, ret_truth) == BAKE_PARSE_OK)
        return true;
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step, "expected bool, found %s",
                      bake_node_kind_of(b->tree, node) == BAKE_NODE_SCALAR
                          ? bake_value_quote(quote, text, length)
                          : bake_node_word(b->tree, node));
    bake_hint(b->report.to, "in a mapping, write each flag as true or false");
    return false;
}

/* Reads flags from a mapping such as `{fire: true, ice: false}`. `seen` has a byte for each flag,
 * because different keys can name the same flag, by its current and its earlier names. */
static void flags_mapping(bake_values *b, bake_node_id node, uint32_t type, uint64_t *bits,
                          const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    size_t used = b->scratch.used, seen = bake_value_push(b, of->member_count);
    if (seen == SIZE_MAX)
        return;
    memset(b->scratch.bytes + seen, 0, of->member_count);
    for (bake_iterator it = bake_iterator_begin(b->tree, node); bake_iterator_next(&it);) {
        size_t length;
        bool truth = false;
        const char *text = bake_node_text(b->tree, it.key, &length);
        value_step inner = {step, STEP_KEY, text, length, 0};
        if (bake_schema_is_none(b->schema, type, text, length)) {
            read_bool(b, it.value, &truth, &inner);
            continue;
        }
        const kiln_member *member = named_value(b, it.key, text, length, type, "flags", step);
        if (!member)
            continue;
        unsigned char *is_seen = b->scratch.bytes + seen + (member - of->members);
        if (*is_seen) {
            bake_value_report(b, BAKE_ERROR, value_mark(b, it.key), "duplicate", step,
                              "duplicate flag \"%s\"", member->name);
            continue;
        }
        *is_seen = 1;
        if (read_bool(b, it.value, &truth, &inner) && truth)
            *bits |= member->value;
    }
    b->scratch.used = used;
}

void bake_value_flags(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    uint64_t bits = 0;
    bake_node_kind kind = bake_node_kind_of(b->tree, node);
    if (bake_value_is_null(b, node)) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    if (kind == BAKE_NODE_SCALAR)
        flags_text(b, node, type, &bits, step);
    if (kind == BAKE_NODE_MAPPING)
        flags_mapping(b, node, type, &bits, step);
    uint32_t i = 0;
    for (bake_iterator it = bake_iterator_begin(b->tree, node);
         kind == BAKE_NODE_SEQUENCE && bake_iterator_next(&it); i++) {
        value_step inner = {step, STEP_NUMBER, NULL, 0, i};
        bake_node_id element = it.value;
        size_t length;
        if (!bake_value_check_tag_of(b, element, KILN_KIND_ENUM, of->name, &inner))
            continue;
        if (bake_node_kind_of(b->tree, element) != BAKE_NODE_SCALAR ||
            bake_value_is_null(b, element)) {
            bake_value_report(b, BAKE_ERROR, value_mark(b, element), "type", &inner,
                              "expected the name of a flag of %s", of->name);
            continue;
        }
        const char *text = bake_node_text(b->tree, element, &length);
        add_flag(b, element, text, length, type, &bits, &inner);
    }
    memcpy(dst, &bits, of->size);
}
