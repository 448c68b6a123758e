/* Layers: the nodes that are merged into one value by inheritance, patches and prefabs. */
#ifndef BAKE_NODE_LAYERS_H
#define BAKE_NODE_LAYERS_H

#include "schema.h"

/* Maximum number of layers of a component. */
enum { BAKE_LAYERS_MAX = 64 };

/* The asset of a layer. */
typedef struct bake_layer_asset {
    const char *name;
    const bake_file_rule *rule; /* the rule that found it, or NULL */
    uint32_t type;
    bool is_abstract; /* it is only a parent; its descendants may supply required fields */
} bake_layer_asset;

/* One of the nodes merged into a value, and the layers below it. SCHEMA.md, "Inheritance" and
 * "Scenes", defines which layers are merged and where the topmost layer wins. */
typedef struct bake_layer {
    const struct bake_layer *below;
    const bake_tree *tree;
    struct bake_layer *origin; /* the layer it was copied from, or itself */
    const char
        *key; /* in a component: the key that names the component and is not a field, or NULL */
    bake_node_id node;
    const bake_layer_asset *asset; /* NULL for the layer of a component */
    const struct bake_path *paths; /* the changed parts, or NULL if the layer is a whole value */
    uint16_t count;                /* number of layers, including this one */
    bool is_shared;                /* several values use it */
    bool is_prototype;             /* it also belongs to an asset, which is baked separately */
    bool is_default;               /* it is a schema default */
    bool is_checked;               /* it and the layers below are known to be valid */
    uint32_t failed_in; /* number of the value for which its errors were reported; 0: none */
    uint32_t image;     /* the index of the baked image of these layers */
} bake_layer;

/* The layers of an asset, topmost first. The first `own_count` are the asset and its patches. */
typedef struct bake_asset_layers {
    const bake_layer *const *layers;
    size_t count, own_count;
    bool is_partial; /* some layers are unknown, so missing fields are not reported */
} bake_asset_layers;

#endif
