/* Finds and checks children of an entity by name and by path. */
#include "scene_entity.h"

#include <string.h>

bool bake_scene_name_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          const scene_path *path, const char **ret_name, uint32_t *ret_length)
{
    size_t length;
    *ret_name = NULL;
    *ret_length = 0;
    if (node == BAKE_NODE_NONE)
        return true;
    const char *name = bake_scene_text(s, tree, node, path, "a name", &length);
    if (!name)
        return false;
    bool ok = length <= SCENE_NAME_MAX;
    for (size_t i = 0; ok && i < length; i++)
        ok = (unsigned char)name[i] >= 0x20 && name[i] != '/' && name[i] != '#' && name[i] != 0x7f;
    if (!ok)
        return bake_scene_report(
            s, tree, node, "name", path,
            "a name has at most %d bytes, and no `/`, `#` or control characters", SCENE_NAME_MAX);
    *ret_name = name;
    *ret_length = (uint32_t)length;
    return true;
}

void bake_scene_report_twice(bake_scenes *s, const scene_child *first, const scene_child *again,
                             const scene_path *path)
{
    bake_mark mark = bake_node_mark(first->tree, first->node);
    bake_scene_report(s, again->tree, again->node, "duplicate", path,
                      "the name \"%.*s\" is already given at %s:%u:%u",
                      (int)(again->name_length < 100 ? again->name_length : 100), again->name,
                      bake_diagnostics_source_name(s->diagnostics, mark.source), mark.line,
                      mark.column);
    bake_related(s->diagnostics, mark, "given here");
}

/* In the index, equal names are neighbours because they have one hash, in the order of children. */
void bake_scene_children_check(bake_scenes *s, scene_shape *shape, uint32_t first,
                               const scene_path *path)
{
    if (!bake_scene_children_index(s, shape))
        return;
    const scene_named *named = shape->named;
    for (uint32_t i = 1, run = 0; i < shape->named_count; i++) {
        if (named[i].hash != named[run].hash) {
            run = i;
            continue;
        }
        const scene_child *again = &shape->children[named[i].child];
        for (uint32_t j = run; named[i].child >= first && j < i; j++) {
            const scene_child *before = &shape->children[named[j].child];
            if (before->shape && before->name_length == again->name_length &&
                memcmp(before->name, again->name, again->name_length) == 0) {
                bake_scene_report_twice(s, before, again, path);
                break;
            }
        }
    }
}

scene_child *bake_scene_child_at(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 scene_shape *shape, const scene_path *path)
{
    size_t length;
    const char *text = bake_scene_text(s, tree, node, path, "the name of an entity", &length);
    const char *end = text ? text + length : NULL;
    scene_child *child = NULL;
    for (const char *part = text; part;) {
        const char *slash = memchr(part, '/', (size_t)(end - part));
        size_t part_length = (size_t)((slash ? slash : end) - part);
        child = slash && shape->has_paths
                    ? bake_scene_child_find(s, shape, part, (size_t)(end - part))
                    : NULL;
        if (child)
            slash = NULL;
        else
            child = bake_scene_child_find(s, shape, part, part_length);
        if (s->stopped || s->out_of_memory)
            return NULL;
        if (!child && !shape->is_partial) {
            bake_scene_report(s, tree, node, "entity", path, "no entity here is named \"%.*s\"",
                              (int)(part_length < 100 ? part_length : 100), part);
            bake_scene_hint_children(s, shape, part, part_length);
        }
        if (!child)
            return NULL;
        shape = bake_scene_shape_own(s, child->shape, 0);
        if (!shape)
            return NULL;
        child->shape = shape;
        part = slash ? slash + 1 : NULL;
    }
    return child;
}

void bake_scene_drop_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          scene_shape *shape, const scene_path *path)
{
    if (bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR) {
        scene_child *child = bake_scene_child_at(s, tree, node, shape, path);
        if (child)
            child->shape = NULL;
        return;
    }
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_SEQUENCE, path, "a list of names"))
        return;
    for (bake_walk walk = bake_walk_begin(tree, node); !s->stopped && bake_walk_next(&walk);) {
        scene_child *child = bake_scene_child_at(s, tree, walk.value, shape, path);
        if (child)
            child->shape = NULL;
    }
}
