/* Building takes O((nodes + edges) log nodes): a binary search for each edge, because files refer
 * to each other by id. */
#include "insp_graph.h"

#include "insp_memory.h"
#include "insp_message.h"
#include "lower_bound.h"

#include <stdlib.h>

/* An edge list that grows. Edges of a node are added one node after another. */
typedef struct edges {
    insp_graph *graph;
    const insp_mounts *mounts;
    uint32_t *targets;
    size_t count, capacity;
    bool failed;
} edges;

static int compare_nodes(const void *a, const void *b)
{
    const insp_node *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    /* Assets come before imports. */
    if (!left->at.asset || !right->at.asset)
        return (left->at.asset == NULL) - (right->at.asset == NULL);
    return (left->at.asset->number > right->at.asset->number) -
           (left->at.asset->number < right->at.asset->number);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static bool node_is_below(const void *nodes, size_t at, const void *id)
{
    return ((const insp_node *)nodes)[at].id < *(const uint64_t *)id;
}

static uint32_t find_id(const insp_graph *graph, uint64_t id)
{
    size_t at = lower_bound(graph->nodes, 0, graph->count, node_is_below, &id);
    return at < graph->count && graph->nodes[at].id == id ? (uint32_t)at : INSP_NODE_NONE;
}

uint32_t insp_graph_find(const insp_graph *graph, const insp_mounts *mounts, uint64_t id)
{
    uint32_t found = find_id(graph, id);
    insp_mounted target;
    if (found != INSP_NODE_NONE)
        return found;
    target = insp_mounts_target(mounts, id);
    return target.asset ? find_id(graph, target.asset->id) : INSP_NODE_NONE;
}

/* Removes all but the first node with the same id. */
static void remove_twins(insp_graph *graph)
{
    uint32_t kept = 0, i;
    qsort(graph->nodes, graph->count, sizeof *graph->nodes, compare_nodes);
    for (i = 0; i < graph->count; i++)
        if (!kept || graph->nodes[kept - 1].id != graph->nodes[i].id)
            graph->nodes[kept++] = graph->nodes[i];
    graph->count = kept;
}

static void add_nodes(insp_graph *graph, const insp_mounts *mounts, const insp_file *file)
{
    uint32_t i;
    for (i = 0; i < file->asset_count; i++) {
        insp_mounted at = {file, insp_asset_at(file, i)};
        if (insp_mounts_is_visible(mounts, at))
            graph->nodes[graph->count++] = (insp_node){at.asset->id, at.asset->name, at};
    }
    for (i = 0; i < file->import_count; i++) {
        const insp_name *import = insp_import_at(file, i);
        if (!insp_mounts_target(mounts, import->id).asset)
            graph->nodes[graph->count++] = (insp_node){import->id, import->name, {NULL, NULL}};
    }
}

/* Assets are in the order of their names in each file. Imports come last. */
static void set_order(insp_graph *graph, const insp_mounts *mounts)
{
    uint32_t done = 0, i, k;
    for (i = 0; i < mounts->count; i++)
        for (k = 0; k < mounts->files[i]->asset_count; k++) {
            const insp_asset *asset = insp_asset_at(mounts->files[i], k);
            uint32_t node = find_id(graph, asset->id);
            if (node != INSP_NODE_NONE && graph->nodes[node].at.asset == asset)
                graph->order[done++] = node;
        }
    for (i = 0; i < graph->count; i++)
        if (!graph->nodes[i].at.asset)
            graph->order[done++] = i;
}

static void add_edge(edges *e, uint64_t id)
{
    uint32_t target = insp_graph_find(e->graph, e->mounts, id);
    uint32_t *grown;
    if (target == INSP_NODE_NONE || e->failed)
        return;
    grown = insp_grow(e->targets, &e->capacity, e->count + 1, sizeof *grown);
    e->failed = !grown || e->count >= UINT32_MAX;
    if (!grown)
        return;
    e->targets = grown;
    grown[e->count++] = target;
}

static bool add_link(void *ctx, const insp_link *link)
{
    edges *e = ctx;
    add_edge(e, link->id);
    return !e->failed;
}

/* Sorts the targets from `start` and removes repeated ones, which values and redirects cause. */
static void finish_node(edges *e, size_t start)
{
    size_t kept = start, i;
    if (e->count - start > 1)
        qsort(e->targets + start, e->count - start, sizeof *e->targets, compare_numbers);
    for (i = start; i < e->count; i++)
        if (kept == start || e->targets[kept - 1] != e->targets[i])
            e->targets[kept++] = e->targets[i];
    e->count = kept;
}

static int add_edges(edges *e, insp_links *links, const insp_node *node)
{
    const kiln_index *index = node->at.asset ? node->at.file->index : NULL;
    const uint32_t *list;
    uint32_t count = 0, i;
    if (!node->at.asset)
        return INSP_OK;
    if (!index)
        return insp_links_each(links, node->at, add_link, e);
    list = kiln_index_edges(index, node->at.asset->number, &count);
    for (i = 0; list && i < count; i++)
        add_edge(e, kiln_index_edge_id(index, list[i]));
    return INSP_OK;
}

static int fill_edges(insp_graph *graph, insp_links *links)
{
    edges e = {.graph = graph, .mounts = links->mounts};
    int result = INSP_OK;
    uint32_t i;
    for (i = 0; i < graph->count && !result && !e.failed; i++) {
        size_t start = e.count;
        result = add_edges(&e, links, &graph->nodes[i]);
        finish_node(&e, start);
        graph->starts[i + 1] = (uint32_t)e.count;
    }
    graph->targets = e.targets;
    return e.failed ? insp_no_memory(links->run) : result;
}

int insp_graph_init(insp_graph *graph, insp_links *links)
{
    const insp_mounts *mounts = links->mounts;
    size_t most = 1;
    uint32_t i;
    *graph = (insp_graph){.count = 0};
    for (i = 0; i < mounts->count; i++)
        most += (size_t)mounts->files[i]->asset_count + mounts->files[i]->import_count;
    graph->nodes = insp_alloc_array(most, sizeof *graph->nodes);
    graph->order = insp_alloc_array(most, sizeof *graph->order);
    graph->starts = insp_alloc_array(most + 1, sizeof *graph->starts);
    graph->chain = insp_alloc_array(most + 1, sizeof *graph->chain);
    graph->queue = insp_alloc_array(most, sizeof *graph->queue);
    graph->before = insp_alloc_array(most, sizeof *graph->before);
    if (most >= INSP_NODE_NONE || !graph->nodes || !graph->order || !graph->starts ||
        !graph->chain || !graph->queue || !graph->before)
        return insp_no_memory(links->run);
    for (i = 0; i < mounts->count; i++)
        add_nodes(graph, mounts, mounts->files[i]);
    remove_twins(graph);
    set_order(graph, mounts);
    for (i = 0; i < graph->count; i++)
        graph->before[i] = INSP_NODE_NONE;
    return fill_edges(graph, links);
}

void insp_graph_fini(insp_graph *graph)
{
    insp_free(graph->nodes);
    insp_free(graph->order);
    insp_free(graph->starts);
    insp_free(graph->targets);
    insp_free(graph->chain);
    insp_free(graph->queue);
    insp_free(graph->before);
    *graph = (insp_graph){.count = 0};
}

/* Fills `chain` with the nodes before `last`, and `target`. Returns their number. */
static uint32_t trace(insp_graph *graph, uint32_t last, uint32_t target)
{
    uint32_t length = 0, i;
    graph->chain[length++] = target;
    while (graph->before[last] != last) {
        graph->chain[length++] = last;
        last = graph->before[last];
    }
    graph->chain[length++] = last;
    for (i = 0; i < length / 2; i++) {
        uint32_t swapped = graph->chain[i];
        graph->chain[i] = graph->chain[length - 1 - i];
        graph->chain[length - 1 - i] = swapped;
    }
    return length;
}

/* A search in breadth. The beginning of a chain is its own predecessor. */
uint32_t insp_graph_search(insp_graph *graph, const insp_search *search)
{
    uint32_t queued = 0, done = 0, length = 0, i;
    for (i = 0; i < search->from_count; i++) {
        graph->before[search->from[i]] = search->from[i];
        graph->queue[queued++] = search->from[i];
    }
    while (done < queued && !length) {
        uint32_t node = graph->queue[done++];
        for (i = graph->starts[node]; i < graph->starts[node + 1] && !length; i++) {
            uint32_t target = graph->targets[i];
            if (search->groups && search->groups[target] != search->within)
                continue;
            if (search->is_to[target])
                length = trace(graph, node, target);
            if (graph->before[target] != INSP_NODE_NONE)
                continue;
            graph->before[target] = node;
            graph->queue[queued++] = target;
        }
    }
    for (i = 0; i < queued; i++)
        graph->before[graph->queue[i]] = INSP_NODE_NONE;
    return length;
}
