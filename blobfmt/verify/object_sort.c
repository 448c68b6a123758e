/* Sorts a builder's map entries by key, as rule V13 requires.
 *
 * A program may add entries in any order, and fill in their keys until it finishes the builder.
 * Equal keys become adjacent, and the verifier then rejects the map. */
#include "object_graph.h"

#include <kiln/value.h>

#include "number_sort.h"

#include <string.h>

/* A map whose entries are being sorted. */
typedef struct entry_sorter {
    const graph *g;
    const kiln_type *map;
    const kiln_type *key;
    const unsigned char *entries;
} entry_sorter;

/* The string of a key. An invalid field counts as empty here, and makes the collection fail later.
 */
static const unsigned char *text_of(const entry_sorter *s, const unsigned char *field,
                                    uint32_t *ret_length)
{
    object_form form = object_form_of_field(s->g->types, s->map->key);
    uint32_t length = graph_read_u32(field + 4);
    kiln_status status = KILN_OK;
    bool in_library;
    const builder_object *object =
        graph_read_u32(field)
            ? builder_target(&s->g->source, field, &form, length, &status, &in_library)
            : NULL;
    *ret_length = object ? length : 0;
    return object ? object->data : (const unsigned char *)"";
}

static int compare_entries(const void *ctx, uint32_t a, uint32_t b)
{
    const entry_sorter *s = ctx;
    const unsigned char *left = s->entries + (size_t)a * s->map->entry_size;
    const unsigned char *right = s->entries + (size_t)b * s->map->entry_size;
    if (s->key->kind == KILN_KIND_STRING) {
        uint32_t x_length, y_length;
        const unsigned char *x = text_of(s, left, &x_length);
        const unsigned char *y = text_of(s, right, &y_length);
        int order = memcmp(x, y, x_length < y_length ? x_length : y_length);
        return order ? order : (x_length > y_length) - (x_length < y_length);
    }
    kiln_value x = {s->g->types, s->key, s->map->key, left, left, left + s->key->size};
    kiln_value y = {s->g->types, s->key, s->map->key, right, right, right + s->key->size};
    return kiln_value_compare_keys(&x, &y);
}

bool kiln_graph_sort_entries(graph *g, uint32_t map, const unsigned char *data, uint32_t count,
                             uint32_t **ret_order)
{
    const kiln_type *type = type_at(g->types, map);
    entry_sorter s = {g, type, type_at(g->types, type->key), data};
    /* Most maps are already sorted, and need no memory. */
    uint32_t sorted = 1;
    while (sorted < count && compare_entries(&s, sorted - 1, sorted) <= 0)
        sorted++;
    *ret_order = NULL;
    if (sorted >= count)
        return true;
    uint32_t *order = kiln_arena_alloc(&g->bytes, (size_t)count * 3 * sizeof *order, sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    kiln_number_sort_runs(order, count, order + count, compare_entries, &s);
    *ret_order = order;
    return true;
}
