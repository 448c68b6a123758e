/* The inputs of a run and the assets that are in them, as bake_inputs_read fills them. */
#ifndef BAKE_ASSET_INPUT_H
#define BAKE_ASSET_INPUT_H

#include "schema.h"

typedef struct bake_input {
    const char *path;           /* from the current folder; "-": standard input */
    const char *relative;       /* from the base, without `.` and `..` parts; what rules match */
    bool is_listed;             /* found in a folder */
    bool has_relative;          /* it is below the base, so that ids may come from its path */
    const bake_file_rule *rule; /* the rule for its path; NULL: none, or there is no schema */
    size_t size;                /* bytes of text */
    bake_tree *tree;            /* NULL once its last asset is baked */
    size_t asset_count;         /* in it, not yet baked */
    uint32_t source;
} bake_input;

typedef struct bake_asset {
    const char *name; /* `Kind/id` */
    size_t name_length;
    uint32_t type;
    uint32_t input;
    bake_node_id node;
    bake_node_id named_at;      /* where its id is written, or all of it */
    uint32_t base;              /* among the bases; UINT32_MAX: it does not inherit */
    const bake_file_rule *rule; /* the rule that found it; NULL: none */
    bool is_scene; /* its type is KILN_TYPE_NONE, since a scene has none in the schema */
} bake_asset;

/* A change or deletion of an asset of another file. */
typedef struct bake_patch {
    bake_asset asset; /* has the name of the asset that it changes */
    bool deletes;
} bake_patch;

typedef struct bake_inputs {
    bake_input *inputs;
    size_t count, capacity;
    bake_asset *assets;
    size_t asset_count, asset_capacity;
    bake_patch *patches; /* later ones override earlier ones */
    size_t patch_count, patch_capacity;
    bake_store store;
    struct bake_bases *bases;   /* NULL: nothing inherits */
    struct bake_links *links;   /* NULL: there are no earlier or accepted ids */
    struct bake_guids *guids;   /* NULL: no file has a guid */
    struct bake_scenes *scenes; /* NULL without documents of scenes and prefabs */
    bool incomplete; /* an input could not be read to its end, so that its assets are not known */
} bake_inputs;

/* Destroys the input's tree. That is done once its last asset is baked, because trees and the blobs
 * made from them use most of the memory of a run. */
void bake_input_drop(bake_input *input);
/* Counts one of the input's assets as baked; after the last one the tree is destroyed. */
void bake_input_release(bake_input *input);

/* The id that `source` selects: a part of the path, or `text`; `*ret_length` bytes. */
const char *bake_path_id(const char *path, bake_id_source source, const char *text,
                         size_t *ret_length);

#endif
