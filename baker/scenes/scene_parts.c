/* Reads the components of an entity: a mapping of names to values, or a list of values in which a
 * key names the component. */
#include "scene_entity.h"

#include <string.h>

static void put_layer(bake_scenes *s, const scene_given *given, scene_part *part, bake_node_id node,
                      const char *key)
{
    bake_layer *below = part->top;
    if (below && below->count >= BAKE_LAYERS_MAX) {
        bake_scene_report(s, given->tree, given->node, "depth", given->path,
                          "the component has more than %d layers", BAKE_LAYERS_MAX);
        return;
    }
    bake_layer *layer = bake_store_alloc(&s->store, 1, sizeof *layer);
    if (!layer) {
        bake_scene_no_memory(s);
        return;
    }
    layer->below = below;
    layer->tree = given->tree;
    layer->node = node;
    layer->key = key;
    layer->origin = layer;
    layer->count = (uint16_t)(below ? below->count + 1 : 1);
    /* The value of a shared layer is baked once for all entities that use it. */
    layer->is_shared = s->reading.unit->is_shared;
    layer->is_prototype = s->reading.unit->is_prototype;
    part->top = layer;
}

/* Puts a layer on top of a component. Returns false if reading must stop. */
static bool put(bake_scenes *s, const scene_given *given, scene_shape *shape, uint32_t list,
                uint32_t number, bake_node_id named_at, bake_node_id value, const char *key)
{
    scene_part *part = bake_scene_part_find(shape, number);
    if (!part)
        part = bake_scene_part_add(s, shape, number);
    if (!part)
        return false;
    if (part->list == list) {
        bake_scene_report(s, given->tree, named_at, "duplicate", given->path,
                          "duplicate component %s", s->components.all[number].name);
        return true;
    }
    part->list = list;
    put_layer(s, given, part, value, key);
    if (part->top)
        return true;
    bake_scene_part_remove(shape, part);
    return false;
}

/* Reserves room for all components of the first layer. Higher layers mostly override existing
 * components. */
static bool reserve(bake_scenes *s, const scene_given *given, scene_shape *shape)
{
    return shape->part_count > 0 ||
           bake_scene_parts_reserve(s, shape, bake_node_count(given->tree, given->node));
}

static void read_mapping(bake_scenes *s, const scene_given *given, scene_shape *shape)
{
    uint32_t *guess = &s->components.first, list = ++s->reading.list_count;
    if (!bake_scene_expect(s, given->tree, given->node, BAKE_NODE_MAPPING, given->path,
                           "a mapping of components to values") ||
        !reserve(s, given, shape))
        return;
    for (bake_iterator it = bake_iterator_begin(given->tree, given->node);
         bake_iterator_next(&it);) {
        uint32_t number = bake_scene_component_find(s, given->tree, it.key, given->path, guess);
        if (number == UINT32_MAX)
            continue;
        guess = &s->components.all[number].next;
        if (!put(s, given, shape, list, number, it.key, it.value, NULL))
            return;
    }
}

/* A component as an element of a list. */
typedef struct named_part {
    bake_node_id named, value;
    const char *key; /* the key that names the component, or NULL */
} named_part;

/* Reads an element of a list. Returns false after a report. */
static bool read_named(bake_scenes *s, const scene_given *given, bake_node_id element,
                       const char *by, named_part *ret_part)
{
    if (!bake_scene_expect(s, given->tree, element, BAKE_NODE_MAPPING, given->path,
                           "a mapping for a component"))
        return false;
    bake_node_id named = bake_node_find(given->tree, element, by, strlen(by));
    if (named == BAKE_NODE_NONE)
        return bake_scene_report(s, given->tree, element, "component", given->path,
                                 "expected a mapping whose key `%s` names the component", by);
    size_t length;
    *ret_part = (named_part){named, element, by};
    return bake_scene_text(s, given->tree, named, given->path, "the name of a component",
                           &length) != NULL;
}

/* Assets may write components in any form of a union. If none fits, marks the shape as partial;
 * baking the asset reports the error. Returns false if there is nothing to add. */
static bool read_union_form(const bake_tree *tree, bake_node_id element, const char *by,
                            scene_shape *shape, named_part *ret_part)
{
    bake_node_kind kind = bake_node_kind_of(tree, element);
    bake_node_id named = BAKE_NODE_NONE;
    if (kind == BAKE_NODE_MAPPING)
        named = bake_node_find(tree, element, by, strlen(by));
    *ret_part = (named_part){named, element, by};
    if (kind == BAKE_NODE_SCALAR) {
        *ret_part = (named_part){element, BAKE_NODE_NONE, NULL};
    } else if (named == BAKE_NODE_NONE && kind == BAKE_NODE_MAPPING &&
               bake_node_count(tree, element) == 1) {
        bake_iterator it = bake_iterator_begin(tree, element);
        bake_iterator_next(&it);
        *ret_part = (named_part){it.key, it.value, NULL};
    }
    named = ret_part->named;
    /* A null component adds nothing. */
    if (bake_node_is_null(tree, element))
        return false;
    bool found = named != BAKE_NODE_NONE && bake_node_kind_of(tree, named) == BAKE_NODE_SCALAR &&
                 !bake_node_is_null(tree, named) && !bake_node_is_placeholder(tree, named);
    shape->is_partial |= !found;
    return found;
}

/* Returns the index of the component, or UINT32_MAX if there is nothing to add. On an error,
 * reports it or marks the shape as partial. */
static uint32_t read_part(bake_scenes *s, const scene_given *given, const bake_scene_words *words,
                          bake_node_id element, scene_shape *shape, uint32_t *guess,
                          named_part *ret_part)
{
    if (!s->reading.unit->is_prototype
            ? !read_named(s, given, element, words->by, ret_part)
            : !read_union_form(given->tree, element, words->by, shape, ret_part))
        return UINT32_MAX;
    uint32_t number =
        words->prefab_type == KILN_TYPE_NONE
            ? bake_scene_component_find(s, given->tree, ret_part->named, given->path, guess)
            : bake_scene_alternative_find(s, words, given->tree, ret_part->named, given->path);
    bool lacks_value = number != UINT32_MAX && ret_part->value == BAKE_NODE_NONE;
    shape->is_partial |= s->reading.unit->is_prototype && (number == UINT32_MAX || lacks_value);
    return lacks_value ? UINT32_MAX : number;
}

/* Whether a single element may be written without a list. */
static bool is_single(const bake_scenes *s, const bake_scene_words *words)
{
    const kiln_types *types = s->schema->types;
    const kiln_member *member =
        &kiln_types_get(types, words->prefab_type)->members[words->prefab_member];
    const kiln_type *of = kiln_types_get(types, member->type);
    while (!(member->flags & KILN_MEMBER_SINGLE) && (of->flags & KILN_TYPE_TRANSPARENT)) {
        member = &of->members[0];
        of = kiln_types_get(types, member->type);
    }
    return member->flags & KILN_MEMBER_SINGLE;
}

/* Whether the components are a list. If not, reports the error; for an asset only marks the shape
 * as partial, since baking the asset reports it. */
static bool expect_list(bake_scenes *s, const scene_given *given, scene_shape *shape)
{
    if (!s->reading.unit->is_prototype) {
        bool is_mapping = bake_node_kind_of(given->tree, given->node) == BAKE_NODE_MAPPING;
        if (bake_scene_expect(s, given->tree, given->node, BAKE_NODE_SEQUENCE, given->path,
                              "a list of components"))
            return true;
        if (is_mapping)
            bake_hint(s->diagnostics, "name the component of each element: `- {%s: NAME, ...}`",
                      bake_scene_words_of(s)->by);
        return false;
    }
    bool found = bake_node_kind_of(given->tree, given->node) == BAKE_NODE_SEQUENCE;
    shape->is_partial |= !found;
    return found;
}

static void read_list(bake_scenes *s, const scene_given *given, const bake_scene_words *words,
                      scene_shape *shape)
{
    uint32_t *guess = &s->components.first, list = ++s->reading.list_count;
    named_part part;
    if (s->reading.unit->is_prototype && is_single(s, words) &&
        bake_node_kind_of(given->tree, given->node) != BAKE_NODE_SEQUENCE) {
        uint32_t number = read_part(s, given, words, given->node, shape, guess, &part);
        if (number != UINT32_MAX)
            put(s, given, shape, list, number, part.named, part.value, part.key);
        return;
    }
    if (!expect_list(s, given, shape) || !reserve(s, given, shape))
        return;
    for (bake_iterator it = bake_iterator_begin(given->tree, given->node);
         bake_iterator_next(&it);) {
        uint32_t number = read_part(s, given, words, it.value, shape, guess, &part);
        if (number == UINT32_MAX)
            continue;
        guess = &s->components.all[number].next;
        if (!put(s, given, shape, list, number, part.named, part.value, part.key))
            return;
    }
}

void bake_scene_parts_read(bake_scenes *s, const scene_given *given, const bake_scene_words *words,
                           scene_shape *shape)
{
    if (words->by)
        read_list(s, given, words, shape);
    else
        read_mapping(s, given, shape);
}
