#include "sample_clusters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/builder.h>
#include <kiln/cluster_plan.h>
#include <kiln/file_writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64, LINKS_MAX = 6, CHAIN = 300 };

/* An asset, the assets to which it refers, and its cluster. */
typedef struct sample_asset {
    const char *name;
    int cluster; /* -1: none; the first asset of a cluster is its root */
    const char *links[LINKS_MAX];
} sample_asset;

#define SPECIAL "Node/quote\"back\\slash&amp;\xe2\x80\xae"

static const sample_asset assets[] = {
    {"Level/one", 0, {"Node/a", "Node/b", "Node/shared", "Node/lone", "Node/elsewhere"}},
    {"Node/a", 0, {SPECIAL, "Node/b"}},
    {"Node/b", 0, {"Node/a"}},
    {SPECIAL, 0, {NULL}},
    {"Level/two", 1, {"Node/c", "Node/shared", "Node/lone"}},
    {"Node/c", 1, {NULL}},
    {"Level/three", 2, {"Level/two", "Node/d"}},
    {"Node/d", 2, {"Node/never"}},
    {"Node/shared", 3, {"Node/deep"}},
    {"Node/deep", 3, {NULL}},
    {"Node/lone", -1, {NULL}},
    {"Node/never", -1, {NULL}},
    {"Node/free", -1, {"Node/freed", "Node/a"}},
    {"Node/freed", -1, {NULL}},
};
enum { ASSETS = sizeof assets / sizeof assets[0], CLUSTERS = 4 };

typedef struct plan_maker {
    kiln_file_graph graph;
    uint32_t before; /* assets before the plan */
    uint32_t roots[CHAIN], starts[3][CHAIN + 1], lists[3][NAMES_MAX * LINKS_MAX];
    uint32_t count, at[3];
} plan_maker;

/* The position of an asset or import in the final index. */
static uint32_t number_of(const plan_maker *m, const char *name)
{
    kiln_id id = kiln_asset_id(name, strlen(name));
    uint32_t i = 0;
    while (i < m->graph.asset_count && m->graph.ids[i] != id)
        i++;
    /* The only import follows all assets. */
    return i + (i >= m->before);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static void append(plan_maker *m, int list, uint32_t number)
{
    uint32_t i;
    for (i = m->starts[list][m->count]; i < m->at[list]; i++)
        if (m->lists[list][i] == number)
            return;
    m->lists[list][m->at[list]++] = number;
}

static int cluster_of(const char *name)
{
    int i;
    for (i = 0; i < ASSETS; i++)
        if (strcmp(assets[i].name, name) == 0)
            return assets[i].cluster;
    return -1;
}

/* The number of a cluster in the plan, whose clusters are in ascending order of their roots. */
static int rank_of(const plan_maker *m, int cluster)
{
    int i, rank = 0, root = -1;
    for (i = ASSETS - 1; i >= 0; i--)
        root = assets[i].cluster == cluster ? i : root;
    for (i = 0; i < ASSETS; i++)
        if (assets[i].cluster >= 0 && (i == 0 || assets[i - 1].cluster != assets[i].cluster))
            rank += number_of(m, assets[i].name) < number_of(m, assets[root].name);
    return rank;
}

static void list_cluster(plan_maker *m, int cluster)
{
    bool has_root = false;
    int i, k;
    for (i = 0; i < ASSETS; i++) {
        if (assets[i].cluster != cluster)
            continue;
        if (has_root)
            append(m, 0, number_of(m, assets[i].name));
        else
            m->roots[m->count] = number_of(m, assets[i].name);
        has_root = true;
        for (k = 0; k < LINKS_MAX && assets[i].links[k]; k++) {
            int to = cluster_of(assets[i].links[k]);
            if (to < 0)
                append(m, 1, number_of(m, assets[i].links[k]));
            else if (to != cluster)
                append(m, 2, (uint32_t)rank_of(m, to));
        }
    }
    for (k = 0; k < 3; k++) {
        uint32_t begin = m->starts[k][m->count];
        qsort(m->lists[k] + begin, m->at[k] - begin, sizeof(uint32_t), compare_numbers);
        m->starts[k][m->count + 1] = m->at[k];
    }
    m->count++;
}

static void put(kiln_builder *b, kiln_array *field, const uint32_t *numbers, uint32_t count)
{
    uint32_t *to = kiln_builder_array(b, field, count, sizeof *to, sizeof *to);
    if (to)
        memcpy(to, numbers, count * sizeof *to);
}

static void damage(plan_maker *m, sample_clusters_kind kind)
{
    uint32_t largest = m->graph.asset_count + 1 + m->graph.import_count;
    if (kind == SAMPLE_CLUSTERS_OWNERS)
        m->lists[0][m->at[0] - 1] = m->lists[0][0];
    if (kind == SAMPLE_CLUSTERS_STARTS)
        m->starts[0][1] = 1000;
    if (kind == SAMPLE_CLUSTERS_NUMBERS) {
        m->lists[1][m->at[1] - 1] = largest;
        m->lists[2][0] = m->count;
        m->lists[0][0] = UINT32_MAX;
    }
}

/* Cluster i of the chain has only a root, and refers to cluster i + 1. */
static void list_chain(plan_maker *m)
{
    uint32_t i;
    for (i = 0; i < CHAIN; i++) {
        m->roots[i] = i + (i >= m->before);
        m->starts[2][i + 1] = i + 1 < CHAIN ? i + 1 : i;
        if (i + 1 < CHAIN)
            m->lists[2][i] = i + 1;
    }
    m->count = CHAIN;
    m->at[2] = CHAIN - 1;
}

static void build_plan(plan_maker *m, kiln_builder *b, sample_clusters_kind kind)
{
    kiln_cluster_plan *plan = kiln_builder_root(b, sizeof *plan, 4);
    int rank, cluster;
    for (rank = 0; rank < CLUSTERS && kind != SAMPLE_CLUSTERS_MANY; rank++)
        for (cluster = 0; cluster < CLUSTERS; cluster++)
            if (rank_of(m, cluster) == rank)
                list_cluster(m, cluster);
    if (kind == SAMPLE_CLUSTERS_MANY)
        list_chain(m);
    damage(m, kind);
    put(b, &plan->roots, m->roots, m->count);
    put(b, &plan->member_starts, m->starts[0], m->count + 1);
    put(b, &plan->members, m->lists[0], m->at[0]);
    put(b, &plan->mutable_starts, m->starts[1], m->count + 1);
    put(b, &plan->mutables, m->lists[1], m->at[1]);
    put(b, &plan->reference_starts, m->starts[2], m->count + 1);
    put(b, &plan->references, m->lists[2], m->at[2]);
}

static void add_asset(kiln_file_writer *writer, kiln_builder *b, const sample_asset *asset)
{
    kiln_array *to = kiln_builder_root(b, sizeof *to, 4);
    uint32_t count = 0, i;
    kiln_id *ids;
    while (count < LINKS_MAX && asset->links[count])
        count++;
    ids = kiln_builder_array(b, to, count, sizeof *ids, sizeof *ids);
    for (i = 0; i < count; i++)
        ids[i] = kiln_asset_id(asset->links[i], strlen(asset->links[i]));
    assert_int_equal(KILN_OK, kiln_file_writer_build(writer, asset->name, 3, b, NULL));
    kiln_builder_reset(b);
}

static void add_assets(kiln_file_writer *writer, kiln_builder *b, sample_clusters_kind kind)
{
    int i;
    for (i = 0; i < (kind == SAMPLE_CLUSTERS_MANY ? CHAIN : ASSETS); i++) {
        char name[32];
        sample_asset chained = {name, 0, {NULL}};
        snprintf(name, sizeof name, "Link/%d", i);
        add_asset(writer, b, kind == SAMPLE_CLUSTERS_MANY ? &chained : &assets[i]);
    }
    assert_int_equal(KILN_OK, kiln_file_writer_import(writer, "Node/elsewhere"));
}

static void add_plan(kiln_file_writer *writer, kiln_builder *b, const kiln_types *types,
                     sample_clusters_kind kind)
{
    const char *name = kind == SAMPLE_CLUSTERS_NAMED ? "Plan/mine" : KILN_CLUSTERS_ASSET_NAME;
    kiln_id id = kiln_asset_id(name, strlen(name));
    plan_maker *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_int_equal(KILN_OK, kiln_file_writer_get_graph(writer, &m->graph, NULL));
    while (m->before < m->graph.asset_count && m->graph.ids[m->before] < id)
        m->before++;
    build_plan(m, b, kind);
    assert_int_equal(
        KILN_OK, kiln_file_writer_build(writer, name,
                                        kiln_types_find(types, KILN_CLUSTERS_TYPE_NAME), b, NULL));
    kiln_file_graph_fini(&m->graph);
    free(m);
}

kiln_buffer sample_clusters(sample_clusters_kind kind)
{
    static const kiln_member field[] = {{.name = "to", .type = 1}};
    static const kiln_type own[] = {{.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
                                    {.kind = KILN_KIND_ARRAY, .element = 0},
                                    {.kind = KILN_KIND_U32},
                                    {.kind = KILN_KIND_STRUCT,
                                     .name = "game.Node",
                                     .members = field,
                                     .member_count = 1,
                                     .flags = KILN_TYPE_ASSET}};
    kiln_types *list = NULL, *types = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_builder_def of_builder = kiln_builder_def_default();
    kiln_file_writer *writer = NULL;
    kiln_builder *b = NULL;
    kiln_buffer file = {0};
    assert_int_equal(KILN_OK, kiln_types_create(NULL, own, 4, &list, NULL));
    assert_int_equal(KILN_OK, kiln_types_with_clusters(list, NULL, &types, NULL));
    of_builder.types = def.types = types;
    def.omit_type_table = kind == SAMPLE_CLUSTERS_UNTYPED;
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    assert_int_equal(KILN_OK, kiln_builder_create(&of_builder, &b));
    if (kind == SAMPLE_CLUSTERS_PACKED)
        assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, 19, NULL));
    add_assets(writer, b, kind);
    add_plan(writer, b, types, kind);
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &file, NULL));
    kiln_builder_destroy(b);
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    kiln_types_destroy(list);
    return file;
}
