/* Small graphs, loaded, formed into clusters and released in every order.
 *
 * After each release, the collector must leave exactly what can be reached from the assets that are
 * still held. The removed assets are therefore the same with and without clusters, whether the
 * program forms them or the file plans them, and whatever the order in which they were formed. */
#include "asset_fixture.h"
#include "test_share.h"

#include <kiln/clusters.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 6 };

typedef struct graph {
    uint32_t count;
    uint32_t edges[MOST]; /* masks */
    /* The cluster of each asset in the file's plan. The first asset of a cluster is its root. The
     * plan need not match the edges. */
    uint32_t planned[MOST];
} graph;

typedef enum how {
    FORM_LOADED, /* each cluster as soon as its root is loaded */
    FORM_LATER,  /* when all assets are loaded, in the order of release */
    FORM_NONE,
    FORM_PLANNED, /* by a file with a plan, when the first cycle after the loads begins */
    FORM_COUNT
} how;

typedef struct history {
    scene s;
    kiln_collector *collector;
    kiln_ref held[MOST];
    graph g;
} history;

static uint32_t random_below(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % below);
}

static const char *const names[MOST] = {"A/0", "A/1", "A/2", "A/3", "A/4", "A/5"};

static const char *make_plan(const graph *g, char *text)
{
    text[0] = '\0';
    for (uint32_t cluster = 0; cluster < g->count; cluster++) {
        const char *before = " ", *after = ":";
        for (uint32_t i = 0; i < g->count; i++) {
            if (g->planned[i] != cluster)
                continue;
            sprintf(text + strlen(text), "%s%s%s", before, names[i], after);
            before = *after == ':' ? "" : ",";
            after = "";
        }
    }
    return text;
}

static kiln_buffer make_file(const graph *g, bool has_plan)
{
    scene_asset assets[MOST];
    char plan[MOST * 6 + 1];
    char refs[MOST][MOST * 4 + 1];
    for (uint32_t i = 0; i < g->count; i++) {
        refs[i][0] = '\0';
        for (uint32_t k = 0; k < g->count; k++)
            if (g->edges[i] >> k & 1)
                snprintf(refs[i] + strlen(refs[i]), sizeof refs[i] - strlen(refs[i]), "%s%s",
                         refs[i][0] ? " " : "", names[k]);
        assets[i] = (scene_asset){names[i], i + 1, refs[i][0] ? refs[i] : NULL, SCENE_THING};
    }
    return scene_planned(has_plan ? make_plan(g, plan) : NULL, assets, g->count);
}

static uint32_t reachable(const graph *g, uint32_t roots)
{
    for (uint32_t before = 0; before != roots;) {
        before = roots;
        for (uint32_t i = 0; i < g->count; i++)
            if (before >> i & 1)
                roots |= g->edges[i];
    }
    return roots;
}

static void set_def(kiln_assets_def *def)
{
    def->max_assets = 64;
    def->track_pointers = def->track_takers = false;
}

static void begin(history *h, const graph *g, bool has_plan)
{
    kiln_collector_def def = kiln_collector_def_default();
    memset(h->held, 0, sizeof h->held);
    h->g = *g;
    scene_begin_with(&h->s, set_def);
    scene_mount(&h->s, make_file(g, has_plan), 0);
    def.assets = h->s.assets;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &h->collector, NULL));
}

static void end(history *h)
{
    kiln_collector_destroy(h->collector);
    scene_end(&h->s);
}

static void check(history *h, uint32_t expected)
{
    kiln_error error = {0};
    uint32_t loaded = 0;
    if (!kiln_collector_is_valid(h->collector, &error))
        fail_msg("%s", error.path);
    for (uint32_t i = 0; i < h->g.count; i++)
        loaded |= (uint32_t)(kiln_assets_get(h->s.assets, scene_id(names[i])) != NULL) << i;
    assert_int_equal(expected, loaded);
}

static void form(history *h, uint32_t asset)
{
    kiln_cluster cluster;
    EXPECT_STATUS(KILN_OK,
                  kiln_cluster_create(h->collector, h->held[asset], &cluster, &h->s.error));
}

/* Runs a cycle, in one call or in steps that are as small as possible. */
static void collect(history *h, bool in_steps)
{
    kiln_collector_state state = KILN_COLLECTOR_MARKING;
    if (!in_steps) {
        EXPECT_STATUS(KILN_OK, kiln_collector_run(h->collector));
        return;
    }
    kiln_collector_start(h->collector);
    while (state != KILN_COLLECTOR_IDLE)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(h->collector, 0, &state));
}

/* Returns the number of assets that were marked only with a cluster. */
static uint64_t run_order(history *h, const uint32_t *loads, const uint32_t *releases, how forms)
{
    kiln_collector_stats stats;
    uint32_t held = 0;
    uint64_t by_cluster = 0;
    for (uint32_t i = 0; i < h->g.count; i++) {
        const kiln_load_args args = {.name = names[loads[i]], .by = KILN_HERE};
        EXPECT_STATUS(KILN_OK, kiln_assets_load(h->s.assets, &args, &h->held[loads[i]], NULL));
        if (forms == FORM_LOADED)
            form(h, loads[i]);
    }
    for (uint32_t i = 0; i < h->g.count && forms == FORM_LATER; i++)
        form(h, releases[i]);
    held = (1u << h->g.count) - 1;
    for (uint32_t i = 0; i < h->g.count; i++) {
        kiln_assets_clear(h->s.assets, &h->held[releases[i]]);
        held &= ~(1u << releases[i]);
        collect(h, i % 2);
        check(h, reachable(&h->g, held));
        kiln_collector_get_stats(h->collector, &stats);
        by_cluster += stats.marked_by_cluster;
        assert_int_equal(scene_stats(&h->s).loaded, stats.marked);
    }
    return by_cluster;
}

/* The next permutation in lexical order. Returns false after the last one. */
static bool permute(uint32_t *order, uint32_t count)
{
    uint32_t i = count - 1, k = count - 1;
    while (i > 0 && order[i - 1] >= order[i])
        i--;
    if (i == 0)
        return false;
    while (order[k] <= order[i - 1])
        k--;
    uint32_t swapped = order[i - 1];
    order[i - 1] = order[k];
    order[k] = swapped;
    for (k = count - 1; i < k; i++, k--) {
        swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
    return true;
}

static void init_order(uint32_t *order)
{
    for (uint32_t i = 0; i < MOST; i++)
        order[i] = i;
}

/* Every order of loading with every order of releasing, for a graph of few assets. */
static uint64_t run_all(const graph *g, bool has_plan)
{
    history h;
    uint32_t loads[MOST], releases[MOST];
    uint64_t by_cluster = 0;
    begin(&h, g, has_plan);
    init_order(loads);
    do {
        init_order(releases);
        do {
            for (how forms = has_plan ? FORM_PLANNED : FORM_LOADED;
                 forms < (has_plan ? FORM_COUNT : FORM_PLANNED); forms++)
                by_cluster += run_order(&h, loads, releases, forms);
        } while (permute(releases, g->count));
    } while (permute(loads, g->count));
    end(&h);
    return by_cluster;
}

static graph graph_of(uint32_t count, uint64_t bits)
{
    graph g = {.count = count};
    for (uint32_t i = 0; i < count; i++)
        g.edges[i] = (uint32_t)(bits >> i * count) & ((1u << count) - 1);
    return g;
}

/* Puts the assets into random clusters of the plan. Returns the graph. */
static graph *plan(graph *g, uint64_t *random)
{
    for (uint32_t i = 0; i < g->count; i++)
        g->planned[i] = random_below(random, g->count);
    return g;
}

static void all_graphs_of_three_assets_in_all_orders(void **state)
{
    (void)state;
    uint64_t by_cluster = 0;
    for (uint32_t bits = 0; bits < 512; bits++) {
        if (!test_share_has(bits + bits / 8))
            continue;
        const graph g = graph_of(3, bits);
        by_cluster += run_all(&g, false);
    }
    assert_true(by_cluster > test_share_of(1000));
}

static void all_graphs_of_three_assets_with_a_plan_in_all_orders(void **state)
{
    (void)state;
    uint64_t random = 3, by_cluster = 0;
    for (uint32_t bits = 0; bits < 512; bits++) {
        if (!test_share_has(bits + bits / 8))
            continue;
        graph g = graph_of(3, bits);
        by_cluster += run_all(plan(&g, &random), true);
    }
    assert_true(by_cluster > test_share_of(1000));
}

static void sampled_graphs_of_four_assets_in_all_orders(void **state)
{
    (void)state;
    uint64_t random = 4, by_cluster[2] = {0};
    for (uint32_t i = 0; i < 12; i++) {
        graph g = graph_of(4, random_below(&random, 65536));
        by_cluster[0] += run_all(&g, false);
        by_cluster[1] += run_all(plan(&g, &random), true);
    }
    assert_true(by_cluster[0] > 1000 && by_cluster[1] > 1000);
}

/* Every order of loading, each with a random order of releasing. */
static void sampled_graphs_of_six_assets_in_all_orders_of_loading(void **state)
{
    (void)state;
    uint64_t random = 6, by_cluster = 0;
    for (uint32_t i = 0; i < 12; i++) {
        graph g = {.count = 6};
        uint32_t loads[MOST], releases[MOST];
        history h;
        for (uint32_t k = 0; k < 12; k++)
            g.edges[random_below(&random, 6)] |= 1u << random_below(&random, 6);
        const bool has_plan = i % 2;
        begin(&h, plan(&g, &random), has_plan);
        init_order(loads);
        init_order(releases);
        do {
            for (uint32_t k = 5; k > 0; k--) {
                uint32_t other = random_below(&random, k + 1), swapped = releases[k];
                releases[k] = releases[other];
                releases[other] = swapped;
            }
            by_cluster += run_order(&h, loads, releases, (how)random_below(&random, FORM_COUNT));
        } while (permute(loads, 6));
        end(&h);
    }
    assert_true(by_cluster > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_graphs_of_three_assets_in_all_orders),
        cmocka_unit_test(all_graphs_of_three_assets_with_a_plan_in_all_orders),
        cmocka_unit_test(sampled_graphs_of_four_assets_in_all_orders),
        cmocka_unit_test(sampled_graphs_of_six_assets_in_all_orders_of_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
