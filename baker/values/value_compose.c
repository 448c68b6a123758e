/* Selects the function for each kind of type, and bakes lists, fixed-length arrays and optionals.
 *
 * bake_value_any is the entry point. It records the value for the source map, tries the fast path,
 * and otherwise dispatches on the kind. Null and tags have different meanings in different types,
 * so every function checks its own node. */
#include "value_compose.h"

#include "origin_record.h"
#include "value_payload.h"
#include "value_ref.h"
#include "value_scalar.h"
#include "value_words.h"

#include <string.h>

/* Bakes the elements of a sequence into `data`, which has room for all of them. */
static void list_elements(bake_values *b, bake_node_id node, uint32_t element, unsigned char *data,
                          const value_step *step)
{
    const kiln_type *of = value_type(b, element);
    value_step inner = {step, STEP_NUMBER, NULL, 0, 0};
    /* The fast path skips bake_value_any, which records origins for the source map. */
    bool may_be_quick = value_may_be_quick(of) && !b->origins;
    for (bake_iterator it = bake_iterator_begin(b->tree, node);
         !b->stopped && bake_iterator_next(&it);) {
        if (!may_be_quick || !bake_value_quick(b, it.value, of, NULL, data)) {
            if (b->origins)
                bake_origin_via(b, node, &it);
            bake_value_any(b, it.value, element, NULL, data, &inner);
        }
        inner.number++;
        data += of->size;
    }
}

/* Whether the node is a single element written without a list. */
static bool is_single(const bake_values *b, bake_node_id node, kiln_kind kind,
                      const kiln_member *field)
{
    return kind == KILN_KIND_ARRAY && field && (field->flags & KILN_MEMBER_SINGLE) &&
           bake_node_kind_of(b->tree, node) != BAKE_NODE_SEQUENCE && !bake_value_is_null(b, node);
}

static void list(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                 void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    const kiln_type *element = value_type(b, of->element);
    bool is_sequence = bake_node_kind_of(b->tree, node) == BAKE_NODE_SEQUENCE;
    bool null = bake_value_is_null(b, node);
    bool single = is_single(b, node, of->kind, field);
    if (!null && !is_sequence && !single) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    uint32_t count = single ? 1 : null ? 0 : bake_node_count(b->tree, node);
    uint32_t align = of->align_at > element->align ? of->align_at : element->align;
    bake_value_check_length(b, node, field, count, "element", step);
    if (count == 0 || !bake_value_size_fits(b, node, step, (uint64_t)count * element->size) ||
        !value_enter(b, node, step))
        return;
    /* Paths in reports omit the [0], which is not in the document. The source map has the paths of
     * baked values. */
    value_step alone = {step, STEP_NUMBER, NULL, 0, 0};
    unsigned char *data = kiln_builder_array(b->builder, dst, count, element->size, align);
    if (!data)
        value_stop(b);
    else if (single)
        bake_value_any(b, node, of->element, NULL, data, b->origins ? &alone : step);
    else
        list_elements(b, node, of->element, data, step);
    value_leave(b);
}

static void fixed(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                  const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    bake_node_kind kind = bake_node_kind_of(b->tree, node);
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    if (kind == BAKE_NODE_SCALAR && !bake_value_is_null(b, node) &&
        bake_value_is_scalar_type(b, of->element)) {
        bake_value_fixed_text(b, node, text, length, type, dst, step);
        return;
    }
    if (kind != BAKE_NODE_SEQUENCE) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    uint32_t count = bake_node_count(b->tree, node);
    if (count != of->count) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                          "expected %u element%s, found %u", of->count, of->count == 1 ? "" : "s",
                          count);
        return;
    }
    list_elements(b, node, of->element, dst, step);
}

/* Ids are never empty, so an untagged empty string means null in an optional reference. */
static bool is_empty_string(const bake_values *b, bake_node_id node)
{
    size_t length = 1;
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_SCALAR && !bake_node_tag(b->tree, node))
        bake_node_text(b->tree, node, &length);
    return length == 0;
}

static void optional(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                     void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    const kiln_type *element = value_type(b, of->element);
    bool is_nothing = bake_value_is_null(b, node) ||
                      (element->kind == KILN_KIND_REF && is_empty_string(b, node)) ||
                      bake_value_is_deleted(b, node, of->element);
    if (is_nothing || !value_enter(b, node, step))
        return;
    void *value = kiln_builder_pointer(b->builder, dst, element->size, element->align);
    if (value)
        bake_value_any(b, node, of->element, field, value, step);
    else
        value_stop(b);
    value_leave(b);
}

static void scalar(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                   void *dst, const value_step *step)
{
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR || bake_value_is_null(b, node)) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    if (value_type(b, type)->kind == KILN_KIND_STRING) {
        bake_value_string(b, node, text, length, field, dst, step);
        return;
    }
    bake_value_text(b, node, text, length, type, field, dst, step);
}

void bake_value_any(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    kiln_kind kind = of->kind;
    if (b->origins)
        bake_origin_value(b, node, step);
    /* A placeholder replaces a rejected alias, which was already reported. */
    if (b->stopped || (value_may_be_quick(of) && bake_value_quick(b, node, of, field, dst)) ||
        bake_node_is_placeholder(b->tree, node))
        return;
    if (b->forms.count && field && bake_value_field_form(b, node, of, field, dst, step))
        return;
    if (kind == KILN_KIND_DATA) {
        if (b->words)
            b->words->bake_data(b, NULL, 0, node, type, field, dst, step, VALUE_OVER);
        return;
    }
    /* Structs and unions check tags themselves, because a newtype accepts the tags of its value. */
    if (kind == KILN_KIND_STRUCT) {
        bake_value_struct(b, node, type, field, dst, step);
        return;
    }
    if (kind == KILN_KIND_OPTIONAL) {
        optional(b, node, type, field, dst, step);
        return;
    }
    if (kind == KILN_KIND_UNION) {
        bake_value_union(b, node, type, dst, step);
        return;
    }
    if (bake_value_is_payload(b, of)) {
        if (bake_value_is_file(b, node)) {
            bake_value_payload(b, node, field, dst, step);
            return;
        }
        if (!bake_value_check_payload_name(b, node, step))
            return;
    }
    if ((kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES) && bake_value_is_file(b, node)) {
        bake_value_file(b, node, type, field, dst, step);
        return;
    }
    if (!is_single(b, node, kind, field) && !bake_value_check_tag(b, node, type, step))
        return;
    switch (kind) {
    case KILN_KIND_ARRAY:
        list(b, node, type, field, dst, step);
        break;
    case KILN_KIND_MAP:
        bake_value_map(b, node, type, field, dst, step);
        break;
    case KILN_KIND_FIXED:
        fixed(b, node, type, dst, step);
        break;
    case KILN_KIND_FLAGS:
        bake_value_flags(b, node, type, dst, step);
        break;
    case KILN_KIND_ENTITY:
        bake_value_entity(b, node, dst, step);
        break;
    case KILN_KIND_BYTES:
        bake_value_bytes(b, node, type, field, dst, step);
        break;
    default:
        scalar(b, node, type, field, dst, step);
        break;
    }
}
