#include "scene_nodes.h"

#include "bake_memory.h"

#include <string.h>

static bool add_children(scene_nodes *nodes, uint32_t up)
{
    const scene_shape *shape = nodes->all[up].shape;
    uint32_t count = shape->child_count;
    /* Node indices have 32 bits, and UINT32_MAX means none. */
    if (count >= UINT32_MAX - nodes->count)
        return false;
    scene_node *all =
        bake_block_grow(nodes->all, &nodes->capacity, (size_t)nodes->count + count, sizeof *all);
    if (!all)
        return false;
    nodes->all = all;
    all[up].first = nodes->count;
    for (uint32_t i = 0; i < count; i++) {
        const scene_child *child = &shape->children[i];
        scene_node node = {child->shape, child, up, i, 0, UINT32_MAX};
        all[nodes->count++] = node;
    }
    return true;
}

bool bake_scene_nodes_init(scene_nodes *nodes, scene_shape *shape)
{
    scene_node root = {shape, NULL, UINT32_MAX, 0, 0, UINT32_MAX};
    memset(nodes, 0, sizeof *nodes);
    /* Enough for a scene with a single level, like most scenes. */
    nodes->all =
        bake_block_grow(NULL, &nodes->capacity, (size_t)shape->child_count + 1, sizeof *nodes->all);
    if (!nodes->all)
        return false;
    nodes->all[nodes->count++] = root;
    /* The array serves as the queue of a breadth-first traversal. */
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->all[i].shape && nodes->all[i].shape->child_count > 0 && !add_children(nodes, i))
            return false;
    return true;
}

void bake_scene_nodes_fini(scene_nodes *nodes)
{
    bake_block_free(nodes->all, nodes->capacity * sizeof *nodes->all);
    memset(nodes, 0, sizeof *nodes);
}

scene_found bake_scene_nodes_find(const scene_nodes *nodes, uint32_t from, const char *text,
                                  size_t length, uint32_t *ret_node)
{
    const char *end = text + length, *next;
    const scene_child *child = NULL;
    size_t size;
    uint32_t at = from;
    /* Look up the first name of the path from `from` outwards; the nearest level wins. */
    for (;; at = nodes->all[at].up) {
        next = text;
        child = bake_scene_child_on_path(nodes->all[at].shape, &next, end, &size);
        if (child || nodes->all[at].up == UINT32_MAX)
            break;
    }
    if (!child)
        return SCENE_FOUND_NONE;
    for (;;) {
        const scene_node *node = &nodes->all[at];
        at = node->first + (uint32_t)(child - node->shape->children);
        if (!next)
            break;
        child = bake_scene_child_on_path(nodes->all[at].shape, &next, end, &size);
        if (!child)
            return SCENE_FOUND_NONE;
    }
    *ret_node = at;
    return scene_node_is_entity(&nodes->all[at]) ? SCENE_FOUND : SCENE_FOUND_GROUP;
}

uint32_t bake_scene_nodes_listed(const scene_nodes *nodes, uint32_t from, const char *text,
                                 size_t length)
{
    uint32_t number = 0;
    for (size_t i = 1; i < length; i++) {
        /* Appending a digit to a number of at most UINT32_MAX / 16 cannot overflow. A larger number
         * exceeds the length of any list. */
        if (text[i] < '0' || text[i] > '9' || number > UINT32_MAX / 16)
            return UINT32_MAX;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    /* Terminates because the scene itself is a group. */
    while (!nodes->all[from].shape->is_group)
        from = nodes->all[from].up;
    const scene_node *scene = &nodes->all[from];
    if (number >= scene->shape->child_count ||
        !scene_node_is_entity(&nodes->all[scene->first + number]))
        return UINT32_MAX;
    return scene->first + number;
}

/* Follows a path as far as possible and returns the last shape. Sets `*ret_part` to NULL if the
 * whole path exists. Otherwise sets it to the part, of `*ret_size` bytes, that the last shape
 * lacks. */
static const scene_shape *follow(const scene_shape *shape, const char *text, size_t length,
                                 const char **ret_part, size_t *ret_size)
{
    const char *end = text + length, *next = text;
    for (*ret_part = text; *ret_part; *ret_part = next) {
        const scene_child *child = bake_scene_child_on_path(shape, &next, end, ret_size);
        if (!child)
            return shape;
        shape = child->shape;
    }
    return shape;
}

scene_found bake_scene_shape_find(const scene_shape *shape, const char *text, size_t length)
{
    const char *missing;
    size_t size;
    const scene_shape *last = follow(shape, text, length, &missing, &size);
    if (missing)
        return SCENE_FOUND_NONE;
    return last->is_group ? SCENE_FOUND_GROUP : SCENE_FOUND;
}

bool bake_scene_path_may_exist(const scene_shape *shape, const char *text, size_t length)
{
    const char *missing;
    size_t size;
    const scene_shape *last = follow(shape, text, length, &missing, &size);
    return missing && last->is_partial;
}

bool bake_scene_nodes_may_exist(const scene_nodes *nodes, uint32_t from, const char *text,
                                size_t length)
{
    size_t size;
    for (uint32_t at = from; at != UINT32_MAX; at = nodes->all[at].up) {
        const scene_shape *shape = nodes->all[at].shape;
        const char *next = text;
        if (bake_scene_child_on_path(shape, &next, text + length, &size))
            return bake_scene_path_may_exist(shape, text, length);
        if (shape->is_partial)
            return true;
    }
    return false;
}

void bake_scene_hint_path(bake_scenes *s, const scene_shape *shape, const char *text, size_t length)
{
    const char *missing;
    size_t size;
    const scene_shape *last = follow(shape, text, length, &missing, &size);
    if (missing)
        bake_scene_hint_children(s, last, missing, size);
}

const char *bake_scene_node_name(const scene_nodes *nodes, uint32_t node, char *buffer, size_t size,
                                 size_t *ret_length)
{
    /* Written back to front, because links lead from a node to its parent. */
    size_t at = size;
    for (; nodes->all[node].child; node = nodes->all[node].up) {
        const scene_child *child = nodes->all[node].child;
        if (!child->name || (size_t)child->name_length + 1 > at)
            return NULL;
        if (at < size)
            buffer[--at] = '/';
        at -= child->name_length;
        memcpy(buffer + at, child->name, child->name_length);
    }
    *ret_length = size - at;
    return buffer + at;
}
