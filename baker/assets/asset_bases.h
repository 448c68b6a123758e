/* Inheritance between assets (SCHEMA.md "Inheritance").
 *
 * An asset that inherits is not a merged tree but a list of layers: its own node and those of its
 * ancestors. The values are merged when they are baked, so nothing is copied, and each part keeps
 * its position in its own file.
 *
 * Parents are looked up once, and levels are counted once for each asset. The list of an asset is
 * built on demand, and the total size of all lists is limited. asset_parents.c finds parents and
 * patches; asset_bases.c checks and lists. */
#ifndef BAKE_ASSET_BASES_H
#define BAKE_ASSET_BASES_H

#include "asset_input.h"
#include "asset_table.h"
#include "node_layers.h"

/* Maximum levels of parents above an asset. */
enum { BAKE_LEVELS_MAX = 64 };

/* An asset whose type supports inheritance, or one that a patch changes. */
typedef struct bake_base {
    bake_layer layer;
    bake_layer_asset asset;
    size_t name_length;
    bake_node_id named_at;
    uint32_t input;
    uint32_t first_parent, parent_count; /* in the list of parents */
    uint32_t level;                      /* number of levels of parents above it */
    uint32_t listed;                     /* the last list that contains it, counted from 1 */
    uint64_t weight;                     /* nodes, with aliases expanded; 0: not counted yet */
    uint64_t list_weight;                /* of its list; 0 if it has only its own layer */
    uint8_t state;                       /* of the search for cycles */
    uint32_t patch;                      /* its last patch plus 1; in a patch: the earlier one */
    uint32_t patch_count;                /* number of its patches */
    bool is_deleted;
    bool is_partial; /* some of its ancestors are unknown */
    bool is_cyclic;  /* it inherits from itself, so its level has no meaning */
} bake_base;

typedef struct bake_bases {
    bake_base *all;
    size_t count, capacity;
    uint32_t *parents; /* indices of bases */
    size_t parent_count, parent_capacity;
    uint32_t *stack;
    size_t stack_capacity;
    const bake_layer **layers; /* the last list, and the base of each layer */
    uint32_t *members;
    size_t layer_count, layer_capacity, member_capacity;
    uint32_t lists;
    uint64_t work;         /* steps so far, for tests */
    bake_asset *abstracts; /* assets that only serve as parents */
    size_t abstract_count;
} bake_bases;

/* Resolves the parents and patches of all inputs and reports errors. Removes abstract and deleted
 * assets from the list of assets, and counts the assets that need the tree of each input. Returns
 * false if memory runs out. */
bool bake_bases_resolve(bake_inputs *inputs, const bake_schema *schema,
                        bake_diagnostics *diagnostics);
void bake_bases_destroy(bake_bases *bases);

/* Gets the layers of a base: its patches, its own layer, then those of its ancestors. The result is
 * valid until the next call. Returns false if memory runs out. */
bool bake_bases_list(bake_bases *bases, uint32_t base, bake_asset_layers *ret_layers);
/* Releases the input of each layer listed last, except the asset's own layer. Destroys the trees of
 * inputs that no other asset needs. */
void bake_bases_release(bake_inputs *inputs, uint32_t base);

/* Whether an asset without patches is only a parent. Its tree must exist, but parents need not be
 * resolved yet. */
bool bake_asset_is_abstract(const bake_inputs *inputs, const bake_schema *schema,
                            const bake_asset *asset);

/* asset_parents.c: finds all bases, their parents and patches. Returns false if memory runs out. */
bool bake_bases_read(bake_bases *bases, bake_inputs *inputs, const bake_schema *schema,
                     bake_diagnostics *diagnostics);

#endif
