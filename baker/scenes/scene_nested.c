/* Scenes inside scenes: copied in, with what is different there. */
#include "scene_reader.h"

#include <string.h>

static const char *const keys[] = {"scene", "name", "overrides", "drop"};
enum { KEY_SCENE, KEY_NAME, KEY_OVERRIDES, KEY_DROP, KEY_COUNT };

/* The shape of the scene, to be changed. */
static scene_shape *own(bake_scenes *s, scene_child *child)
{
    scene_shape *shape = bake_scene_shape_own(s, child->shape, 0);
    if (shape)
        child->shape = shape;
    return shape;
}

static void read_overrides(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                           scene_child *child, const scene_way *way)
{
    scene_shape *shape = own(s, child);
    if (!shape || !bake_scene_expect(s, tree, node, BAKE_NODE_MAPPING, way,
                                     "a mapping of names to what is different"))
        return;
    for (bake_walk walk = bake_walk_begin(tree, node);
         !s->stopped && !s->out_of_memory && bake_walk_next(&walk);) {
        scene_way inner = {way, NULL, 0, 0};
        scene_child *changed = bake_scene_child_at(s, tree, walk.key, shape, way);
        inner.name = bake_node_text(tree, walk.key, &inner.length);
        if (changed)
            bake_scene_override_read(s, tree, walk.value, changed, &inner);
    }
}

static void read_one(bake_scenes *s, const bake_tree *tree, bake_node_id node, scene_shape *shape,
                     uint32_t number)
{
    bake_node_id values[KEY_COUNT];
    scene_way list = {NULL, "scenes", 6, 0}, way = {&list, NULL, 0, number};
    scene_child child = {.tree = tree, .node = node};
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_MAPPING, &way, "a nested scene: a mapping"))
        return;
    bake_scene_keys(s, tree, node, &way, keys, KEY_COUNT, values);
    if (bake_scene_name_read(s, tree, values[KEY_NAME], &way, &child.name, &child.name_length) &&
        child.name) {
        way = (scene_way){NULL, child.name, child.name_length, 0};
        child.node = values[KEY_NAME];
    }
    if (values[KEY_SCENE] == BAKE_NODE_NONE) {
        bake_scene_report(s, tree, node, "missing", &way,
                          "a nested scene needs `scene`, which names it");
        return;
    }
    scene_unit *unit = bake_scene_named_scene(s, tree, values[KEY_SCENE], &way);
    child.shape = unit ? bake_scene_unit_shape(s, unit, tree, values[KEY_SCENE], &way) : NULL;
    if (!child.shape) {
        shape->is_partial = true;
        return;
    }
    if (scene_is_said(tree, values[KEY_OVERRIDES]))
        read_overrides(s, tree, values[KEY_OVERRIDES], &child, &way);
    if (scene_is_said(tree, values[KEY_DROP]) && own(s, &child))
        bake_scene_drop_read(s, tree, values[KEY_DROP], child.shape, &way);
    bake_scene_child_add(s, shape, &child);
}

void bake_scene_nested_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            scene_shape *shape)
{
    uint32_t before = shape->child_count, number = 0;
    scene_way way = {NULL, "scenes", 6, 0};
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_SEQUENCE, &way, "a list of nested scenes"))
        return;
    for (bake_walk walk = bake_walk_begin(tree, node);
         !s->stopped && !s->out_of_memory && bake_walk_next(&walk);)
        read_one(s, tree, walk.value, shape, number++);
    if (!s->stopped && !s->out_of_memory)
        bake_scene_children_check(s, shape, before, NULL);
}
