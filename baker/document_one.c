/* Documents that are one asset, whose id comes from the path, and those of entities. */
#include "document_reader.h"

#include <string.h>

bool bake_document_path_id(document_reader *d, bake_node_id node, const char **ret_id,
                           size_t *ret_length)
{
    const bake_file_rule *rule = d->rule;
    const bake_input *input = &d->inputs->inputs[d->input];
    const char *path = input->relative, *id = path;
    size_t stem_length, length = strlen(path);
    const char *stem = bake_path_stem(path, &stem_length);
    if ((rule->id_source == BAKE_ID_PATH || rule->id_source == BAKE_ID_FILE) &&
        !input->has_relative) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "id", NULL,
                    "the id comes from the path, but the file does not lie below the base");
        bake_hint(d->diagnostics, "give -C with a folder that it lies in");
        return false;
    }
    switch (rule->id_source) {
    case BAKE_ID_STEM:
        id = stem;
        length = stem_length;
        break;
    case BAKE_ID_NAME:
        id = stem;
        length = strlen(stem);
        break;
    case BAKE_ID_PATH:
        length = (size_t)(stem - path) + stem_length;
        break;
    case BAKE_ID_FILE:
        break;
    case BAKE_ID_SHORT:
        id = stem;
        /* A name that begins with a dot has no other beginning. */
        length = *stem == '.' ? stem_length : strcspn(stem, ".");
        break;
    case BAKE_ID_TEXT:
        id = rule->id;
        length = strlen(id);
        break;
    }
    *ret_id = id;
    *ret_length = length;
    return true;
}

void bake_document_one(document_reader *d, bake_node_id node)
{
    const char *id;
    size_t length;
    if (bake_document_path_id(d, node, &id, &length))
        bake_document_add(d, d->schema->info[d->rule->type].kind, d->rule->type, id, length, node,
                          node);
}

/* A scene, or prefabs, which are no asset. */
void bake_document_entities(document_reader *d, bake_node_id node)
{
    const bake_file_rule *rule = d->rule;
    bake_inputs *inputs = d->inputs;
    bake_scene_document document = {d->tree, node, rule, NULL, 0};
    const char *id;
    size_t length;
    if (!inputs->scenes)
        inputs->scenes = bake_scenes_create(d->schema, d->diagnostics);
    if (!inputs->scenes) {
        d->out_of_memory = true;
        return;
    }
    if (rule->shape == BAKE_SHAPE_SCENE) {
        bake_asset *asset =
            bake_document_path_id(d, node, &id, &length)
                ? bake_document_add(d, rule->kind, KILN_TYPE_NONE, id, length, node, node)
                : NULL;
        if (!asset)
            return;
        asset->is_scene = true;
        document.name = asset->name;
        document.name_length = asset->name_length;
    }
    if (!bake_scenes_add(inputs->scenes, &document, inputs->inputs[d->input].size))
        d->out_of_memory = true;
}
