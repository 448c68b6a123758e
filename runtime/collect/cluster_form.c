/* Finds the members, mutables and references of a cluster.
 *
 * The search is breadth first from the root. It follows references inside the cluster only, so
 * every member can be reached without leaving it. Nothing is changed before everything is
 * allocated.
 *
 * A cluster may be formed in any phase of a cycle. What its members then need:
 *
 *     marking   if the root is marked, the cluster is marked at once. Otherwise, members that are
 *               marked already keep their marks, and the others are reached with the cluster
 *     killing   marking is completed first, so that everything that a marked root reaches is marked
 *     idle      nothing: every asset is marked
 *     freeing   nothing: every asset is marked, except those about to be removed, which count as
 *               not loaded
 */
#include "cluster_table.h"

#include "collector_object.h"

#include "asset_entry.h"
#include "asset_layers.h"

#include <kiln/index.h>
#include <stdlib.h>

#define NO_NODE UINT64_MAX

enum { OUTSIDE = 1, INSIDE = 2 }; /* values in `seen` */

typedef struct forming {
    kiln_collector *collector;
    kiln_assets *assets;
    const cluster_change *change;
    int32_t own;          /* word of the members of the cluster that is changed; 0 for a new one */
    kiln_key_table seen;  /* node + 1 -> OUTSIDE or INSIDE */
    kiln_list nodes;      /* uint64_t: the assets inside. The root is the first */
    kiln_list mutables;   /* cluster_mutable */
    kiln_list references; /* uint32_t */
} forming;

/* ---- references of an asset ---- */

typedef struct out_edges {
    const asset_mount *mount; /* NULL: `ids` is used */
    const uint32_t *edges;
    const kiln_id *ids;
    uint32_t count;
} out_edges;

typedef struct target {
    kiln_id id;
    uint64_t edge; /* as in cluster_mutable */
    uint64_t node; /* NO_NODE: not loaded */
    /* The id is one of the asset's own, not an earlier id that leads to the asset through
     * redirects. An earlier id may lead to a different asset later, so it is looked up in each
     * cycle. */
    bool is_own_name;
} target;

static out_edges edges_of(const kiln_assets *assets, uint64_t node)
{
    out_edges out = {0};
    if (node >> 32) {
        out.mount = assets->mounts[(node >> 32) - 1];
        out.edges = kiln_index_edges(out.mount->file->index, (uint32_t)node, &out.count);
        return out;
    }
    const asset_blob *blob = entry_at(assets, (uint32_t)node)->blob;
    out.ids = blob->refs;
    out.count = blob->ref_count;
    return out;
}

static void look_up(const kiln_assets *assets, target *at)
{
    uint32_t known = kiln_asset_ids_target(assets, at->id);
    uint32_t slot = known != ASSET_NONE ? known_at(assets, known)->slot : ASSET_NONE;
    const asset_entry *entry = slot != ASSET_NONE ? entry_at(assets, slot) : NULL;
    bool is_loaded = entry && !asset_is_doomed(assets, entry);
    at->node = is_loaded ? asset_node(assets, entry) : NO_NODE;
    at->is_own_name = is_loaded && kiln_asset_entry_name_of(entry, at->id);
}

static target target_at(const kiln_assets *assets, const out_edges *out, uint32_t i)
{
    target at = {.node = NO_NODE};
    if (!out->mount) {
        at.id = out->ids[i];
        look_up(assets, &at);
        return at;
    }
    const uint32_t edge = out->edges[i];
    at.id = kiln_index_edge_id(out->mount->file->index, edge);
    at.edge = (uint64_t)(out->mount->number + 1) << 32 | edge;
    at.is_own_name =
        edge < asset_index_count(out->mount) && asset_phase_of(assets->marks) != PHASE_FREE &&
        atomic_load_explicit(&out->mount->marks[edge], memory_order_relaxed) != MARK_NONE;
    if (at.is_own_name)
        at.node = at.edge;
    else
        look_up(assets, &at);
    return at;
}

/* ---- which assets are inside ---- */

static uint64_t state_of(const forming *f, uint64_t node)
{
    return kiln_key_table_get(&f->seen, node + 1);
}

static bool refs_are_loaded(const forming *f, uint64_t node)
{
    const out_edges out = edges_of(f->assets, node);
    for (uint32_t i = 0; i < out.count; i++)
        if (target_at(f->assets, &out, i).node == NO_NODE)
            return false;
    return true;
}

/* A planned member that the root does not reach, that is not loaded or that comes from a different
 * file is never found, so no plan can make it a member. */
static bool is_planned(const cluster_change *change, uint64_t node)
{
    const kiln_cluster_numbers *planned = change->planned;
    uint32_t low = 0, high = planned->count;
    if (node >> 32 != change->asset >> 32)
        return false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (planned->numbers[middle] < (uint32_t)node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < planned->count && planned->numbers[low] == (uint32_t)node;
}

static bool may_join(const forming *f, uint64_t node)
{
    int32_t word = asset_owner_word(f->assets, node);
    /* Making an asset mutable only removes members. */
    if (f->own && f->change->role == KILN_CLUSTER_MUTABLE)
        return word == f->own && node != f->change->asset;
    if (word != 0 || (node >> 32 == 0 && entry_at(f->assets, (uint32_t)node)->is_detached))
        return false;
    if (f->change->planned && node != f->change->asset && !is_planned(f->change, node))
        return false;
    return refs_are_loaded(f, node);
}

static kiln_status enter(forming *f, uint64_t node, uint64_t state)
{
    const kiln_allocator *allocator = &f->collector->allocator;
    if (kiln_key_table_reserve(&f->seen, 1) != KILN_OK)
        return KILN_NO_MEMORY;
    if (state == INSIDE) {
        uint64_t *added = kiln_list_push(allocator, &f->nodes, sizeof *added);
        if (!added)
            return KILN_NO_MEMORY;
        *added = node;
    }
    kiln_key_table_set(&f->seen, kiln_key_table_put(&f->seen, node + 1), state);
    return KILN_OK;
}

static kiln_status consider(forming *f, uint64_t node)
{
    if (state_of(f, node))
        return KILN_OK;
    return enter(f, node, may_join(f, node) ? INSIDE : OUTSIDE);
}

/* Follows the references of the nodes from number `from` on. */
static kiln_status search(forming *f, uint32_t from)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = from; i < f->nodes.count && status == KILN_OK; i++) {
        const out_edges out = edges_of(f->assets, ((const uint64_t *)f->nodes.items)[i]);
        for (uint32_t k = 0; k < out.count && status == KILN_OK; k++) {
            target at = target_at(f->assets, &out, k);
            if (at.is_own_name)
                status = consider(f, at.node);
        }
    }
    return status;
}

static kiln_status find_inside(forming *f)
{
    const cluster_change *change = f->change;
    if (!f->own) {
        kiln_status status = consider(f, change->asset);
        return status == KILN_OK ? search(f, 0) : status;
    }
    const cluster_record *c = &f->collector->clusters.items[change->number];
    const uint64_t *members = f->collector->clusters.details[change->number].members;
    kiln_status status = enter(f, c->root, INSIDE);
    if (change->role == KILN_CLUSTER_MUTABLE)
        return status == KILN_OK ? search(f, 0) : status;
    for (uint32_t i = 0; i < c->member_count && status == KILN_OK; i++)
        status = enter(f, members[i], INSIDE);
    uint32_t before = f->nodes.count;
    if (status == KILN_OK)
        status = consider(f, change->asset);
    return status == KILN_OK ? search(f, before) : status;
}

/* ---- what is outside ---- */

static kiln_status add_outside(forming *f, const target *at)
{
    const kiln_allocator *allocator = &f->collector->allocator;
    int32_t word = at->is_own_name ? asset_owner_word(f->assets, at->node) : 0;
    if (word > 0) {
        uint32_t *added = kiln_list_push(allocator, &f->references, sizeof *added);
        if (added)
            *added = asset_cluster_of_root(word);
        return added ? KILN_OK : KILN_NO_MEMORY;
    }
    cluster_mutable *added = kiln_list_push(allocator, &f->mutables, sizeof *added);
    if (added)
        *added = (cluster_mutable){at->id, at->edge};
    return added ? KILN_OK : KILN_NO_MEMORY;
}

static kiln_status find_outside(forming *f)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < f->nodes.count && status == KILN_OK; i++) {
        const out_edges out = edges_of(f->assets, ((const uint64_t *)f->nodes.items)[i]);
        for (uint32_t k = 0; k < out.count && status == KILN_OK; k++) {
            target at = target_at(f->assets, &out, k);
            if (!at.is_own_name || state_of(f, at.node) != INSIDE)
                status = add_outside(f, &at);
        }
    }
    return status;
}

static int compare_nodes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Of several references to one asset, a reference inside a file comes first, because it can be
 * followed without a lookup. */
static int compare_mutables(const void *a, const void *b)
{
    const cluster_mutable *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if ((x->edge == 0) != (y->edge == 0))
        return x->edge == 0 ? 1 : -1;
    if ((uint32_t)x->edge != (uint32_t)y->edge)
        return (uint32_t)x->edge < (uint32_t)y->edge ? -1 : 1;
    return compare_nodes(&x->edge, &y->edge);
}

static void sort(kiln_list *list, size_t size, int (*compare)(const void *a, const void *b))
{
    if (list->count > 1)
        qsort(list->items, list->count, size, compare);
}

static void sort_outside(forming *f)
{
    cluster_mutable *mutables = f->mutables.items;
    uint32_t *references = f->references.items, count = 0;
    sort(&f->mutables, sizeof *mutables, compare_mutables);
    sort(&f->references, sizeof *references, compare_numbers);
    for (uint32_t i = 0; i < f->mutables.count; i++)
        if (i == 0 || mutables[i].id != mutables[count - 1].id)
            mutables[count++] = mutables[i];
    f->mutables.count = count;
    count = 0;
    for (uint32_t i = 0; i < f->references.count; i++)
        if (i == 0 || references[i] != references[count - 1])
            references[count++] = references[i];
    f->references.count = count;
}

/* ---- changing the cluster ---- */

/* Gives a new member its word and its mark. */
static void own(const forming *f, uint32_t number, uint64_t node)
{
    kiln_collector *collector = f->collector;
    const uint8_t color = f->assets->marks->color;
    KILN_ATOMIC(uint8_t) *mark = asset_mark_at(f->assets, node);
    bool is_colored = atomic_load_explicit(mark, memory_order_relaxed) == color;
    *asset_owner_at(f->assets, node) = asset_member_word(number);
    if (!cluster_is_marked(&collector->clusters, number, color)) {
        if (is_colored) {
            atomic_fetch_add_explicit(&collector->clusters.items[number].alone, 1,
                                      memory_order_relaxed);
            return;
        }
    } else if (!is_colored) {
        collector->stats.marked++;
        collector->stats.marked_by_cluster++;
    }
    atomic_store_explicit(mark, MARK_MEMBER, memory_order_relaxed);
}

/* Ends the membership of assets that are no longer inside. */
static void disown_others(const forming *f, uint32_t number)
{
    cluster_record *c = &f->collector->clusters.items[number];
    for (uint32_t i = 0; i < c->member_count; i++) {
        uint64_t node = f->collector->clusters.details[number].members[i];
        if (state_of(f, node) == INSIDE)
            continue;
        if (atomic_load_explicit(asset_mark_at(f->assets, node), memory_order_relaxed) !=
            MARK_MEMBER)
            atomic_fetch_sub_explicit(&c->alone, 1, memory_order_relaxed);
        kiln_cluster_disown(f->collector, number, node);
    }
}

static kiln_id id_at(const kiln_assets *assets, uint64_t node)
{
    return node >> 32 ? kiln_index_id(assets->mounts[(node >> 32) - 1]->file->index, (uint32_t)node)
                      : entry_at(assets, (uint32_t)node)->id;
}

static void own_all(const forming *f, uint32_t number)
{
    const uint64_t *nodes = f->nodes.items;
    cluster_record *c = &f->collector->clusters.items[number];
    if (!f->own) {
        f->collector->clusters.details[number].root_id = id_at(f->assets, c->root);
        *asset_owner_at(f->assets, c->root) = asset_root_word(number);
        /* If the root is marked, so is the cluster. */
        atomic_store_explicit(
            &f->collector->clusters.marks[number],
            atomic_load_explicit(asset_mark_at(f->assets, c->root), memory_order_relaxed),
            memory_order_relaxed);
    }
    for (uint32_t i = 1; i < f->nodes.count; i++)
        if (asset_owner_word(f->assets, nodes[i]) != asset_member_word(number))
            own(f, number, nodes[i]);
}

static kiln_status need_words(const forming *f)
{
    const uint64_t *nodes = f->nodes.items;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < f->nodes.count && status == KILN_OK; i++)
        status = kiln_asset_owners_need(f->assets, nodes[i]);
    return status;
}

/* Marks what the cluster refers to, if it is marked and marking is in progress. */
static void follow(const forming *f, uint32_t number)
{
    uint32_t phase = asset_phase_of(f->assets->marks);
    if ((phase != PHASE_MARK && phase != PHASE_KILL) ||
        !cluster_is_marked(&f->collector->clusters, number, f->assets->marks->color))
        return;
    kiln_tracer tracer = kiln_tracer_of(f->collector);
    kiln_tracer_follow_cluster(&tracer, number);
    kiln_tracer_end(&tracer);
}

static kiln_status change_cluster(forming *f, uint32_t *ret_number)
{
    uint32_t number = f->change->number;
    uint64_t *nodes = f->nodes.items;
    if (need_words(f) != KILN_OK ||
        (!f->own && kiln_cluster_take(f->collector, &number) != KILN_OK))
        return KILN_NO_MEMORY;
    if (f->nodes.count > 2)
        qsort(nodes + 1, f->nodes.count - 1, sizeof *nodes, compare_nodes);
    const cluster_lists lists = {.members = nodes + 1,
                                 .mutables = f->mutables.items,
                                 .references = f->references.items,
                                 .member_count = f->nodes.count - 1,
                                 .mutable_count = f->mutables.count,
                                 .reference_count = f->references.count};
    cluster_memory memory;
    if (kiln_cluster_allocate(f->collector, &lists, &memory) != KILN_OK) {
        if (!f->own)
            kiln_cluster_release(f->collector, number);
        return KILN_NO_MEMORY;
    }
    if (f->own)
        disown_others(f, number);
    else
        f->collector->clusters.items[number].root = nodes[0];
    kiln_cluster_set_lists(f->collector, number, &lists, &memory);
    own_all(f, number);
    follow(f, number);
    *ret_number = number;
    return KILN_OK;
}

static void forming_fini(forming *f)
{
    const kiln_allocator *allocator = &f->collector->allocator;
    kiln_key_table_fini(&f->seen);
    kiln_list_fini(allocator, &f->nodes, sizeof(uint64_t));
    kiln_list_fini(allocator, &f->mutables, sizeof(cluster_mutable));
    kiln_list_fini(allocator, &f->references, sizeof(uint32_t));
}

kiln_status kiln_cluster_form(kiln_collector *collector, const cluster_change *change,
                              uint32_t *ret_number)
{
    forming f = {.collector = collector, .assets = collector->assets, .change = change};
    f.own = change->number != CLUSTER_NONE ? asset_member_word(change->number) : 0;
    kiln_key_table_init(&f.seen, &collector->allocator, collector->assets->seed);
    *ret_number = CLUSTER_NONE;
    kiln_status status = find_inside(&f);
    bool is_large = f.nodes.count > 0 && f.nodes.count >= collector->def.min_cluster;
    if (status == KILN_OK && is_large)
        status = find_outside(&f);
    if (status == KILN_OK && is_large) {
        sort_outside(&f);
        status = change_cluster(&f, ret_number);
    }
    forming_fini(&f);
    return status;
}
