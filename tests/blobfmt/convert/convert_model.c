#include "convert_model.h"

#include <stdlib.h>
#include <string.h>

static model_verdict compare(const kiln_value *a, const kiln_value *b, const kiln_member *member,
                             bool is_root);

static const kiln_type *unwrapped(const kiln_value *value)
{
    const kiln_type *of = value->of;
    while (of->flags & KILN_TYPE_TRANSPARENT)
        of = kiln_types_get(value->types, of->members[0].type);
    return of;
}

static bool lists(const char *const *was, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(was[i], name) == 0)
            return true;
    return false;
}

static bool same_name(const kiln_type *a, const kiln_type *b)
{
    return strcmp(a->name, b->name) == 0 || lists(b->was, b->was_count, a->name);
}

/* The member of `b` that corresponds to the member `name` of the older type. */
static const kiln_member *newer_member(const kiln_type *b, const char *name)
{
    for (uint32_t i = 0; i < b->member_count; i++)
        if (strcmp(b->members[i].name, name) == 0)
            return &b->members[i];
    for (uint32_t i = 0; i < b->member_count; i++)
        if (lists(b->members[i].was, b->members[i].was_count, name))
            return &b->members[i];
    return NULL;
}

static kiln_value child(const kiln_value *value, uint32_t i)
{
    kiln_value found;
    if (kiln_value_at(value, i, &found))
        abort();
    return found;
}

static model_verdict worst(model_verdict a, model_verdict b)
{
    return a > b ? a : b;
}

static model_verdict verdict(bool equal)
{
    return equal ? MODEL_EQUAL : MODEL_DIFFERENT;
}

static model_verdict compare_numbers(const kiln_value *a, const kiln_value *b)
{
    if (!kiln_kind_is_float(b->of->kind))
        return verdict(kiln_value_int(a) == kiln_value_int(b));
    double newer = kiln_value_float(b), older = kiln_value_float(a);
    if (kiln_kind_is_signed(a->of->kind))
        older = (double)kiln_value_int(a);
    else if (!kiln_kind_is_float(a->of->kind))
        older = (double)kiln_value_uint(a);
    if (a->of->kind == b->of->kind)
        return verdict(kiln_value_uint(a) == kiln_value_uint(b));
    return verdict(newer != newer ? older != older : memcmp(&newer, &older, sizeof newer) == 0);
}

static model_verdict compare_texts(const kiln_value *a, const kiln_value *b)
{
    const char *left, *right;
    uint32_t left_length, right_length;
    if (kiln_value_text(a, &left, &left_length) || kiln_value_text(b, &right, &right_length))
        abort();
    return verdict(left_length == right_length && memcmp(left, right, left_length) == 0);
}

static model_verdict compare_flags(const kiln_value *a, const kiln_value *b)
{
    uint64_t bits = kiln_value_uint(a), covered = 0, expected = 0;
    for (uint32_t i = 0; i < a->of->member_count; i++) {
        const kiln_member *older = &a->of->members[i];
        const kiln_member *newer = newer_member(b->of, older->name);
        if (newer && (bits & older->value) == older->value) {
            covered |= older->value;
            expected |= newer->value;
        }
    }
    if (covered != bits)
        return MODEL_REFUSED;
    return verdict(expected == kiln_value_uint(b));
}

static model_verdict compare_choices(const kiln_value *a, const kiln_value *b)
{
    const kiln_member *older = kiln_value_member(a);
    if (!older)
        return verdict(kiln_value_member(b) == NULL);
    const kiln_member *newer = newer_member(b->of, older->name);
    if (!newer)
        return MODEL_REFUSED;
    if (kiln_value_member(b) != newer)
        return MODEL_DIFFERENT;
    if (kiln_value_count(a) != kiln_value_count(b))
        return MODEL_DIFFERENT;
    if (kiln_value_count(a) == 0)
        return MODEL_EQUAL;
    kiln_value left = child(a, 0), right = child(b, 0);
    return compare(&left, &right, NULL, false);
}

/* The value of a new field: its default, or empty. */
static model_verdict compare_new(const kiln_value *b, const kiln_member *member)
{
    kiln_value image;
    if (member && member->default_image) {
        if (kiln_value_root(b->types, member->type, member->default_image, member->default_size,
                            &image))
            abort();
        return compare(&image, b, NULL, true);
    }
    for (uint32_t i = 0; i < b->of->size; i++)
        if (b->data[i])
            return MODEL_DIFFERENT;
    return MODEL_EQUAL;
}

static model_verdict compare_structs(const kiln_value *a, const kiln_value *b)
{
    model_verdict result = MODEL_EQUAL;
    for (uint32_t i = 0; i < b->of->member_count; i++) {
        const kiln_member *member = &b->of->members[i];
        const kiln_member *older = NULL;
        kiln_value left, right = child(b, i);
        for (uint32_t k = 0; k < a->of->member_count; k++)
            if (newer_member(b->of, a->of->members[k].name) == member) {
                older = &a->of->members[k];
                left = child(a, k);
            }
        result = worst(result,
                       older ? compare(&left, &right, member, false) : compare_new(&right, member));
    }
    return result;
}

static model_verdict compare_rows(const kiln_value *a, const kiln_value *b,
                                  const kiln_member *member)
{
    model_verdict result = MODEL_EQUAL;
    uint32_t count = kiln_value_count(a);
    if (b->of->kind == KILN_KIND_FIXED ? kiln_value_count(b) < count : kiln_value_count(b) != count)
        return MODEL_DIFFERENT;
    for (uint32_t i = 0; i < kiln_value_count(b); i++) {
        kiln_value left, right = child(b, i), image;
        if (i < count) {
            left = child(a, i);
            result = worst(result, compare(&left, &right, NULL, false));
        } else if (member && member->default_image) {
            if (kiln_value_root(b->types, member->type, member->default_image, member->default_size,
                                &image))
                abort();
            left = child(&image, i);
            result = worst(result, compare(&left, &right, NULL, true));
        } else {
            result = worst(result, compare_new(&right, NULL));
        }
    }
    return result;
}

static model_verdict compare_maps(const kiln_value *a, const kiln_value *b)
{
    model_verdict result = MODEL_EQUAL;
    uint32_t count = kiln_value_count(a);
    if (kiln_value_count(b) != count)
        return MODEL_DIFFERENT;
    for (uint32_t i = 0; i < count; i++) {
        kiln_value key, other, left = child(a, i);
        model_verdict found = MODEL_DIFFERENT;
        if (kiln_value_key(a, i, &key))
            abort();
        for (uint32_t k = 0; k < count && found == MODEL_DIFFERENT; k++) {
            if (kiln_value_key(b, k, &other))
                abort();
            kiln_value right = child(b, k);
            found = compare(&key, &other, NULL, false);
            if (found == MODEL_EQUAL)
                result = worst(result, compare(&left, &right, NULL, false));
        }
        result = worst(result, found);
    }
    return result;
}

static model_verdict compare(const kiln_value *a, const kiln_value *b, const kiln_member *member,
                             bool is_root)
{
    bool same_struct = a->of->kind == KILN_KIND_STRUCT && b->of->kind == KILN_KIND_STRUCT &&
                       (is_root || same_name(a->of, b->of));
    kiln_value inner;
    if (same_struct)
        return compare_structs(a, b);
    if (b->of->flags & KILN_TYPE_TRANSPARENT) {
        inner = child(b, 0);
        return compare(a, &inner, &b->of->members[0], false);
    }
    bool is_boxed = unwrapped(a)->kind != b->of->kind &&
                    (b->of->kind == KILN_KIND_OPTIONAL ||
                     (b->of->kind == KILN_KIND_ARRAY && unwrapped(a)->kind != KILN_KIND_BYTES));
    if (is_boxed) {
        if (kiln_value_count(b) != 1)
            return MODEL_DIFFERENT;
        inner = child(b, 0);
        return compare(a, &inner, NULL, false);
    }
    if (a->of->flags & KILN_TYPE_TRANSPARENT) {
        inner = child(a, 0);
        return compare(&inner, b, member, false);
    }
    switch (b->of->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        return compare_texts(a, b);
    case KILN_KIND_FLAGS:
        return compare_flags(a, b);
    case KILN_KIND_ENUM:
    case KILN_KIND_UNION:
        return compare_choices(a, b);
    case KILN_KIND_ARRAY:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_FIXED:
        return compare_rows(a, b, member);
    case KILN_KIND_MAP:
        return compare_maps(a, b);
    default:
        return compare_numbers(a, b);
    }
}

model_verdict convert_model(const kiln_value *older, const kiln_value *newer)
{
    return compare(older, newer, NULL, true);
}
