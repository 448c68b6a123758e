/* Documents that are one asset, whose id comes from the path, and those of entities. */
#include "document_reader.h"

#include <string.h>

bool bake_document_head(document_reader *d, bake_node_id key, bake_node_id value)
{
    const bake_file_rule *rule = d->rule;
    const char *id;
    size_t length;
    if (!rule || rule->head_count == 0)
        return false;
    const char *text = bake_node_text(d->tree, key, &length);
    const bake_head *head = bake_schema_head(rule, text, length);
    if (!head || bake_node_is_null(d->tree, value) ||
        !bake_document_path_id(d, key, rule->head_source, rule->head_id, &id, &length))
        return head != NULL;
    bake_asset *asset =
        bake_document_add(d, d->schema->info[head->type].kind, head->type, id, length, value, key);
    /* What the rule says of keys is for the other assets. */
    if (asset)
        asset->rule = NULL;
    return true;
}

void bake_document_heads(document_reader *d, bake_node_id node)
{
    if (d->rule->head_count == 0 || bake_node_kind_of(d->tree, node) != BAKE_NODE_MAPPING)
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node);
         !d->out_of_memory && bake_walk_next(&walk);)
        bake_document_head(d, walk.key, walk.value);
}

void bake_document_one(document_reader *d, bake_node_id node)
{
    const bake_file_rule *rule = d->rule;
    const char *id;
    size_t length;
    bake_document_heads(d, node);
    if (!bake_document_path_id(d, node, rule->id_source, rule->id, &id, &length))
        return;
    if (d->document > 0) {
        char number[16];
        int digits = snprintf(number, sizeof number, "%u", (unsigned)d->document + 1);
        char *name = bake_store_alloc(&d->inputs->store, length + 1 + (size_t)digits, 1);
        if (!name) {
            d->out_of_memory = true;
            return;
        }
        memcpy(name, id, length);
        name[length] = '#';
        memcpy(name + length + 1, number, (size_t)digits);
        id = name;
        length += 1 + (size_t)digits;
    }
    bake_document_add(d, d->schema->info[d->rule->type].kind, d->rule->type, id, length, node,
                      node);
}

static void add_entities(document_reader *d, const bake_scene_document *document)
{
    bake_inputs *inputs = d->inputs;
    /* Work is allowed by the bytes of a file, however many scenes are in it. */
    size_t bytes = d->has_scene ? 0 : inputs->inputs[d->input].size;
    d->has_scene = true;
    if (!inputs->scenes)
        inputs->scenes = bake_scenes_create(d->schema, d->diagnostics);
    if (!inputs->scenes || !bake_scenes_add(inputs->scenes, document, bytes))
        d->out_of_memory = true;
}

void bake_document_scene(document_reader *d, const bake_file_rule *rule, const char *kind,
                         const char *id, size_t id_length, bake_node_id node, bake_node_id named_at)
{
    bake_asset *asset = bake_document_add(d, kind, KILN_TYPE_NONE, id, id_length, node, named_at);
    if (!asset)
        return;
    asset->is_scene = true;
    bake_scene_document document = {d->tree, node, rule, asset->name, asset->name_length};
    add_entities(d, &document);
}

/* A scene, or prefabs, which are no asset. */
void bake_document_entities(document_reader *d, bake_node_id node)
{
    const bake_file_rule *rule = d->rule;
    bake_scene_document prefabs = {d->tree, node, rule, NULL, 0};
    const char *id;
    size_t length;
    if (rule->shape != BAKE_SHAPE_SCENE) {
        add_entities(d, &prefabs);
        return;
    }
    bake_document_heads(d, node);
    if (bake_document_path_id(d, node, rule->id_source, rule->id, &id, &length))
        bake_document_scene(d, rule, rule->kind, id, length, node, node);
}
