#include "insp_type_data.h"

#include "insp_escape.h"
#include "insp_format.h"
#include "insp_memory.h"
#include "insp_number.h"
#include "insp_print.h"
#include "insp_run_printer.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CACHE_LINE = 64 };

uint32_t insp_type_padding(const kiln_types *types, const kiln_type *type)
{
    uint32_t i, padding = type->size;
    for (i = 0; i < type->member_count; i++)
        padding -= kiln_types_get(types, type->members[i].type)->size;
    return type->member_count ? padding : 0;
}

void insp_type_put_place(insp_run *run, const kiln_types *types, const kiln_type *type, uint32_t i)
{
    const kiln_member *member = &type->members[i], *before = i ? member - 1 : NULL;
    uint32_t end = before ? before->offset + kiln_types_get(types, before->type)->size : 0;
    if (member->offset > end)
        insp_putf(&run->out, ", hole of %" PRIu32 " before", member->offset - end);
    if (before && member->offset / CACHE_LINE > before->offset / CACHE_LINE)
        insp_putf(&run->out, ", cache line %" PRIu32, member->offset / CACHE_LINE + 1);
}

uint64_t insp_type_sorted_size(const kiln_types *types, const kiln_type *type)
{
    insp_field_size *fields = insp_alloc_array(type->member_count, sizeof *fields);
    uint64_t size = type->size;
    uint32_t i;
    for (i = 0; fields && i < type->member_count; i++) {
        const kiln_type *of = kiln_types_get(types, type->members[i].type);
        fields[i] = (insp_field_size){of->size, of->align};
    }
    if (fields) {
        insp_struct_sort(fields, type->member_count);
        size = insp_struct_size(fields, type->member_count, type->align_at);
    }
    insp_free(fields);
    return size;
}

void insp_type_put_padding(insp_run *run, const kiln_types *types, const kiln_type *type)
{
    uint32_t padding = insp_type_padding(types, type);
    uint64_t sorted = padding ? insp_type_sorted_size(types, type) : type->size;
    if (!padding)
        return;
    insp_put_style(&run->out, INSP_STYLE_FAINT);
    insp_putf(&run->out, "      # %" PRIu32 " byte%s of padding", padding, padding == 1 ? "" : "s");
    if (sorted < type->size)
        insp_putf(&run->out, "; %" PRIu64 " bytes if fields are sorted by alignment", sorted);
    insp_put_style(&run->out, INSP_STYLE_PLAIN);
    insp_put_char(&run->out, '\n');
}

kiln_kind insp_type_bound_kind(const kiln_types *types, const kiln_type *of)
{
    while (of->kind == KILN_KIND_OPTIONAL || of->kind == KILN_KIND_DATA)
        of = kiln_types_get(types, of->element);
    return of->kind;
}

bool insp_type_is_f32(double number)
{
    return number >= -FLT_MAX && number <= FLT_MAX && (double)(float)number == number;
}

bool insp_type_put_default(insp_run *run, const insp_file *file, const kiln_member *member,
                           bool is_json)
{
    /* A value must be aligned like a payload, but the image in the type table may be unaligned. */
    unsigned char *image = insp_alloc(member->default_size, KILN_ALIGN_MAX);
    uint32_t type = kiln_types_default_type(file->types, member->type);
    insp_printer p;
    kiln_value value;
    if (!image)
        return false;
    memcpy(image, member->default_image, member->default_size);
    if (kiln_value_root(file->types, type, image, member->default_size, &value) == KILN_OK) {
        insp_put(&run->out, is_json ? ", \"default\": " : ", default: ");
        insp_run_printer(run, file, &p);
        p.format = is_json ? &insp_format_json : &insp_format_yaml;
        p.depth = 1;
        p.one_line = is_json;
        p.format->alone(&p);
        if (!is_json)
            p.flow = 1; /* inside the flow mapping of the field */
        insp_print(&p, &value);
    }
    insp_free(image);
    return true;
}

/* ---- values ---- */

static void put_float(insp_out *out, double number, bool single)
{
    char text[INSP_NUMBER_SIZE];
    if (isfinite(number))
        insp_format_float(text, number, single);
    else
        strcpy(text, number > 0 ? "inf" : number < 0 ? "-inf" : "NaN");
    insp_put(out, text);
}

/* Writes the range of numbers and lengths. */
static void put_bounds(insp_out *out, const insp_range *range)
{
    bool is_single = range->kind == KILN_KIND_F32;
    if (kiln_kind_is_float(range->kind)) {
        insp_put(out, ", ");
        put_float(out, range->least, is_single);
        insp_put(out, " to ");
        put_float(out, range->most, is_single);
    } else if (range->has_length) {
        insp_putf(out, ", %" PRId64 " to %" PRIu64 " long", range->least_int, range->most_int);
    } else if (range->most < 0) {
        insp_putf(out, ", %" PRId64 " to %.0f", range->least_int, range->most);
    } else if (range->kind <= KILN_KIND_F64 && range->kind != KILN_KIND_BOOL) {
        insp_putf(out, ", %" PRId64 " to %" PRIu64, range->least_int, range->most_int);
    }
}

kiln_kind insp_type_smaller_kind(const insp_ranges *ranges, uint32_t type, uint32_t field)
{
    const kiln_types *types = ranges->file->types;
    uint32_t number = kiln_types_get(types, type)->members[field].type;
    kiln_kind kind = insp_ranges_kind(ranges, type, field);
    return kind == kiln_types_get(types, number)->kind ? KILN_KIND_STRUCT : kind;
}

void insp_type_put_range(insp_run *run, const insp_ranges *ranges, uint32_t type, uint32_t field)
{
    const insp_range *range = insp_ranges_field(ranges, type, field);
    insp_out *out = &run->out;
    insp_put_style(out, INSP_STYLE_FAINT);
    insp_put(out, "        # ");
    insp_put_count(out, range->values, 0);
    insp_put(out, range->values == 1 ? " value" : " values");
    if (range->absent) {
        insp_put(out, ", ");
        insp_put_count(out, range->absent, 0);
        insp_put(out, " absent");
    }
    if (range->values)
        put_bounds(out, range);
    if (range->all && range->defaults == range->all)
        insp_put(out, ", always the default");
    else if (range->values > 1 && range->is_constant)
        insp_put(out, ", always the same");
    else if (range->defaults) {
        insp_put(out, ", ");
        insp_put_count(out, range->defaults, 0);
        insp_put(out, range->defaults == 1 ? " is the default" : " are the default");
    }
    if (insp_type_smaller_kind(ranges, type, field) != KILN_KIND_STRUCT)
        insp_putf(out, ", %s suffices",
                  kiln_kind_name(insp_type_smaller_kind(ranges, type, field)));
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put_char(out, '\n');
}

static uint32_t size_of_kind(kiln_kind kind)
{
    return kind == KILN_KIND_U8 || kind == KILN_KIND_I8     ? 1
           : kind == KILN_KIND_U16 || kind == KILN_KIND_I16 ? 2
                                                            : 4;
}

bool insp_type_small_size(const insp_ranges *ranges, uint32_t number, uint64_t *ret_size,
                          uint64_t *ret_sorted)
{
    const kiln_types *types = ranges->file->types;
    const kiln_type *type = kiln_types_get(types, number);
    insp_field_size *fields = insp_alloc_array(type->member_count, sizeof *fields);
    uint32_t i;
    if (!fields)
        return false;
    for (i = 0; i < type->member_count; i++) {
        const kiln_type *of = kiln_types_get(types, type->members[i].type);
        kiln_kind kind = insp_type_smaller_kind(ranges, number, i);
        fields[i] = (insp_field_size){of->size, of->align};
        if (kind != KILN_KIND_STRUCT)
            fields[i].size = fields[i].align = size_of_kind(kind);
    }
    *ret_size = insp_struct_size(fields, type->member_count, type->align_at);
    insp_struct_sort(fields, type->member_count);
    *ret_sorted = insp_struct_size(fields, type->member_count, type->align_at);
    insp_free(fields);
    return true;
}

/* Writes what smaller types save in all structs of the file. */
static void put_saving(insp_out *out, uint64_t saved, uint64_t structs)
{
    insp_put(out, ", which saves ");
    insp_put_count(out, saved * structs, 0);
    insp_put(out, saved * structs == 1 ? " byte in " : " bytes in ");
    insp_put_count(out, structs, 0);
    insp_put(out, structs == 1 ? " struct" : " structs");
}

static void put_small_size(insp_run *run, const insp_ranges *ranges, uint32_t number, uint64_t size,
                           uint64_t sorted)
{
    uint64_t now = kiln_types_get(ranges->file->types, number)->size;
    uint64_t structs = ranges->structs[number];
    insp_out *out = &run->out;
    insp_putf(out, "      # %" PRIu64 " byte%s instead of %" PRIu64 " with the types below", size,
              size == 1 ? "" : "s", now);
    if (size < now)
        put_saving(out, now - size, structs);
    if (sorted < size) {
        insp_putf(out, "; %" PRIu64 " if fields are also sorted by alignment", sorted);
        put_saving(out, now - sorted, structs);
    }
    insp_put(out, ":\n");
}

bool insp_type_put_patch(insp_run *run, const insp_ranges *ranges, uint32_t number)
{
    const kiln_type *type = kiln_types_get(ranges->file->types, number);
    insp_out *out = &run->out;
    uint64_t size, sorted;
    uint32_t i, smaller = 0;
    if (!insp_type_small_size(ranges, number, &size, &sorted))
        return false;
    insp_put_style(out, INSP_STYLE_FAINT);
    for (i = 0; i < type->member_count; i++) {
        kiln_kind kind = insp_type_smaller_kind(ranges, number, i);
        if (kind == KILN_KIND_STRUCT || sorted == type->size)
            continue;
        if (!smaller++)
            put_small_size(run, ranges, number, size, sorted);
        insp_put(out, "      #   ");
        insp_put_yaml_string(out, type->members[i].name, strlen(type->members[i].name));
        insp_putf(out, ": {type: %s}\n", kiln_kind_name(kind));
    }
    insp_put_style(out, INSP_STYLE_PLAIN);
    return true;
}
