#include "asset_reading.h"

#include <string.h>

bake_name bake_asset_name(const bake_inputs *inputs, const bake_asset *asset)
{
    bake_name name;
    memset(&name, 0, sizeof name);
    name.name = asset->name;
    name.length = asset->name_length;
    name.type = asset->type;
    name.tree = inputs->inputs[asset->input].tree;
    name.node = asset->named_at;
    return name;
}

bool bake_asset_read(bake_values *values, const bake_asset *asset, const bake_name *name,
                     const bake_asset_layers *layers)
{
    bake_node_touch(name->tree, asset->node);
    for (size_t i = 0; layers && i < layers->count; i++)
        bake_node_touch(layers->layers[i]->tree, layers->layers[i]->node);
    bool is_alone = !layers || (layers->count == 1 && !layers->is_partial &&
                                !layers->layers[0]->asset->is_abstract);
    return is_alone ? bake_values_read(values, name->tree, asset->node, name, asset->rule)
                    : bake_values_read_layers(values, layers, name);
}
