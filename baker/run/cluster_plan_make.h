/* Plans clusters: which assets of a file share one lifetime (FORMAT.md section 15).
 *
 * A plan depends only on the references between assets and on the roles of their types, never on
 * the order in which assets are loaded or baked. Imagine an *entry* node with references to each
 * asset that a program can hold without holding another asset of the graph:
 *
 *     each root               a type with `cluster: root`, or a scene
 *     targets of `never`      assets to which an asset of a type with `cluster: never` refers
 *     unreferenced            assets, or cycles of assets, to which nothing refers
 *
 * An asset *dominates* another if each path from the entry to the other leads through it. All
 * assets of a cycle count as one. Directly below the entry in the dominator tree are the assets
 * that no other asset dominates. If such an asset is a root, or if other assets refer to it and
 * thus share it, it becomes a cluster together with everything that it dominates. An unreferenced
 * asset becomes a cluster only if it is a root, because a program may never load it.
 *
 * No reference from outside a cluster leads to a member that the cluster's root dominates;
 * otherwise, a path from the entry would bypass the root. So each reference that leaves a cluster
 * leads to the root of another cluster, to an asset in a cycle with that root, or to an asset
 * outside all clusters, which is a mutable.
 *
 * Clusters of fewer than BAKE_CLUSTER_MIN assets are omitted. */
#ifndef BAKE_CLUSTER_PLAN_MAKE_H
#define BAKE_CLUSTER_PLAN_MAKE_H

#include "cluster_role.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The smallest cluster, counting its root. Marking a cluster instead of its assets saves one mark
 * for each member besides the root. So a cluster of one asset would save nothing, but its lists
 * would take memory. */
enum { BAKE_CLUSTER_MIN = 2 };

/* The references of a file, as in kiln_file_graph. */
typedef struct bake_cluster_graph {
    const uint32_t *edge_starts, *edges;
    const uint8_t *roles; /* a bake_cluster_role for each asset */
    uint32_t assets, imports;
} bake_cluster_graph;

/* The lists of a plan, as in kiln_cluster_plan. A zeroed struct is an empty plan. */
typedef struct bake_cluster_plan {
    uint32_t *roots;
    uint32_t *member_starts, *members;
    uint32_t *mutable_starts, *mutables;
    uint32_t *reference_starts, *references;
    uint32_t count; /* of clusters; if it is 0, all lists are NULL */
} bake_cluster_plan;

/* Makes the plan. Takes time linear in the graph, apart from sorting the lists of each cluster.
 * Does not recurse. Returns false if memory runs out; `ret_plan` is then empty. Free the plan with
 * bake_cluster_plan_fini. */
bool bake_cluster_plan_make(const bake_cluster_graph *graph, bake_cluster_plan *ret_plan);
void bake_cluster_plan_fini(bake_cluster_plan *plan);

#endif
