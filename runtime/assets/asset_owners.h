/* The clusters to which assets belong (<kiln/clusters.h>), as far as the table needs them.
 *
 * Each asset has a signed word, which is stored like its mark: by its number in the index of its
 * file, or by slot.
 *
 *     0       the asset belongs to no cluster
 *     n + 1   it is the root of cluster n
 *     -n - 1  it is a member of cluster n
 *
 * When an asset of a cluster loses its bytes, the table clears its word and puts the cluster in the
 * queue of clusters to be dissolved. The queue is a chain through an array with an item for each
 * cluster number, so this allocates no memory and cannot fail.
 *
 * Words and queue are changed only under the table's lock, which waits for marking threads. */
#ifndef KILN_ASSET_OWNERS_H
#define KILN_ASSET_OWNERS_H

#include "asset_marks.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

static inline uint32_t asset_cluster_of_root(int32_t word)
{
    return (uint32_t)(word - 1);
}
static inline uint32_t asset_cluster_of_member(int32_t word)
{
    return (uint32_t)(-(word + 1));
}
static inline int32_t asset_root_word(uint32_t cluster)
{
    return (int32_t)(cluster + 1);
}
static inline int32_t asset_member_word(uint32_t cluster)
{
    return -(int32_t)cluster - 1;
}

/* The word of an asset (asset_node_of); NULL if no cluster has an asset in this file, or if there
 * is no such asset. */
static inline int32_t *asset_owner_at(const kiln_assets *assets, uint64_t node)
{
    int32_t *slots = assets->marks->owners.slots;
    if (node >> 32 == 0)
        return slots ? &slots[node] : NULL;
    const asset_mount *mount =
        node >> 32 <= assets->mount_count ? assets->mounts[(node >> 32) - 1] : NULL;
    return mount && mount->owners && (uint32_t)node < kiln_index_asset_count(mount->file->index)
               ? &mount->owners[(uint32_t)node]
               : NULL;
}
static inline int32_t asset_owner_word(const kiln_assets *assets, uint64_t node)
{
    const int32_t *word = asset_owner_at(assets, node);
    return word ? *word : 0;
}

/* Makes sure that the asset has a word. NO_MEMORY. The lock must be held. */
kiln_status kiln_asset_owners_need(kiln_assets *assets, uint64_t node);
/* Makes room in the queue for clusters with numbers below `count`. NO_MEMORY. The lock must be
 * held. */
kiln_status kiln_asset_owners_reserve(kiln_assets *assets, uint32_t count);
void kiln_asset_owners_fini(kiln_assets *assets);
/* Clears the word of an asset that loses its bytes, and puts its cluster in the queue. NULL is
 * fine.
 */
void kiln_asset_owners_leave(struct asset_marks *marks, int32_t *word);
/* Call it after a file was replaced. If the assets that remained have the same numbers as before,
 * their words move to the new file. Otherwise all clusters of the file are put in the queue. */
void kiln_asset_owners_replace(const kiln_assets *assets, asset_mount *old, asset_mount *fresh,
                               bool has_same_numbers);

/* Whether the cluster is in the queue, or is being dissolved. */
static inline bool asset_cluster_is_queued(const struct asset_marks *marks, uint32_t cluster)
{
    return marks->owners.next[cluster] != ASSET_UNQUEUED;
}
/* Puts the cluster in the queue, unless it is there. */
void kiln_asset_queue_put(struct asset_marks *marks, uint32_t cluster);
/* Takes a cluster from the queue; ASSET_QUEUE_END if it is empty. The cluster counts as queued
 * until kiln_asset_queue_leave. */
uint32_t kiln_asset_queue_take(struct asset_marks *marks);
void kiln_asset_queue_leave(struct asset_marks *marks, uint32_t cluster);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
