/* Strings and bytes. */
#include "value_scalar.h"

#include "scalar_parse.h"
#include "value_limits.h"
#include "value_mismatch.h"
#include "value_node.h"
#include "value_watch.h"

#include <string.h>

void bake_value_string(bake_values *b, bake_node_id node, const char *text, size_t length,
                       const kiln_member *field, kiln_string *dst, const value_step *step)
{
    if (memchr(text, 0, length)) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "text", step,
                          "a string cannot hold a NUL (U+0000)");
        return;
    }
    bake_value_check_length(b, node, field, length, "byte", step);
    if (b->watch && field)
        bake_value_watch(b, node, text, length, field, step);
    if (length == 0 || !bake_value_size_fits(b, node, step, length) || !value_enter(b, node, step))
        return;
    if (!kiln_builder_string(b->builder, dst, text, length))
        value_stop(b);
    value_leave(b);
}

static void bytes_from_list(bake_values *b, bake_node_id node, unsigned char *data,
                            const value_step *step)
{
    uint32_t i = 0;
    for (bake_walk walk = bake_walk_begin(b->tree, node); bake_walk_next(&walk); i++) {
        value_step inner = {step, STEP_NUMBER, NULL, 0, i};
        bake_node_id element = walk.value;
        size_t length;
        uint64_t bits;
        if (!bake_value_check_tag_of(b, element, KILN_KIND_U8, "a byte", &inner))
            continue;
        if (bake_node_kind_of(b->tree, element) != BAKE_NODE_SCALAR) {
            bake_value_report(b, BAKE_ERROR, value_mark(b, element), "type", &inner,
                              "expected a byte, 0 to 255");
            continue;
        }
        const char *text = bake_node_text(b->tree, element, &length);
        if (bake_parse_integer(KILN_KIND_U8, text, length, &bits)) {
            char quote[VALUE_QUOTE_SIZE];
            bake_value_report(b, BAKE_ERROR, value_mark(b, element), "type", &inner,
                              "expected a byte, 0 to 255, found %s",
                              bake_value_quote(quote, text, length));
            continue;
        }
        data[i] = (unsigned char)bits;
    }
}

/* The bytes that the node stands for; false after a report. */
static bool bytes_size(bake_values *b, bake_node_id node, uint32_t type, const value_step *step,
                       size_t *ret_size)
{
    size_t length, at;
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_SEQUENCE) {
        *ret_size = bake_node_count(b->tree, node);
        return true;
    }
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_MAPPING || bake_value_is_null(b, node))
        return bake_value_unexpected(b, node, type, step);
    const char *text = bake_node_text(b->tree, node, &length);
    if (bake_parse_base64(text, length, NULL, ret_size, &at) == BAKE_PARSE_OK)
        return true;
    char quote[VALUE_QUOTE_SIZE];
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "base64", step,
                             "expected base64 or a list of bytes, found %s (invalid at byte %zu)",
                             bake_value_quote(quote, text, length), at + 1);
}

/* Room for the bytes; NULL where there are none, and after a report. Left by value_leave. */
static unsigned char *make_bytes(bake_values *b, bake_node_id node, size_t size, uint32_t type,
                                 const kiln_member *field, void *dst, const value_step *step)
{
    uint32_t align = value_type(b, type)->align_at;
    bake_value_check_length(b, node, field, size, "byte", step);
    if (size == 0 || !bake_value_size_fits(b, node, step, size) || !value_enter(b, node, step))
        return NULL;
    unsigned char *data = kiln_builder_array(b->builder, dst, (uint32_t)size, 1, align ? align : 1);
    if (!data) {
        value_stop(b);
        value_leave(b);
    }
    return data;
}

void bake_value_put_bytes(bake_values *b, bake_node_id node, const void *bytes, size_t size,
                          uint32_t type, const kiln_member *field, void *dst,
                          const value_step *step)
{
    unsigned char *data = make_bytes(b, node, size, type, field, dst, step);
    if (!data)
        return;
    memcpy(data, bytes, size);
    value_leave(b);
}

void bake_value_bytes(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                      void *dst, const value_step *step)
{
    size_t size, length, at;
    if (!bytes_size(b, node, type, step, &size))
        return;
    unsigned char *data = make_bytes(b, node, size, type, field, dst, step);
    if (!data)
        return;
    if (bake_node_kind_of(b->tree, node) == BAKE_NODE_SEQUENCE) {
        bytes_from_list(b, node, data, step);
    } else {
        const char *text = bake_node_text(b->tree, node, &length);
        bake_parse_base64(text, length, data, &size, &at);
    }
    value_leave(b);
}
