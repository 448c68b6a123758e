/* Resolves prefabs and scenes on first use. A nested scene becomes a child that shares the shape of
 * the scene, or has a copy with overrides. */
#include "scene_entity.h"

#include "bake_memory.h"

#include "scene_look_up.h"
#include "scene_prototypes.h"

#include <stdio.h>
#include <string.h>

/* ---- nested scenes ---- */

static const char *const nested_keys[] = {"scene", "name", "overrides", "drop"};
enum { NESTED_SCENE, NESTED_NAME, NESTED_OVERRIDES, NESTED_DROP, NESTED_COUNT };

/* Returns the shape of the child, copied if necessary so that the caller may change it. */
static scene_shape *own_child(bake_scenes *s, scene_child *child)
{
    scene_shape *shape = bake_scene_shape_own(s, child->shape, 0);
    if (shape)
        child->shape = shape;
    return shape;
}

static void read_overrides(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                           scene_child *child, const scene_path *path)
{
    scene_shape *shape = own_child(s, child);
    if (!shape || !bake_scene_expect(s, tree, node, BAKE_NODE_MAPPING, path,
                                     "a mapping of names to overrides"))
        return;
    for (bake_iterator it = bake_iterator_begin(tree, node);
         !s->stopped && !s->out_of_memory && bake_iterator_next(&it);) {
        scene_path inner = {path, NULL, 0, 0};
        scene_child *changed = bake_scene_child_at(s, tree, it.key, shape, path);
        inner.name = bake_node_text(tree, it.key, &inner.length);
        if (changed)
            bake_scene_override_read(s, tree, it.value, changed, &inner);
    }
}

static void read_one(bake_scenes *s, const bake_tree *tree, bake_node_id node, scene_shape *shape,
                     uint32_t number)
{
    bake_node_id values[NESTED_COUNT];
    scene_path list = {NULL, "scenes", 6, 0}, path = {&list, NULL, 0, number};
    scene_child child = {.tree = tree, .node = node};
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_MAPPING, &path, "a mapping for a nested scene"))
        return;
    bake_scene_keys(s, tree, node, &path, nested_keys, NESTED_COUNT, values);
    if (bake_scene_name_read(s, tree, values[NESTED_NAME], &path, &child.name,
                             &child.name_length) &&
        child.name) {
        path = (scene_path){NULL, child.name, child.name_length, 0};
        child.node = values[NESTED_NAME];
    }
    if (values[NESTED_SCENE] == BAKE_NODE_NONE) {
        bake_scene_report(s, tree, node, "missing", &path,
                          "missing key `scene`, the name of the nested scene");
        return;
    }
    scene_unit *unit = bake_scene_named_scene(s, tree, values[NESTED_SCENE], &path);
    child.shape = unit ? bake_scene_unit_shape(s, unit, tree, values[NESTED_SCENE], &path) : NULL;
    /* The missing scene could contain any entity, so unknown names are not reported. */
    if (!child.shape) {
        shape->is_partial = true;
        return;
    }
    if (scene_is_given(tree, values[NESTED_OVERRIDES]))
        read_overrides(s, tree, values[NESTED_OVERRIDES], &child, &path);
    if (scene_is_given(tree, values[NESTED_DROP]) && own_child(s, &child))
        bake_scene_drop_read(s, tree, values[NESTED_DROP], child.shape, &path);
    bake_scene_child_add(s, shape, &child);
}

static void read_nested(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                        scene_shape *shape)
{
    uint32_t before = shape->child_count, number = 0;
    scene_path path = {NULL, "scenes", 6, 0};
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_SEQUENCE, &path, "a list of nested scenes"))
        return;
    for (bake_iterator it = bake_iterator_begin(tree, node);
         !s->stopped && !s->out_of_memory && bake_iterator_next(&it);)
        read_one(s, tree, it.value, shape, number++);
    if (!s->stopped && !s->out_of_memory)
        bake_scene_children_check(s, shape, before, NULL);
}

/* ---- prefabs and scenes ---- */

/* Reports a cycle of units, such as `a > b > a`. */
static void report_cycle(bake_scenes *s, const scene_unit *unit, const bake_tree *tree,
                         bake_node_id node, const scene_path *path)
{
    /* For a long cycle, show only the units next to the error; `...` replaces the others. */
    enum { SHOWN = 8 };
    const scene_unit *chain[SHOWN];
    char text[512];
    size_t count = 0, length = 0, all = 0;
    for (const scene_unit *u = s->reading.unit; u != unit; u = u->user)
        all++;
    for (const scene_unit *u = s->reading.unit; u != unit && count < SHOWN; u = u->user)
        chain[count++] = u;
    length =
        (size_t)snprintf(text, sizeof text, "%.*s%s", (int)(unit->length < 40 ? unit->length : 40),
                         unit->name, all > count ? " > ..." : "");
    while (count-- > 0)
        length += (size_t)snprintf(text + length, sizeof text - length, " > %.*s",
                                   (int)(chain[count]->length < 40 ? chain[count]->length : 40),
                                   chain[count]->name);
    bake_scene_report(s, tree, node, "cycle", path, "the %s contains itself: %s > %.*s",
                      unit->is_scene ? "scene" : "prefab", text,
                      (int)(unit->length < 40 ? unit->length : 40), unit->name);
}

static scene_shape *read_scene(bake_scenes *s, const scene_unit *unit)
{
    const char *const keys[] = {"prefabs", bake_scene_words_of(s)->entities, "scenes"};
    enum { KEY_PREFABS, KEY_ENTITIES, KEY_SCENES, KEY_COUNT };
    bake_node_id values[KEY_COUNT];
    scene_shape *shape = bake_scene_shape_create(s, unit->tree, unit->node);
    if (!shape)
        return NULL;
    shape->is_group = true;
    if (!bake_scene_expect(s, unit->tree, unit->node, BAKE_NODE_MAPPING, NULL,
                           "a mapping for a scene"))
        return shape;
    bake_scene_keys_under(s, unit->rule, unit->tree, unit->node, NULL, keys, KEY_COUNT, values);
    if (scene_is_given(unit->tree, values[KEY_ENTITIES]))
        bake_scene_entities_read(s, unit->tree, values[KEY_ENTITIES], shape);
    if (scene_is_given(unit->tree, values[KEY_SCENES]))
        read_nested(s, unit->tree, values[KEY_SCENES], shape);
    return shape;
}

static bool report_too_deep(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            const scene_path *path)
{
    s->stopped = true;
    return bake_scene_report(s, tree, node, "depth", path,
                             "prefabs and scenes are nested more than %d levels deep",
                             SCENE_BASES_MAX);
}

static void read_unit(bake_scenes *s, scene_unit *unit)
{
    scene_unit *user = s->reading.unit;
    uint32_t owner = s->reading.owner;
    uint64_t work = s->work, outer_work = s->reading.inner_work;
    s->reading.inner_work = 0;
    unit->user = user;
    unit->state = SCENE_OPEN;
    s->reading.unit = unit;
    /* The unit may change its own shapes. Shapes of units that it uses have other owners, so they
     * are copied before a change. */
    s->reading.owner = ++s->reading.owner_count;
    s->reading.bases++;
    scene_shape *shape = unit->is_scene       ? read_scene(s, unit)
                         : unit->is_prototype ? bake_scene_prototype_read(s, unit)
                                              : bake_scene_prefab_read(s, unit->tree, unit->node);
    if (shape && !s->out_of_memory && bake_scene_shape_seal(s, shape, NULL))
        unit->shape = shape;
    s->reading.bases--;
    s->reading.owner = owner;
    s->reading.unit = user;
    unit->work = s->work - work - s->reading.inner_work;
    s->reading.inner_work = outer_work + (s->work - work);
    /* Set after a failure as well, so that its errors are not reported again. */
    unit->state = SCENE_READ;
}

/* Usually, a unit uses another one several times in succession. */
bool bake_scene_keep_use(bake_scenes *s, const scene_unit *user, scene_unit *used)
{
    if (!s->keeps_uses || !user || used->last_user == user)
        return true;
    bake_scene_use *uses = bake_grow(s->uses, &s->use_capacity, s->use_count + 1, sizeof *uses);
    if (!uses)
        return bake_scene_no_memory(s);
    s->uses = uses;
    uses[s->use_count++] = (bake_scene_use){user->tree, used->tree, user, used};
    used->last_user = user;
    return true;
}

scene_shape *bake_scene_unit_shape(bake_scenes *s, scene_unit *unit, const bake_tree *tree,
                                   bake_node_id node, const scene_path *path)
{
    if (s->stopped || s->out_of_memory)
        return NULL;
    if (!bake_scene_keep_use(s, s->reading.unit, unit))
        return NULL;
    if (unit->state == SCENE_OPEN) {
        report_cycle(s, unit, tree, node, path);
        return NULL;
    }
    if (unit->state == SCENE_UNREAD) {
        if (s->reading.bases >= SCENE_BASES_MAX) {
            report_too_deep(s, tree, node, path);
            return NULL;
        }
        read_unit(s, unit);
    }
    /* Limit the depth to which units use each other. The recursion depth would not be a stable
     * limit, because it depends on the order in which units are read. */
    if (s->reading.unit && s->reading.unit->levels <= unit->levels) {
        s->reading.unit->levels = unit->levels + 1;
        if (s->reading.unit->levels >= SCENE_BASES_MAX && !s->stopped)
            report_too_deep(s, tree, node, path);
    }
    return s->stopped ? NULL : unit->shape;
}
