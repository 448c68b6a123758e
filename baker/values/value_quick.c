/* Fast path for plain bools, numbers and strings, which most of a file consists of.
 *
 * It accepts a subset of the values of the slow path, and bakes them to the same bytes. It reports
 * nothing, so it needs no value path: the slow path handles everything unusual, including
 * errors. */
#include "value_scalar.h"

#include "scalar_parse.h"
#include "value_watch.h"

#include <string.h>

/* Longer strings can make a blob too large, so bake_value_size_fits must check them. */
enum { QUICK_STRING_MAX = 65536 };

/* Compares bits as signed, unsigned or double, depending on the kind. */
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

/* Parses an f32 directly, since going through double would round twice. Its range is compared as
 * double, which represents every f32 exactly. */
static bool quick_float(const kiln_type *of, const kiln_member *field, const bake_scalar_view *view,
                        void *dst)
{
    double wide;
    float narrow = 0;
    uint64_t bits;
    bool is_narrow = of->kind == KILN_KIND_F32;
    if (is_narrow ? bake_parse_f32(view->text, view->length, &narrow)
                  : bake_parse_f64(view->text, view->length, &wide))
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

static bool quick_integer(const kiln_type *of, const kiln_member *field,
                          const bake_scalar_view *view, void *dst)
{
    uint64_t bits;
    if (bake_parse_integer(of->kind, view->text, view->length, &bits) ||
        bake_value_range(field, of->kind, bits))
        return false;
    /* Only little-endian hosts are supported, so the low bytes come first. */
    memcpy(dst, &bits, of->size);
    return true;
}

/* Only strings copied because of escapes can contain a NUL: the YAML reader rejects NUL in a
 * source. */
static bool quick_string(bake_values *b, const bake_scalar_view *view, const kiln_member *field,
                         kiln_string *dst)
{
    bool bounded = field && (field->flags & (KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX));
    if (bounded || (b->watch && bake_value_is_watched(b, field)) || view->length == 0 ||
        view->length > QUICK_STRING_MAX || b->limits.depth >= KILN_DEPTH_MAX ||
        bake_view_is_null(view) || (view->is_copied && memchr(view->text, 0, view->length)))
        return false;
    if (!kiln_builder_string(b->builder, dst, view->text, view->length))
        value_stop(b);
    return true;
}

bool bake_value_quick(bake_values *b, bake_node_id node, const kiln_type *of,
                      const kiln_member *field, void *dst)
{
    bake_scalar_view view;
    bool truth;
    if (!bake_view_scalar(b->tree, node, &view) || !view.is_bare)
        return false;
    switch (of->kind) {
    case KILN_KIND_BOOL:
        if (bake_parse_bool(view.text, view.length, &truth))
            return false;
        *(unsigned char *)dst = truth;
        return true;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        return quick_float(of, field, &view, dst);
    case KILN_KIND_STRING:
        return quick_string(b, &view, field, dst);
    default:
        return quick_integer(of, field, &view, dst);
    }
}
