/* Tarjan's algorithm: R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on
 * Computing 1(2), 1972. A stack of (asset, next edge) takes the place of the recursion. Tarjan's
 * algorithm completes a component after all components that it refers to, so references between
 * components lead to smaller numbers. */
#include "cluster_cycles.h"

#include "bake_memory.h"

#include <string.h>

/* The value of `low` for assets of completed components. Numbers of visits begin at 1, so 0 means
 * not visited. */
#define DONE UINT32_MAX

typedef struct visit {
    uint32_t asset, edge;
} visit;

typedef struct search {
    const bake_cluster_graph *graph;
    cluster_cycles *cycles;
    uint32_t *low;   /* by asset: 0 before the visit, DONE once its component is complete */
    uint32_t *open;  /* visited assets whose components are not complete */
    visit *path;     /* from the first asset to the current one */
    uint32_t *order; /* by asset: the number of its visit */
    uint32_t open_count, path_count, visits;
} search;

static bool takes_part(const bake_cluster_graph *graph, uint32_t node)
{
    return node < graph->assets && graph->roles[node] != BAKE_CLUSTER_NEVER;
}

static void enter(search *s, uint32_t asset)
{
    s->order[asset] = s->low[asset] = ++s->visits;
    s->open[s->open_count++] = asset;
    s->path[s->path_count++] = (visit){asset, s->graph->edge_starts[asset]};
}

static void lower(search *s, uint32_t asset, uint32_t low)
{
    if (low < s->low[asset])
        s->low[asset] = low;
}

/* Moves the component whose first visited asset is `asset` to the result. */
static void complete(search *s, uint32_t asset)
{
    cluster_cycles *c = s->cycles;
    uint32_t at = c->starts[c->count], taken;
    do {
        taken = s->open[--s->open_count];
        c->assets[at++] = taken;
        c->component[taken] = c->count;
        s->low[taken] = DONE;
    } while (taken != asset);
    c->starts[++c->count] = at;
}

/* Takes the next edge of the current asset, or leaves the asset. */
static void step(search *s)
{
    visit *here = &s->path[s->path_count - 1];
    uint32_t asset = here->asset;
    if (here->edge < s->graph->edge_starts[asset + 1]) {
        uint32_t to = s->graph->edges[here->edge++];
        if (!takes_part(s->graph, to))
            return;
        if (s->low[to] == 0)
            enter(s, to);
        else if (s->low[to] != DONE)
            lower(s, asset, s->order[to]);
        return;
    }
    s->path_count--;
    uint32_t low = s->low[asset];
    if (low == s->order[asset])
        complete(s, asset);
    else
        lower(s, s->path[s->path_count - 1].asset, low);
}

static bool allocate(search *s, uint32_t assets)
{
    cluster_cycles *c = s->cycles;
    c->component = bake_alloc_array(assets, sizeof *c->component);
    c->assets = bake_alloc_array(assets, sizeof *c->assets);
    c->starts = bake_alloc_array((size_t)assets + 1, sizeof *c->starts);
    s->low = bake_alloc_array(assets, sizeof *s->low);
    s->open = bake_alloc_array(assets, sizeof *s->open);
    s->path = bake_alloc_array(assets, sizeof *s->path);
    s->order = bake_alloc_array(assets, sizeof *s->order);
    return c->component && c->assets && c->starts && s->low && s->open && s->path && s->order;
}

bool bake_cluster_cycles_find(const bake_cluster_graph *graph, cluster_cycles *ret_cycles)
{
    search s = {.graph = graph, .cycles = ret_cycles};
    memset(ret_cycles, 0, sizeof *ret_cycles);
    bool ok = allocate(&s, graph->assets);
    for (uint32_t i = 0; ok && i < graph->assets; i++) {
        if (!takes_part(graph, i))
            ret_cycles->component[i] = BAKE_NO_COMPONENT;
        else if (s.low[i] == 0)
            enter(&s, i);
        while (s.path_count)
            step(&s);
    }
    bake_free(s.low);
    bake_free(s.open);
    bake_free(s.path);
    bake_free(s.order);
    return ok;
}

void bake_cluster_cycles_fini(cluster_cycles *cycles)
{
    bake_free(cycles->component);
    bake_free(cycles->assets);
    bake_free(cycles->starts);
    memset(cycles, 0, sizeof *cycles);
}
