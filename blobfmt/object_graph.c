#include "object_graph.h"

#include <kiln/blob_header.h>

#include "hash.h"

#include <string.h>

enum { GRAPH_BLOCK = 65536, FIRST_TABLE_SLOTS = 64, KEPT_TABLE_SLOTS = 1024 };
#define NOTE_BUSY UINT32_MAX

void kiln_graph_init(graph *g, const kiln_types *types, const kiln_allocator *allocator)
{
    memset(g, 0, sizeof *g);
    g->types = types;
    g->allocator = allocator_or_default(allocator);
    kiln_arena_init(&g->bytes, &g->allocator, GRAPH_BLOCK);
}

static void free_table(graph *g)
{
    if (g->table)
        g->allocator.free(g->allocator.ctx, g->table, g->table_slots * sizeof *g->table);
    g->table = NULL;
    g->table_slots = 0;
}

void kiln_graph_fini(graph *g)
{
    kiln_arena_fini(&g->bytes);
    kiln_vector_fini(&g->objects, &g->allocator, sizeof(graph_object));
    kiln_vector_fini(&g->refs, &g->allocator, sizeof(uint32_t));
    kiln_vector_fini(&g->slots, &g->allocator, sizeof(graph_slot));
    kiln_vector_fini(&g->order, &g->allocator, sizeof(uint32_t));
    free_table(g);
}

void kiln_graph_reset(graph *g)
{
    kiln_arena_reset(&g->bytes);
    g->objects.count = g->refs.count = g->slots.count = g->order.count = 0;
    if (g->table_slots > KEPT_TABLE_SLOTS)
        free_table(g);
    else if (g->table)
        memset(g->table, 0, g->table_slots * sizeof *g->table);
}

static bool grow_table(graph *g)
{
    uint32_t slots = g->table_slots ? g->table_slots * 4 : FIRST_TABLE_SLOTS;
    uint32_t *table = g->allocator.alloc(g->allocator.ctx, slots * sizeof *table, sizeof *table);
    if (!table)
        return false;
    memset(table, 0, slots * sizeof *table);
    const graph_object *objects = g->objects.items;
    for (uint32_t i = 0; i < g->objects.count; i++) {
        uint32_t slot = (uint32_t)objects[i].hash & (slots - 1);
        while (table[slot])
            slot = (slot + 1) & (slots - 1);
        table[slot] = i + 1;
    }
    free_table(g);
    g->table = table;
    g->table_slots = slots;
    return true;
}

static bool same_object(const graph_object *a, const graph_object *b)
{
    return a->hash == b->hash && a->unit == b->unit && a->count == b->count &&
           a->align == b->align && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Adds the object, or finds its equal. `ret_number` is its number; false when memory ran out. */
static bool add_object(graph *g, graph_object *object, uint32_t *ret_number)
{
    if (g->share) {
        uint32_t what[3] = {object->unit, object->count, object->align};
        object->hash =
            kiln_hash64(object->bytes, object->size, kiln_hash64(what, sizeof what, g->seed));
        if (g->objects.count >= g->table_slots / 2 && !grow_table(g))
            return false;
        const graph_object *objects = g->objects.items;
        uint32_t slot = (uint32_t)object->hash & (g->table_slots - 1);
        for (; g->table[slot]; slot = (slot + 1) & (g->table_slots - 1)) {
            if (same_object(&objects[g->table[slot] - 1], object)) {
                *ret_number = g->table[slot] - 1;
                return true;
            }
        }
        g->table[slot] = (uint32_t)g->objects.count + 1;
    }
    graph_object *added = kiln_vector_push(&g->objects, &g->allocator, 1, sizeof *added);
    if (!added)
        return false;
    *added = *object;
    *ret_number = (uint32_t)g->objects.count - 1;
    return true;
}

static kiln_status collect_object(graph *g, const object_form *form, const unsigned char *data,
                                  uint32_t count, uint32_t depth, uint32_t *ret_number);

static object_form form_of_slot(const graph *g, const graph_slot *slot)
{
    uint32_t type = slot->type & ~SLOT_VALUE;
    return slot->type & SLOT_VALUE
               ? object_form_of_values(g->types, type, type_at(g->types, type)->align)
               : object_form_of_field(g->types, type);
}

static kiln_status collect_slot(graph *g, const graph_slot *slot, const unsigned char *from,
                                uint32_t depth, uint32_t *ret_child)
{
    const graph_source *source = g->source;
    object_form form = form_of_slot(g, slot);
    graph_target target;
    kiln_status status =
        source->resolve(source->ctx, from + slot->from, &form, slot->count, &target);
    if (status)
        return status;
    uint32_t note = *source->note(source->ctx, target.id);
    if (note == NOTE_BUSY)
        return KILN_V_DEPTH; /* an object inside itself */
    if (note) {
        const graph_object *object = (graph_object *)g->objects.items + (note - 1);
        *ret_child = note - 1;
        return object->unit == form.unit && object->count == slot->count &&
                       object->align == form.align
                   ? KILN_OK
                   : KILN_V_SHARE;
    }
    *source->note(source->ctx, target.id) = NOTE_BUSY;
    status = collect_object(g, &form, target.data, slot->count, depth + 1, ret_child);
    *source->note(source->ctx, target.id) = status ? 0 : *ret_child + 1;
    return status;
}

/* The relative fields of an object: collects the children and writes their numbers into the clean
 * bytes. */
static kiln_status collect_children(graph *g, graph_object *object, const unsigned char *from,
                                    size_t first_slot, uint32_t depth)
{
    size_t end = g->slots.count;
    unsigned char *bytes = (unsigned char *)(uintptr_t)object->bytes;
    for (size_t i = first_slot; i < end; i++) {
        graph_slot slot = ((graph_slot *)g->slots.items)[i];
        uint32_t child;
        kiln_status status = collect_slot(g, &slot, from, depth, &child);
        if (status) {
            if (g->trail_count < KILN_DEPTH_MAX)
                g->trail[g->trail_count++] = slot;
            return status;
        }
        uint32_t height = ((graph_object *)g->objects.items)[child].height + 1;
        object->height = height > object->height ? height : object->height;
        graph_write_u32(bytes + slot.at, child + 1);
    }
    return object->height > KILN_DEPTH_MAX ? KILN_V_DEPTH : KILN_OK;
}

static kiln_status collect_object(graph *g, const object_form *form, const unsigned char *data,
                                  uint32_t count, uint32_t depth, uint32_t *ret_number)
{
    if (depth > KILN_DEPTH_MAX)
        return KILN_V_DEPTH;
    uint64_t size = (uint64_t)form->size * count + (form->unit == UNIT_STRING);
    if (size > KILN_PAYLOAD_MAX)
        return KILN_TOO_LARGE;
    graph_object object = {.size = (uint32_t)size,
                           .unit = form->unit,
                           .count = count,
                           .align = form->align,
                           .height = 1,
                           .place = UINT32_MAX};
    size_t first_slot = g->slots.count;
    if (!kiln_graph_clean(g, form, data, &object))
        return KILN_NO_MEMORY;
    kiln_status status = collect_children(g, &object, data, first_slot, depth);
    if (status)
        return status;
    uint32_t slots = (uint32_t)(g->slots.count - first_slot);
    size_t known = g->objects.count;
    if (!add_object(g, &object, ret_number))
        return KILN_NO_MEMORY;
    if (g->objects.count > known && slots > 0) {
        uint32_t *refs = kiln_vector_push(&g->refs, &g->allocator, slots, sizeof *refs);
        if (!refs)
            return KILN_NO_MEMORY;
        const graph_slot *slot = (graph_slot *)g->slots.items + first_slot;
        graph_object *added = (graph_object *)g->objects.items + known;
        added->first_ref = (uint32_t)(g->refs.count - slots);
        added->ref_count = slots;
        for (uint32_t i = 0; i < slots; i++)
            refs[i] = slot[i].at;
    }
    g->slots.count = first_slot;
    return KILN_OK;
}

kiln_status kiln_graph_collect(graph *g, const graph_source *source, uint32_t type,
                               const unsigned char *data, bool share)
{
    const kiln_type *root = type_at(g->types, type);
    g->source = source;
    g->share = share;
    g->seed = kiln_hash_seed(g->objects.items);
    g->trail_count = 0;
    object_form form = object_form_of_values(g->types, type, root->align);
    return collect_object(g, &form, data, 1, 1, &g->root);
}
