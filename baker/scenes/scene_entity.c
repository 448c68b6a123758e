/* Reads one entity or prefab: bases, components, children. The shape of the first base is copied
 * only when it changes, so an entity that only names a prefab needs no copy. */
#include "scene_entity.h"

#include "scene_look_up.h"

#include <string.h>

enum {
    KEY_NAME,
    KEY_BASE,
    KEY_COMPONENTS,
    KEY_REMOVE,
    KEY_CHILDREN,
    KEY_DROP,
    KEY_ABSTRACT,
    KEY_PATH,
    KEY_COUNT
};

/* An entity being read. */
typedef struct entity {
    const bake_tree *tree;
    bake_node_id node;
    const char *keys[KEY_COUNT]; /* the keys as spelled in the document */
    bake_node_id values[KEY_COUNT];
    const scene_path *path;
    bool is_prefab;
} entity;

static bool has(const entity *e, int key)
{
    return scene_is_given(e->tree, e->values[key]);
}

/* Called for a scalar, or for each element of a list. */
typedef void visit(bake_scenes *s, entity *e, bake_node_id node, scene_shape **shape);

static void for_each(bake_scenes *s, entity *e, int key, visit *call, scene_shape **shape)
{
    bake_node_id node = e->values[key];
    if (!has(e, key))
        return;
    if (bake_node_kind_of(e->tree, node) != BAKE_NODE_SEQUENCE) {
        call(s, e, node, shape);
        return;
    }
    if (!bake_scene_expect(s, e->tree, node, BAKE_NODE_SEQUENCE, e->path, "a list"))
        return;
    for (bake_iterator it = bake_iterator_begin(e->tree, node);
         !s->stopped && bake_iterator_next(&it);)
        call(s, e, it.value, shape);
}

/* Marks the shape as partial, so that unknown names in it are not reported. Creates or copies it
 * first if necessary. */
static void note_partial(bake_scenes *s, entity *e, scene_shape **shape)
{
    if (!*shape)
        *shape = bake_scene_shape_create(s, e->tree, e->node);
    if (*shape)
        *shape = bake_scene_shape_own(s, *shape, 0);
    if (*shape)
        (*shape)->is_partial = true;
}

static void add_base(bake_scenes *s, entity *e, bake_node_id node, scene_shape **shape)
{
    scene_unit *unit = bake_scene_prefab_named(s, e->tree, node, e->path);
    scene_shape *base = unit ? bake_scene_unit_shape(s, unit, e->tree, node, e->path) : NULL;
    if (s->stopped || s->out_of_memory)
        return;
    if (base && unit->is_abstract && !e->is_prefab && bake_scene_claim_base(s, e->tree, node))
        bake_scene_report(
            s, e->tree, node, "abstract", e->path,
            "the prefab \"%.*s\" is abstract: only another prefab can use it as a base",
            (int)(unit->length < 100 ? unit->length : 100), unit->name);
    if (!base) {
        note_partial(s, e, shape);
        return;
    }
    if (!*shape) {
        *shape = base;
        return;
    }
    /* Only the first base is shared. Each further base overrides a copy of the earlier ones. */
    *shape = bake_scene_shape_own(s, *shape, 0);
    if (*shape)
        bake_scene_shape_merge(s, *shape, base, e->path);
}

static void remove_component(bake_scenes *s, entity *e, bake_node_id node, scene_shape **shape)
{
    uint32_t guess = UINT32_MAX;
    size_t length;
    if (!bake_scene_text(s, e->tree, node, e->path, "the name of a component", &length))
        return;
    uint32_t number = bake_scene_component_find(s, e->tree, node, e->path, &guess);
    scene_part *part = number != UINT32_MAX ? bake_scene_part_find(*shape, number) : NULL;
    if (part)
        bake_scene_part_remove(*shape, part);
    else if (number != UINT32_MAX && !(*shape)->is_partial)
        bake_scene_report(s, e->tree, node, "remove", e->path,
                          "cannot remove %s: the entity does not have this component",
                          s->components.all[number].shown);
}

static void read_components(bake_scenes *s, const entity *e, scene_shape *shape)
{
    scene_given given = {e->tree, e->values[KEY_COMPONENTS], e->path};
    bake_scene_parts_read(s, &given, bake_scene_words_of(s), shape);
}

/* Only the children of a nested scene can be changed. */
static void reject_group_keys(bake_scenes *s, const entity *e)
{
    static const int rejected[] = {KEY_BASE, KEY_COMPONENTS, KEY_REMOVE};
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
        if (has(e, rejected[i]))
            bake_scene_report(s, e->tree, e->values[rejected[i]], "nested", e->path,
                              "a nested scene cannot have `%s`", e->keys[rejected[i]]);
}

static void change(bake_scenes *s, entity *e, scene_shape **shape)
{
    /* Remove first, so that the entity can replace a removed component or dropped child with one of
     * the same name. */
    if (has(e, KEY_REMOVE))
        for_each(s, e, KEY_REMOVE, remove_component, shape);
    if (has(e, KEY_COMPONENTS))
        read_components(s, e, *shape);
    if (has(e, KEY_DROP))
        bake_scene_drop_read(s, e->tree, e->values[KEY_DROP], *shape, e->path);
    if (has(e, KEY_CHILDREN))
        bake_scene_children_read(s, e->tree, e->values[KEY_CHILDREN], *shape, e->path);
}

static scene_shape *make(bake_scenes *s, entity *e, scene_shape *under)
{
    scene_shape *shape = under;
    bool changes =
        has(e, KEY_REMOVE) || has(e, KEY_COMPONENTS) || has(e, KEY_DROP) || has(e, KEY_CHILDREN);
    if (under && under->is_group)
        reject_group_keys(s, e);
    else
        for_each(s, e, KEY_BASE, add_base, &shape);
    if (s->stopped || s->out_of_memory || (shape && !changes))
        return shape;
    /* Copy once with room for all components, instead of once for each added component. */
    uint32_t count =
        has(e, KEY_COMPONENTS) ? bake_node_count(e->tree, e->values[KEY_COMPONENTS]) : 0;
    shape = shape ? bake_scene_shape_own(s, shape, count)
                  : bake_scene_shape_create(s, e->tree, e->node);
    /* reject_group_keys has reported these keys of a nested scene. */
    if (shape && changes && !(shape->is_group && (has(e, KEY_REMOVE) || has(e, KEY_COMPONENTS))))
        change(s, e, &shape);
    return shape;
}

/* Returns NULL if memory runs out, or after a report if entities are nested too deeply. */
static scene_shape *read_entity(bake_scenes *s, entity *e, scene_shape *under)
{
    /* Each level uses stack space, so limit the nesting of documents. */
    if (s->reading.depth >= SCENE_DEPTH_MAX) {
        bake_scene_report(s, e->tree, e->node, "depth", e->path,
                          "entities and prefabs are nested more than %d levels deep",
                          SCENE_DEPTH_MAX);
        s->stopped = true;
        return NULL;
    }
    s->reading.depth++;
    scene_shape *shape = make(s, e, under);
    s->reading.depth--;
    return shape;
}

static bool read_keys(bake_scenes *s, entity *e, const char *what)
{
    const bake_scene_words *words = bake_scene_words_of(s);
    const char *const keys[KEY_COUNT] = {words->name,     words->base,     words->components,
                                         words->remove,   words->children, words->drop,
                                         words->abstract, words->path};
    if (!bake_scene_expect(s, e->tree, e->node, BAKE_NODE_MAPPING, e->path, what))
        return false;
    memcpy(e->keys, keys, sizeof keys);
    e->values[KEY_PATH] = BAKE_NODE_NONE;
    bake_scene_keys(s, e->tree, e->node, e->path, keys, words->path ? KEY_COUNT : KEY_PATH,
                    e->values);
    /* The base of a group applies to entities that have no base of their own. */
    if (s->reading.group_base != BAKE_NODE_NONE && !has(e, KEY_BASE))
        e->values[KEY_BASE] = s->reading.group_base;
    /* The base applies to the entities of the group, but not to their children, which are read
     * next. */
    s->reading.group_base = BAKE_NODE_NONE;
    return true;
}

static void reject(bake_scenes *s, const entity *e, int key, const char *why)
{
    if (e->values[key] != BAKE_NODE_NONE)
        bake_scene_report(s, e->tree, e->values[key], "unknown-key", e->path, "%s", why);
}

scene_shape *bake_scene_entity_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    scene_shape *under, const scene_path *path)
{
    entity e = {.tree = tree, .node = node, .path = path};
    if (!read_keys(s, &e, "a mapping for an entity"))
        return NULL;
    reject(s, &e, KEY_ABSTRACT, "an entity cannot be abstract; only a prefab can");
    return read_entity(s, &e, under);
}

/* A null prefab has no components. */
scene_shape *bake_scene_prefab_read(bake_scenes *s, const bake_tree *tree, bake_node_id node)
{
    entity e = {.tree = tree, .node = node, .is_prefab = true};
    if (bake_node_is_null(tree, node))
        return bake_scene_shape_create(s, tree, node);
    if (!read_keys(s, &e, "a mapping for a prefab"))
        return NULL;
    reject(s, &e, KEY_NAME, "a prefab cannot have a name: its key is its name");
    reject(s, &e, KEY_PATH, "a prefab cannot have a path: its key is its name");
    return read_entity(s, &e, NULL);
}

bool bake_scene_read_abstract(bake_scenes *s, const bake_tree *tree, bake_node_id node)
{
    const char *key = bake_scene_words_default.abstract;
    bake_node_id value = bake_node_find(tree, node, key, strlen(key));
    size_t length;
    if (value == BAKE_NODE_NONE)
        return false;
    const char *text = bake_node_text(tree, value, &length);
    bool is_true = length == 4 && memcmp(text, "true", 4) == 0;
    if (!is_true && !(length == 5 && memcmp(text, "false", 5) == 0))
        bake_scene_report(s, tree, value, "type", NULL, "expected true or false for `abstract`");
    return is_true;
}

void bake_scene_override_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_child *child, const scene_path *path)
{
    entity e = {.tree = tree, .node = node, .path = path};
    if (bake_node_is_null(tree, node) || !read_keys(s, &e, "a mapping for an override"))
        return;
    reject(s, &e, KEY_ABSTRACT, "an override cannot be abstract; only a prefab can");
    reject(s, &e, KEY_NAME, "an override cannot rename an entity");
    reject(s, &e, KEY_PATH, "an override cannot rename an entity");
    scene_shape *shape = read_entity(s, &e, child->shape);
    if (shape)
        child->shape = shape;
}
