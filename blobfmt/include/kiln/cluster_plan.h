/* Cluster plans: which assets of a file share one lifetime.
 *
 * A *cluster* is a root and its members. From the root, every member can be reached through edges
 * of the index that stay inside the cluster. An edge that leaves the cluster leads to a *mutable*
 * of the cluster (an asset that can be replaced or disposed of alone), or to another cluster. A
 * program that collects unused assets may mark a whole cluster at once.
 *
 * A file with a plan contains one asset of the type kiln.Clusters, whose name is
 * `kiln.Clusters/plan`. The plan describes only the file that contains it. Its numbers are
 * positions in lists of that file's index:
 *
 *     asset      position in `ids`
 *     edge       as in `edges`: an asset if it is below the number of assets; otherwise the number
 *                of assets plus the number of an import
 *     cluster    position in `roots`
 *
 * The lists of all clusters are stored one after the other. For cluster i:
 *
 *     members[member_starts[i]] ... members[member_starts[i + 1] - 1]
 *
 * The rules K1 to K6 do not compare a plan with the edges of the index. A reader that relies on the
 * meaning of a plan compares the edges itself. FORMAT.md section 15 is the specification. */
#ifndef KILN_CLUSTER_PLAN_H
#define KILN_CLUSTER_PLAN_H

#include <kiln/allocator.h>
#include <kiln/index.h>
#include <kiln/relative.h>
#include <kiln/status.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_CLUSTERS_TYPE_NAME "kiln.Clusters"
/* The name of the asset. */
#define KILN_CLUSTERS_ASSET_NAME "kiln.Clusters/plan"
/* The layout hash of the type (FORMAT.md section 15). */
#define KILN_CLUSTERS_LAYOUT UINT64_C(0xec3dc7b91b702e38)

/* A plan as it is stored. The elements of all arrays are uint32_t. */
typedef struct kiln_cluster_plan {
    kiln_array roots;         /* assets, strictly ascending */
    kiln_array member_starts; /* roots + 1 */
    kiln_array members;       /* assets, strictly ascending in a cluster; each at most once */
    kiln_array mutable_starts;
    kiln_array mutables; /* edges, strictly ascending in a cluster; none to the cluster's assets */
    kiln_array reference_starts;
    kiln_array references; /* clusters, strictly ascending in a cluster; never the cluster itself */
} kiln_cluster_plan;

KILN_STATIC_ASSERT(sizeof(kiln_cluster_plan) == 56, "FORMAT.md 15: plan");

/* Some numbers of a plan, valid while the plan's bytes are. */
typedef struct kiln_cluster_numbers {
    const uint32_t *numbers;
    uint32_t count;
} kiln_cluster_numbers;

/* Returns the number of the asset that is the plan of this file; KILN_ASSET_NONE if the file has no
 * plan. An asset of that name with a different type is not a plan. The index or its frame must have
 * been checked. O(1) on average. Any thread. */
uint32_t kiln_cluster_plan_find(const kiln_index *index);

/* Checks the rule K1: each asset of the type kiln.Clusters has the plan's name. On failure
 * `reterr->path` is like `assets[3].name`, and the offset is that of the name in the file, which is
 * at `file`. The index must have been checked. Linear in the number of assets. Any thread. */
kiln_status kiln_cluster_plan_check_names(const kiln_index *index, const void *file,
                                          kiln_error *reterr);

/* Checks the rules K2 to K6 of a plan in a verified blob. `index` is the index of the same file;
 * only its counts are used, so a checked frame is enough. On failure `reterr->path` is like
 * `members[3]`, and the offset counts in bytes from the root of the plan. NO_MEMORY: the check
 * allocates one bit for each asset. Safe on hostile numbers; linear in the plan and in the number
 * of assets. Any thread. */
kiln_status kiln_cluster_plan_check(const kiln_cluster_plan *plan, const kiln_index *index,
                                    const kiln_allocator *allocator, kiln_error *reterr);

/* Reads a plan from the bytes of its blob: checks them like kiln_verify against the format's own
 * type (H1 to H7, H10, H11, V1 to V19), whatever types the file describes, and then like
 * kiln_cluster_plan_check. Does not check H8, H9, C1 or the content hash. On success `ret_plan`
 * points into the blob; on failure it is untouched. Offsets of errors count from the blob's header.
 * NO_MEMORY, BIG_ENDIAN_HOST. Safe on hostile bytes. Any thread. */
kiln_status kiln_cluster_plan_read(const kiln_index *index, kiln_span blob,
                                   const kiln_allocator *allocator,
                                   const kiln_cluster_plan **ret_plan, kiln_error *reterr);

/* Creates a copy of `types` (NULL: none) to which kiln.Clusters is appended, unless the list
 * already contains it. Free it with kiln_types_destroy. DUPLICATE: `types` has a different type
 * with that name. NO_MEMORY. On failure `ret_types` is untouched. */
kiln_status kiln_types_with_clusters(const kiln_types *types, const kiln_allocator *allocator,
                                     kiln_types **ret_types, kiln_error *reterr);

/* The following functions require a plan that kiln_cluster_plan_check has accepted, and the number
 * of one of its clusters. They only read. */

/* Returns the number of clusters. */
static inline uint32_t kiln_cluster_plan_count(const kiln_cluster_plan *plan)
{
    return plan->roots.count;
}
/* Returns the asset that is the root of a cluster. */
static inline uint32_t kiln_cluster_plan_root(const kiln_cluster_plan *plan, uint32_t cluster)
{
    assert(cluster < plan->roots.count);
    return ((const uint32_t *)kiln_relative_get(&plan->roots, plan->roots.offset))[cluster];
}
/* Private: the part of a list that belongs to a cluster. */
static inline kiln_cluster_numbers kiln_cluster_plan_part(const kiln_array *starts,
                                                          const kiln_array *list, uint32_t cluster)
{
    assert(cluster + 1 < starts->count);
    const uint32_t *start = (const uint32_t *)kiln_relative_get(starts, starts->offset) + cluster;
    const uint32_t *numbers = (const uint32_t *)kiln_relative_get(list, list->offset);
    kiln_cluster_numbers part = {NULL, start[1] - start[0]};
    if (part.count)
        part.numbers = numbers + start[0];
    return part;
}
/* Returns the assets of a cluster other than its root. `numbers` is NULL if there are none, here
 * and below. */
static inline kiln_cluster_numbers kiln_cluster_plan_members(const kiln_cluster_plan *plan,
                                                             uint32_t cluster)
{
    return kiln_cluster_plan_part(&plan->member_starts, &plan->members, cluster);
}
/* Returns the edges that lead to mutables of a cluster. */
static inline kiln_cluster_numbers kiln_cluster_plan_mutables(const kiln_cluster_plan *plan,
                                                              uint32_t cluster)
{
    return kiln_cluster_plan_part(&plan->mutable_starts, &plan->mutables, cluster);
}
/* Returns the clusters to which a cluster refers. */
static inline kiln_cluster_numbers kiln_cluster_plan_references(const kiln_cluster_plan *plan,
                                                                uint32_t cluster)
{
    return kiln_cluster_plan_part(&plan->reference_starts, &plan->references, cluster);
}

#ifdef __cplusplus
}
#endif

#endif
