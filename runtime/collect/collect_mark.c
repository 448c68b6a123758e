/* The gray stack, and following references.
 *
 * Every marking thread has its own segment, so that it accesses the shared stack only once
 * every few hundred nodes. Reading and then writing a mark byte is not one atomic operation. If two
 * threads mark an asset at once, both follow its references, which costs time but is harmless. */
#define _POSIX_C_SOURCE 200809L

#include "collector_object.h"

#include "asset_layers.h"
#include "asset_slots.h"
#include "bits.h"
#include "prefetch.h"

#include <kiln/index.h>
#include <time.h>

uint64_t kiln_collect_now(const kiln_collector *collector)
{
    if (collector->clock)
        return collector->clock(collector->clock_ctx);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- the gray stack ---- */

/* Replaces a full or missing segment with an empty one. Returns false if memory runs out. */
static bool next_segment(kiln_tracer *tracer)
{
    kiln_collector *c = tracer->collector;
    pthread_mutex_lock(&c->gray_lock);
    gray_segment *empty = c->spare;
    if (empty)
        c->spare = empty->next;
    else
        empty = c->allocator.alloc(c->allocator.ctx, sizeof *empty, _Alignof(gray_segment));
    if (empty) {
        if (tracer->segment) {
            tracer->segment->next = c->gray;
            c->gray = tracer->segment;
            atomic_fetch_add_explicit(&c->grays, 1, memory_order_relaxed);
        }
        empty->count = 0;
        tracer->segment = empty;
    }
    pthread_mutex_unlock(&c->gray_lock);
    return empty != NULL;
}

static inline void push(kiln_tracer *tracer, uint64_t node)
{
    gray_segment *segment = tracer->segment;
    if (!segment || segment->count == SEGMENT_NODES) {
        if (!next_segment(tracer)) {
            atomic_store_explicit(&tracer->collector->has_failed, true, memory_order_relaxed);
            return;
        }
        segment = tracer->segment;
    }
    segment->nodes[segment->count++] = node;
}

/* Replaces the tracer's empty segment with a shared one. Returns false if there is none. */
static bool take_segment(kiln_tracer *tracer)
{
    kiln_collector *c = tracer->collector;
    if (atomic_load_explicit(&c->grays, memory_order_relaxed) == 0)
        return false;
    pthread_mutex_lock(&c->gray_lock);
    gray_segment *full = c->gray;
    if (full) {
        c->gray = full->next;
        atomic_fetch_sub_explicit(&c->grays, 1, memory_order_relaxed);
        if (tracer->segment) {
            tracer->segment->next = c->spare;
            c->spare = tracer->segment;
        }
        tracer->segment = full;
    }
    pthread_mutex_unlock(&c->gray_lock);
    return full != NULL;
}

kiln_tracer kiln_tracer_of(kiln_collector *collector)
{
    const struct asset_marks *marks = collector->assets->marks;
    return (kiln_tracer){.collector = collector,
                         .assets = collector->assets,
                         .color = marks->color,
                         .is_killing = asset_phase_of(marks) == PHASE_KILL};
}

void kiln_tracer_end(kiln_tracer *tracer)
{
    kiln_collector *c = tracer->collector;
    pthread_mutex_lock(&c->gray_lock);
    gray_segment *segment = tracer->segment;
    if (segment && segment->count > 0) {
        segment->next = c->gray;
        c->gray = segment;
        atomic_fetch_add_explicit(&c->grays, 1, memory_order_relaxed);
    } else if (segment) {
        segment->next = c->spare;
        c->spare = segment;
    }
    c->stats.marked += tracer->marked;
    c->stats.marked_by_cluster += tracer->by_cluster;
    c->stats.edges += tracer->edges;
    pthread_mutex_unlock(&c->gray_lock);
    tracer->segment = NULL;
    tracer->marked = tracer->by_cluster = tracer->edges = 0;
}

static void free_segments(kiln_collector *c, gray_segment *segment)
{
    while (segment) {
        gray_segment *next = segment->next;
        c->allocator.free(c->allocator.ctx, segment, sizeof *segment);
        segment = next;
    }
}

void kiln_gray_free(kiln_collector *collector)
{
    free_segments(collector, collector->gray);
    free_segments(collector, collector->spare);
    collector->gray = collector->spare = NULL;
    atomic_store_explicit(&collector->grays, 0, memory_order_relaxed);
}

/* ---- marking ---- */

/* Gives a member of a cluster its own mark, because something outside the cluster refers to it.
 * Returns whether its references must be followed: neither the cluster nor another thread has
 * marked it. */
static bool mark_alone(const kiln_tracer *tracer, int32_t word, KILN_ATOMIC(uint8_t) * mark)
{
    cluster_table *table = &tracer->collector->clusters;
    const uint32_t number = asset_cluster_of_member(word);
    uint8_t expected = MARK_MEMBER;
    /* Also done if the cluster is marked: the next reference to the asset then reads only this
     * mark. */
    if (!atomic_compare_exchange_strong_explicit(mark, &expected, tracer->color,
                                                 memory_order_relaxed, memory_order_relaxed))
        return false;
    atomic_fetch_add_explicit(&table->items[number].alone, 1, memory_order_relaxed);
    return !cluster_is_marked(table, number, tracer->color);
}

/* Marks an asset whose mark was read as `before`, and follows its references. */
static void mark_node(kiln_tracer *tracer, uint64_t node, KILN_ATOMIC(uint8_t) * mark,
                      uint8_t before)
{
    if (before != MARK_MEMBER)
        atomic_store_explicit(mark, tracer->color, memory_order_relaxed);
    else if (!mark_alone(tracer, asset_owner_word(tracer->assets, node), mark))
        return;
    tracer->marked++;
    push(tracer, node);
}

void kiln_tracer_mark_again(kiln_tracer *tracer, asset_entry *entry)
{
    KILN_ATOMIC(uint8_t) *mark = asset_mark_of(tracer->assets, entry);
    mark_node(tracer, asset_node(tracer->assets, entry), mark,
              atomic_load_explicit(mark, memory_order_relaxed));
    if (tracer->is_killing)
        kiln_asset_marks_save(tracer->assets, entry, asset_entry_version(entry), 0);
}

void kiln_tracer_mark(kiln_tracer *tracer, asset_entry *entry)
{
    if (atomic_load_explicit(asset_mark_of(tracer->assets, entry), memory_order_relaxed) !=
        tracer->color)
        kiln_tracer_mark_again(tracer, entry);
}

void kiln_tracer_mark_slot(kiln_tracer *tracer, uint32_t slot)
{
    const uint64_t node = tracer->assets->marks->nodes[slot];
    KILN_ATOMIC(uint8_t) *mark = asset_mark_at(tracer->assets, node);
    uint8_t before = atomic_load_explicit(mark, memory_order_relaxed);
    if (before != tracer->color)
        mark_node(tracer, node, mark, before);
}

void kiln_tracer_mark_id(kiln_tracer *tracer, kiln_id id)
{
    uint32_t known = kiln_asset_ids_target(tracer->assets, id);
    uint32_t slot = known != ASSET_NONE ? known_at(tracer->assets, known)->slot : ASSET_NONE;
    if (slot != ASSET_NONE)
        kiln_tracer_mark(tracer, entry_at(tracer->assets, slot));
}

/* ---- edges ---- */

static void cache_mount(kiln_tracer *tracer, const asset_mount *mount)
{
    const kiln_index *index = mount->file->index;
    tracer->cached =
        (traced_mount){.mount = mount,
                       .space = (uint64_t)(mount->number + 1) << 32,
                       .marks = mount->marks,
                       .starts = kiln_relative_get(&index->edge_starts, index->edge_starts.offset),
                       .edges = kiln_relative_get(&index->edges, index->edges.offset),
                       .owners = mount->owners,
                       .count = kiln_index_asset_count(index)};
}

/* Follows one reference of an asset of the cached mount. If it leads to one of the first `own`
 * assets of the file, and that asset is loaded from this file, the mark byte is enough. Otherwise
 * the asset is looked up by id. */
static inline void follow_edge(kiln_tracer *tracer, uint32_t edge, uint32_t own)
{
    const traced_mount *m = &tracer->cached;
    uint8_t mark = MARK_NONE;
    if (edge < own)
        mark = atomic_load_explicit(&m->marks[edge], memory_order_relaxed);
    if (mark == tracer->color)
        return;
    if (mark == MARK_NONE)
        kiln_tracer_mark_id(tracer, kiln_index_edge_id(m->mount->file->index, edge));
    else
        mark_node(tracer, m->space | edge, &m->marks[edge], mark);
}

/* While the collector kills assets, a mark byte is not enough, because dead assets must be
 * saved. */
static inline uint32_t own_assets(const kiln_tracer *tracer)
{
    return tracer->cached.marks && !tracer->is_killing ? tracer->cached.count : 0;
}

/* Follows the references of an asset of the cached mount. */
static inline void follow_edges(kiln_tracer *tracer, uint32_t number)
{
    const uint32_t *starts = tracer->cached.starts, *edges = tracer->cached.edges;
    const uint32_t own = own_assets(tracer);
    if (!starts)
        return;
    tracer->edges += starts[number + 1] - starts[number];
    for (uint32_t i = starts[number]; i < starts[number + 1]; i++)
        follow_edge(tracer, edges[i], own);
}

static void follow_edges_of(kiln_tracer *tracer, const asset_mount *mount, uint32_t number)
{
    traced_mount cached = tracer->cached;
    cache_mount(tracer, mount);
    follow_edges(tracer, number);
    tracer->cached = cached;
}

void kiln_tracer_follow_blob(kiln_tracer *tracer, const asset_blob *blob)
{
    if (blob->mount) {
        follow_edges_of(tracer, blob->mount, blob->number);
        return;
    }
    tracer->edges += blob->ref_count;
    for (uint32_t i = 0; i < blob->ref_count; i++)
        kiln_tracer_mark_id(tracer, blob->refs[i]);
}

/* Returns whether the node belongs to a mounted file, and caches that mount. Since the node was
 * pushed, the file may have been unmounted, or replaced by a new version with the same number. The
 * table has called kiln_asset_marks_attach for all assets whose node changed, so following an
 * outdated node is unnecessary, but harmless. */
static inline bool is_in_mount(kiln_tracer *tracer, uint64_t node)
{
    uint64_t space = node >> 32 << 32;
    if (tracer->cached.space != space) {
        const asset_mount *mount = tracer->assets->mounts[(node >> 32) - 1];
        if (!mount || !mount->marks)
            return false;
        cache_mount(tracer, mount);
    }
    return (uint32_t)node < tracer->cached.count;
}

/* ---- clusters ---- */

static void mark_reference(kiln_tracer *tracer, uint32_t number)
{
    const cluster_table *table = &tracer->collector->clusters;
    /* The node of a queued cluster's root may now belong to another asset. */
    if (tracer->is_killing || asset_cluster_is_queued(tracer->assets->marks, number)) {
        kiln_tracer_mark_id(tracer, table->details[number].root_id);
        return;
    }
    if (cluster_is_marked(table, number, tracer->color))
        return;
    const uint64_t root = table->items[number].root;
    KILN_ATOMIC(uint8_t) *mark = asset_mark_at(tracer->assets, root);
    uint8_t before = atomic_load_explicit(mark, memory_order_relaxed);
    if (before != tracer->color)
        mark_node(tracer, root, mark, before);
}

/* Marks everything to which a marked cluster refers. */
static void follow_outside(kiln_tracer *tracer, const cluster_record *c)
{
    for (uint32_t i = 0; i < c->link_count; i++)
        mark_reference(tracer, cluster_links(c)[i].to);
    if (c->near[0] != CLUSTER_NONE && is_in_mount(tracer, c->root)) {
        const uint32_t own = own_assets(tracer);
        for (uint32_t i = 0; i < c->mutable_count; i++)
            follow_edge(tracer, c->near[i], own);
        return;
    }
    for (uint32_t i = 0; i < c->mutable_count; i++) {
        const cluster_mutable *at = &c->outside[i];
        if (at->edge && is_in_mount(tracer, at->edge))
            follow_edge(tracer, (uint32_t)at->edge, own_assets(tracer));
        else
            kiln_tracer_mark_id(tracer, at->id);
    }
}

static uint32_t covered_members(const cluster_record *c)
{
    return c->member_count - atomic_load_explicit(&c->alone, memory_order_relaxed);
}

void kiln_tracer_follow_cluster(kiln_tracer *tracer, uint32_t number)
{
    cluster_table *table = &tracer->collector->clusters;
    const cluster_record *c = &table->items[number];
    if (!cluster_is_marked(table, number, tracer->color)) {
        uint32_t covered = covered_members(c);
        atomic_store_explicit(&table->marks[number], tracer->color, memory_order_relaxed);
        tracer->marked += covered;
        tracer->by_cluster += covered;
    }
    tracer->edges += c->link_count + c->mutable_count;
    follow_outside(tracer, c);
}

/* Returns whether the references of an asset with this word need not be followed. For a root, its
 * cluster is followed instead. For a member of a marked cluster, the cluster has been followed. A
 * queued cluster is out of date, so its root is followed like any asset. */
static inline bool follow_owner(kiln_tracer *tracer, int32_t word)
{
    const cluster_table *table = &tracer->collector->clusters;
    if (word < 0)
        return cluster_is_marked(table, asset_cluster_of_member(word), tracer->color);
    if (word == 0 || asset_cluster_is_queued(tracer->assets->marks, asset_cluster_of_root(word)))
        return false;
    kiln_tracer_follow_cluster(tracer, asset_cluster_of_root(word));
    return true;
}

/* ---- held clusters ---- */

/* Marks a held cluster and its root. If the cluster is queued, instead marks the asset that is now
 * in the root's slot, if that asset is held. */
static void mark_slowly(kiln_tracer *tracer, uint32_t number)
{
    const cluster_table *table = &tracer->collector->clusters;
    if (asset_cluster_is_queued(tracer->assets->marks, number)) {
        const uint32_t slot = table->details[number].slot;
        const asset_entry *entry = entry_at(tracer->assets, slot);
        if (entry->blob && kiln_collect_is_held(entry))
            kiln_tracer_mark_slot(tracer, slot);
        return;
    }
    KILN_ATOMIC(uint8_t) *root = asset_mark_at(tracer->assets, table->items[number].root);
    tracer->marked += atomic_load_explicit(root, memory_order_relaxed) != tracer->color;
    atomic_store_explicit(root, tracer->color, memory_order_relaxed);
    kiln_tracer_follow_cluster(tracer, number);
}

typedef struct mark_counts {
    uint64_t marked, by_cluster, edges;
} mark_counts;

/* Marks a cluster and its root, whose file has these mark bytes. Returns whether the cluster must
 * be followed, because something to which it refers may be unmarked. There are no branches that
 * depend on mark bytes, so the CPU loads those of several clusters at once. */
static inline bool mark_quickly(const cluster_record *c, KILN_ATOMIC(uint8_t) * marks,
                                KILN_ATOMIC(uint8_t) * mark, uint8_t color, mark_counts *counts)
{
    KILN_ATOMIC(uint8_t) *root = &marks[(uint32_t)c->root];
    const uint32_t covered = covered_members(c);
    uint32_t others = c->link_count;
    counts->marked += covered + (atomic_load_explicit(root, memory_order_relaxed) != color);
    counts->by_cluster += covered;
    counts->edges += c->link_count + c->mutable_count;
    atomic_store_explicit(root, color, memory_order_relaxed);
    atomic_store_explicit(mark, color, memory_order_relaxed);
    for (uint32_t i = 0; i < NEAR_MOST; i++)
        others |= (uint32_t)atomic_load_explicit(&marks[c->near[i]], memory_order_relaxed) ^ color;
    return others != 0;
}

void kiln_tracer_mark_clusters(kiln_tracer *tracer, uint32_t first, uint64_t bits)
{
    const cluster_table *table = &tracer->collector->clusters;
    const cluster_record *items = table->items;
    KILN_ATOMIC(uint8_t) *marks = table->marks;
    const uint8_t color = tracer->color;
    const bool is_exact = cluster_queue_is_empty(table, tracer->assets->marks);
    mark_counts counts = {0};
    uint64_t unfollowed = 0;
    for (; bits; bits &= bits - 1) {
        const uint32_t i = lowest_bit(bits), number = first + i;
        const cluster_record *c = &items[number];
        if (atomic_load_explicit(&marks[number], memory_order_relaxed) == color)
            continue;
        if (is_exact && c->near[0] != CLUSTER_NONE && is_in_mount(tracer, c->root))
            unfollowed |=
                (uint64_t)mark_quickly(c, tracer->cached.marks, &marks[number], color, &counts)
                << i;
        else
            mark_slowly(tracer, number);
    }
    tracer->marked += counts.marked;
    tracer->by_cluster += counts.by_cluster;
    tracer->edges += counts.edges;
    for (; unfollowed; unfollowed &= unfollowed - 1)
        follow_outside(tracer, &items[first + lowest_bit(unfollowed)]);
}

/* ---- nodes ---- */

/* Follows a node that is a slot: an added asset, or one of an unmounted file. */
static void follow_slot(kiln_tracer *tracer, uint32_t slot)
{
    if (follow_owner(tracer, asset_owner_word(tracer->assets, slot)))
        return;
    const asset_entry *entry = entry_at(tracer->assets, slot);
    if (entry->blob && entry->blob->mount)
        follow_edges_of(tracer, entry->blob->mount, entry->number);
    else if (entry->blob)
        kiln_tracer_follow_blob(tracer, entry->blob);
}

static inline void follow(kiln_tracer *tracer, uint64_t node)
{
    if (node >> 32 == 0) {
        follow_slot(tracer, (uint32_t)node);
    } else if (is_in_mount(tracer, node)) {
        const int32_t *owners = tracer->cached.owners;
        if (!owners || !follow_owner(tracer, owners[(uint32_t)node]))
            follow_edges(tracer, (uint32_t)node);
    }
}

/* ---- draining ---- */

/* Prefetches the index of the node's first edge, and the node's cluster word. */
static inline void prefetch_start(const kiln_tracer *tracer, uint64_t node)
{
    const traced_mount *m = &tracer->cached;
    if (m->space != node >> 32 << 32)
        return;
    if (m->starts)
        prefetch(m->starts, (size_t)(uint32_t)node * sizeof(uint32_t));
    if (m->owners)
        prefetch(m->owners, (size_t)(uint32_t)node * sizeof(int32_t));
}

/* The cluster of a node of the cached mount, if the node is its root; else NULL. */
static inline const cluster_record *cluster_ahead(const kiln_tracer *tracer, uint64_t node)
{
    const traced_mount *m = &tracer->cached;
    if (!m->owners || m->space != node >> 32 << 32 || (uint32_t)node >= m->count ||
        m->owners[(uint32_t)node] <= 0)
        return NULL;
    uint32_t number = asset_cluster_of_root(m->owners[(uint32_t)node]);
    return &tracer->collector->clusters.items[number];
}

/* Prefetches the node's cluster or its edges. prefetch_start must have been called for the node. */
static inline void prefetch_edges(const kiln_tracer *tracer, uint64_t node)
{
    const traced_mount *m = &tracer->cached;
    const cluster_record *c = cluster_ahead(tracer, node);
    if (c)
        prefetch(c, 0);
    else if (m->space == node >> 32 << 32 && m->starts && (uint32_t)node < m->count)
        prefetch(m->edges, (size_t)m->starts[(uint32_t)node] * sizeof(uint32_t));
}

/* Prefetches the first list of the node's cluster, or the marks to which a short list leads.
 * prefetch_edges must have been called for the node. */
static inline void prefetch_lists(const kiln_tracer *tracer, uint64_t node)
{
    const cluster_record *c = cluster_ahead(tracer, node);
    if (!c || !c->outside)
        return;
    if (c->link_count == 0 && c->near[0] != CLUSTER_NONE) {
        for (uint32_t i = 0; i < c->mutable_count && tracer->cached.marks; i++)
            prefetch(tracer->cached.marks, c->near[i]);
        return;
    }
    prefetch(c->outside, 0);
    prefetch(c->outside, c->mutable_count * sizeof *c->outside - 1);
}

static inline bool pop(kiln_tracer *tracer, uint64_t *ret_node)
{
    gray_segment *segment = tracer->segment;
    if (!segment || segment->count == 0) {
        if (!take_segment(tracer))
            return false;
        segment = tracer->segment;
    }
    *ret_node = segment->nodes[--segment->count];
    return true;
}

/* The next node to follow. Nodes pass through a short queue, so that a node's edges are in the CPU
 * cache when the node leaves the queue (Cher, Hosking and Vitek, "Software prefetching for
 * mark-sweep garbage collection", 2004). */
static inline bool next_node(kiln_tracer *tracer, uint64_t *ret_node)
{
    uint64_t node;
    while (tracer->ahead_count < AHEAD && pop(tracer, &node)) {
        prefetch_start(tracer, node);
        tracer->ahead[(tracer->ahead_first + tracer->ahead_count++) % AHEAD] = node;
    }
    if (tracer->ahead_count == 0)
        return false;
    *ret_node = tracer->ahead[tracer->ahead_first];
    tracer->ahead_first = (tracer->ahead_first + 1) % AHEAD;
    tracer->ahead_count--;
    if (tracer->ahead_count > AHEAD_OF_EDGES)
        prefetch_edges(tracer, tracer->ahead[(tracer->ahead_first + AHEAD_OF_EDGES) % AHEAD]);
    if (tracer->cached.owners && tracer->ahead_count > AHEAD_OF_LISTS)
        prefetch_lists(tracer, tracer->ahead[(tracer->ahead_first + AHEAD_OF_LISTS) % AHEAD]);
    return true;
}

/* Pushes the queued nodes back on the stack. */
static void stop(kiln_tracer *tracer)
{
    while (tracer->ahead_count > 0) {
        push(tracer, tracer->ahead[tracer->ahead_first]);
        tracer->ahead_first = (tracer->ahead_first + 1) % AHEAD;
        tracer->ahead_count--;
    }
}

bool kiln_tracer_drain(kiln_tracer *tracer, uint64_t deadline)
{
    const struct asset_marks *marks = tracer->assets->marks;
    const uint32_t nodes = tracer->collector->nodes_per_check;
    for (;;) {
        for (uint32_t i = 0; i < nodes; i++) {
            uint64_t node;
            if (!next_node(tracer, &node))
                return true;
            follow(tracer, node);
        }
        if (atomic_load_explicit(&marks->pause, memory_order_relaxed) > 0 ||
            kiln_collect_now(tracer->collector) >= deadline) {
            stop(tracer);
            return false;
        }
    }
}
