/* The published order, places, and bytes: FORMAT.md section 8. */
#include "object_graph.h"

#include <kiln/blob_header.h>

#include <string.h>

/* Post-order of the walk that takes an object's references last to first. Depth is bounded by
 * KILN_DEPTH_MAX. */
static kiln_status list_objects(graph *g)
{
    struct {
        uint32_t object, left;
    } stack[KILN_DEPTH_MAX + 1];
    uint32_t depth = 0;
    graph_object *objects = g->objects.items;
    const uint32_t *refs = g->refs.items;
    stack[0].object = g->root;
    stack[0].left = objects[g->root].ref_count;
    objects[g->root].place = 0;
    for (;;) {
        graph_object *object = &objects[stack[depth].object];
        if (stack[depth].left > 0) {
            uint32_t child = graph_child(object, refs[object->first_ref + --stack[depth].left]);
            if (objects[child].place == UINT32_MAX) {
                objects[child].place = 0;
                depth++;
                stack[depth].object = child;
                stack[depth].left = objects[child].ref_count;
            }
            continue;
        }
        uint32_t *listed = kiln_vector_push(&g->order, &g->allocator, 1, sizeof *listed);
        if (!listed)
            return KILN_NO_MEMORY;
        *listed = stack[depth].object;
        if (depth-- == 0)
            return KILN_OK;
    }
}

kiln_status kiln_graph_place(graph *g)
{
    kiln_status status = list_objects(g);
    if (status)
        return status;
    uint64_t end = 0;
    g->align = 1u << KILN_ALIGN_LOG2_MIN;
    const uint32_t *order = g->order.items;
    for (int unaligned = 0; unaligned <= 1; unaligned++) {
        for (size_t i = g->order.count; i-- > 0;) {
            graph_object *object = (graph_object *)g->objects.items + order[i];
            if ((object->align == 1 && order[i] != g->root) != unaligned)
                continue;
            uint64_t at = (end + object->align - 1) & ~(uint64_t)(object->align - 1);
            end = at + object->size;
            if (end > KILN_PAYLOAD_MAX)
                return KILN_TOO_LARGE;
            object->place = (uint32_t)at;
            g->align = object->align > g->align ? object->align : g->align;
        }
    }
    g->size = (uint32_t)end;
    return KILN_OK;
}

void kiln_graph_write(const graph *g, unsigned char *payload)
{
    const uint32_t *order = g->order.items;
    const graph_object *objects = g->objects.items;
    const uint32_t *refs = g->refs.items;
    memset(payload, 0, g->size);
    for (size_t i = 0; i < g->order.count; i++) {
        const graph_object *object = &objects[order[i]];
        memcpy(payload + object->place, object->bytes, object->size);
        for (uint32_t r = object->first_ref; r < object->first_ref + object->ref_count; r++)
            graph_write_u32(payload + object->place + refs[r],
                            objects[graph_child(object, refs[r])].place - object->place - refs[r]);
    }
}

kiln_status kiln_graph_write_blob(graph *g, uint32_t type, unsigned kind, kiln_buffer *ret_blob)
{
    kiln_status status = kiln_graph_place(g);
    if (status)
        return status;
    uint32_t align_log2 = KILN_ALIGN_LOG2_MIN;
    while (1u << align_log2 < g->align)
        align_log2++;
    kiln_blob_header header = {.flags = (uint16_t)align_log2};
    uint32_t payload_at = kiln_header_payload_at(&header);
    kiln_buffer blob = {NULL, (size_t)payload_at + g->size, g->allocator};
    blob.data = g->allocator.alloc(g->allocator.ctx, blob.size, g->align);
    if (!blob.data)
        return KILN_NO_MEMORY;
    kiln_graph_write(g, blob.data + payload_at);
    kiln_header_write(blob.data, align_log2, g->share ? KILN_FLAG_CANONICAL : 0,
                      (kiln_blob_kind)kind, g->size, type_at(g->types, type)->layout);
    *ret_blob = blob;
    return KILN_OK;
}
