/* Visits the values inside components. */
#ifndef KILN_SCENE_COMPONENT_H
#define KILN_SCENE_COMPONENT_H

#include "scene_columns.h"
#include "type_list.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The fields on the path to a value; elements of fixed arrays are not steps. */
typedef struct scene_path {
    const struct scene_path *up;
    const kiln_member *member;
} scene_path;

/* `on_value` is called for every value in a component except plain values, structs and fixed
 * arrays, in the order of offsets. It returns false to stop the traversal. */
typedef struct scene_visitor {
    const kiln_types *types;
    bool (*on_value)(void *ctx, const scene_path *path, uint32_t type, uint32_t place);
    void *ctx;
} scene_visitor;

bool kiln_scene_visit(const scene_visitor *v, uint32_t type);

/* Whether values of the type can be rows. Traversing such a type takes at most as many steps as a
 * row has bytes. */
bool kiln_scene_is_component(const kiln_types *types, uint32_t type);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
