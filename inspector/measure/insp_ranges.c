/* All fields of a struct are read when the struct is visited, so one walk is enough for any number
 * of types. */
#include "insp_ranges.h"

#include "insp_memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

/* Fields nested in optionals, newtypes and fixed arrays deeper than this are not read: a newtype of
 * an optional of itself has no end. */
enum { LAYERS_MAX = 32 };

static void add_first(insp_range *range, uint64_t bits)
{
    if (!range->values++) {
        range->first = bits;
        range->is_constant = true;
    }
    range->is_constant = range->is_constant && range->first == bits;
}

static void add_number(insp_range *range, double number)
{
    bool is_first = range->values == 1;
    range->least = is_first || number < range->least ? number : range->least;
    range->most = is_first || number > range->most ? number : range->most;
    /* NaN is exact in every float type. */
    range->is_f32 = (is_first || range->is_f32) &&
                    (isnan(number) || isinf(number) ||
                     (fabs(number) <= FLT_MAX && (double)(float)number == number));
}

static void add_integer(insp_range *range, uint64_t bits, bool is_signed)
{
    bool is_negative = is_signed && bits >> 63;
    int64_t number = is_signed || bits <= INT64_MAX ? (int64_t)bits : INT64_MAX;
    bool is_first = range->values == 1;
    range->least_int = is_first || number < range->least_int ? number : range->least_int;
    if (is_first)
        range->most_int = 0;
    if (!is_negative && bits > range->most_int)
        range->most_int = bits;
    add_number(range, is_negative ? (double)(int64_t)bits : (double)bits);
}

static void add_length(insp_range *range, const kiln_value *value)
{
    const char *text;
    uint32_t length;
    range->has_length = true;
    if (kiln_value_text(value, &text, &length) == KILN_OK) {
        add_first(range, XXH3_64bits(text, length));
    } else {
        /* Lists are compared only by whether they are empty. */
        length = kiln_value_count(value);
        add_first(range, length ? range->values + 1 : 0);
    }
    add_integer(range, length, false);
}

static void add_value(insp_range *range, const kiln_value *value, uint32_t layers)
{
    kiln_kind kind = value->of->kind;
    uint32_t i, count = kiln_value_count(value);
    kiln_value inner;
    uint64_t bits;
    bool is_newtype = kind == KILN_KIND_STRUCT && value->of->flags & KILN_TYPE_TRANSPARENT;
    if (kind == KILN_KIND_OPTIONAL || kind == KILN_KIND_FIXED || is_newtype) {
        range->absent += kind == KILN_KIND_OPTIONAL && !count;
        for (i = 0; i < count && layers < LAYERS_MAX; i++)
            if (kiln_value_at(value, i, &inner) == KILN_OK)
                add_value(range, &inner, layers + 1);
        return;
    }
    range->kind = kind;
    if (kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES || kind == KILN_KIND_ARRAY ||
        kind == KILN_KIND_MAP) {
        add_length(range, value);
        return;
    }
    if (kind == KILN_KIND_UNION) {
        const kiln_member *choice = kiln_value_member(value);
        if (choice)
            add_first(range, choice->value);
        else
            range->absent++;
        return;
    }
    if (kind == KILN_KIND_STRUCT) {
        add_first(range, range->values);
        return;
    }
    bits = kiln_value_uint(value);
    add_first(range, bits);
    if (kiln_kind_is_float(kind))
        add_number(range, kiln_value_float(value));
    else
        add_integer(range, bits,
                    kiln_kind_is_signed(kind == KILN_KIND_ENUM ? value->of->base : kind));
}

/* Counts whether a field has its default value, or the empty value if it has no default. Defaults
 * with objects are not compared. */
static void compare_default(insp_range *range, const kiln_member *member, const kiln_value *field)
{
    static const unsigned char zeros[256];
    const unsigned char *image = member->default_image;
    uint32_t size = field->of->size, at;
    bool is_equal = true;
    if (image && (field->of->has_pointers || member->default_size < size))
        return;
    range->all++;
    if (image) {
        is_equal = memcmp(field->data, image, size) == 0;
    } else {
        for (at = 0; at < size && is_equal; at += sizeof zeros) {
            uint32_t part = size - at < sizeof zeros ? size - at : (uint32_t)sizeof zeros;
            is_equal = memcmp(field->data + at, zeros, part) == 0;
        }
    }
    range->defaults += is_equal;
}

static bool visit_struct(insp_struct_walk *walk, const insp_step *step, const kiln_value *value)
{
    insp_ranges *ranges = walk->ctx;
    insp_range *rows = &ranges->rows[ranges->first[value->type]];
    uint32_t i;
    kiln_value field;
    (void)step;
    ranges->structs[value->type]++;
    for (i = 0; i < value->of->member_count; i++) {
        /* A fixed array can be long. */
        uint64_t cost = kiln_types_get(value->types, value->of->members[i].type)->size / 16;
        if (cost > walk->left) {
            ranges->stopped = true;
            return false;
        }
        walk->left -= cost;
        if (kiln_value_at(value, i, &field) != KILN_OK)
            continue;
        add_value(&rows[i], &field, 0);
        compare_default(&rows[i], &value->of->members[i], &field);
    }
    return true;
}

kiln_status insp_ranges_init(insp_ranges *ranges, const insp_file *file, const bool *wanted,
                             uint64_t limit)
{
    uint32_t i, count = kiln_types_count(file->types);
    size_t fields = 0;
    insp_struct_walk walk;
    kiln_status status = insp_struct_walk_init(&walk, file, wanted);
    *ranges = (insp_ranges){.file = file};
    ranges->first = insp_alloc_array(count, sizeof *ranges->first);
    ranges->structs = insp_alloc_array(count, sizeof *ranges->structs);
    for (i = 0; ranges->first && i < count; i++) {
        ranges->first[i] = fields;
        fields += kiln_types_get(file->types, i)->member_count;
    }
    ranges->rows = insp_alloc_array(fields, sizeof *ranges->rows);
    if (!ranges->first || !ranges->structs || !ranges->rows)
        status = KILN_NO_MEMORY;
    walk.visit = visit_struct;
    walk.ctx = ranges;
    walk.left = limit;
    if (!status)
        status = insp_struct_walk_file(&walk);
    ranges->stopped = walk.stopped;
    ranges->broken = walk.broken;
    insp_struct_walk_fini(&walk);
    return status;
}

void insp_ranges_fini(insp_ranges *ranges)
{
    insp_free(ranges->first);
    insp_free(ranges->rows);
    insp_free(ranges->structs);
    *ranges = (insp_ranges){0};
}

/* ---- smaller types ---- */

static kiln_kind unsigned_kind(uint64_t most)
{
    return most <= UINT8_MAX    ? KILN_KIND_U8
           : most <= UINT16_MAX ? KILN_KIND_U16
           : most <= UINT32_MAX ? KILN_KIND_U32
                                : KILN_KIND_U64;
}

static kiln_kind signed_kind(int64_t least, uint64_t most)
{
    return least >= INT8_MIN && most <= INT8_MAX     ? KILN_KIND_I8
           : least >= INT16_MIN && most <= INT16_MAX ? KILN_KIND_I16
           : least >= INT32_MIN && most <= INT32_MAX ? KILN_KIND_I32
                                                     : KILN_KIND_I64;
}

static uint32_t kind_size(kiln_kind kind)
{
    switch (kind) {
    case KILN_KIND_U8:
    case KILN_KIND_I8:
        return 1;
    case KILN_KIND_U16:
    case KILN_KIND_I16:
        return 2;
    case KILN_KIND_U32:
    case KILN_KIND_I32:
    case KILN_KIND_F32:
        return 4;
    default:
        return 8;
    }
}

static kiln_kind range_kind(const insp_range *range, kiln_kind kind)
{
    kiln_kind smaller = kind;
    if (kind == KILN_KIND_F64)
        return range->is_f32 ? KILN_KIND_F32 : kind;
    if (kiln_kind_is_signed(kind) && range->least_int < 0)
        smaller = signed_kind(range->least_int, range->most_int);
    else if (kiln_kind_is_signed(kind) || kind == KILN_KIND_U8 || kind == KILN_KIND_U16 ||
             kind == KILN_KIND_U32 || kind == KILN_KIND_U64)
        smaller = unsigned_kind(range->most_int);
    return kind_size(smaller) < kind_size(kind) ? smaller : kind;
}

/* Adds a bound of the schema: the bits of an integer, or of an f64. */
static void add_bound(insp_range *range, const kiln_type *of, uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    if (kiln_kind_is_float(of->kind))
        add_number(range, number);
    else
        add_integer(range, bits, kiln_kind_is_signed(of->kind));
}

kiln_kind insp_ranges_kind(const insp_ranges *ranges, uint32_t type, uint32_t field)
{
    const kiln_types *types = ranges->file->types;
    const kiln_member *member = &kiln_types_get(types, type)->members[field];
    const kiln_type *of = kiln_types_get(types, member->type);
    const unsigned char *image = member->default_image;
    insp_range range = *insp_ranges_field(ranges, type, field);
    if (!range.values)
        return of->kind;
    range.values++; /* neither of these is the first value */
    if (member->flags & KILN_MEMBER_HAS_MIN)
        add_bound(&range, of, member->min);
    if (member->flags & KILN_MEMBER_HAS_MAX)
        add_bound(&range, of, member->max);
    if (image && member->default_size >= of->size && !of->has_pointers) {
        kiln_value value = {types, of, member->type, image, image, image + member->default_size};
        add_value(&range, &value, 0);
    }
    return range_kind(&range, of->kind);
}

/* ---- layout (FORMAT.md section 6) ---- */

uint64_t insp_struct_size(const insp_field_size *fields, uint32_t count, uint32_t align_at)
{
    uint64_t size = 0, align = align_at > 1 ? align_at : 1;
    uint32_t i;
    for (i = 0; i < count; i++) {
        size = (size + fields[i].align - 1) / fields[i].align * fields[i].align + fields[i].size;
        align = fields[i].align > align ? fields[i].align : align;
    }
    size = size ? size : 1;
    return (size + align - 1) / align * align;
}

static int compare_sizes(const void *a, const void *b)
{
    const insp_field_size *left = a, *right = b;
    return (left->align < right->align) - (left->align > right->align);
}

void insp_struct_sort(insp_field_size *fields, uint32_t count)
{
    if (count)
        qsort(fields, count, sizeof *fields, compare_sizes);
}
