/* The inputs of a run and their assets, filled by bake_inputs_read. */
#ifndef BAKE_ASSET_INPUT_H
#define BAKE_ASSET_INPUT_H

#include "schema.h"

typedef struct bake_input {
    const char *path;           /* relative to the current folder; "-": standard input */
    const char *relative;       /* relative to the base, without `.` and `..`; rules match this */
    bool is_listed;             /* found by listing a folder */
    bool has_relative;          /* it is below the base, so its path can provide ids */
    const bake_file_rule *rule; /* the rule for its path; NULL if no rule applies, or no schema */
    size_t size;                /* in bytes */
    bake_tree *tree;            /* NULL once its last asset is baked */
    size_t asset_count;         /* its assets that are not yet baked */
    uint32_t source;
    bool has_links;  /* it renames, deletes or accepts ids */
    bool is_patched; /* it has a patch, or an asset that a patch changes */
} bake_input;

typedef struct bake_asset {
    const char *name; /* `Kind/id` */
    size_t name_length;
    uint32_t type;
    uint32_t input;
    bake_node_id node;
    bake_node_id named_at;      /* the node of its id, or of the whole asset */
    uint32_t base;              /* index of its bake_base; UINT32_MAX: none */
    const bake_file_rule *rule; /* the rule that found it; NULL: none */
    bool is_scene;              /* its type is KILN_TYPE_NONE: the schema has no type for scenes */
} bake_asset;

/* Changes or deletes an asset of another file. */
typedef struct bake_patch {
    bake_asset asset; /* its name is that of the patched asset */
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
    struct bake_bases *bases;   /* NULL: no inheritance, no patches */
    struct bake_links *links;   /* NULL: there are no earlier or accepted ids */
    struct bake_guids *guids;   /* NULL: no file has a guid */
    struct bake_scenes *scenes; /* NULL: there are no scene or prefab documents */
    uint32_t *unmatched;        /* inputs without rule that contain no assets, in their order */
    size_t unmatched_count, unmatched_capacity;
    bool incomplete; /* an input could not be read completely, so some assets are unknown */
} bake_inputs;

/* Destroys the tree of the input. Called as soon as its last asset is baked, because trees and
 * blobs use most of the memory of a run. */
void bake_input_drop(bake_input *input);
/* Counts one of the input's assets as baked, and destroys the tree after the last one. */
void bake_input_release(bake_input *input);

/* Returns the id that `source` selects: a part of the path, or `text`. `*ret_length` receives its
 * length in bytes. */
const char *bake_path_id(const char *path, bake_id_source source, const char *text,
                         size_t *ret_length);

#endif
