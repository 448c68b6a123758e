/* A type is an object over several lines, with one line for each field, value or alternative. As in
 * the dump, integers beyond 2^53, infinities and NaN are strings. */
#include "insp_type_json.h"

#include "insp_escape.h"
#include "insp_number.h"
#include "insp_type_data.h"

#include <inttypes.h>
#include <string.h>

static void put_unsigned(insp_out *out, uint64_t number)
{
    insp_putf(out, number > INSP_JSON_INTEGER_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, number);
}

static void put_signed(insp_out *out, int64_t number)
{
    bool quoted =
        number > (int64_t)INSP_JSON_INTEGER_MAX || number < -(int64_t)INSP_JSON_INTEGER_MAX;
    insp_putf(out, quoted ? "\"%" PRId64 "\"" : "%" PRId64, number);
}

static void put_float(insp_out *out, double number, bool single)
{
    char text[INSP_NUMBER_SIZE];
    if (number - number != 0) {
        insp_put(out, number > 0 ? "\"Infinity\"" : number < 0 ? "\"-Infinity\"" : "\"NaN\"");
        return;
    }
    insp_format_float(text, number, single);
    insp_put(out, text);
}

static void put_string(insp_out *out, const char *key, const char *text)
{
    insp_putf(out, ", \"%s\": ", key);
    insp_put_json_string(out, text, strlen(text));
}

static void put_bool(insp_out *out, const char *key, bool is_true)
{
    insp_putf(out, ", \"%s\": %s", key, is_true ? "true" : "false");
}

static void put_names(insp_out *out, const char *const *names, uint32_t count)
{
    uint32_t i;
    insp_put(out, ", \"was\": [");
    for (i = 0; i < count; i++) {
        insp_put(out, i ? ", " : "");
        insp_put_json_string(out, names[i], strlen(names[i]));
    }
    insp_put_char(out, ']');
}

static void put_expression(insp_out *out, const insp_file *file, uint32_t type)
{
    char text[512];
    if (type == KILN_TYPE_NONE) {
        insp_put(out, ", \"type\": null");
        return;
    }
    kiln_type_expression(file->types, type, text, sizeof text);
    put_string(out, "type", text);
}

static void put_bound(insp_out *out, const char *key, uint64_t bits, bool is_given, kiln_kind kind)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    insp_putf(out, ", \"%s\": ", key);
    if (!is_given)
        insp_put(out, "null");
    else if (kiln_kind_is_float(kind))
        put_float(out, number, kind == KILN_KIND_F32 && insp_type_is_f32(number));
    else if (kiln_kind_is_signed(kind))
        put_signed(out, (int64_t)bits);
    else
        put_unsigned(out, bits);
}

/* Writes the least and the greatest number or length. */
static void put_least_and_most(insp_out *out, const insp_range *range)
{
    bool is_number = range->kind <= KILN_KIND_F64 && range->kind != KILN_KIND_BOOL;
    if (!range->values || (!is_number && !range->has_length)) {
        insp_put(out, ", \"min\": null, \"max\": null");
        return;
    }
    insp_put(out, ", \"min\": ");
    if (kiln_kind_is_float(range->kind) && !range->has_length) {
        put_float(out, range->least, range->kind == KILN_KIND_F32);
        insp_put(out, ", \"max\": ");
        put_float(out, range->most, range->kind == KILN_KIND_F32);
        return;
    }
    put_signed(out, range->least_int);
    insp_put(out, ", \"max\": ");
    if (range->most < 0)
        put_signed(out, (int64_t)range->most);
    else
        put_unsigned(out, range->most_int);
}

static void put_range(insp_out *out, const insp_ranges *ranges, uint32_t type, uint32_t field)
{
    const insp_range *range = insp_ranges_field(ranges, type, field);
    kiln_kind smaller = insp_type_smaller_kind(ranges, type, field);
    insp_putf(out, ", \"data\": {\"values\": %" PRIu64 ", \"absent\": %" PRIu64, range->values,
              range->absent);
    insp_putf(out, ", \"of\": \"%s\"", range->has_length ? "lengths" : "values");
    put_least_and_most(out, range);
    insp_putf(out, ", \"defaults\": %" PRIu64, range->defaults);
    put_bool(out, "is_constant", range->values > 0 && range->is_constant);
    insp_put(out, ", \"suffices\": ");
    if (smaller == KILN_KIND_STRUCT)
        insp_put(out, "null}");
    else
        insp_putf(out, "\"%s\"}", kiln_kind_name(smaller));
}

static bool put_field(insp_run *run, const insp_file *file, uint32_t number, uint32_t i,
                      const insp_ranges *ranges)
{
    const kiln_type *type = kiln_types_get(file->types, number);
    const kiln_member *member = &type->members[i];
    const kiln_type *of = kiln_types_get(file->types, member->type);
    const kiln_member *before = i ? member - 1 : NULL;
    uint32_t end = before ? before->offset + kiln_types_get(file->types, before->type)->size : 0;
    kiln_kind kind = insp_type_bound_kind(file->types, of);
    insp_out *out = &run->out;
    put_expression(out, file, member->type);
    insp_putf(out, ", \"offset\": %" PRIu32 ", \"size\": %" PRIu32 ", \"hole\": %" PRIu32,
              member->offset, of->size, member->offset > end ? member->offset - end : 0);
    put_bound(out, "min", member->min, member->flags & KILN_MEMBER_HAS_MIN, kind);
    put_bound(out, "max", member->max, member->flags & KILN_MEMBER_HAS_MAX, kind);
    put_bool(out, "required", member->flags & KILN_MEMBER_REQUIRED);
    put_bool(out, "single", member->flags & KILN_MEMBER_SINGLE);
    put_bool(out, "rest", member->flags & KILN_MEMBER_REST);
    put_bool(out, "deprecated", member->flags & KILN_MEMBER_DEPRECATED);
    if (member->default_image && !insp_type_put_default(run, file, member, true))
        return false;
    if (ranges)
        put_range(out, ranges, number, i);
    return true;
}

/* Writes an alternative of a union, or a value of an enum or flag set. */
static void put_choice(insp_out *out, const insp_file *file, const kiln_type *type,
                       const kiln_member *member)
{
    if (type->kind == KILN_KIND_UNION) {
        put_expression(out, file, member->type);
        insp_putf(out, ", \"tag\": %" PRIu64, member->value);
        return;
    }
    insp_put(out, ", \"value\": ");
    if (type->kind == KILN_KIND_ENUM && kiln_kind_is_signed(type->base))
        put_signed(out, (int64_t)member->value);
    else
        put_unsigned(out, member->value);
}

static bool put_struct(insp_out *out, const insp_file *file, uint32_t number,
                       const insp_ranges *ranges)
{
    const kiln_type *type = kiln_types_get(file->types, number);
    uint32_t padding = insp_type_padding(file->types, type);
    uint64_t size, sorted;
    insp_putf(out, ", \"padding\": %" PRIu32 ", \"sorted_size\": %" PRIu64, padding,
              padding ? insp_type_sorted_size(file->types, type) : type->size);
    if (!ranges)
        return true;
    if (!insp_type_small_size(ranges, number, &size, &sorted))
        return false;
    insp_putf(out,
              ", \"data\": {\"structs\": %" PRIu64 ", \"size\": %" PRIu64
              ", \"sorted_size\": %" PRIu64 "}",
              ranges->structs[number], size, sorted);
    return true;
}

static void put_head(insp_out *out, const kiln_type *type)
{
    insp_put(out, "\n    {\"name\": ");
    insp_put_json_string(out, type->name, strlen(type->name));
    insp_putf(out, ", \"kind\": \"%s\", \"size\": %" PRIu32 ", \"align\": %" PRIu32,
              kiln_kind_name(type->kind), type->size, type->align);
    insp_putf(out, ", \"layout\": \"%016" PRIx64 "\"", type->layout);
    put_string(out, "doc", type->doc);
    put_names(out, type->was, type->was_count);
    put_bool(out, "asset", type->flags & KILN_TYPE_ASSET);
    put_bool(out, "component", type->flags & KILN_TYPE_COMPONENT);
    put_bool(out, "newtype", type->flags & KILN_TYPE_TRANSPARENT);
    insp_putf(out, ", \"stated_align\": %" PRIu32, type->align_at);
    if (type->base)
        insp_putf(out, ", \"base\": \"%s\"", kiln_kind_name(type->base));
    else
        insp_put(out, ", \"base\": null");
}

bool insp_type_put_json(insp_run *run, const insp_file *file, uint32_t number,
                        const insp_ranges *ranges)
{
    const kiln_type *type = kiln_types_get(file->types, number);
    insp_out *out = &run->out;
    bool is_struct = type->kind == KILN_KIND_STRUCT, good = true;
    uint32_t i;
    put_head(out, type);
    if (is_struct)
        good = put_struct(out, file, number, ranges);
    insp_putf(out, ",\n     \"%s\": [",
              is_struct                       ? "fields"
              : type->kind == KILN_KIND_UNION ? "alternatives"
                                              : "values");
    for (i = 0; i < type->member_count && good && !out->error; i++) {
        const kiln_member *member = &type->members[i];
        insp_put(out, i ? ",\n      {\"name\": " : "\n      {\"name\": ");
        insp_put_json_string(out, member->name, strlen(member->name));
        put_string(out, "doc", member->doc);
        put_names(out, member->was, member->was_count);
        if (is_struct)
            good = put_field(run, file, number, i, ranges);
        else
            put_choice(out, file, type, member);
        insp_put_char(out, '}');
    }
    insp_put(out, type->member_count ? "\n    ]}" : "]}");
    return good;
}
