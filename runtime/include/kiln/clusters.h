/* Clusters: assets that a collector marks together.
 *
 * Most assets of a level are loaded and removed together. A *cluster* is a root and its members.
 * When the collector (<kiln/collector.h>) reaches the root, it marks the whole cluster at once,
 * instead of following every reference in it.
 *
 *     root       an asset. The cluster is marked when the root is marked
 *     member     an asset that can be reached from the root through references inside the cluster
 *     mutable    an asset outside the cluster to which the root or a member refers. It is marked
 *                separately whenever the cluster is marked. It can be replaced or disposed of
 *                without effect on the cluster
 *     reference  another cluster, to whose root this cluster refers. It is marked whenever this
 *                cluster is marked. It has a list of the clusters that refer to it: A is in the
 *                list of B if and only if B is among the references of A
 *
 * An asset belongs to at most one cluster, as its root or as a member. All of these lists are
 * sorted and have no duplicates.
 *
 * Clusters only save time. With and without them, the collector removes exactly the assets that
 * cannot be reached by references. If something reachable outside the cluster refers to a member,
 * but nothing reaches the root, then that member and what it refers to stay, and the rest of the
 * cluster is removed.
 *
 * Planned clusters. A file may have a plan of clusters, which the bake computed
 * (<kiln/cluster_plan.h>). After a planned root was loaded from such a file, the beginning of the
 * next cycle forms its cluster. This also applies to files that were mounted before the collector
 * was created. The collector takes only roots and members from the plan. It follows the references
 * itself: a planned member does not join if the root does not reach it inside the cluster, if
 * kiln_cluster_create would not take it, or if another file overrides it. So a forged plan is
 * harmless. A plan that violates the rules K2 to K6 is ignored. If memory runs out, the planned
 * cluster is not formed, and no error is returned. A planned cluster that ended is formed again
 * only after its root is loaded again, its file is replaced, or clusters are switched off and on.
 * After kiln_assets_replace, the plan of the new file is used; clusters that did not end stay.
 *
 * A step forms planned clusters one by one until its time is over. Forming one cluster is not
 * interrupted. Plans are read when a file is mounted or the collector is created, in time linear in
 * the plan and the number of assets.
 *
 * Dissolving. A cluster ends when its root or a member is replaced, disposed of or unmounted, when
 * the program dissolves it, when the collector does not reach its root, or when a cluster to which
 * it refers ends. Ending a cluster removes no asset; its assets
 * are then marked one by one. All this happens at the beginning of the next cycle, or earlier. The
 * number of a cluster that ended is reused; its handle never is.
 *
 *     kiln_ref level;                                        a strong handle
 *     kiln_cluster cluster;
 *     kiln_assets_load(assets, &load, &level, &error);
 *     kiln_cluster_create(collector, level, &cluster, &error);
 *
 * Threads. Like most functions of <kiln/collector.h>, the functions below must be called by one
 * thread at a time, and are changing calls of the table (<kiln/assets.h>). They may be called in
 * any state of a cycle.
 *
 * The idea is that of the garbage collection clusters of Unreal Engine. */
#ifndef KILN_CLUSTERS_H
#define KILN_CLUSTERS_H

#include <kiln/collector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cluster; zero is null. Becomes stale when the cluster begins to dissolve. */
typedef struct kiln_cluster {
    uint32_t number;
    uint32_t version;
} kiln_cluster;

static inline bool kiln_cluster_is_null(kiln_cluster cluster)
{
    return cluster.number == 0;
}

/* Forms a cluster with the asset of `root` as its root. `root` may be a word of any form. Members
 * are all loaded assets that can be reached from the root, without passing through assets that
 * cannot be members. Assets of these kinds cannot be members; they become mutables, or references
 * if they are the root of a cluster:
 *
 *     - assets of other clusters
 *     - assets with a reference to an asset that is not loaded
 *     - assets of unmounted files
 *     - assets to which the cluster refers only by an earlier id (<kiln/redirects.h>), because the
 *       id may lead to another asset later; these always become mutables
 *
 * Returns OK and a null handle, uses no memory and changes nothing if the cluster would have fewer
 * assets than `min_cluster` of the collector's definition, if the root cannot be a member, if
 * the current cycle has found the root unreachable, or if clusters are switched off. Returns the
 * existing cluster if the asset is its root.
 *
 * DEAD: `root` refers to no asset. NO_MEMORY: nothing was changed. Linear in the assets of the
 * cluster and their references. */
kiln_status kiln_cluster_create(kiln_collector *collector, kiln_ref root, kiln_cluster *ret_cluster,
                                kiln_error *reterr);

typedef enum kiln_cluster_role {
    KILN_CLUSTER_MEMBER, /* with everything that it reaches, as in kiln_cluster_create */
    KILN_CLUSTER_MUTABLE /* it may then be replaced or disposed of alone */
} kiln_cluster_role;

/* Changes the role of an asset to which the cluster refers: of a mutable that can now be a member,
 * for example because its references are loaded, or of a member that is to be replaced alone.
 * Members that the root then reaches only through the new mutable leave the cluster, too. Returns
 * OK and changes nothing if the asset already has this role, or if it cannot be a member. A cluster
 * that becomes too small is dissolved.
 *
 * BAD_ARGUMENT: the cluster has no reference to the asset, or the asset is its root. DEAD: the
 * cluster has ended, or `asset` refers to no asset. NO_MEMORY: nothing was changed. Linear in the
 * assets of the cluster and their references. */
kiln_status kiln_cluster_add(kiln_collector *collector, kiln_cluster cluster, kiln_ref asset,
                             kiln_cluster_role role, kiln_error *reterr);

/* Ends a cluster, and those that refer to it. DEAD: it has already ended. */
kiln_status kiln_cluster_dissolve(kiln_collector *collector, kiln_cluster cluster);

/* Switches clusters off or on. Off: dissolves all clusters and forms no more. On, after off: the
 * next cycle forms the planned clusters of all loaded roots. A new collector has them on. */
void kiln_collector_use_clusters(kiln_collector *collector, bool is_on);

/* The cluster to which the asset belongs, as its root or as a member; null if there is none. */
kiln_cluster kiln_cluster_of(kiln_collector *collector, kiln_ref asset);

typedef struct kiln_cluster_info {
    const char *root;    /* its name; "" if it has none. Valid while the asset is loaded */
    uint32_t members;    /* without the root */
    uint32_t mutables;   /* assets outside that are marked one by one */
    uint32_t references; /* clusters to which it refers */
    uint32_t referrers;  /* clusters that refer to it */
    bool is_root;        /* the asset in question is the root */
} kiln_cluster_info;

/* Describes the cluster of an asset. Returns false if it belongs to none. Linear in the referrers.
 */
bool kiln_cluster_get_info(kiln_collector *collector, kiln_ref asset, kiln_cluster_info *ret_info);

#ifdef __cplusplus
}
#endif

#endif
