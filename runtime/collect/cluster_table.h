/* The clusters of a collector (<kiln/clusters.h>), and their marks.
 *
 *     cluster number   an index of `items`, `details` and `marks`; free numbers form a list
 *     mark             the color of the cycle in which the cluster was last marked; MARK_NONE for a
 *                      free number
 *     alone            members that have their own mark. The others have MARK_MEMBER, and are
 *                      reached if the cluster's mark is current
 *     queued           the cluster will be dissolved (asset_owners.h). Until then its root is
 *                      followed like any asset, because the lists may be out of date
 *     held             the root was held when roots were last marked. Then the bit `settled` of its
 *                      slot is set, and marking roots need not read the slot again. While the
 *                      cluster is queued, the slot may have another tenant
 *
 * Invariant: if a cluster's mark is current, everything to which the cluster refers has been
 * marked. So the assets of a marked cluster need not be followed, even if the cluster then ends.
 *
 * A *link* is an item of the references of one cluster and, at the same time, of the list of the
 * cluster to which it refers, so that removing one of many referrers takes constant time.
 *
 * Files: cluster_table.c (numbers, lists, links, held clusters, dissolving), cluster_form.c (what
 * belongs to a cluster), cluster_planned.c (clusters of plans), clusters.c (the public functions),
 * cluster_validity.c (the check of all lists). */
#ifndef KILN_CLUSTER_TABLE_H
#define KILN_CLUSTER_TABLE_H

#include "asset_owners.h"

#include <kiln/cluster_plan.h>
#include <kiln/clusters.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

#define CLUSTER_NONE UINT32_MAX

typedef struct cluster_link {
    uint32_t from, to;                  /* `to`: CLUSTER_NONE if that cluster ended first */
    struct cluster_link *next, *before; /* of the same `to` */
} cluster_link;

/* An asset outside a cluster. */
typedef struct cluster_mutable {
    kiln_id id;
    /* A reference to it as in the index of a member's file: the mount number plus 1 in the upper
     * half, an edge number in the lower half. 0: only its id is known. */
    uint64_t edge;
} cluster_mutable;

/* Everything that marking a cluster usually reads: one cache line. */
enum { NEAR_MOST = 8 };
typedef struct cluster_record {
    _Alignas(64) uint64_t root; /* asset_node_of */
    /* Two lists, one after the other: mutables, ascending by id; links, ascending by `to`. NULL if
     * both are empty. */
    cluster_mutable *outside;
    uint32_t mutable_count, link_count, member_count;
    KILN_ATOMIC(uint32_t) alone;
    /* The numbers of the mutables in the root's file, and that of the root in all other items, if
     * the mutables are few and all of them are assets of that file. Otherwise the first number is
     * CLUSTER_NONE. */
    uint32_t near[NEAR_MOST];
} cluster_record;

_Static_assert(sizeof(cluster_record) == 64, "a record is one cache line");

/* The rest of a cluster. */
typedef struct cluster_details {
    uint64_t *members; /* nodes, ascending, without the root; NULL if there are none */
    cluster_link *referrers;
    kiln_id root_id;
    uint32_t version; /* odd while the cluster exists */
    uint32_t next_free;
    uint32_t slot; /* of the root, while the cluster is held */
} cluster_details;

typedef struct cluster_table {
    cluster_record *items;
    cluster_details *details;
    KILN_ATOMIC(uint8_t) * marks;
    uint64_t *held; /* bits by cluster number */
    size_t item_capacity, detail_capacity, mark_capacity, held_capacity;
    uint32_t count, live, first_free; /* numbers ever used; clusters; CLUSTER_NONE for none */
    uint32_t dissolving;              /* a cluster that is partly dissolved, or CLUSTER_NONE */
    uint32_t dissolved_links, dissolved_members; /* of that cluster */
    bool is_off;
} cluster_table;

struct kiln_collector;

static inline cluster_link *cluster_links(const cluster_record *c)
{
    return (cluster_link *)(void *)(c->outside + c->mutable_count);
}
static inline bool cluster_exists(const cluster_table *table, uint32_t number)
{
    return table->details[number].version & 1;
}
/* Whether no cluster is queued or partly dissolved. */
static inline bool cluster_queue_is_empty(const cluster_table *table,
                                          const struct asset_marks *marks)
{
    return table->dissolving == CLUSTER_NONE && marks->owners.first == ASSET_QUEUE_END;
}
static inline bool cluster_is_marked(const cluster_table *table, uint32_t number, uint8_t color)
{
    return atomic_load_explicit(&table->marks[number], memory_order_relaxed) == color;
}

/* What a cluster consists of. */
typedef struct cluster_lists {
    const uint64_t *members;
    const cluster_mutable *mutables;
    const uint32_t *references;
    uint32_t member_count, mutable_count, reference_count;
} cluster_lists;

void kiln_cluster_table_init(cluster_table *table);
void kiln_cluster_table_fini(struct kiln_collector *collector);

/* Takes an unused number for a cluster without lists. NO_MEMORY. */
kiln_status kiln_cluster_take(struct kiln_collector *collector, uint32_t *ret_number);
/* Makes the number free again. The cluster must have no lists, links or words. */
void kiln_cluster_release(struct kiln_collector *collector, uint32_t number);

/* The memory of a cluster's lists. */
typedef struct cluster_memory {
    cluster_mutable *outside;
    uint64_t *members;
} cluster_memory;
/* Allocates memory for these lists, and copies the members. NO_MEMORY. */
kiln_status kiln_cluster_allocate(const struct kiln_collector *collector,
                                  const cluster_lists *lists, cluster_memory *ret_memory);
/* Replaces the lists of a cluster with `lists`, stored in `memory`, and links the cluster. */
void kiln_cluster_set_lists(struct kiln_collector *collector, uint32_t number,
                            const cluster_lists *lists, const cluster_memory *memory);
/* Ends the membership of an asset: clears its word, and gives it its own mark. */
void kiln_cluster_disown(const struct kiln_collector *collector, uint32_t number, uint64_t node);

/* Dissolves all queued clusters, and those that refer to them. Returns false if the deadline passed
 * first. The lock must be held. Allocates nothing. */
bool kiln_cluster_dissolve_queued(struct kiln_collector *collector, uint64_t deadline);
/* Puts all clusters in the queue. */
void kiln_cluster_queue_all(const struct kiln_collector *collector);

static inline bool cluster_is_held(const cluster_table *table, uint32_t number)
{
    return table->held[number / 64] >> number % 64 & 1;
}
/* Records that the root, which has this slot, is held. */
void kiln_cluster_hold(struct kiln_collector *collector, uint32_t number, uint32_t slot);
/* Records that the root is perhaps no longer held. */
void kiln_cluster_unhold(struct kiln_collector *collector, uint32_t number);

/* ---- cluster_form.c ---- */

typedef struct cluster_change {
    uint32_t number; /* of an existing cluster; CLUSTER_NONE for a new one */
    uint64_t asset;  /* the root of a new cluster, or the asset that changes its role */
    kiln_cluster_role role;
    /* For a new cluster: if not NULL, no other assets of the root's file may become members. The
     * numbers are strictly ascending. */
    const kiln_cluster_numbers *planned;
} cluster_change;

/* Forms a new cluster, or changes one. `ret_number` receives the number of the cluster, or
 * CLUSTER_NONE if the cluster would be too small. The queue must be empty. The lock must be held.
 */
kiln_status kiln_cluster_form(struct kiln_collector *collector, const cluster_change *change,
                              uint32_t *ret_number);

/* ---- cluster_planned.c ---- */

/* Forms the planned clusters of all files whose roots were attached. The queue must be empty.
 * Returns false if the deadline passed first; each call tries at least one. The lock must be held.
 */
bool kiln_cluster_form_planned(struct kiln_collector *collector, uint64_t deadline);

/* ---- cluster_validity.c ---- */

/* Checks all clusters. `ret_what` receives a description of the first mismatch. The lock must be
 * held. */
bool kiln_cluster_table_is_valid(const struct kiln_collector *collector, const char **ret_what);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
