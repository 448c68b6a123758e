/* The shortest way for what most of a file is: bools, numbers and strings without a mistake. */
#include "value_baker.h"

#include "scalar_parse.h"

#include <string.h>

/* Longer strings may be the reason why a blob is too large, which is looked at elsewhere. */
enum { QUICK_STRING_MAX = 65536 };

static bool is_below(kiln_kind kind, uint64_t a, uint64_t b)
{
    double x, y;
    if (kiln_kind_is_signed(kind))
        return (int64_t)a < (int64_t)b;
    if (!kiln_kind_is_float(kind))
        return a < b;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x < y;
}

static bool is_nan(kiln_kind kind, uint64_t bits)
{
    double number = 0;
    if (kiln_kind_is_float(kind))
        memcpy(&number, &bits, sizeof number);
    return number != number;
}

value_range bake_value_range(const kiln_member *field, kiln_kind kind, uint64_t bits)
{
    if (!field || !(field->flags & (KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX)))
        return RANGE_WITHIN;
    if (is_nan(kind, bits))
        return RANGE_NAN;
    if ((field->flags & KILN_MEMBER_HAS_MIN) && is_below(kind, bits, field->min))
        return RANGE_BELOW;
    if ((field->flags & KILN_MEMBER_HAS_MAX) && is_below(kind, field->max, bits))
        return RANGE_ABOVE;
    return RANGE_WITHIN;
}

static bool quick_float(const kiln_type *of, const kiln_member *field, const char *text,
                        size_t length, void *dst)
{
    double wide;
    float narrow = 0;
    uint64_t bits;
    bool is_narrow = of->kind == KILN_KIND_F32;
    if (is_narrow ? bake_parse_f32(text, length, &narrow) : bake_parse_f64(text, length, &wide))
        return false;
    if (is_narrow)
        wide = narrow;
    memcpy(&bits, &wide, sizeof bits);
    if (bake_value_range(field, of->kind, bits))
        return false;
    if (is_narrow)
        memcpy(dst, &narrow, sizeof narrow);
    else
        memcpy(dst, &wide, sizeof wide);
    return true;
}

static bool quick_integer(const kiln_type *of, const kiln_member *field, const char *text,
                          size_t length, void *dst)
{
    uint64_t bits;
    if (bake_parse_integer(of->kind, text, length, &bits) ||
        bake_value_range(field, of->kind, bits))
        return false;
    /* Little-endian hosts only: the low bytes come first. */
    memcpy(dst, &bits, of->size);
    return true;
}

static bool quick_string(bake_values *b, bake_node_id node, const kiln_member *field,
                         const char *text, size_t length, kiln_string *dst)
{
    bool bounded = field && (field->flags & (KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX));
    if (bounded || length == 0 || length > QUICK_STRING_MAX || b->depth >= KILN_DEPTH_MAX ||
        bake_node_is_null(b->tree, node) || memchr(text, 0, length))
        return false;
    if (!kiln_builder_string(b->builder, dst, text, length))
        bake_value_stop(b);
    return true;
}

bool bake_value_quick(bake_values *b, bake_node_id node, const kiln_type *of,
                      const kiln_member *field, void *dst)
{
    bool truth;
    size_t length;
    if (of->kind > KILN_KIND_STRING || bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR ||
        bake_node_tag(b->tree, node))
        return false;
    const char *text = bake_node_text(b->tree, node, &length);
    switch (of->kind) {
    case KILN_KIND_BOOL:
        if (bake_parse_bool(text, length, &truth))
            return false;
        *(unsigned char *)dst = truth;
        return true;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        return quick_float(of, field, text, length, dst);
    case KILN_KIND_STRING:
        return quick_string(b, node, field, text, length, dst);
    default:
        return quick_integer(of, field, text, length, dst);
    }
}
