/* Compares plans with a definition that is easy to check: an asset belongs to a cluster if removing
 * the cluster's root, and all assets in a cycle with it, makes the asset unreachable from the entry
 * (cluster_plan_make.h). */
#include "bake_memory.h"
#include "cluster_plan_make.h"
#include "test_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 12, IMPORTS = 2 };

/* A small graph. In `to`, the bits are numbered like the assets, followed by the imports. */
typedef struct small_graph {
    uint32_t count;
    uint32_t to[NODES_MAX];
    uint8_t roles[NODES_MAX];
} small_graph;

static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* ---- the definition ---- */

typedef struct definition {
    const small_graph *g;
    uint32_t taking_part;      /* assets whose role is not `never` */
    uint32_t reach[NODES_MAX]; /* by asset: the assets reachable by one or more references */
    uint32_t cycle[NODES_MAX]; /* by asset: the asset itself, and the assets in a cycle with it */
    uint32_t entry;            /* assets to which the entry refers */
    uint32_t owned[NODES_MAX]; /* by asset: the assets of the cluster with this root, or 0 */
    uint32_t all_owned;
} definition;

static uint32_t bit(uint32_t number)
{
    return UINT32_C(1) << number;
}

static uint32_t lowest(uint32_t set)
{
    uint32_t number = 0;
    while (!(set >> number & 1))
        number++;
    return number;
}

static uint32_t of_role(const small_graph *g, bake_cluster_role role)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->roles[i] == role)
            set |= bit(i);
    return set;
}

/* The assets outside `set` that refer to an asset of `set`. */
static uint32_t users_of(const small_graph *g, uint32_t set)
{
    uint32_t users = 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->to[i] & set && !(set & bit(i)))
            users |= bit(i);
    return users;
}

static uint32_t targets_of(const small_graph *g, uint32_t set)
{
    uint32_t targets = 0;
    for (; set; set &= set - 1)
        targets |= g->to[lowest(set)];
    return targets;
}

/* The assets of `allowed` that can be reached from `from` inside `allowed`. */
static uint32_t reachable(const small_graph *g, uint32_t from, uint32_t allowed)
{
    uint32_t found = from & allowed, before;
    do {
        before = found;
        found |= targets_of(g, found) & allowed;
    } while (found != before);
    return found;
}

static uint32_t dominated(const definition *d, uint32_t cycle)
{
    return d->taking_part & ~reachable(d->g, d->entry, d->taking_part & ~cycle);
}

static bool is_cluster(const definition *d, uint32_t cycle)
{
    uint32_t owned = dominated(d, cycle);
    for (uint32_t i = 0; i < d->g->count; i++)
        if (d->taking_part & bit(i) && d->cycle[i] != cycle && dominated(d, d->cycle[i]) & cycle)
            return false;
    return owned != bit(lowest(owned)) &&
           (cycle & of_role(d->g, BAKE_CLUSTER_ROOT) || users_of(d->g, cycle));
}

static void define(const small_graph *g, definition *d)
{
    uint32_t never = of_role(g, BAKE_CLUSTER_NEVER), roots = of_role(g, BAKE_CLUSTER_ROOT);
    memset(d, 0, sizeof *d);
    d->g = g;
    d->taking_part = (bit(g->count) - 1) & ~never;
    for (uint32_t i = 0; i < g->count; i++)
        d->reach[i] = reachable(g, g->to[i], d->taking_part);
    for (uint32_t i = 0; i < g->count; i++) {
        d->cycle[i] = bit(i);
        for (uint32_t k = 0; k < g->count; k++)
            if (d->reach[i] & bit(k) && d->reach[k] & bit(i))
                d->cycle[i] |= bit(k);
    }
    for (uint32_t i = 0; i < g->count; i++)
        if (d->taking_part & bit(i) &&
            (d->cycle[i] & roots || users_of(g, d->cycle[i]) & never || !users_of(g, d->cycle[i])))
            d->entry |= d->cycle[i];
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t first = d->cycle[i] & roots ? d->cycle[i] & roots : d->cycle[i];
        if (!(d->taking_part & bit(i)) || lowest(first) != i || !is_cluster(d, d->cycle[i]))
            continue;
        d->owned[i] = dominated(d, d->cycle[i]);
        assert_false(d->all_owned & d->owned[i]); /* at most one owner */
        d->all_owned |= d->owned[i];
    }
}

/* ---- the comparison ---- */

/* Small graphs, without references between them, in one plan. The assets of each graph have
 * consecutive numbers, and so do its clusters. */
enum { BATCH = 128 };

typedef struct batch {
    small_graph graphs[BATCH];
    uint32_t count, assets;
    uint32_t starts[BATCH * NODES_MAX + 1], edges[BATCH * NODES_MAX * (NODES_MAX + IMPORTS)];
    uint8_t roles[BATCH * NODES_MAX];
} batch;

/* One of the graphs in a plan of all graphs. */
typedef struct part {
    const bake_cluster_plan *plan;
    uint32_t first_asset, first_cluster, assets; /* `assets`: of all graphs */
} part;

static void list_edges(batch *b)
{
    uint32_t base = 0, at = 0, total = 0;
    for (uint32_t k = 0; k < b->count; k++)
        total += b->graphs[k].count;
    for (uint32_t k = 0; k < b->count; k++) {
        const small_graph *g = &b->graphs[k];
        for (uint32_t i = 0; i < g->count; i++) {
            b->starts[base + i] = at;
            b->roles[base + i] = g->roles[i];
            for (uint32_t set = g->to[i]; set; set &= set - 1) {
                uint32_t to = lowest(set);
                b->edges[at++] = to < g->count ? base + to : total + to - g->count;
            }
        }
        base += g->count;
    }
    b->starts[base] = at;
    b->assets = total;
}

/* Whether the list consists of the numbers in `set`, in ascending order. Numbers below `count` are
 * relative to `base`; the others are imports. */
static bool is_list_of(const part *p, const uint32_t *starts, const uint32_t *list,
                       uint32_t cluster, uint32_t set, uint32_t base, uint32_t count)
{
    uint32_t at = starts[cluster];
    for (; set; set &= set - 1, at++) {
        uint32_t number = lowest(set);
        number = number < count ? base + number : p->assets + number - count;
        if (at >= starts[cluster + 1] || list[at] != number)
            return false;
    }
    return at == starts[cluster + 1];
}

/* Sets a bit for each cluster that owns one of the targets, counted from the graph's first cluster.
 * Returns false unless each target is the root of its cluster, or in a cycle with the root. */
static bool list_references(const definition *d, const part *p, uint32_t targets, uint32_t clusters,
                            uint32_t *ret_set)
{
    *ret_set = 0;
    for (uint32_t i = 0; i < clusters; i++) {
        uint32_t root = p->plan->roots[p->first_cluster + i] - p->first_asset;
        uint32_t entered = d->owned[root] & targets;
        if (entered & ~d->cycle[root])
            return false;
        if (entered)
            *ret_set |= bit(i);
    }
    return true;
}

/* Whether the clusters of this graph are those of the definition. */
static bool is_plan_of(const definition *d, const part *p, uint32_t clusters)
{
    const bake_cluster_plan *plan = p->plan;
    uint32_t found = 0, references, n = d->g->count;
    for (uint32_t i = 0; i < clusters; i++) {
        uint32_t cluster = p->first_cluster + i, root = plan->roots[cluster] - p->first_asset;
        uint32_t owned = d->owned[root], outside = targets_of(d->g, owned) & ~owned;
        if (!owned || (cluster > 0 && plan->roots[cluster] <= plan->roots[cluster - 1]) ||
            !list_references(d, p, outside, clusters, &references) ||
            !is_list_of(p, plan->member_starts, plan->members, cluster, owned & ~bit(root),
                        p->first_asset, n) ||
            !is_list_of(p, plan->mutable_starts, plan->mutables, cluster, outside & ~d->all_owned,
                        p->first_asset, n) ||
            !is_list_of(p, plan->reference_starts, plan->references, cluster, references,
                        p->first_cluster, clusters))
            return false;
        found |= owned;
    }
    return found == d->all_owned;
}

static void fail_graph(const small_graph *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        print_message("asset %u: role %u, edges %#x\n", (unsigned)i, (unsigned)g->roles[i],
                      (unsigned)g->to[i]);
    fail();
}

static bake_cluster_graph graph_of(const batch *b)
{
    return (bake_cluster_graph){b->starts, b->edges, b->roles, b->assets, IMPORTS};
}

static void check_batch(batch *b)
{
    bake_cluster_plan plan;
    list_edges(b);
    const bake_cluster_graph graph = graph_of(b);
    part p = {&plan, 0, 0, b->assets};
    assert_true(bake_cluster_plan_make(&graph, &plan));
    for (uint32_t k = 0; k < b->count; k++) {
        definition d;
        uint32_t clusters = 0, end = p.first_asset + b->graphs[k].count;
        while (p.first_cluster + clusters < plan.count &&
               plan.roots[p.first_cluster + clusters] < end)
            clusters++;
        define(&b->graphs[k], &d);
        if (!is_plan_of(&d, &p, clusters))
            fail_graph(&b->graphs[k]);
        p.first_asset = end;
        p.first_cluster += clusters;
    }
    assert_int_equal(p.first_cluster, plan.count);
    bake_cluster_plan_fini(&plan);
    b->count = 0;
}

static batch waiting;

static void check_graph(const small_graph *g)
{
    waiting.graphs[waiting.count++] = *g;
    if (waiting.count == BATCH)
        check_batch(&waiting);
}

static void check_rest(void)
{
    if (waiting.count)
        check_batch(&waiting);
}

/* Sets the edges from the bits of `bits`, without edges of an asset to itself. */
static void set_edges(small_graph *g, uint32_t bits)
{
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t to = bits & (bit(g->count - 1) - 1), below = to & (bit(i) - 1);
        g->to[i] = below | (to & ~(bit(i) - 1)) << 1;
        bits >>= g->count - 1;
    }
}

static void plans_agree_for_all_graphs_of_four_assets_with_all_roles(void **state)
{
    (void)state;
    for (uint32_t count = 0; count <= 4; count++) {
        uint32_t graphs = count ? bit(count * (count - 1)) : 1, roles = 1;
        for (uint32_t i = 0; i < count; i++)
            roles *= 3;
        for (uint32_t bits = 0; bits < graphs; bits++) {
            for (uint32_t role = 0; role < roles; role++) {
                small_graph g = {.count = count};
                uint32_t left = role;
                for (uint32_t i = 0; i < count; i++, left /= 3)
                    g.roles[i] = (uint8_t)(left % 3);
                if (count)
                    set_edges(&g, bits);
                check_graph(&g);
            }
        }
    }
    check_rest();
}

static void plans_agree_for_all_graphs_of_five_assets(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint32_t bits = 0; bits < bit(20); bits++) {
        small_graph g = {.count = 5};
        set_edges(&g, bits);
        for (uint32_t i = 0; i < g.count; i++) {
            uint64_t number = draw(&seed);
            g.roles[i] = (uint8_t)(number % 8 < 5 ? BAKE_CLUSTER_MEMBER : number % 8 < 7 ? 1 : 2);
            if (number >> 8 & 1 && number >> 9 & 1)
                g.to[i] |= bit(i) | bit(g.count + (uint32_t)(number >> 10 & 1));
        }
        check_graph(&g);
    }
    check_rest();
}

static void plans_agree_for_random_graphs(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (uint64_t round = 0; round < test_share_of(100000); round++) {
        small_graph g = {.count = 6 + (uint32_t)(draw(&seed) % (NODES_MAX - 5))};
        uint32_t density = 1 + (uint32_t)(draw(&seed) % 7), roots = (uint32_t)(draw(&seed) % 6);
        for (uint32_t i = 0; i < g.count; i++) {
            for (uint32_t k = 0; k < g.count + IMPORTS; k++)
                if (draw(&seed) % 20 < density)
                    g.to[i] |= bit(k);
            uint32_t number = (uint32_t)(draw(&seed) % 12);
            g.roles[i] = (uint8_t)(number < roots ? BAKE_CLUSTER_ROOT
                                   : number == 11 ? BAKE_CLUSTER_NEVER
                                                  : BAKE_CLUSTER_MEMBER);
        }
        check_graph(&g);
    }
    check_rest();
}

/* ---- examples ---- */

static const small_graph shared = {
    /* 0 and 1 are roots, and 2 belongs to 0. 3 is shared and owns 4. 5 is shared but owns no other
     * asset. Bit 6 is an import. */
    .count = 6,
    .to = {[0] = 1 << 2 | 1 << 3 | 1 << 5, [1] = 1 << 3 | 1 << 5, [2] = 1 << 6, [3] = 1 << 4},
    .roles = {BAKE_CLUSTER_ROOT, BAKE_CLUSTER_ROOT}};

static void shared_assets_are_a_cluster_and_a_lone_one_is_a_mutable(void **state)
{
    (void)state;
    bake_cluster_plan plan;
    batch b = {.graphs = {shared}, .count = 1};
    list_edges(&b);
    const bake_cluster_graph graph = graph_of(&b);
    const part p = {&plan, 0, 0, shared.count};
    assert_true(bake_cluster_plan_make(&graph, &plan));
    /* Root 1 owns no other asset, so it is not a cluster. */
    assert_int_equal(plan.count, 2);
    assert_int_equal(plan.roots[0], 0);
    assert_int_equal(plan.roots[1], 3);
    assert_true(is_list_of(&p, plan.member_starts, plan.members, 0, bit(2), 0, 6));
    assert_true(is_list_of(&p, plan.mutable_starts, plan.mutables, 0, bit(5) | bit(6), 0, 6));
    assert_true(is_list_of(&p, plan.reference_starts, plan.references, 0, bit(1), 0, 6));
    assert_true(is_list_of(&p, plan.member_starts, plan.members, 1, bit(4), 0, 6));
    bake_cluster_plan_fini(&plan);
}

/* ---- many assets ---- */

enum { MANY = 1000000 };

typedef struct many {
    uint32_t *starts, *edges;
    uint8_t *roles;
    bake_cluster_graph graph;
} many;

static many many_init(void)
{
    many m = {calloc(MANY + 1, 4), calloc(3 * MANY, 4), calloc(MANY, 1), {0}};
    assert_true(m.starts && m.edges && m.roles);
    m.graph = (bake_cluster_graph){m.starts, m.edges, m.roles, MANY, 0};
    m.roles[0] = BAKE_CLUSTER_ROOT;
    return m;
}

static void many_fini(many *m)
{
    free(m->starts);
    free(m->edges);
    free(m->roles);
}

/* Each asset refers to the next one. In the chain, the last one refers to itself; in the cycle, to
 * the first. */
static void chain_and_cycle_of_a_million_are_one_cluster(void **state)
{
    (void)state;
    for (int is_cycle = 0; is_cycle <= 1; is_cycle++) {
        many m = many_init();
        bake_cluster_plan plan;
        for (uint32_t i = 0; i < MANY; i++) {
            m.edges[i] = i + 1 < MANY ? i + 1 : is_cycle ? 0 : i;
            m.starts[i + 1] = i + 1;
        }
        assert_true(bake_cluster_plan_make(&m.graph, &plan));
        assert_int_equal(plan.count, 1);
        assert_int_equal(plan.member_starts[1], MANY - 1);
        assert_int_equal(plan.mutable_starts[1] + plan.reference_starts[1], 0);
        bake_cluster_plan_fini(&plan);
        many_fini(&m);
    }
}

/* Assets with even numbers are roots. Each owns the odd asset after it, and refers to the next
 * root. */
static void chain_of_half_a_million_clusters_has_a_plan(void **state)
{
    (void)state;
    many m = many_init();
    bake_cluster_plan plan;
    uint32_t at = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        m.roles[i] = i % 2 ? BAKE_CLUSTER_MEMBER : BAKE_CLUSTER_ROOT;
        for (uint32_t k = 1; i % 2 == 0 && k <= 2 && i + k < MANY; k++)
            m.edges[at++] = i + k;
        m.starts[i + 1] = at;
    }
    assert_true(bake_cluster_plan_make(&m.graph, &plan));
    assert_int_equal(plan.count, MANY / 2);
    for (uint32_t i = 0; i < plan.count; i++) {
        assert_int_equal(plan.roots[i], 2 * i);
        assert_int_equal(plan.members[i], 2 * i + 1);
        assert_int_equal(plan.reference_starts[i], i);
    }
    assert_int_equal(plan.reference_starts[plan.count], MANY / 2 - 1);
    bake_cluster_plan_fini(&plan);
    many_fini(&m);
}

/* ---- memory ---- */

static void memory_that_runs_out_leaves_an_empty_plan(void **state)
{
    (void)state;
    batch b = {.graphs = {shared}, .count = 1};
    bake_cluster_plan plan;
    bool ok = false;
    int failures = 0;
    list_edges(&b);
    const bake_cluster_graph graph = graph_of(&b);
    for (long n = 0; !ok; n++) {
        bake_memory_fail_at(n);
        ok = bake_cluster_plan_make(&graph, &plan);
        bool failed = bake_memory_has_failed();
        bake_memory_fail_at(-1);
        assert_true(ok != failed);
        assert_int_equal(plan.count, ok ? 2 : 0);
        failures += !ok;
        if (!ok)
            assert_null(plan.roots);
        bake_cluster_plan_fini(&plan);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_agree_for_all_graphs_of_four_assets_with_all_roles),
        cmocka_unit_test(plans_agree_for_all_graphs_of_five_assets),
        cmocka_unit_test(plans_agree_for_random_graphs),
        cmocka_unit_test(shared_assets_are_a_cluster_and_a_lone_one_is_a_mutable),
        cmocka_unit_test(chain_and_cycle_of_a_million_are_one_cluster),
        cmocka_unit_test(chain_of_half_a_million_clusters_has_a_plan),
        cmocka_unit_test(memory_that_runs_out_leaves_an_empty_plan),
    };
    return cmocka_run_group_tests_name("cluster plan", tests, NULL, NULL);
}
