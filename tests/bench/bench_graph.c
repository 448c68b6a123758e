/* The file is written with the library's own writer. The flat arrays are made from the list of
 * edges, with the nodes numbered as the file's index numbers them: by id. */
#include "bench_graph.h"

#include "baselines.h"
#include "bench_items.h"
#include "bench_random.h"

#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node_blob {
    kiln_array links; /* kiln_id */
    uint32_t value, reserved;
} node_blob;

enum { T_U32, T_REF, T_REFS, T_NODE, T_COUNT, NAME_SIZE = 20, TREE_NODES = 50 };

static void name_of(char name[NAME_SIZE], uint32_t node)
{
    snprintf(name, NAME_SIZE, "Node/%08u", node);
}

static kiln_id id_of(uint32_t node)
{
    char name[NAME_SIZE];
    name_of(name, node);
    return kiln_asset_id(name, strlen(name));
}

static kiln_types *make_types(void)
{
    static const kiln_member fields[] = {{.name = "links", .type = T_REFS},
                                         {.name = "value", .type = T_U32},
                                         {.name = "reserved", .type = T_U32}};
    const kiln_type unnamed = {.element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE};
    kiln_type types[T_COUNT] = {unnamed, unnamed, unnamed, unnamed};
    types[T_U32].kind = KILN_KIND_U32;
    types[T_REF].kind = KILN_KIND_REF;
    types[T_REF].element = T_NODE;
    types[T_REFS].kind = KILN_KIND_ARRAY;
    types[T_REFS].element = T_REF;
    types[T_NODE].name = "graph.Node";
    types[T_NODE].kind = KILN_KIND_STRUCT;
    types[T_NODE].flags = KILN_TYPE_ASSET;
    types[T_NODE].members = fields;
    types[T_NODE].member_count = 3;
    kiln_types *made = NULL;
    bench_items_expect(kiln_types_create(NULL, types, T_COUNT, &made, NULL));
    return made;
}

/* ---- edges ---- */

/* Edges in the order of the nodes from which they start. */
typedef struct edge_list {
    uint32_t *starts, *edges;
    uint32_t count;
} edge_list;

static void add_node(const kiln_types *types, kiln_file_writer *writer, const edge_list *list,
                     uint32_t node, const kiln_id *ids)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    kiln_builder *builder = NULL;
    bench_items_expect(kiln_builder_create(&def, &builder));
    uint32_t type = kiln_types_find(types, "graph.Node"),
             count = list->starts[node + 1] - list->starts[node];
    node_blob *blob = kiln_builder_root(builder, sizeof *blob, 8);
    if (!blob)
        bench_items_fail(KILN_NO_MEMORY);
    blob->value = node;
    if (count > 0) {
        kiln_id *links = kiln_builder_array(builder, &blob->links, count, sizeof *links, 8);
        if (!links)
            bench_items_fail(KILN_NO_MEMORY);
        for (uint32_t i = 0; i < count; i++)
            links[i] = ids[list->edges[list->starts[node] + i]];
    }
    char name[NAME_SIZE];
    name_of(name, node);
    bench_items_expect(kiln_file_writer_build(writer, name, type, builder, NULL));
    kiln_builder_destroy(builder);
}

static void write_file(bench_graph *graph, const edge_list *list, const kiln_id *ids)
{
    kiln_types *types = make_types();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    kiln_file_writer *writer = NULL;
    bench_items_expect(kiln_file_writer_create(&def, &writer, NULL));
    for (uint32_t i = 0; i < graph->count; i++)
        add_node(types, writer, list, i, ids);
    bench_items_expect(kiln_file_writer_finish_buffer(writer, &graph->file, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
}

static const kiln_id *sort_ids;

static int compare_ids(const void *a, const void *b)
{
    kiln_id x = sort_ids[*(const uint32_t *)a], y = sort_ids[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

/* Numbers nodes by id, and makes the flat arrays in that order. */
static void flatten(bench_graph *graph, const edge_list *list, const kiln_id *ids)
{
    uint32_t *order = baseline_array(graph->count, sizeof *order);
    uint32_t *number = baseline_array(graph->count, sizeof *number);
    for (uint32_t i = 0; i < graph->count; i++)
        order[i] = i;
    sort_ids = ids;
    qsort(order, graph->count, sizeof *order, compare_ids);
    for (uint32_t i = 0; i < graph->count; i++)
        number[order[i]] = i;
    graph->starts = baseline_array(graph->count + 1, sizeof *graph->starts);
    graph->edges = baseline_array(list->count + 1, sizeof *graph->edges);
    uint32_t at = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->starts[i] = at;
        for (uint32_t e = list->starts[order[i]]; e < list->starts[order[i] + 1]; e++)
            graph->edges[at++] = number[list->edges[e]];
    }
    graph->starts[graph->count] = at;
    for (uint32_t i = 0; i < graph->root_count; i++)
        graph->roots[i] = number[graph->roots[i]];
    free(order);
    free(number);
}

static void finish(bench_graph *graph, edge_list *list)
{
    kiln_id *ids = baseline_array(graph->count, sizeof *ids);
    for (uint32_t i = 0; i < graph->count; i++)
        ids[i] = id_of(i);
    write_file(graph, list, ids);
    flatten(graph, list, ids);
    free(ids);
    free(list->starts);
    free(list->edges);
}

/* ---- the two graphs ---- */

void bench_graph_trees(bench_graph *graph, uint32_t trees, uint32_t shared)
{
    uint64_t random = 1;
    *graph = (bench_graph){.count = trees * TREE_NODES + shared, .root_count = trees};
    edge_list list = {baseline_array(graph->count + 1, sizeof(uint32_t)),
                      baseline_array(2 * (size_t)graph->count, sizeof(uint32_t)), 0};
    graph->roots = baseline_array(trees, sizeof *graph->roots);
    for (uint32_t node = 0; node < graph->count; node++) {
        uint32_t tree = node / TREE_NODES, at = node % TREE_NODES;
        list.starts[node] = list.count;
        if (tree >= trees)
            continue;
        if (at == 0)
            graph->roots[tree] = node;
        /* Node i of a tree is the parent of nodes 3i + 1 to 3i + 3. */
        for (uint32_t child = 3 * at + 1; child <= 3 * at + 3 && child < TREE_NODES; child++)
            list.edges[list.count++] = tree * TREE_NODES + child;
        if (bench_random(&random) % 20 == 0)
            list.edges[list.count++] =
                trees * TREE_NODES + (uint32_t)(bench_random(&random) % shared);
    }
    list.starts[graph->count] = list.count;
    finish(graph, &list);
}

void bench_graph_random(bench_graph *graph, uint32_t nodes, uint32_t edges)
{
    uint64_t random = 2;
    *graph = (bench_graph){.count = nodes, .root_count = nodes / 100};
    edge_list list = {baseline_array(nodes + 1, sizeof(uint32_t)),
                      baseline_array((size_t)nodes * edges, sizeof(uint32_t)), 0};
    graph->roots = baseline_array(graph->root_count, sizeof *graph->roots);
    for (uint32_t node = 0; node < nodes; node++) {
        list.starts[node] = list.count;
        for (uint32_t i = 0; i < edges; i++)
            list.edges[list.count++] = (uint32_t)(bench_random(&random) % nodes);
    }
    list.starts[nodes] = list.count;
    for (uint32_t i = 0; i < graph->root_count; i++)
        graph->roots[i] = (uint32_t)(bench_random(&random) % nodes);
    finish(graph, &list);
}

void bench_graph_fini(bench_graph *graph)
{
    free(graph->starts);
    free(graph->edges);
    free(graph->roots);
    kiln_buffer_fini(&graph->file);
}

/* Loads every node, and keeps the handles to the roots. */
kiln_assets *bench_graph_load(const bench_graph *graph)
{
    kiln_assets_def def = kiln_assets_def_default();
    def.track_pointers = def.track_takers = false;
    kiln_assets *assets = NULL;
    bench_items_expect(kiln_assets_create(&def, &assets, NULL));
    bench_items_mount(assets, &graph->file, 0);
    kiln_file *file = NULL;
    kiln_file_def file_def = kiln_file_def_default();
    file_def.data = graph->file.data;
    file_def.size = graph->file.size;
    bench_items_expect(kiln_file_open(&file_def, &file, NULL));
    const kiln_index *index = kiln_file_index(file, NULL);
    bool *is_root = baseline_array(graph->count, sizeof *is_root);
    memset(is_root, 0, graph->count * sizeof *is_root);
    for (uint32_t i = 0; i < graph->root_count; i++)
        is_root[graph->roots[i]] = true;
    for (uint32_t i = 0; i < graph->count; i++) {
        kiln_load_args load = {.id = kiln_index_id(index, i), .by = KILN_HERE};
        kiln_ref ref = {0};
        bench_items_expect(kiln_assets_load(assets, &load, &ref, NULL));
        if (!is_root[i])
            kiln_assets_clear(assets, &ref);
    }
    free(is_root);
    kiln_file_close(file);
    return assets;
}
