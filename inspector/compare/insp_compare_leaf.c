/* Compares values without parts as they are shown.
 *
 * Values of the same kind are compared directly. Only values of different kinds, enums and flags
 * are formatted, so that an enum whose numbers have changed is the same if its name is. */
#include "insp_comparing.h"

#include "insp_flat.h"
#include "insp_format.h"

#include <math.h>

static bool has_same_text(insp_comparing *c, const insp_seen *const seen[INSP_SIDES])
{
    int side;
    for (side = 0; side < INSP_SIDES; side++) {
        insp_printer p;
        insp_out_restart(c->text[side]);
        insp_printer_init(&p, c->text[side], c->def->files[side], &insp_format_flat);
        if (seen[side]->shape == INSP_SHAPE_ENTITY)
            insp_put_flat_entity(&p, &seen[side]->entity);
        else
            insp_put_flat_scalar(&p, &seen[side]->value);
        c->no_memory = c->no_memory || p.path.failed;
        insp_printer_fini(&p);
    }
    return !c->text[0]->error && !c->text[1]->error && c->text[0]->used == c->text[1]->used &&
           memcmp(c->text[0]->buffer, c->text[1]->buffer, c->text[0]->used) == 0;
}

static bool is_same_text(const kiln_value *before, const kiln_value *after)
{
    const char *left = "", *right = "";
    uint32_t left_length = 0, right_length = 0;
    kiln_value_text(before, &left, &left_length);
    kiln_value_text(after, &right, &right_length);
    return left_length == right_length && memcmp(left, right, left_length) == 0;
}

/* Sets `*ret_same` if both values are floats of the same kind, or if a tolerance applies. */
static bool compare_floats(const insp_comparing *c, const kiln_value *before,
                           const kiln_value *after, bool *ret_same)
{
    double left = kiln_value_float(before), right = kiln_value_float(after);
    double size = fabs(left) > fabs(right) ? fabs(left) : fabs(right);
    if (c->def->tolerance > 0 && fabs(left - right) <= c->def->tolerance * fmax(1, size)) {
        *ret_same = true;
        return true;
    }
    if (before->of->kind != after->of->kind)
        return false;
    /* 0.0 and -0.0 are shown differently, all kinds of NaN alike. */
    *ret_same = (isnan(left) && isnan(right)) || (left == right && signbit(left) == signbit(right));
    return true;
}

/* An entity of the same scene is the same if it was matched, even if its number has changed. */
static bool is_same_entity(insp_comparing *c, const insp_seen *const seen[INSP_SIDES])
{
    const insp_entity *before = &seen[INSP_OLD]->entity, *after = &seen[INSP_NEW]->entity;
    if (!before->is_import && !after->is_import && before->number < c->number_count)
        return c->numbers[before->number] == after->number;
    return has_same_text(c, seen);
}

bool insp_compare_leaf_is_same(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    const insp_seen *const seen[INSP_SIDES] = {before, after};
    kiln_kind kind = before->value.of->kind, other = after->value.of->kind;
    bool is_same = false;
    if (before->shape != after->shape)
        return false;
    if (before->shape == INSP_SHAPE_NULL)
        return true;
    if (before->shape == INSP_SHAPE_BROKEN)
        return before->status == after->status;
    if (before->shape == INSP_SHAPE_ENTITY)
        return is_same_entity(c, seen);
    if (kind == other && (kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES))
        return is_same_text(&before->value, &after->value);
    if (kiln_kind_is_float(kind) && kiln_kind_is_float(other) &&
        compare_floats(c, &before->value, &after->value, &is_same))
        return is_same;
    if (kind == other &&
        (kind == KILN_KIND_BOOL || kind == KILN_KIND_REF || kiln_kind_is_integer(kind)))
        return kiln_value_uint(&before->value) == kiln_value_uint(&after->value);
    return has_same_text(c, seen);
}
