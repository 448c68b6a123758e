/* Places the objects of a graph and writes the payload: FORMAT.md section 8, points 3 to 5.
 *
 * Objects are processed from the last number to the first, which is the canonical order. Two passes
 * separate objects of alignment 1, which come last, because they need no padding between them. */
#include "object_graph.h"

#include <kiln/blob_header.h>

#include <string.h>

/* Whether the object has alignment 1 and comes after all others. The root never does. */
static bool is_in_tail(const graph *g, size_t number)
{
    return ((graph_object *)g->objects.items)[number].align_log2 == 0 &&
           number + 1 != g->objects.count;
}

/* Places the objects of the tail, or all others, starting at `*end`. */
static bool place_objects(graph *g, bool tail, uint64_t *end)
{
    for (size_t i = g->objects.count; i-- > 0;) {
        graph_object *object = (graph_object *)g->objects.items + i;
        if (is_in_tail(g, i) != tail)
            continue;
        uint64_t mask = (UINT64_C(1) << object->align_log2) - 1;
        uint64_t at = (*end + mask) & ~mask;
        *end = at + object->size;
        if (*end > KILN_PAYLOAD_MAX)
            return false;
        object->place = (uint32_t)at;
        g->align = mask >= g->align ? (uint32_t)mask + 1 : g->align;
    }
    return true;
}

kiln_status kiln_graph_place(graph *g)
{
    uint64_t end = 0;
    g->align = 1u << KILN_ALIGN_LOG2_MIN;
    if (!place_objects(g, false, &end) || !place_objects(g, true, &end))
        return KILN_TOO_LARGE;
    g->size = (uint32_t)end;
    return KILN_OK;
}

/* Replaces the child's number at `at` with the offset of the child. */
static void link_child(const graph *g, unsigned char *payload, unsigned char *at)
{
    uint32_t number = graph_read_u32(at);
    if (number)
        graph_write_u32(at, ((graph_object *)g->objects.items)[number - 1].place -
                                (uint32_t)(at - payload));
}

/* Links all fields of a value. Recurses no deeper than types nest by value. */
static void link_value(graph *g, unsigned char *payload, const object_plan *plan, unsigned char *at)
{
    for (uint32_t i = 0; i < plan->field_count; i++) {
        const field_step *step = &plan->fields[i];
        unsigned char *field = at + step->at;
        if (step->kind == FIELD_COUNTED || step->kind == FIELD_POINTER) {
            link_child(g, payload, field);
        } else if (step->kind == FIELD_UNION) {
            const kiln_member *member =
                kiln_type_value(type_at(g->types, step->type), graph_read_u32(field));
            if (member && member->type != KILN_TYPE_NONE)
                link_child(g, payload, field + 4);
        } else {
            const object_plan *inner = plan_of(&g->plans, step->type, false);
            for (uint32_t k = 0; k < step->count; k++)
                link_value(g, payload, inner, field + (size_t)k * inner->size);
        }
    }
}

static void write_object(graph *g, unsigned char *payload, const graph_object *object)
{
    unsigned char *to = payload + object->place;
    memcpy(to, object->bytes, object->size);
    if (!object->has_fields)
        return;
    const object_plan *plan =
        plan_of(&g->plans, object->unit & ~UNIT_ENTRIES, unit_is_entries(object->unit));
    for (uint32_t at = 0; at < object->size; at += plan->size)
        link_value(g, payload, plan, to + at);
}

void kiln_graph_write(graph *g, unsigned char *payload)
{
    uint32_t end = 0;
    for (int tail = 0; tail <= 1; tail++) {
        for (size_t i = g->objects.count; i-- > 0;) {
            const graph_object *object = (graph_object *)g->objects.items + i;
            if (is_in_tail(g, i) != tail)
                continue;
            memset(payload + end, 0, object->place - end);
            write_object(g, payload, object);
            end = object->place + object->size;
        }
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
    kiln_header_write(blob.data,
                      align_log2 | (g->share ? KILN_FLAG_CANONICAL : 0) |
                          kiln_kind_flags((kiln_blob_kind)kind),
                      g->size, type_at(g->types, type)->layout);
    *ret_blob = blob;
    return KILN_OK;
}
