/* Plans clusters: which assets of a file share one lifetime (FORMAT.md section 15).
 *
 * A plan depends only on the references between assets and on the roles of their types, never on
 * the order in which assets are loaded or baked. Think of an *entry* that leads to everything that
 * a program can hold without holding another asset of the graph:
 *
 *     each root               a type with `cluster: root`, or a scene
 *     what `never` refers to  an asset of a type with `cluster: never` belongs to no cluster
 *     what nothing refers to  alone, or as a cycle
 *
 * An asset *dominates* another if each path from the entry to the other leads through it. All
 * assets of a cycle count as one. Directly below the entry in the tree of dominators are the assets
 * that no other asset dominates. Such a one, with everything that it dominates, becomes a cluster
 * if it is a root, or if something refers to it (then several others share it). What nothing refers
 * to is no cluster unless it is a root, because a program may not load it at all.
 *
 * No reference leads into the middle of a cluster from outside: the entry would then have a path
 * around its root. So each reference that leaves a cluster leads to the root of another (or to
 * another asset in a cycle with it), or to an asset outside all clusters, which is a mutable.
 *
 * A cluster of fewer than BAKE_CLUSTER_MIN assets is not planned. */
#ifndef BAKE_CLUSTER_PLAN_MAKE_H
#define BAKE_CLUSTER_PLAN_MAKE_H

#include "cluster_role.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The smallest cluster, counting its root. To mark a cluster instead of its assets saves one mark
 * for each member, so a cluster without members saves nothing, and its lists cost memory. */
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
