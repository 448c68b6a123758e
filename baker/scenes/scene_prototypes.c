/* Assets that are also prefabs. Each is read on first use, from the layers of the asset and its
 * bases. */
#include "scene_prototypes.h"

#include "asset_bases.h"
#include "asset_links.h"
#include "bake_memory.h"
#include "scene_entity.h"

#include <string.h>

typedef struct prototypes {
    bake_scenes *s;
    bake_inputs *inputs;
    uint32_t type;
} prototypes;

/* Adds an asset if it is a prefab. Returns false if memory runs out. */
static bool add(const prototypes *p, const bake_asset *asset, bool is_abstract)
{
    const char *slash = memchr(asset->name, '/', asset->name_length);
    if (asset->type != p->type || asset->is_scene || !slash)
        return true;
    bake_input *input = &p->inputs->inputs[asset->input];
    scene_unit unit = {.name = slash + 1,
                       .tree = input->tree,
                       .node = asset->node,
                       .named_at = asset->named_at,
                       .is_shared = true,
                       .is_prototype = true,
                       .is_abstract = is_abstract,
                       .input = asset->input,
                       .base = asset->base};
    unit.length = asset->name_length - (size_t)(slash + 1 - asset->name);
    /* Keep the tree until the end, since any scene may use the prefab. */
    input->asset_count++;
    return bake_scene_unit_add(p->s, &p->s->prototypes, &unit) != NULL;
}

static bool add_all(const prototypes *p)
{
    const bake_bases *bases = p->inputs->bases;
    for (size_t i = 0; i < p->inputs->asset_count; i++)
        if (!add(p, &p->inputs->assets[i], false))
            return false;
    /* Abstract assets are no longer in the list of assets, but prefabs can use them as bases. */
    for (size_t i = 0; bases && i < bases->abstract_count; i++)
        if (!add(p, &bases->abstracts[i], true))
            return false;
    return true;
}

bool bake_scenes_add_prototypes(bake_scenes *s, bake_inputs *inputs)
{
    const bake_scene_words *words = s->schema->prototype_words;
    s->asset_bases = inputs->bases;
    s->links = inputs->links;
    if (!words)
        return true;
    prototypes p = {s, inputs, words->prefab_type};
    return add_all(&p);
}

/* An accepted id, whose asset may be missing, is treated as a prefab without components. */
static scene_unit *add_accepted(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                const char *id, size_t length)
{
    scene_unit unit = {.name = bake_store_text(&s->store, id, length),
                       .length = length,
                       .tree = tree,
                       .node = node,
                       .named_at = node,
                       .is_shared = true,
                       .is_prototype = true,
                       .is_accepted = true};
    if (!unit.name) {
        bake_scene_no_memory(s);
        return NULL;
    }
    return bake_scene_unit_add(s, &s->prototypes, &unit);
}

static const char *kind_of_prototypes(const bake_scenes *s)
{
    return s->schema->info[s->schema->prototype_words->prefab_type].kind;
}

const bake_link *bake_scene_prototype_link(bake_scenes *s, const char *id, size_t length)
{
    const char *kind = kind_of_prototypes(s);
    size_t prefix = strlen(kind) + 1;
    if (!s->links)
        return NULL;
    char *name = bake_alloc(prefix + length + 1);
    if (!name) {
        bake_scene_no_memory(s);
        return NULL;
    }
    memcpy(name, kind, prefix - 1);
    name[prefix - 1] = '/';
    memcpy(name + prefix, id, length);
    const bake_link *link = bake_links_find(s->links, name, prefix + length);
    bake_free(name);
    return link;
}

scene_unit *bake_scene_prototype_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                      const char *id, size_t length)
{
    scene_unit *found = bake_scene_unit_find(&s->prototypes, NULL, id, length);
    const bake_link *link = found ? NULL : bake_scene_prototype_link(s, id, length);
    size_t prefix = strlen(kind_of_prototypes(s)) + 1;
    if (found)
        return found;
    if (link && link->kind == BAKE_LINK_RENAMED)
        return bake_scene_unit_find(&s->prototypes, NULL, link->to + prefix,
                                    link->to_length - prefix);
    return link && link->kind == BAKE_LINK_ACCEPTED ? add_accepted(s, tree, node, id, length)
                                                    : NULL;
}

/* Applies the components of one layer as overrides of the lower ones. */
static void read_layer(bake_scenes *s, const bake_scene_words *words, const bake_tree *tree,
                       bake_node_id node, scene_shape *shape)
{
    const kiln_type *of = kiln_types_get(s->schema->types, words->prefab_type);
    const kiln_member *member = &of->members[words->prefab_member];
    bake_node_id given_at = bake_node_find(tree, node, member->name, strlen(member->name));
    /* Documents may use an earlier name of the field. */
    for (uint32_t w = 0; given_at == BAKE_NODE_NONE && w < member->was_count; w++)
        given_at = bake_node_find(tree, node, member->was[w], strlen(member->was[w]));
    if (!scene_is_given(tree, given_at))
        return;
    scene_given given = {tree, given_at, NULL};
    bake_scene_parts_read(s, &given, words, shape);
}

scene_shape *bake_scene_prototype_read(bake_scenes *s, const scene_unit *unit)
{
    bake_scene_words words = *s->schema->prototype_words;
    scene_shape *shape = bake_scene_shape_create(s, unit->tree, unit->node);
    bake_asset_layers layers = {NULL, 1, 1, false};
    if (!shape)
        return NULL;
    if (unit->is_accepted)
        return shape;
    words.by = s->schema->info[words.prefab_union].by;
    if (unit->base == UINT32_MAX) {
        read_layer(s, &words, unit->tree, unit->node, shape);
        return shape;
    }
    if (!bake_bases_list(s->asset_bases, unit->base, &layers)) {
        bake_scene_no_memory(s);
        return NULL;
    }
    shape->is_partial = layers.is_partial;
    /* The topmost layer comes first in the list. It overrides all others, so read it last. */
    for (size_t i = layers.count; i-- > 0 && !s->out_of_memory;)
        read_layer(s, &words, layers.layers[i]->tree, layers.layers[i]->node, shape);
    return shape;
}
