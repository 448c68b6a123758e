/* The gray stack, and following references.
 *
 * Every marking thread has a segment of its own, so that it accesses the shared stack only once
 * every few hundred nodes. Reading and then writing a mark byte is not one atomic operation. If two
 * threads mark an asset at once, both follow its references, which costs time but is harmless. */
#define _POSIX_C_SOURCE 200809L

#include "collector_object.h"

#include "asset_layers.h"
#include "asset_slots.h"
#include "prefetch.h"

#include <kiln/index.h>
#include <time.h>

uint64_t kiln_collect_now(void)
{
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
    c->stats.edges += tracer->edges;
    pthread_mutex_unlock(&c->gray_lock);
    tracer->segment = NULL;
    tracer->marked = tracer->edges = 0;
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

static uint64_t node_of(const asset_entry *entry)
{
    const asset_mount *mount = entry->blob->mount;
    return mount && mount->marks && !entry->is_detached
               ? (uint64_t)(mount->number + 1) << 32 | entry->number
               : entry->slot;
}

void kiln_tracer_mark_again(kiln_tracer *tracer, asset_entry *entry)
{
    atomic_store_explicit(asset_mark_of(tracer->assets, entry), tracer->color,
                          memory_order_relaxed);
    if (tracer->is_killing)
        kiln_asset_marks_save(tracer->assets, entry, asset_entry_version(entry), 0);
    tracer->marked++;
    push(tracer, node_of(entry));
}

void kiln_tracer_mark(kiln_tracer *tracer, asset_entry *entry)
{
    if (atomic_load_explicit(asset_mark_of(tracer->assets, entry), memory_order_relaxed) !=
        tracer->color)
        kiln_tracer_mark_again(tracer, entry);
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
                       .count = kiln_index_asset_count(index)};
}

/* Follows the references of an asset of the cached mount. For an edge to an asset that is loaded
 * from the same file, one mark byte is read. The targets of other edges are looked up by id. */
static inline void follow_edges(kiln_tracer *tracer, uint32_t number)
{
    const traced_mount *m = &tracer->cached;
    const uint32_t *starts = m->starts, *edges = m->edges;
    const uint32_t own = m->marks && !tracer->is_killing ? m->count : 0;
    const uint8_t color = tracer->color;
    if (!starts)
        return;
    tracer->edges += starts[number + 1] - starts[number];
    for (uint32_t i = starts[number]; i < starts[number + 1]; i++) {
        uint32_t edge = edges[i];
        uint8_t mark = MARK_NONE;
        if (edge < own)
            mark = atomic_load_explicit(&m->marks[edge], memory_order_relaxed);
        if (mark == color)
            continue;
        if (mark == MARK_NONE) {
            kiln_tracer_mark_id(tracer, kiln_index_edge_id(m->mount->file->index, edge));
            continue;
        }
        atomic_store_explicit(&m->marks[edge], color, memory_order_relaxed);
        tracer->marked++;
        push(tracer, m->space | edge);
    }
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

/* Follows a node that is a slot: an added asset, or one of an unmounted file. */
static void follow_slot(kiln_tracer *tracer, uint32_t slot)
{
    const asset_entry *entry = entry_at(tracer->assets, slot);
    if (entry->blob && entry->blob->mount)
        follow_edges_of(tracer, entry->blob->mount, entry->number);
    else if (entry->blob)
        kiln_tracer_follow_blob(tracer, entry->blob);
}

/* Returns whether the node belongs to a mounted file, and caches that mount. Since the node was
 * pushed, the file may have been unmounted and its number reused. In that case the table has called
 * kiln_asset_marks_attach for its assets, so the node need not be followed. */
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

static inline void follow(kiln_tracer *tracer, uint64_t node)
{
    if (node >> 32 == 0)
        follow_slot(tracer, (uint32_t)node);
    else if (is_in_mount(tracer, node))
        follow_edges(tracer, (uint32_t)node);
}

/* ---- draining ---- */

/* Prefetches the index of the node's first edge. */
static inline void prefetch_start(kiln_tracer *tracer, uint64_t node)
{
    if (tracer->cached.space == node >> 32 << 32 && tracer->cached.starts)
        prefetch(tracer->cached.starts, (size_t)(uint32_t)node * sizeof(uint32_t));
}

/* Prefetches the node's edges. prefetch_start must have been called for the node. */
static inline void prefetch_edges(kiln_tracer *tracer, uint64_t node)
{
    const traced_mount *m = &tracer->cached;
    if (m->space == node >> 32 << 32 && m->starts && (uint32_t)node < m->count)
        prefetch(m->edges, (size_t)m->starts[(uint32_t)node] * sizeof(uint32_t));
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
    if (tracer->ahead_count > AHEAD / 2)
        prefetch_edges(tracer, tracer->ahead[(tracer->ahead_first + AHEAD / 2) % AHEAD]);
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
    enum { NODES_PER_CHECK = 256 };
    const struct asset_marks *marks = tracer->assets->marks;
    for (;;) {
        for (uint32_t i = 0; i < NODES_PER_CHECK; i++) {
            uint64_t node;
            if (!next_node(tracer, &node))
                return true;
            follow(tracer, node);
        }
        if (atomic_load_explicit(&marks->pause, memory_order_relaxed) > 0 ||
            kiln_collect_now() >= deadline) {
            stop(tracer);
            return false;
        }
    }
}
