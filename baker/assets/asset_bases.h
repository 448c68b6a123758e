/* Inheritance between assets (SCHEMA.md "Inheritance").
 *
 * An asset that inherits is a list of layers, not a merged tree: the nodes of the asset itself and
 * of all assets that it inherits from. Values are merged when the asset is baked, so that nothing
 * is copied and each part keeps the mark of its own file.
 *
 * Parents are found by name once, and levels are counted once for each asset. The list of an asset
 * is made on demand; the sum of all lists is limited. asset_parents.c finds parents and patches,
 * asset_bases.c checks and lists. */
#ifndef BAKE_ASSET_BASES_H
#define BAKE_ASSET_BASES_H

#include "asset_input.h"
#include "asset_table.h"
#include "node_layers.h"

/* The most levels of parents above an asset. */
enum { BAKE_LEVELS_MAX = 64 };

/* An asset of a type that inherits, or one that is changed by others. */
typedef struct bake_base {
    bake_layer layer;
    bake_layer_asset asset;
    size_t name_length;
    bake_node_id named_at;
    uint32_t input;
    uint32_t first_parent, parent_count; /* in the list of parents */
    uint32_t level;                      /* the longest path up from here */
    uint32_t listed;                     /* the number of the last list that has it */
    uint64_t weight;                     /* of nodes, aliases expanded; 0: not counted yet */
    uint8_t state;                       /* of the search for cycles */
    uint32_t patch;                      /* its last patch, plus 1; of a patch the one before */
    uint32_t patch_count;                /* how many patches it has */
    bool is_deleted;
    bool is_partial; /* some of its parents are unknown */
    bool is_cyclic;  /* it inherits from itself, so its level has no meaning */
} bake_base;

typedef struct bake_bases {
    bake_base *all;
    size_t count, capacity;
    uint32_t *parents; /* numbers of bases */
    size_t parent_count, parent_capacity;
    uint32_t *stack;
    size_t stack_capacity;
    const bake_layer **layers; /* of the last list, and where each comes from */
    uint32_t *members;
    size_t layer_count, layer_capacity, member_capacity;
    uint32_t lists;
    uint64_t work;         /* steps so far: what tests count */
    bake_asset *abstracts; /* assets that are only parents of others */
    size_t abstract_count;
} bake_bases;

/* Resolves the parents and patches of all inputs; mistakes are reported. Abstract assets are
 * removed from the list of assets, and each input counts the assets that need its tree. False if
 * memory runs out. */
bool bake_bases_resolve(bake_inputs *inputs, const bake_schema *schema,
                        bake_diagnostics *diagnostics);
void bake_bases_destroy(bake_bases *bases);

/* The layers of a base, its own first; valid until the next call. False if memory runs out. */
bool bake_bases_list(bake_bases *bases, uint32_t base, bake_asset_layers *ret_layers);
/* Releases the inputs of the layers that were listed last, except the asset's own. An input that no
 * asset needs any more is dropped. */
void bake_bases_release(bake_inputs *inputs, uint32_t base);

/* asset_parents.c: finds all bases, their parents and patches. False if memory runs out. */
bool bake_bases_read(bake_bases *bases, bake_inputs *inputs, const bake_schema *schema,
                     bake_diagnostics *diagnostics);

#endif
