/* What assets inherit from one another (SCHEMA.md "Inheritance").
 *
 * An asset that inherits is no merged tree but a list of layers: the nodes of the assets that it
 * comes from, its own first. Values are put together from them when the asset is baked, so that
 * nothing is copied and each part keeps the mark of its own file.
 *
 * Parents are found by name once, and levels are counted once for each asset. The list of an asset
 * is made when it is asked for; what all of them come to is bounded. */
#ifndef BAKE_ASSET_BASES_H
#define BAKE_ASSET_BASES_H

#include "asset_input.h"
#include "asset_table.h"
#include "node_layers.h"

/* How many levels of parents lie above an asset at most. */
enum { BAKE_LEVELS_MAX = 64 };

/* An asset of a type that inherits, or one that is changed by others. */
typedef struct bake_base {
    bake_layer layer;
    bake_layer_asset asset;
    size_t name_length;
    bake_node_id named_at;
    uint32_t input;
    uint32_t first_parent, parent_count; /* in the list of parents */
    uint32_t level;                      /* the longest way up from here */
    uint32_t listed;                     /* in which list it was met last */
    uint64_t weight;                     /* of nodes, aliases expanded; 0: not counted yet */
    uint8_t state;                       /* of the search for cycles */
    uint32_t patch;                      /* what lies over it, plus 1; of that what lies below */
    uint32_t patch_count;                /* how much lies over it */
    bool is_deleted;
    bool is_partial; /* not all that it comes from is known */
    bool is_cyclic;  /* it comes from itself, so that nothing else counts */
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
    bake_asset *abstracts; /* assets that are for others alone */
    size_t abstract_count;
} bake_bases;

/* Resolves what is written in the inputs; mistakes are reported. Abstract assets leave the list of
 * assets, and inputs count whose trees are needed for how many assets. False when memory ran out.
 */
bool bake_bases_resolve(bake_inputs *inputs, const bake_schema *schema,
                        bake_diagnostics *diagnostics);
void bake_bases_destroy(bake_bases *bases);

/* The layers of a base, its own first; they are good until the next call. False when memory ran
 * out. */
bool bake_bases_list(bake_bases *bases, uint32_t base, bake_asset_layers *ret_layers);
/* The inputs of the layers listed last have one asset less to wait for; what waits for none is
 * dropped. The asset's own input is not told. */
void bake_bases_release(bake_inputs *inputs, uint32_t base);

/* asset_parents.c: which bases there are, their parents, and what changes them. False when memory
 * ran out. */
bool bake_bases_read(bake_bases *bases, bake_inputs *inputs, const bake_schema *schema,
                     bake_diagnostics *diagnostics);

#endif
