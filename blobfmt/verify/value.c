/* Reads values of any type, using the type's description: the accessors of kiln/value.h.
 *
 * Programs with generated structs do not need these functions, but tools and the generic parts of
 * blobfmt do. Payloads may be unverified: each step checks bounds and alignment in O(1), but does
 * not check values that it does not access. */
#include <kiln/value.h>

#include "object_form.h"

#include <string.h>

static kiln_value value_of(const kiln_value *from, uint32_t type, const unsigned char *data)
{
    kiln_value value = {from->types, type_at(from->types, type), type, data, from->begin,
                        from->end};
    return value;
}

static uint32_t read_u32(const unsigned char *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

kiln_status kiln_value_root(const kiln_types *types, uint32_t type, const void *payload,
                            size_t size, kiln_value *ret_value)
{
    const kiln_type *of = kiln_types_get(types, type);
    if (!of)
        return KILN_BAD_ARGUMENT;
    if (of->size > size)
        return KILN_V_ROOT;
    const unsigned char *begin = payload;
    kiln_value value = {types, of, type, begin, begin, begin + size};
    *ret_value = value;
    return KILN_OK;
}

/* The kind of the stored number: for an enum or flag set, its base. */
static kiln_kind stored_kind(const kiln_value *value)
{
    kiln_kind kind = value->of->kind;
    return kind == KILN_KIND_ENUM || kind == KILN_KIND_FLAGS ? value->of->base : kind;
}

int64_t kiln_value_int(const kiln_value *value)
{
    return (int64_t)kiln_value_uint(value);
}

uint64_t kiln_value_uint(const kiln_value *value)
{
    kiln_kind kind = stored_kind(value);
    uint32_t size = kiln_kind_size(kind);
    uint64_t bits = 0;
    memcpy(&bits, value->data, size);
    if (kiln_kind_is_signed(kind) && size < 8 && bits >> (size * 8 - 1))
        bits |= UINT64_MAX << (size * 8);
    return bits;
}

double kiln_value_float(const kiln_value *value)
{
    float single;
    double number = 0;
    if (value->of->kind == KILN_KIND_F32) {
        memcpy(&single, value->data, sizeof single);
        number = (double)single;
    } else if (value->of->kind == KILN_KIND_F64) {
        memcpy(&number, value->data, sizeof number);
    }
    return number;
}

/* The address `offset` bytes after the value, if `bytes` bytes there are inside the payload. */
static kiln_status target_of(const kiln_value *value, uint32_t offset, uint64_t bytes,
                             const unsigned char **ret_target)
{
    uint64_t left = (uint64_t)(value->end - value->data);
    if (offset > left || bytes > left - offset)
        return KILN_V_BOUNDS;
    *ret_target = value->data + offset;
    return KILN_OK;
}

kiln_status kiln_value_text(const kiln_value *value, const char **ret_text, uint32_t *ret_length)
{
    if (value->of->kind != KILN_KIND_STRING && value->of->kind != KILN_KIND_BYTES)
        return KILN_BAD_ARGUMENT;
    uint32_t offset = read_u32(value->data), length = read_u32(value->data + 4);
    const unsigned char *target = (const unsigned char *)"";
    if (offset == 0)
        length = 0;
    else if (target_of(value, offset, length, &target))
        return KILN_V_BOUNDS;
    *ret_text = (const char *)target;
    *ret_length = length;
    return KILN_OK;
}

const kiln_member *kiln_value_member(const kiln_value *value)
{
    if (value->of->kind == KILN_KIND_UNION)
        return kiln_type_value(value->of, read_u32(value->data));
    if (value->of->kind == KILN_KIND_ENUM)
        return kiln_type_value(value->of, kiln_value_uint(value));
    return NULL;
}

uint32_t kiln_value_count(const kiln_value *value)
{
    switch (value->of->kind) {
    case KILN_KIND_STRUCT:
        return value->of->member_count;
    case KILN_KIND_FIXED:
        return value->of->count;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        return read_u32(value->data) ? read_u32(value->data + 4) : 0;
    case KILN_KIND_OPTIONAL:
        return read_u32(value->data) != 0;
    case KILN_KIND_UNION: {
        const kiln_member *member = kiln_value_member(value);
        return member && member->type != KILN_TYPE_NONE && read_u32(value->data + 4) != 0;
    }
    default:
        return 0;
    }
}

/* The value of `type` at byte `at` of element or entry `i` of the object that the field points to.
 */
static kiln_status unit_of(const kiln_value *value, uint32_t i, uint32_t at, uint32_t type,
                           kiln_value *ret_value)
{
    uint32_t field_at = value->of->kind == KILN_KIND_UNION ? 4 : 0;
    kiln_value field = *value;
    field.data += field_at;
    const kiln_type *of = type_at(value->types, type);
    uint64_t stride = value->of->kind == KILN_KIND_MAP ? value->of->entry_size : of->size;
    uint64_t from = stride * i + at;
    const unsigned char *target;
    kiln_status status = target_of(&field, read_u32(field.data), from + of->size, &target);
    if (status)
        return status;
    target += from;
    if ((uint64_t)(target - value->begin) & (of->align - 1))
        return KILN_V_MISALIGNED;
    *ret_value = value_of(value, type, target);
    return KILN_OK;
}

kiln_status kiln_value_at(const kiln_value *value, uint32_t i, kiln_value *ret_value)
{
    const kiln_type *of = value->of;
    if (i >= kiln_value_count(value))
        return KILN_BAD_ARGUMENT;
    switch (of->kind) {
    case KILN_KIND_STRUCT:
        *ret_value = value_of(value, of->members[i].type, value->data + of->members[i].offset);
        return KILN_OK;
    case KILN_KIND_FIXED: {
        const kiln_type *element = type_at(value->types, of->element);
        *ret_value = value_of(value, of->element, value->data + (size_t)element->size * i);
        return KILN_OK;
    }
    case KILN_KIND_UNION:
        return unit_of(value, 0, 0, kiln_value_member(value)->type, ret_value);
    case KILN_KIND_MAP:
        return unit_of(value, i, of->value_offset, of->element, ret_value);
    default:
        return unit_of(value, i, 0, of->element, ret_value);
    }
}

kiln_status kiln_value_key(const kiln_value *value, uint32_t i, kiln_value *ret_value)
{
    if (value->of->kind != KILN_KIND_MAP || i >= kiln_value_count(value))
        return KILN_BAD_ARGUMENT;
    return unit_of(value, i, 0, value->of->key, ret_value);
}

kiln_status kiln_value_field(const kiln_value *value, const char *name, size_t length,
                             kiln_value *ret_value)
{
    const kiln_member *member =
        value->of->kind == KILN_KIND_STRUCT ? kiln_type_member(value->of, name, length) : NULL;
    if (!member)
        return KILN_NOT_FOUND;
    *ret_value = value_of(value, member->type, value->data + member->offset);
    return KILN_OK;
}

kiln_status kiln_value_target(const kiln_value *value, const unsigned char **ret_target,
                              uint64_t *ret_size)
{
    const kiln_type *of = value->of;
    kiln_value field = *value;
    uint64_t count = 1, unit;
    if (of->kind == KILN_KIND_UNION) {
        const kiln_member *member = kiln_value_member(value);
        field.data += 4;
        unit = member && member->type != KILN_TYPE_NONE ? type_at(value->types, member->type)->size
                                                        : 0;
    } else if (of->kind == KILN_KIND_OPTIONAL) {
        unit = type_at(value->types, of->element)->size;
    } else if (of->kind == KILN_KIND_STRING || of->kind == KILN_KIND_BYTES ||
               of->kind == KILN_KIND_ARRAY || of->kind == KILN_KIND_MAP) {
        unit = object_form_of_field(value->types, value->type).size;
        count = (uint64_t)read_u32(value->data + 4) + (of->kind == KILN_KIND_STRING);
    } else {
        return KILN_BAD_ARGUMENT;
    }
    *ret_target = NULL;
    *ret_size = 0;
    uint32_t offset = read_u32(field.data);
    if (offset == 0)
        return KILN_OK;
    kiln_status status = target_of(&field, offset, unit * count, ret_target);
    if (!status)
        *ret_size = unit * count;
    return status;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Fast path: most keys that are fixed arrays contain i32, such as positions on a grid. */
static int compare_i32s(const unsigned char *a, const unsigned char *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, a += 4, b += 4) {
        int32_t left, right;
        memcpy(&left, a, sizeof left);
        memcpy(&right, b, sizeof right);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/* The order of FORMAT.md section 5. Keys are compared without subtraction, which could overflow. */
int kiln_value_compare_keys(const kiln_value *a, const kiln_value *b)
{
    kiln_kind kind = stored_kind(a);
    if (kind == KILN_KIND_STRING) {
        const char *left = "", *right = "";
        uint32_t left_length = 0, right_length = 0;
        kiln_value_text(a, &left, &left_length);
        kiln_value_text(b, &right, &right_length);
        int order = memcmp(left, right, left_length < right_length ? left_length : right_length);
        return order ? order : compare_u64(left_length, right_length);
    }
    if (kind == KILN_KIND_FIXED) {
        if (type_at(a->types, a->of->element)->kind == KILN_KIND_I32)
            return compare_i32s(a->data, b->data, a->of->count);
        kiln_value left = value_of(a, a->of->element, a->data);
        kiln_value right = value_of(b, b->of->element, b->data);
        int order = 0;
        for (uint32_t i = 0; i < a->of->count && !order; i++) {
            order = kiln_value_compare_keys(&left, &right);
            left.data += left.of->size;
            right.data += right.of->size;
        }
        return order;
    }
    if (kiln_kind_is_float(kind)) {
        double left = kiln_value_float(a), right = kiln_value_float(b);
        return (left > right) - (left < right);
    }
    if (kiln_kind_is_signed(kind)) {
        int64_t left = kiln_value_int(a), right = kiln_value_int(b);
        return (left > right) - (left < right);
    }
    return compare_u64(kiln_value_uint(a), kiln_value_uint(b));
}
