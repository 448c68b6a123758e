/* What documents say of an entity's components: a mapping of their names to values, or a list of
 * values each of which names its component by a key. */
#include "scene_reader.h"

#include "bake_memory.h"
#include "tree_store.h"

#include <string.h>

static void put_layer(bake_scenes *s, const scene_said *said, scene_part *part, bake_node_id node,
                      const char *key)
{
    bake_layer *below = part->top;
    if (below && below->count >= BAKE_LAYERS_MAX) {
        bake_scene_report(s, said->tree, said->node, "depth", said->way,
                          "a component is made of more than %d layers", BAKE_LAYERS_MAX);
        return;
    }
    bake_layer *layer = bake_store_alloc(&s->store, 1, sizeof *layer);
    if (!layer) {
        bake_scene_no_memory(s);
        return;
    }
    layer->below = below;
    layer->tree = said->tree;
    layer->node = node;
    layer->key = key;
    layer->origin = layer;
    layer->count = (uint16_t)(below ? below->count + 1 : 1);
    layer->is_shared = s->unit->is_shared;
    part->top = layer;
}

/* False where nothing more is to be read. */
static bool put(bake_scenes *s, const scene_said *said, scene_shape *shape, uint32_t list,
                uint32_t number, bake_node_id named_at, bake_node_id value, const char *key)
{
    scene_part *part = bake_scene_part_find(shape, number);
    if (!part)
        part = bake_scene_part_add(s, shape, number);
    if (!part)
        return false;
    if (part->list == list) {
        bake_scene_report(s, said->tree, named_at, "duplicate", said->way,
                          "the component %s is written twice", s->components.all[number].name);
        return true;
    }
    part->list = list;
    put_layer(s, said, part, value, key);
    if (part->top)
        return true;
    bake_scene_part_remove(shape, part);
    return false;
}

static void read_mapping(bake_scenes *s, const scene_said *said, scene_shape *shape)
{
    uint32_t *guess = &s->components.first, list = ++s->list_count;
    if (!bake_scene_expect(s, said->tree, said->node, BAKE_NODE_MAPPING, said->way,
                           "a mapping of components to values") ||
        !bake_scene_parts_reserve(s, shape,
                                  shape->part_count + bake_node_count(said->tree, said->node)))
        return;
    for (bake_walk walk = bake_walk_begin(said->tree, said->node); bake_walk_next(&walk);) {
        uint32_t number = bake_scene_component_find(s, said->tree, walk.key, said->way, guess);
        if (number == UINT32_MAX)
            continue;
        guess = &s->components.all[number].next;
        if (!put(s, said, shape, list, number, walk.key, walk.value, NULL))
            return;
    }
}

/* The name of a component in an element; BAKE_NODE_NONE after a report. */
static bake_node_id name_in(bake_scenes *s, const scene_said *said, bake_node_id element,
                            const char *by)
{
    if (!bake_scene_expect(s, said->tree, element, BAKE_NODE_MAPPING, said->way,
                           "a component: a mapping"))
        return BAKE_NODE_NONE;
    bake_node_id named = bake_node_find(said->tree, element, by, strlen(by));
    if (named == BAKE_NODE_NONE) {
        bake_scene_report(s, said->tree, element, "component", said->way,
                          "expected a mapping whose key `%s` names the component", by);
        return BAKE_NODE_NONE;
    }
    size_t length;
    return bake_scene_text(s, said->tree, named, said->way, "the name of a component", &length)
               ? named
               : BAKE_NODE_NONE;
}

static void read_list(bake_scenes *s, const scene_said *said, const bake_scene_words *words,
                      scene_shape *shape)
{
    uint32_t *guess = &s->components.first, list = ++s->list_count;
    if (!bake_scene_expect(s, said->tree, said->node, BAKE_NODE_SEQUENCE, said->way,
                           "a list of components") ||
        !bake_scene_parts_reserve(s, shape,
                                  shape->part_count + bake_node_count(said->tree, said->node)))
        return;
    for (bake_walk walk = bake_walk_begin(said->tree, said->node); bake_walk_next(&walk);) {
        bake_node_id named = name_in(s, said, walk.value, words->by);
        if (named == BAKE_NODE_NONE)
            continue;
        uint32_t number = words->prefab_type == KILN_TYPE_NONE
                              ? bake_scene_component_find(s, said->tree, named, said->way, guess)
                              : bake_scene_alternative_find(s, words, said->tree, named, said->way);
        if (number == UINT32_MAX)
            continue;
        guess = &s->components.all[number].next;
        if (!put(s, said, shape, list, number, named, walk.value, words->by))
            return;
    }
}

void bake_scene_said_read(bake_scenes *s, const scene_said *said, const bake_scene_words *words,
                          scene_shape *shape)
{
    if (words->by)
        read_list(s, said, words, shape);
    else
        read_mapping(s, said, shape);
}
