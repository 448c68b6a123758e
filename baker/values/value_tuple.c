/* Values one after the other: structs as the list of their fields, and texts with commas between.
 */
#include "value_told.h"

#include "value_scalar.h"

#include <string.h>

bool bake_value_is_one_text(const bake_values *b, uint32_t type)
{
    const kiln_type *of = value_type(b, value_unwrapped(b, type));
    if (of->kind == KILN_KIND_OPTIONAL)
        return bake_value_is_one_text(b, of->element);
    return of->kind <= KILN_KIND_STRING || of->kind == KILN_KIND_REF || of->kind == KILN_KIND_ENUM;
}

bool bake_value_part(bake_values *b, bake_node_id node, const char *text, size_t length,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    size_t errors = b->error_count;
    if (b->origins)
        bake_value_told(b, node, step);
    if (of->flags & KILN_TYPE_TRANSPARENT) {
        field = &of->members[0];
        return bake_value_part(b, node, text, length, field->type, field,
                               (unsigned char *)dst + field->offset, step);
    }
    if (of->kind == KILN_KIND_STRING) {
        bake_value_string(b, node, text, length, field, dst, step);
        return b->error_count == errors;
    }
    if (of->kind != KILN_KIND_OPTIONAL)
        return bake_value_text(b, node, text, length, type, field, dst, step);
    if (length == 0 || !bake_value_enter(b, node, step))
        return length == 0;
    const kiln_type *element = value_type(b, of->element);
    void *value = kiln_builder_pointer(b->builder, dst, element->size, element->align);
    if (value)
        bake_value_part(b, node, text, length, of->element, field, value, step);
    else
        bake_value_stop(b);
    bake_value_leave(b);
    return b->error_count == errors;
}

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

bool bake_value_fixed_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                           uint32_t type, void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    uint32_t size = value_type(b, of->element)->size;
    size_t at = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        size_t part_length;
        const char *part = bake_value_next_part(text, length, ",", &at, &part_length);
        if ((at <= length) != (i + 1 < of->count))
            return bake_value_text_unexpected(b, node, text, length, type, step);
        if (!bake_value_part(b, node, part, part_length, of->element, NULL,
                             (unsigned char *)dst + (size_t)i * size, step))
            return false;
    }
    return true;
}

bool bake_value_check_tuple(bake_values *b, bake_node_id node, uint32_t type,
                            const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    uint32_t count = bake_node_count(b->tree, node);
    if (count <= of->member_count)
        return true;
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                             "a list of %u elements, %s has %u field%s", count, of->name,
                             of->member_count, of->member_count == 1 ? "" : "s");
}

static void leave_out(bake_values *b, bake_node_id node, size_t said, uint32_t type, uint32_t from,
                      void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    for (uint32_t m = from; m < of->member_count && !b->stopped; m++)
        if (!bake_value_is_said(b, said, m))
            bake_value_missing(b, node, type, m, (unsigned char *)dst + of->members[m].offset,
                               step);
}

void bake_value_tuple(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step)
{
    uint32_t m = 0;
    if (!bake_value_check_tag_of(b, node, KILN_KIND_ARRAY, value_type(b, type)->name, step) ||
        !bake_value_check_tuple(b, node, type, step))
        return;
    for (bake_walk walk = bake_walk_begin(b->tree, node); !b->stopped && bake_walk_next(&walk);) {
        if (b->origins)
            bake_value_told_via(b, node, &walk);
        bake_value_written(b, walk.value, type, m++, dst, step);
    }
    leave_out(b, node, SIZE_MAX, type, m, dst, step);
}

void bake_value_tuple_text(bake_values *b, bake_node_id node, size_t said, uint32_t type, void *dst,
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
        fits = bake_value_is_said(b, said, m) || bake_value_may_be_missing(b, type, m);
    if (!fits) {
        bake_value_text_unexpected(b, node, text, length, type, step);
        return;
    }
    size_t at = 0;
    for (uint32_t m = 0; m < parts && !b->stopped; m++) {
        const kiln_member *field = &of->members[m];
        const char *part = bake_value_next_part(text, length, ",", &at, &part_length);
        value_step inner = {step, STEP_NAME, field->name, strlen(field->name), 0};
        if (!bake_value_is_said(b, said, m))
            bake_value_part(b, node, part, part_length, field->type, field,
                            (unsigned char *)dst + field->offset, &inner);
    }
    leave_out(b, node, said, type, parts, dst, step);
}
