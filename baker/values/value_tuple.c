/* Structs as the list of their fields, or as one text with commas between the fields. */
#include "value_compose.h"

#include "origin_record.h"
#include "value_scalar.h"

#include <string.h>

bool bake_value_check_tuple(bake_values *b, bake_node_id node, uint32_t type,
                            const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    uint32_t count = bake_node_count(b->tree, node);
    if (count <= of->member_count)
        return true;
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                             "the list has %u elements, but %s has %u field%s", count, of->name,
                             of->member_count, of->member_count == 1 ? "" : "s");
}

static void leave_out(bake_values *b, bake_node_id node, size_t given, uint32_t type, uint32_t from,
                      void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    for (uint32_t m = from; m < of->member_count && !b->stopped; m++)
        if (!bake_value_is_given(b, given, m))
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
            bake_origin_via(b, node, &walk);
        bake_value_written(b, walk.value, type, m++, dst, step);
    }
    leave_out(b, node, SIZE_MAX, type, m, dst, step);
}

void bake_value_tuple_text(bake_values *b, bake_node_id node, size_t given, uint32_t type,
                           void *dst, const value_step *step)
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
        fits = bake_value_is_given(b, given, m) || bake_value_may_be_missing(b, type, m);
    if (!fits) {
        bake_value_text_unexpected(b, node, text, length, type, step);
        return;
    }
    size_t at = 0;
    for (uint32_t m = 0; m < parts && !b->stopped; m++) {
        const kiln_member *field = &of->members[m];
        const char *part = bake_value_next_part(text, length, ",", &at, &part_length);
        value_step inner = {step, STEP_NAME, field->name, strlen(field->name), 0};
        if (!bake_value_is_given(b, given, m))
            bake_value_part(b, node, part, part_length, field->type, field,
                            (unsigned char *)dst + field->offset, &inner);
    }
    leave_out(b, node, given, type, parts, dst, step);
}
