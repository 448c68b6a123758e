/* Paths to parts of assets, for patches (SCHEMA.md "Patches"): `size.x`, `parts[2].colour`,
 * `parts[Sprite].layers`, `prices["a b"]`.
 *
 * The paths of a patch form a tree of steps, so each step is matched against a value only once. */
#ifndef BAKE_ASSET_PATHS_H
#define BAKE_ASSET_PATHS_H

#include "schema.h"

typedef struct bake_path {
    struct bake_path *next;         /* its next sibling, in source order */
    struct bake_path *steps, *last; /* its first and last child, or NULL */
    const char *text;               /* the step, not NUL-terminated */
    uint32_t length;
    bool is_bracket;    /* `[text]` */
    bool is_whole;      /* not a first step, so its value replaces the old one without a merge */
    bake_node_id key;   /* the scalar that contains it */
    uint32_t at, shown; /* its offset and length in that scalar */
    bake_node_id value; /* BAKE_NODE_NONE: only its children have values */
    bake_node_id ends;  /* the scalar with the whole path of that value */
} bake_path;

typedef struct bake_paths_def {
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    bake_store *store; /* for the steps */
    const bake_tree *tree;
    bake_node_id node; /* the patch */
    const char *name;  /* of the asset */
    uint32_t type;
    const bake_file_rule *rule;
} bake_paths_def;

/* Reads the paths of a patch and reports errors. Returns the root, whose text is empty, or NULL if
 * memory runs out. */
bake_path *bake_paths_read(const bake_paths_def *def);

/* Returns the source position of a step. */
bake_mark bake_path_mark(const bake_tree *tree, const bake_path *step);

#endif
