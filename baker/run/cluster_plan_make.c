/* Makes a plan from the components of the graph.
 *
 * Without cycles, the immediate dominator of a node is the nearest common ancestor of its
 * predecessors in the dominator tree (Aho, Hopcroft and Ullman, "On finding lowest common ancestors
 * in trees", SIAM Journal on Computing 5(1), 1976). Clusters need only the level below the entry.
 * So for each component it is enough to know its *top*, the ancestor on that level: the top of its
 * predecessors if all have the same one and the entry does not lead to the component, else the
 * component itself. Components are visited before those that they refer to, so one pass over the
 * references finds all tops. */
#include "cluster_plan_make.h"

#include "bake_memory.h"
#include "cluster_cycles.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct planner {
    const bake_cluster_graph *graph;
    cluster_cycles cycles;
    uint32_t *top;       /* by component */
    uint8_t *is_entered; /* by component: the entry, or more than one top, leads to it */
    uint8_t *is_used;    /* by component: an asset outside it refers to it */
    uint32_t *sizes;     /* by component: if it is a top, the number of assets in and below it */
    uint32_t *clusters;  /* by component: the number of its cluster, if it is a top; or NONE */
    uint32_t *seen;      /* by target, then by cluster: the last cluster that listed it, plus 1 */
    bake_cluster_plan *plan;
} planner;

/* ---- tops ---- */

/* Records a reference from component `from` (NONE: from an asset outside all components) to an
 * asset. */
static void meet(planner *p, uint32_t from, uint32_t asset)
{
    uint32_t to = asset < p->graph->assets ? p->cycles.component[asset] : BAKE_NO_COMPONENT;
    if (to == BAKE_NO_COMPONENT || to == from)
        return;
    p->is_used[to] = true;
    if (from == NONE || (p->top[to] != NONE && p->top[to] != p->top[from]))
        p->is_entered[to] = true;
    else
        p->top[to] = p->top[from];
}

static void meet_all(planner *p, uint32_t from, uint32_t asset)
{
    const bake_cluster_graph *g = p->graph;
    for (uint32_t e = g->edge_starts[asset]; e < g->edge_starts[asset + 1]; e++)
        meet(p, from, g->edges[e]);
}

static void find_tops(planner *p)
{
    const bake_cluster_graph *g = p->graph;
    for (uint32_t i = 0; i < g->assets; i++) {
        if (g->roles[i] == BAKE_CLUSTER_NEVER)
            meet_all(p, NONE, i);
        else if (g->roles[i] == BAKE_CLUSTER_ROOT)
            p->is_entered[p->cycles.component[i]] = true;
    }
    for (uint32_t c = p->cycles.count; c-- > 0;) {
        if (p->is_entered[c] || p->top[c] == NONE)
            p->top[c] = c;
        p->sizes[p->top[c]] += p->cycles.starts[c + 1] - p->cycles.starts[c];
        for (uint32_t i = p->cycles.starts[c]; i < p->cycles.starts[c + 1]; i++)
            meet_all(p, c, p->cycles.assets[i]);
    }
}

/* ---- clusters ---- */

/* Returns the asset that represents a component: of its roots, or of all its assets if it has no
 * root, the one with the smallest number. Sets `*ret_is_root` to whether it has a root. */
static uint32_t root_of(const planner *p, uint32_t component, bool *ret_is_root)
{
    uint32_t best = NONE;
    *ret_is_root = false;
    for (uint32_t i = p->cycles.starts[component]; i < p->cycles.starts[component + 1]; i++) {
        uint32_t asset = p->cycles.assets[i];
        bool is_root = p->graph->roles[asset] == BAKE_CLUSTER_ROOT;
        if (is_root == *ret_is_root ? asset < best : is_root)
            best = asset;
        *ret_is_root = *ret_is_root || is_root;
    }
    return best;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Decides which tops are clusters, and numbers them by their roots. */
static bool choose_roots(planner *p)
{
    bake_cluster_plan *plan = p->plan;
    plan->roots = bake_alloc_array(p->cycles.count, sizeof *plan->roots);
    if (!plan->roots)
        return false;
    for (uint32_t c = 0; c < p->cycles.count; c++) {
        bool is_root;
        uint32_t root = root_of(p, c, &is_root);
        p->clusters[c] = NONE;
        if (p->top[c] == c && p->sizes[c] >= BAKE_CLUSTER_MIN && (is_root || p->is_used[c]))
            plan->roots[plan->count++] = root;
    }
    if (plan->count)
        qsort(plan->roots, plan->count, sizeof *plan->roots, compare_numbers);
    for (uint32_t i = 0; i < plan->count; i++)
        p->clusters[p->cycles.component[plan->roots[i]]] = i;
    return true;
}

/* The cluster of an asset or import, or NONE. */
static uint32_t cluster_of(const planner *p, uint32_t node)
{
    uint32_t component = node < p->graph->assets ? p->cycles.component[node] : BAKE_NO_COMPONENT;
    return component == BAKE_NO_COMPONENT ? NONE : p->clusters[p->top[component]];
}

/* Visits the assets in ascending order, so each list is in ascending order. */
static bool list_members(planner *p)
{
    bake_cluster_plan *plan = p->plan;
    uint32_t total = 0;
    plan->member_starts = bake_alloc_array((size_t)plan->count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; plan->member_starts && i < plan->count; i++) {
        plan->member_starts[i] = total;
        total += p->sizes[p->cycles.component[plan->roots[i]]] - 1;
    }
    plan->members = bake_alloc_array(total, sizeof(uint32_t));
    if (!plan->member_starts || !plan->members)
        return false;
    for (uint32_t i = 0; i < p->graph->assets; i++) {
        uint32_t cluster = cluster_of(p, i);
        if (cluster != NONE && plan->roots[cluster] != i)
            plan->members[plan->member_starts[cluster]++] = i;
    }
    /* Each start is now the end of its part. */
    memmove(plan->member_starts + 1, plan->member_starts, plan->count * sizeof(uint32_t));
    plan->member_starts[0] = 0;
    return true;
}

/* A growing list: the numbers of one cluster after those of another. */
typedef struct growing {
    uint32_t *numbers;
    size_t count, capacity, begin; /* `begin`: of the current cluster */
} growing;

/* Appends a number, unless the current cluster already lists it: `*seen` is then the cluster plus
 * 1. */
static bool list_once(growing *list, uint32_t *seen, uint32_t cluster, uint32_t number)
{
    if (*seen == cluster + 1)
        return true;
    *seen = cluster + 1;
    uint32_t *grown =
        bake_grow(list->numbers, &list->capacity, list->count + 1, sizeof *list->numbers);
    if (!grown)
        return false;
    list->numbers = grown;
    grown[list->count++] = number;
    return true;
}

static uint32_t end_part(growing *list)
{
    size_t count = list->count - list->begin;
    if (count > 1)
        qsort(list->numbers + list->begin, count, sizeof *list->numbers, compare_numbers);
    list->begin = list->count;
    return (uint32_t)list->count;
}

/* Lists the assets and clusters outside `cluster` to which its asset `asset` refers. */
static bool list_exits(planner *p, uint32_t cluster, uint32_t asset, growing *mutables,
                       growing *references)
{
    const bake_cluster_graph *g = p->graph;
    uint32_t nodes = g->assets + g->imports;
    for (uint32_t e = g->edge_starts[asset]; e < g->edge_starts[asset + 1]; e++) {
        uint32_t to = cluster_of(p, g->edges[e]);
        if (to == cluster)
            continue;
        if (to == NONE ? !list_once(mutables, &p->seen[g->edges[e]], cluster, g->edges[e])
                       : !list_once(references, &p->seen[nodes + to], cluster, to))
            return false;
    }
    return true;
}

static bool list_all_exits(planner *p, growing *mutables, growing *references)
{
    bake_cluster_plan *plan = p->plan;
    for (uint32_t i = 0; i < plan->count; i++) {
        bool ok = list_exits(p, i, plan->roots[i], mutables, references);
        for (uint32_t m = plan->member_starts[i]; ok && m < plan->member_starts[i + 1]; m++)
            ok = list_exits(p, i, plan->members[m], mutables, references);
        if (!ok)
            return false;
        plan->mutable_starts[i + 1] = end_part(mutables);
        plan->reference_starts[i + 1] = end_part(references);
    }
    return true;
}

static bool list_outside(planner *p)
{
    bake_cluster_plan *plan = p->plan;
    growing mutables = {0}, references = {0};
    size_t nodes = (size_t)p->graph->assets + p->graph->imports;
    plan->mutable_starts = bake_alloc_array((size_t)plan->count + 1, sizeof(uint32_t));
    plan->reference_starts = bake_alloc_array((size_t)plan->count + 1, sizeof(uint32_t));
    p->seen = bake_alloc_array(nodes + plan->count, sizeof *p->seen);
    bool ok = plan->mutable_starts && plan->reference_starts && p->seen &&
              list_all_exits(p, &mutables, &references);
    plan->mutables = mutables.numbers;
    plan->references = references.numbers;
    return ok;
}

static bool make(planner *p)
{
    uint32_t count;
    if (!bake_cluster_cycles_find(p->graph, &p->cycles))
        return false;
    count = p->cycles.count;
    p->top = bake_alloc_array(count, sizeof *p->top);
    p->is_entered = bake_alloc_array(count, sizeof *p->is_entered);
    p->is_used = bake_alloc_array(count, sizeof *p->is_used);
    p->sizes = bake_alloc_array(count, sizeof *p->sizes);
    p->clusters = bake_alloc_array(count, sizeof *p->clusters);
    if (!p->top || !p->is_entered || !p->is_used || !p->sizes || !p->clusters)
        return false;
    memset(p->top, 0xff, count * sizeof *p->top);
    find_tops(p);
    if (!choose_roots(p))
        return false;
    return p->plan->count == 0 || (list_members(p) && list_outside(p));
}

bool bake_cluster_plan_make(const bake_cluster_graph *graph, bake_cluster_plan *ret_plan)
{
    planner p = {.graph = graph, .plan = ret_plan};
    memset(ret_plan, 0, sizeof *ret_plan);
    bool ok = make(&p);
    if (!ok || ret_plan->count == 0)
        bake_cluster_plan_fini(ret_plan);
    bake_cluster_cycles_fini(&p.cycles);
    bake_free(p.top);
    bake_free(p.is_entered);
    bake_free(p.is_used);
    bake_free(p.sizes);
    bake_free(p.clusters);
    bake_free(p.seen);
    return ok;
}

void bake_cluster_plan_fini(bake_cluster_plan *plan)
{
    bake_free(plan->roots);
    bake_free(plan->member_starts);
    bake_free(plan->members);
    bake_free(plan->mutable_starts);
    bake_free(plan->mutables);
    bake_free(plan->reference_starts);
    bake_free(plan->references);
    memset(plan, 0, sizeof *plan);
}
