/* Layers: the nodes that a value is merged from if assets inherit, patches change assets, or
 * entities use prefabs. */
#ifndef BAKE_NODE_LAYERS_H
#define BAKE_NODE_LAYERS_H

#include "schema.h"

/* The most layers of a value. */
enum { BAKE_LAYERS_MAX = 64 };

/* The asset of a layer. */
typedef struct bake_layer_asset {
    const char *name;
    const bake_file_rule *rule; /* the rule that found it; NULL: none */
    uint32_t type;
    bool is_abstract; /* it is only a parent; assets that inherit may add required fields */
} bake_layer_asset;

/* One of the nodes that a value is merged from, and the layers below it. Mappings of structs are
 * merged by field, to any depth; for everything else the uppermost layer counts. */
typedef struct bake_layer {
    const struct bake_layer *below;
    const bake_tree *tree;
    struct bake_layer *origin; /* the original that it was copied from; itself if it is no copy */
    const char *
        key; /* component: a key of the node that names the component and is not a field; or NULL */
    bake_node_id node;
    const bake_layer_asset *asset; /* NULL: a component's layer */
    const struct bake_path
        *paths;         /* if the layer changes only parts of the value: these parts; or NULL */
    uint16_t count;     /* layers, this one included */
    bool is_shared;     /* it belongs to several values */
    bool is_prototype;  /* it also belongs to an asset, which is baked by itself */
    bool is_default;    /* it is a default of the schema */
    bool is_checked;    /* it and the layers below are known to have no mistakes */
    uint32_t failed_in; /* the value in which a mistake in it was reported; 0: none */
    uint32_t image;     /* the number of the image that the layers were baked to */
} bake_layer;

/* The layers of an asset, the uppermost first. The first `own_count` are the asset itself. */
typedef struct bake_asset_layers {
    const bake_layer *const *layers;
    size_t count, own_count;
    bool is_partial; /* there are more, unknown ones, so missing fields are not reported */
} bake_asset_layers;

#endif
