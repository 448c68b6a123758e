/* The inputs of a run: which files, what trees, and which assets are in them.
 *
 * All inputs are read before any value is baked, so that a reference may lead anywhere. Which
 * assets a document holds, the schema's `files` rules say (SCHEMA.md "Files"). */
#ifndef BAKE_INPUTS_H
#define BAKE_INPUTS_H

#include "bake_scenes.h"
#include "schema.h"

typedef struct bake_input {
    const char *path;           /* from the current folder; "-": standard input */
    const char *relative;       /* from the base, without `.` and `..` parts; what rules match */
    bool is_listed;             /* found in a folder */
    bool has_relative;          /* it lies below the base, so that ids may come from its path */
    const bake_file_rule *rule; /* of its path; NULL: none, or there is no schema */
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
    const bake_file_rule *rule; /* that it was found by; NULL: none */
    bool is_scene;              /* its type is KILN_TYPE_NONE: who writes it knows better */
} bake_asset;

/* What changes an asset of another file, or takes it away. */
typedef struct bake_patch {
    bake_asset asset; /* named as the other is */
    bool deletes;
} bake_patch;

typedef struct bake_inputs {
    bake_input *inputs;
    size_t count, capacity;
    bake_asset *assets;
    size_t asset_count, asset_capacity;
    bake_patch *patches; /* later ones lie over earlier ones */
    size_t patch_count, patch_capacity;
    bake_store store;
    struct bake_bases *bases; /* NULL: nothing inherits */
    struct bake_links *links; /* NULL: every id is that of an asset */
    struct bake_guids *guids; /* NULL: no file is known by one */
    bake_scenes *scenes;      /* NULL without documents of scenes and prefabs */
    bool incomplete; /* an input could not be read to its end, so that its assets are not known */
} bake_inputs;

typedef struct bake_inputs_def {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    const bake_schema *schema; /* NULL: the trees alone are wanted */
    const char *base;          /* where relative paths start; NULL: the current folder */
    const char *const *paths;
    size_t path_count;
} bake_inputs_def;

/* Fills a zeroed `inputs`; end it whatever comes back. BAD_INPUT: see the diagnostics; what was
 * sound is there nevertheless. */
bake_result bake_inputs_read(bake_inputs *inputs, const bake_inputs_def *def,
                             bake_failure *failure);
/* Ends the input's tree, once its last asset is baked: a tree and the blob made from it are the two
 * largest things of a run. */
void bake_input_drop(bake_input *input);
/* Counts one of the input's assets as baked; the last one ends the tree. */
void bake_input_release(bake_input *input);
void bake_inputs_fini(bake_inputs *inputs);

/* The id that `source` takes from the path, or is the text; `*ret_length` bytes. */
const char *bake_path_id(const char *path, bake_id_source source, const char *text,
                         size_t *ret_length);

/* The last part of `path` without its extension; `*ret_length` bytes. */
const char *bake_path_stem(const char *path, size_t *ret_length);

#endif
