/* Clean bytes: what is left of a value without padding, sharing and chance. */
#include "object_graph.h"

#include <kiln/value.h>

#include "index_sort.h"

#include <string.h>

/* One object under collection: where it comes from and where its clean bytes go. */
typedef struct copying {
    graph *g;
    const unsigned char *from;
    unsigned char *to;
} copying;

static bool add_slot(const copying *c, uint32_t from, uint32_t at, uint32_t count, uint32_t type)
{
    graph_slot *slot = kiln_vector_push(&c->g->slots, &c->g->allocator, 1, sizeof *slot);
    if (!slot)
        return false;
    slot->from = from;
    slot->at = at;
    slot->count = count;
    slot->type = type;
    return true;
}

/* NaNs have one pattern: quiet, positive, no payload. */
static void clean_float(unsigned char *at, uint32_t size)
{
    static const uint32_t single_nan = UINT32_C(0x7fc00000);
    static const uint64_t double_nan = UINT64_C(0x7ff8000000000000);
    if (size == 4) {
        float number;
        memcpy(&number, at, 4);
        if (number != number)
            memcpy(at, &single_nan, 4);
    } else {
        double number;
        memcpy(&number, at, 8);
        if (number != number)
            memcpy(at, &double_nan, 8);
    }
}

/* Copies a value without its padding and notes its relative fields. */
static bool copy_value(const copying *c, uint32_t number, uint32_t from, uint32_t at)
{
    const kiln_type *type = type_at(c->g->types, number);
    const unsigned char *source = c->from + from;
    unsigned char *to = c->to + at;
    if (type->plain && !(type->has_floats && c->g->share)) {
        memcpy(to, source, type->size);
        return true;
    }
    switch (type->kind) {
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++) {
            const kiln_member *member = &type->members[i];
            if (!copy_value(c, member->type, from + member->offset, at + member->offset))
                return false;
        }
        return true;
    case KILN_KIND_FIXED: {
        uint32_t stride = type->size / type->count;
        for (uint32_t i = 0; i < type->count; i++)
            if (!copy_value(c, type->element, from + i * stride, at + i * stride))
                return false;
        return true;
    }
    case KILN_KIND_UNION: {
        memcpy(to, source, 4);
        const kiln_member *member = kiln_type_value(type, graph_read_u32(source));
        if (graph_read_u32(source + 4) == 0)
            return true;
        /* A pointer that its tag does not ask for is left for the verifier to refuse. */
        if (!member || member->type == KILN_TYPE_NONE) {
            graph_write_u32(to + 4, 1);
            return true;
        }
        return add_slot(c, from + 4, at + 4, 1, SLOT_VALUE | member->type);
    }
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        memcpy(to + 4, source + 4, 4);
        return graph_read_u32(source) == 0 ||
               add_slot(c, from, at, graph_read_u32(source + 4), number);
    case KILN_KIND_OPTIONAL:
        return graph_read_u32(source) == 0 || add_slot(c, from, at, 1, number);
    default:
        memcpy(to, source, type->size);
        if (type->has_floats)
            clean_float(to, type->size);
        return true;
    }
}

/* Keys of a map whose entries are to be sorted. */
typedef struct sorting {
    const graph *g;
    const kiln_type *map;
    const kiln_type *key;
    const unsigned char *entries;
} sorting;

static int compare_entries(const void *ctx, uint32_t a, uint32_t b)
{
    const sorting *s = ctx;
    const unsigned char *left = s->entries + (size_t)a * s->map->entry_size;
    const unsigned char *right = s->entries + (size_t)b * s->map->entry_size;
    if (s->key->kind == KILN_KIND_STRING) {
        object_form form = object_form_of_field(s->g->types, s->map->key);
        graph_target x = {(const unsigned char *)"", 0}, y = x;
        uint32_t x_length = graph_read_u32(left + 4), y_length = graph_read_u32(right + 4);
        /* A field that does not resolve is empty here and makes the collection fail later. */
        if (!graph_read_u32(left) ||
            s->g->source->resolve(s->g->source->ctx, left, &form, x_length, &x))
            x_length = 0;
        if (!graph_read_u32(right) ||
            s->g->source->resolve(s->g->source->ctx, right, &form, y_length, &y))
            y_length = 0;
        int order = memcmp(x.data, y.data, x_length < y_length ? x_length : y_length);
        return order ? order : (x_length > y_length) - (x_length < y_length);
    }
    kiln_value x = {s->g->types, s->key, s->map->key, left, left, left + s->key->size};
    kiln_value y = {s->g->types, s->key, s->map->key, right, right, right + s->key->size};
    return kiln_value_compare_keys(&x, &y);
}

static bool copy_entries(const copying *c, uint32_t map, uint32_t count)
{
    const kiln_type *type = type_at(c->g->types, map);
    uint32_t *order = NULL;
    if (c->g->source->sort_maps && count > 1) {
        sorting s = {c->g, type, type_at(c->g->types, type->key), c->from};
        order = kiln_arena_alloc(&c->g->bytes, count * sizeof *order, sizeof *order);
        if (!order)
            return false;
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        kiln_index_sort(order, count, compare_entries, &s);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = (order ? order[i] : i) * type->entry_size, at = i * type->entry_size;
        if (!copy_value(c, type->key, from, at) ||
            !copy_value(c, type->element, from + type->value_offset, at + type->value_offset))
            return false;
    }
    return true;
}

bool kiln_graph_clean(graph *g, const object_form *form, const unsigned char *data,
                      graph_object *object)
{
    uint32_t count = object->count;
    const kiln_type *type = kiln_types_get(g->types, form->type);
    bool is_entries = unit_is_entries(form->unit);
    if (!type || (!is_entries && type->plain && !(type->has_floats && g->share))) {
        object->bytes = data;
        return true;
    }
    copying c = {g, data, kiln_arena_alloc_zeroed(&g->bytes, object->size, 8)};
    if (!c.to)
        return false;
    object->bytes = c.to;
    if (is_entries)
        return copy_entries(&c, form->type, count);
    for (uint32_t i = 0; i < count; i++)
        if (!copy_value(&c, form->type, i * type->size, i * type->size))
            return false;
    return true;
}
