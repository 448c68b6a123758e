/* One in place of a list: what stands beside lists is an element of them. */
#include "infer_sort.h"

#include <string.h>

enum { CYCLE_MAX = 16 };

/* A list that was put together with what lists in its lists hold: it is one of such lists. */
static bool join_cycle(infer_shapes *shapes, infer_shape *shape)
{
    infer_shape *inner = bake_infer_shape_of(shape->element);
    for (int depth = 0; inner && inner != shape && depth < CYCLE_MAX; depth++) {
        infer_shape *next = bake_infer_shape_of(inner->element);
        if (next != shape) {
            inner = next;
            continue;
        }
        infer_shape *list = bake_infer_shape_create(shapes, shape->first);
        shape->element = shape;
        if (!list || !bake_infer_shape_merge(shapes, shape, inner))
            return false;
        list->lists = shape->lists;
        list->list_min = shape->list_min;
        list->list_max = shape->list_max;
        list->element = bake_infer_shape_create(shapes, shape->first);
        shape->element = list;
        return list->element != NULL;
    }
    return true;
}

bool bake_infer_sort_single(infer_shapes *shapes, infer_shape *shape)
{
    if (shape->lists == 0 || (shape->texts.count == 0 && shape->mappings == 0))
        return true;
    if (!join_cycle(shapes, shape))
        return false;
    infer_shape *element = bake_infer_shape_of(shape->element);
    infer_shape *single = bake_infer_shape_create(shapes, shape->first);
    /* What was put together with its own elements is a list of what else it is. */
    if (!element || element == shape)
        element = shape->element = bake_infer_shape_create(shapes, shape->first);
    if (!single || !element)
        return false;
    shape->is_joined_inside = shape->is_joined_inside || (element->texts.some & INFER_NAMES);
    element->is_item = true;
    element->usage = shape->usage;
    element->usage_length = shape->usage_length;
    single->texts = shape->texts;
    single->mappings = shape->mappings;
    single->fields = shape->fields;
    single->variants = shape->variants;
    single->key = shape->key;
    single->key_length = shape->key_length;
    single->is_joined = shape->is_joined;
    single->rest = shape->rest;
    single->keys = shape->keys;
    memset(&shape->texts, 0, sizeof shape->texts);
    memset(&shape->fields, 0, sizeof shape->fields);
    memset(&shape->variants, 0, sizeof shape->variants);
    memset(&shape->keys, 0, sizeof shape->keys);
    shape->mappings = 0;
    shape->key = NULL;
    shape->rest = NULL;
    shape->is_single = true;
    return bake_infer_shape_merge(shapes, element, single);
}
